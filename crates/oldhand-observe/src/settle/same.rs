//! Whether one statement says all that another says.
//!
//! Nearness of vectors alone cannot tell "login needs a cookie" from "logout needs a cookie". Two statements are only taken
//! for one when the words of one are all in the other: a missed duplicate costs a line, a wrong merge loses words.

use std::collections::BTreeSet;

use oldhand_domain::words;

use super::opposite::FILLERS;

/// How the words of a new statement stand to those of a known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    /// The same words, or fewer.
    Known,
    /// All that is known, and more.
    SaysMore,
    /// Each says something that the other does not.
    Different,
}

pub(super) fn compare(known: &str, new: &str) -> Coverage {
    let (known, new) = (content_words(known), content_words(new));
    if new.is_subset(&known) {
        Coverage::Known
    } else if known.is_subset(&new) {
        Coverage::SaysMore
    } else {
        Coverage::Different
    }
}

fn content_words(text: &str) -> BTreeSet<String> {
    let words = words::split(text)
        .into_iter()
        .filter(|word| !FILLERS.contains(&word.as_str()));
    words.map(|word| without_ending(&word).to_owned()).collect()
}

/// "requires" and "required" are one word here.
fn without_ending(word: &str) -> &str {
    let cut = ["ing", "ed", "es", "s"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|rest| rest.len() > 3));
    cut.unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_says_nothing_new_is_known() {
        for (known, new, expected) in [
            (
                "The build needs protoc",
                "The build needs protoc.",
                Coverage::Known,
            ),
            (
                "The build needs protoc installed",
                "the build needs protoc",
                Coverage::Known,
            ),
            (
                "The build needs protoc",
                "The build needs protoc on Windows",
                Coverage::SaysMore,
            ),
            (
                "Login needs a cookie",
                "Logout needs a cookie",
                Coverage::Different,
            ),
            (
                "module1 owns table1",
                "module2 owns table2",
                Coverage::Different,
            ),
            (
                "The test requires Redis",
                "The tests required Redis",
                Coverage::Known,
            ),
        ] {
            assert_eq!(compare(known, new), expected, "{known} / {new}");
        }
    }
}
