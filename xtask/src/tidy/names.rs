//! A name says what the thing is: not that it manages, helps or comes second.

use super::{Finding, SourceFile, by_line};

const EMPTY_WORDS: [&str; 9] = [
    "Manager", "Helper", "Helpers", "Service", "Util", "Utils", "Common", "Impl", "V2",
];
const KEYWORDS: [&str; 5] = ["struct ", "enum ", "trait ", "type ", "mod "];

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    // Trees that tests write down as text are named by the languages they imitate.
    let ours = |file: &SourceFile| file.is_rust() && file.name() != "fixtures.rs";
    by_line(files, ours, |line| {
        let name = declared(line)?;
        let empty = EMPTY_WORDS.iter().find(|word| ends_with_word(name, word))?;
        Some(format!("`{name}`: `{empty}` does not say what it is"))
    })
}

/// The name that a line of Rust declares for a type or module.
fn declared(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    for visibility in ["pub(crate) ", "pub(super) ", "pub "] {
        rest = rest.strip_prefix(visibility).unwrap_or(rest);
    }
    let name = KEYWORDS
        .iter()
        .find_map(|keyword| rest.strip_prefix(keyword))?;
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    Some(&name[..end.unwrap_or(name.len())])
}

/// `UserManager` and `user_manager` end with the word `Manager`; `Simpl` does not end with `Impl`.
fn ends_with_word(name: &str, word: &str) -> bool {
    let snake = word.to_lowercase();
    name.ends_with(word) || name == snake || name.ends_with(&format!("_{snake}"))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{file, told};
    use super::find;

    #[test]
    fn a_name_that_says_nothing_is_told() {
        for line in [
            "pub struct MemoryManager;",
            "mod utils;",
            "pub(crate) trait StoreV2 {",
            "mod sql_helpers;",
        ] {
            assert_eq!(
                find(&[file("crates/a/src/lib.rs", line)]).len(),
                1,
                "{line}"
            );
        }
        let files = [file("crates/a/src/lib.rs", "enum TextHelper {")];
        assert_eq!(
            told(&find(&files)),
            ["crates/a/src/lib.rs:1: `TextHelper`: `Helper` does not say what it is"]
        );
    }

    #[test]
    fn a_tree_written_down_for_a_test_may_name_things_as_it_likes() {
        assert_eq!(
            find(&[file("crates/a/src/b/fixtures.rs", "mod utils;")]),
            []
        );
    }

    #[test]
    fn a_name_that_says_what_it_is_is_fine() {
        for line in [
            "pub struct Memory;",
            "mod simpl;",
            "let mod_utils = 1;",
            "// the struct Manager",
        ] {
            assert_eq!(find(&[file("crates/a/src/lib.rs", line)]), [], "{line}");
        }
    }
}
