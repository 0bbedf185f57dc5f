//! Whether two statements are the same words.
//!
//! Nearness of vectors alone cannot tell "login needs a cookie" from "logout needs a cookie", nor "copy from a to b" from the
//! reverse. Two statements are only taken for one when they say the same words in the same order, articles and politeness
//! aside: a missed duplicate costs a line, a wrong merge loses words.

use oldhand_domain::words;

/// Words whose coming and going changes nothing.
const IDLE: &[&str] = &["a", "an", "the", "please", "also", "just", "always"];

/// The words that two statements share when they are one, in their order.
pub fn telling_words(text: &str) -> Vec<String> {
    let mut words = words::split(text);
    words.retain(|word| !IDLE.contains(&word.as_str()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_in_the_same_order_are_the_same_statement() {
        for (a, b) in [
            ("The build needs protoc", "the build needs protoc."),
            (
                "Use tabs for indentation",
                "Always use tabs for indentation",
            ),
            (
                "Run `make gen` before a build",
                "Run make gen before the build",
            ),
        ] {
            assert_eq!(telling_words(a), telling_words(b), "{a} / {b}");
        }
    }

    #[test]
    fn any_other_word_or_order_is_another_statement() {
        for (a, b) in [
            (
                "The build needs protoc",
                "The build needs protoc on Windows",
            ),
            ("Login needs a cookie", "Logout needs a cookie"),
            ("module1 owns table1", "module2 owns table2"),
            ("Run `make test` in CI", "Run `make tests` in CI"),
            (
                "Copy from prod to staging nightly",
                "Copy from staging to prod nightly",
            ),
            ("Call close() after open()", "Call open() after close()"),
            (
                "Tests must be run with --release",
                "Tests must not be run with --release",
            ),
            ("Metadata links to commits", "Commits link to metadata"),
        ] {
            assert_ne!(telling_words(a), telling_words(b), "{a} / {b}");
        }
    }
}
