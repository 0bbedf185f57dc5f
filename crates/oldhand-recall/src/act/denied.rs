//! Commands of which a sentence says that they do not run, are not there or are not to be used.

/// How many words before a command speak of it: "there is no", "do not run".
const NEAR: usize = 3;
/// Words that deny, and those behind which only a condition is told: "fails without the database", "never commit before".
const DENIES: &[&str] = &["cannot", "never", "no", "not", "instead", "rather"];
const ON_CONDITION: &[&str] = &["before", "if", "unless", "until", "when", "without"];
/// What a command that is of no use does not do or be.
const OF_USE: &[&str] = &[
    "available",
    "exist",
    "exists",
    "found",
    "here",
    "run",
    "runs",
    "start",
    "supported",
    "there",
    "work",
    "works",
];
const FAILS: &[&str] = &[
    "broken", "fail", "failed", "fails", "gone", "missing", "removed",
];

/// Whether the command at `at` among the parts of a sentence, every second of which is code, is denied.
pub(super) fn is_denied(parts: &[&str], at: usize) -> bool {
    // What is said of "`a` and `b`" is said of both.
    let joins = |text: &&&str| ["and", "or", ",", "/"].contains(&text.trim());
    let mut after = parts.iter().skip(at + 1).step_by(2);
    let after = after.find(|text| !joins(text)).copied().unwrap_or_default();
    let mut before = parts[..at].iter().rev().step_by(2);
    let before = before
        .find(|text| !joins(text))
        .copied()
        .unwrap_or_default();
    denies_before(before) || denies_after(after)
}

fn denies_before(text: &str) -> bool {
    let words = words_of(text.rsplit(ends_clause).next().unwrap_or_default());
    let near = &words[words.len().saturating_sub(NEAR)..];
    near.iter().any(|word| denies(word)) && !is_conditional(near)
}

fn denies_after(text: &str) -> bool {
    let words = words_of(text.split(ends_clause).next().unwrap_or_default());
    let is_one = |of: &[&str], word: &String| of.contains(&word.as_str());
    let denied = words.iter().skip_while(|word| !denies(word));
    let is_of_no_use = denied.take(NEAR + 1).any(|word| is_one(OF_USE, word));
    let fails = words.iter().take(NEAR).any(|word| is_one(FAILS, word));
    (is_of_no_use || fails) && !is_conditional(&words)
}

fn denies(word: &str) -> bool {
    DENIES.contains(&word) || word.ends_with("n't") || word.ends_with("n’t")
}

fn is_conditional(words: &[String]) -> bool {
    words
        .iter()
        .any(|word| ON_CONDITION.contains(&word.as_str()))
}

fn ends_clause(c: char) -> bool {
    matches!(c, ',' | ':' | ';' | '(' | ')' | '–' | '—')
}

fn words_of(text: &str) -> Vec<String> {
    let words = text.split_whitespace().map(str::to_lowercase);
    words
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands of a sentence that are denied.
    fn denied(sentence: &str) -> String {
        let parts: Vec<&str> = sentence.split('`').collect();
        let codes = (1..parts.len()).step_by(2);
        let denied: Vec<&str> = codes
            .filter(|at| is_denied(&parts, *at))
            .map(|at| parts[at])
            .collect();
        denied.join(" ")
    }

    #[test]
    fn a_command_that_does_not_run_or_is_not_there_is_denied() {
        for (sentence, expected) in [
            ("`a` does not run here", "a"),
            ("`a` doesn't work with the new runner", "a"),
            ("`a` and `b` do not exist", "a b"),
            ("`a` fails with `x`", "a"),
            ("`a` is broken", "a"),
            ("There is no `a`, run `b`", "a"),
            ("Do not run `a` or `b`", "a b"),
            ("Use `b` instead of `a`", "a"),
            ("Use `b`, not `a`", "a"),
            ("`a` is not there: run `b` first", "a"),
            ("Run `a` to test, not to lint", ""),
            ("`a` does not need the database", ""),
            ("Never commit without `a`", ""),
            ("`a` fails without the database", ""),
            ("No push before `a`", ""),
            ("Run `a`", ""),
        ] {
            assert_eq!(denied(sentence), expected, "{sentence}");
        }
    }
}
