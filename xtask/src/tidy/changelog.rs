//! The changelog has a place for what the next release brings.

use super::{Finding, SourceFile};

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    let Some(changelog) = files.iter().find(|file| file.path == "CHANGELOG.md") else {
        return vec![Finding {
            path: "CHANGELOG.md".to_owned(),
            line: None,
            says: "is missing".to_owned(),
        }];
    };
    if changelog.text.lines().any(|line| line == "## Unreleased") {
        return Vec::new();
    }
    vec![Finding::in_file(
        changelog,
        "has no `## Unreleased` section",
    )]
}

#[cfg(test)]
mod tests {
    use super::super::sample::{file, told};
    use super::find;

    #[test]
    fn a_changelog_without_a_next_release_is_told() {
        let files = [file("CHANGELOG.md", "# Changelog\n\n## 0.1.0\n")];
        assert_eq!(
            told(&find(&files)),
            ["CHANGELOG.md: has no `## Unreleased` section"]
        );
        assert_eq!(told(&find(&[])), ["CHANGELOG.md: is missing"]);
    }

    #[test]
    fn a_changelog_with_a_next_release_is_fine() {
        assert_eq!(
            find(&[file("CHANGELOG.md", "# Changelog\n\n## Unreleased\n")]),
            []
        );
    }
}
