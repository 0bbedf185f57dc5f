//! The first line of every Rust file says what the file is for.

use super::{Finding, SourceFile};

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    let silent = |file: &&SourceFile| {
        let first = file.text.lines().next().unwrap_or_default();
        first
            .strip_prefix("//! ")
            .is_none_or(|words| words.trim().is_empty())
    };
    let rust = files.iter().filter(|file| file.is_rust());
    rust.filter(silent)
        .map(|file| {
            Finding::in_file(
                file,
                "the first line must be `//! ` and what the file is for",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::file;
    use super::find;

    #[test]
    fn a_file_that_starts_with_code_is_told() {
        assert_eq!(
            find(&[file("crates/a/src/lib.rs", "use std::fs;\n")]).len(),
            1
        );
        assert_eq!(
            find(&[file("crates/a/src/lib.rs", "//!\nuse std::fs;\n")]).len(),
            1
        );
        assert_eq!(find(&[file("crates/a/src/lib.rs", "")]).len(), 1);
    }

    #[test]
    fn a_file_that_says_what_it_is_for_is_fine() {
        assert_eq!(find(&[file("crates/a/src/lib.rs", "//! Words.\n")]), []);
        assert_eq!(
            find(&[file("crates/a/tests/fixtures/b.rs", "fn b() {}\n")]),
            []
        );
    }
}
