//! A test runs, says what holds, and shows what it expects.

use super::{Finding, SourceFile, by_line};

/// Spelled in two halves, so that this file passes its own rule.
const BANNED: [(&str, &str); 3] = [
    (
        concat!("#[igno", "re"),
        "a test that does not run protects nothing",
    ),
    (
        concat!("#[should_", "panic"),
        "check the error itself, not that something panicked",
    ),
    (
        concat!("fn te", "st_"),
        "name the test as a sentence about what holds",
    ),
];

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    by_line(files, SourceFile::is_rust, |line| {
        let line = line.trim_start();
        let (_, why) = BANNED.iter().find(|(start, _)| line.starts_with(start))?;
        Some((*why).to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample::file;
    use super::{BANNED, find};

    #[test]
    fn a_test_that_hides_is_told() {
        for (start, _) in BANNED {
            let text = format!("    {start}x() {{}}\n");
            assert_eq!(
                find(&[file("crates/a/src/lib.rs", &text)]).len(),
                1,
                "{text}"
            );
        }
    }

    #[test]
    fn a_sentence_is_fine() {
        let text = "    #[test]\n    fn a_memory_keeps_its_words() {}\n";
        assert_eq!(find(&[file("crates/a/src/lib.rs", text)]), []);
    }
}
