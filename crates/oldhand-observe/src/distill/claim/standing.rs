//! What an agent said of something that it then left as it was: a rule of a linter, what a workflow expects, how a part behaves.
//!
//! A mistake in the code is mended by an edit of the file that has it. What names nothing of the edited files, in the present and with
//! a word of what always holds, still stands.

use oldhand_domain::path::ProjectPath;

use super::{
    Claim, OF_A_CASE, OF_THE_DAY, is_commit, is_past, is_release, names, without_parentheses,
};

/// Words of what holds whenever it comes up.
const HOLDS: [&str; 22] = [
    "only",
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
    "need",
    "needs",
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

/// Words of a review and of the work itself, and how words of a mistake begin.
const OF_THE_WORK: [&str; 9] = [
    "i", "we", "this", "these", "same", "medium", "high", "low", "zero",
];
const MISTAKEN: [&str; 10] = [
    "fix",
    "bug",
    "accidental",
    "wrong",
    "broken",
    "fail",
    "crash",
    "leak",
    "pass",
    "remain",
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
        || words
            .iter()
            .any(|word| MISTAKEN.iter().any(|start| word.starts_with(start)))
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
    [
        "uses", "use", "keep", "test", "avoid", "reject", "add", "no", "only", "good", "clean",
    ]
    .contains(&first)
}

/// Whether a name has a version or a size in it.
fn has_number(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_digit()) && name.contains(['=', '>', '<', '@'])
}

/// Whether a file that was edited has one of the names, or is one of them.
pub fn is_touched(names: &[String], file: &ProjectPath, text: &str) -> bool {
    const SHORT: usize = 4;
    names.iter().any(|name| {
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
            "The shared workflow expects a `mise lint:licenses` task.",
            "Safety comments need literal `SAFETY:` casing, and `typeof` is banned outright.",
            "Local env vars take precedence over Infisical (`secrets.py` only sets a key if it's unset).",
            "`ai_classifier.py` calling `LLMObs.enable()` at import time conflicts with `ddtrace-run`.",
        ] {
            assert!(standing(statement, &[]).is_some(), "{statement}");
        }
        for statement in [
            "The fix preserves `.metadata`, ignores it during cask version detection.",
            "The regex expects a `## Timeline / Log` heading, but this file's heading is just `## Timeline`.",
            "`runReplicate` gated `executeReplicate` on `len(plans) > 0`, so only deletes ran.",
            "Uses unverified `iss` only to select code-owned trust configuration.",
            "`pyproject.toml` requires `mcp[cli]>=2,<3`.",
            "Good — only tests reference `original_branch`.",
            "The script itself starts, but the `oxfmt` shim expects `node` to be discoverable by name.",
        ] {
            assert!(standing(statement, &[]).is_none(), "{statement}");
        }
    }

    #[test]
    fn a_file_that_has_one_of_the_names_was_touched() {
        let file = ProjectPath::new("src/cask.rs").unwrap();
        let names = |name: &str| [name.to_owned()];
        assert!(is_touched(&names("cask.rs"), &file, ""));
        assert!(is_touched(&names("Cask::load()"), &file, "fn load() {}"));
        assert!(!is_touched(&names("Cask::load()"), &file, "fn store() {}"));
    }
}
