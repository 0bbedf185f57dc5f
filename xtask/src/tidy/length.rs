//! A Rust file stays under 500 lines: longer, and it holds two ideas.

use super::{Finding, SourceFile};

const LIMIT: usize = 500;

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let lines = file.text.lines().count();
        if lines > LIMIT {
            findings.push(Finding::in_file(
                file,
                format!("{lines} lines, {LIMIT} at most"),
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::sample::{file, told};
    use super::find;

    #[test]
    fn a_file_of_501_lines_is_told() {
        let files = [file("crates/a/src/lib.rs", &"\n".repeat(501))];
        assert_eq!(
            told(&find(&files)),
            ["crates/a/src/lib.rs: 501 lines, 500 at most"]
        );
    }

    #[test]
    fn a_file_of_500_lines_is_fine() {
        assert_eq!(find(&[file("crates/a/src/lib.rs", &"\n".repeat(500))]), []);
    }
}
