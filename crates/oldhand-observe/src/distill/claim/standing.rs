//! What an agent said of something that it then left as it was: a rule of a linter, what a workflow expects, how a part behaves.
//!
//! A mistake in the code is mended by an edit of the file that has it. What names nothing of the edited files, in the present and with
//! a word of what always holds, still stands.

use oldhand_domain::path::ProjectPath;

use super::{
    Claim, OF_A_CASE, OF_THE_DAY, is_commit, is_past, is_release, names, without_parentheses,
};
use crate::paths;

/// Words of what holds whenever it comes up.
const HOLDS: [&str; 19] = [
    "always",
    "must",
    "by default",
    "unless",
    "requires",
    "require",
    "expects",
    "expect",
    "rejects",
    "refuses",
    "takes precedence",
    "take precedence",
    "conflicts with",
    "doesn't support",
    "does not support",
    "regardless",
    "silently",
    "even when",
    "ignores",
];

/// Words of the work itself, and of a mistake.
const OF_THE_WORK: [&str; 20] = [
    "i", "we", "this", "these", "same", "fix", "fixes", "bug", "bugs", "wrong", "wrongly",
    "broken", "fail", "fails", "failed", "failing", "crash", "crashes", "leak", "leaks",
];

/// What a statement claims of things that the session left as they were.
pub(in crate::distill) fn standing(statement: &str, edited: &[ProjectPath]) -> Option<Claim> {
    let main = without_parentheses(statement);
    let main = main.split(". ").next().unwrap_or(&main);
    let lower = main.to_lowercase();
    let plain: String = lower.split('`').step_by(2).collect();
    let words: Vec<&str> = plain
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let says = |phrase: &&str| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|near| near == phrase)
    };
    let first = lower.split([' ', ',', ':']).next().unwrap_or_default();
    // Before a "but" stands how it went that day.
    let is_of_the_day = lower.contains(", but ")
        || OF_THE_DAY.iter().any(|words| lower.contains(words))
        || words.iter().any(|word| OF_THE_WORK.contains(word))
        || OF_A_CASE.contains(&first)
        || is_order(first)
        || is_past(main);
    if is_of_the_day || !HOLDS.iter().any(says) {
        return None;
    }
    let mut named = names(statement);
    named.retain(|name| !name.starts_with('-'));
    let is_far = |name: &String| {
        name.starts_with('/') || is_commit(name) || is_release(name) || has_number(name)
    };
    let stands = !named.is_empty() && !named.iter().any(is_far);
    stands.then(|| Claim::Standing {
        names: named,
        edited: edited.to_vec(),
    })
}

/// Whether a sentence begins with what to do, or with what something does: nobody knows what.
fn is_order(first: &str) -> bool {
    ["uses", "use", "keep", "avoid", "reject", "add"].contains(&first)
}

/// Whether a name has a version or a size in it.
fn has_number(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_digit()) && name.contains(['=', '>', '<', '@'])
}

/// Whether a file that was edited has one of the names a statement is about, is one of them, is what it speaks of (`upload.rs` of
/// "the uploader"), or is gone: nobody knows what it had.
pub fn is_touched(
    statement: &str,
    names: &[String],
    file: &ProjectPath,
    text: Option<&str>,
) -> bool {
    const SHORT: usize = 4;
    let Some(text) = text else {
        return true;
    };
    let stem = paths::stem(file.as_str()).to_lowercase();
    let lower = statement.to_lowercase();
    let mut words = lower.split(|c: char| !(c.is_alphanumeric() || "_-".contains(c)));
    let is_told_of = stem.len() >= SHORT && words.any(|word| word.starts_with(&stem));
    is_told_of
        || names.iter().any(|name| {
            let bare = name
                .split(['(', '{', '<', ' ', '='])
                .next()
                .unwrap_or_default();
            let last = bare.rsplit(['.', ':', '/']).next().unwrap_or_default();
            let is_it = file.as_str().ends_with(name.as_str());
            is_it || last.len() >= SHORT && text.contains(last) || text.contains(name.as_str())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_as_it_was_stands_and_a_mistake_does_not() {
        for statement in [
            "The shared workflow expects a `run lint:licenses` task.",
            "Local env vars take precedence over the vault (`secrets.py` sets a key if it's unset).",
            "`sorter.py` calling `Watch.enable()` at import time conflicts with `watch-run`.",
            "Fixtures in `conftest.py` must be imported by hand.",
            "The password check requires `AUTH_MODE` to be strict.",
            "Failover of `relay` is silently skipped unless a fixed port is given.",
            "Test runs of `relay` always start with an empty store, with high and low limits.",
        ] {
            assert!(standing(statement, &[]).is_some(), "{statement}");
        }
        for statement in [
            "The fix preserves `.metadata`, ignores it where versions are read.",
            "The regex expects a `## Log` heading, but this file's heading is just `## Notes`.",
            "`runAll` gated `execute` on `len(plans) > 0`, so deletes always ran.",
            "Uses unverified `iss` regardless of who is asked.",
            "`pyproject.toml` requires `relay[cli]>=2,<3`.",
            "Good — only tests reference `original_branch`.",
            "The script itself starts, but the `fmt` shim expects `node` to be found by name.",
            "The diff touches only `plans/` and its tests.",
            "The embedded source needs a `fetchPack`.",
        ] {
            assert!(standing(statement, &[]).is_none(), "{statement}");
        }
    }

    #[test]
    fn a_file_that_has_one_of_the_names_was_touched() {
        let file = ProjectPath::new("src/cask.rs").unwrap();
        let touched = |statement: &str, text| is_touched(statement, &names(statement), &file, text);
        assert!(touched("`cask.rs` must be sorted.", Some("")));
        assert!(touched(
            "`Box::load()` must be sorted.",
            Some("fn load() {}")
        ));
        assert!(!touched(
            "`Box::load()` must be sorted.",
            Some("fn store() {}")
        ));
        // The edit may have taken the name out.
        assert!(touched(
            "The caskets expect a `BOX_REGION`.",
            Some("fn load() {}")
        ));
        assert!(touched("The box expects a `BOX_REGION`.", None));
        assert!(!touched(
            "The box expects a `BOX_REGION`.",
            Some("fn load() {}")
        ));
    }
}
