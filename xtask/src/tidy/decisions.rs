//! A decision record has four parts: why it came up, what was decided, what it costs, what would undo it.

use super::{Finding, SourceFile};

const PARTS: [&str; 4] = [
    "## Context",
    "## Decision",
    "## Price",
    "## What would change our mind",
];

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.folder() == "docs/decisions")
    {
        let parts: Vec<&str> = file
            .text
            .lines()
            .filter(|line| line.starts_with("## "))
            .collect();
        if parts != PARTS {
            let expected = PARTS.join("`, `");
            findings.push(Finding::in_file(
                file,
                format!("must have exactly the parts `{expected}`"),
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::sample::file;
    use super::{PARTS, find};

    #[test]
    fn a_record_that_hides_its_price_is_told() {
        let text = "# No daemon\n\n## Context\n\n## Decision\n\n## What would change our mind\n";
        assert_eq!(
            find(&[file("docs/decisions/0001-no-daemon.md", text)]).len(),
            1
        );
    }

    #[test]
    fn a_record_with_all_four_parts_is_fine() {
        assert_eq!(
            find(&[file("docs/decisions/0001-no-daemon.md", &PARTS.join("\n"))]),
            []
        );
    }
}
