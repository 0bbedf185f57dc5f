//! In what steps somebody wants work to be done: a commit for each of them, one thing at a time. Said once it is meant for the task at
//! hand; whoever has to say it again and again means all work.

use super::again::told;
use super::handing::is_of_product;
use super::{is_passing, plain, plan};
use crate::language::{is_quoted, opens_clause};

/// What work is cut by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pace {
    /// "Commit each fix on its own."
    Commits,
    /// "One question at a time."
    OneByOne,
}

impl Pace {
    /// What it is kept under: another word would not be known again.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Commits => "Commits",
            Self::OneByOne => "OneByOne",
        }
    }
}

/// How often commits are made.
const EACH: [&str; 9] = [
    " as you go",
    " as we go",
    " along the way",
    " individually",
    " separately",
    " one by one",
    " after each ",
    " after every ",
    " as each ",
];

/// What is taken one at a time by those who work. Other things are of a product: "load one file at a time".
const TAKEN: [&str; 9] = [
    "question", "thing", "change", "step", "issue", "task", "feature", "problem", "finding",
];

/// More words tell of a product.
const MOST_WORDS: usize = 12;

/// What a prompt says of the pace of work, as it was typed.
pub fn paces(prompt: &str) -> Vec<(Pace, &str)> {
    if plan::hands_over_plan(prompt) {
        return Vec::new();
    }
    let sentences = told(prompt).into_iter();
    let said = sentences.filter_map(|sentence| {
        let lower = sentence.to_ascii_lowercase();
        // "Until all are done" says how far work goes, and not for how long it is cut.
        if is_passing(&plain(sentence).replace("until ", "")) {
            return None;
        }
        let found = commits(&lower)
            .map(|at| (Pace::Commits, at))
            .or_else(|| one_by_one(&lower).map(|at| (Pace::OneByOne, at)));
        let (pace, at) = found.filter(|(_, at)| !is_of_product(&lower[*at..]))?;
        Some((pace, sentence[at..].trim_end_matches(['.', '!', ' '])))
    });
    said.collect()
}

/// Where an order begins to make more than one commit.
fn commits(lower: &str) -> Option<usize> {
    let mut orders = lower.match_indices("commit").filter(|(at, word)| {
        let after = &lower[at + word.len()..];
        after.starts_with([' ', '/']) && opens_clause(&lower[..*at]) && !is_quoted(lower, *at)
    });
    orders.find_map(|(at, word)| {
        let after = &lower[at + word.len()..];
        let is_each = after.starts_with(" each ") || EACH.iter().any(|each| ends_in(after, each));
        is_each.then_some(at)
    })
}

/// Whether a clause has these words, and nothing of another clause before them.
fn ends_in(clause: &str, words: &str) -> bool {
    let clause = format!("{clause} ");
    let at = clause.find(words);
    at.is_some_and(|at| !clause[..at].contains([',', ';', '(']))
}

/// Where it is asked for one thing at a time.
fn one_by_one(lower: &str) -> Option<usize> {
    let spaced = lower.replace('-', " ");
    let (before, _) = spaced.split_once(" at a time")?;
    let thing = before.rsplit(' ').next()?;
    let before = if TAKEN.contains(&thing) {
        before.strip_suffix(thing)?.trim_end()
    } else {
        before
    };
    let before = before.strip_suffix("one")?;
    let start = before.rfind([',', ';', ':']).map_or(0, |at| at + 1);
    let start = start + before[start..].len() - before[start..].trim_start().len();
    let clause = &lower[start..];
    let bounds = ["only", "can", "could", "user", "users", "allow", "each"];
    let mut words = clause.split(|c: char| !c.is_alphanumeric());
    (clause.split_whitespace().count() <= MOST_WORDS
        && (before.is_empty() || before.ends_with(' '))
        && !words.any(|word| bounds.contains(&word)))
    .then_some(before.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_work_is_cut_is_heard_wherever_it_stands() {
        use Pace::{Commits, OneByOne};
        for (prompt, expected) in [
            (
                "Commit your work as you go.",
                (Commits, "Commit your work as you go"),
            ),
            (
                "go down the list until all is done, commit each fixed item by itself",
                (Commits, "commit each fixed item by itself"),
            ),
            (
                "fix both and commit each separately",
                (Commits, "commit each separately"),
            ),
            (
                "test it well, and commit/push along the way!",
                (Commits, "commit/push along the way"),
            ),
            (
                "First the parser. Commit after each step that passes.",
                (Commits, "Commit after each step that passes"),
            ),
            (
                "one question at a time please",
                (OneByOne, "one question at a time please"),
            ),
            (
                "ok, let's take them one-at-a-time",
                (OneByOne, "one-at-a-time"),
            ),
            (
                "do the rest, just fix one at a time",
                (OneByOne, "one at a time"),
            ),
        ] {
            assert_eq!(paces(prompt), [expected], "{prompt}");
        }
    }

    #[test]
    fn commits_and_times_of_a_product_are_not_heard() {
        for prompt in [
            "are you committing as you go?",
            "each run makes a commit, look at them separately",
            "commit this",
            "commit and push, then list each branch",
            "commit the parser, and run the linters one by one",
            "drop the dash before each commit",
            "two commits after each other had one id",
            "show one row at a time",
            "load one file at a time",
            "users can open one at a time",
            "only one at a time may hold the lock",
            "why is there one at a time?",
            "for now, one question at a time",
            "for now, commit as you go",
            "it says \"one question at a time\"",
            "# Rules\n\nOne question at a time.",
        ] {
            assert_eq!(paces(prompt), [], "{prompt}");
        }
    }
}
