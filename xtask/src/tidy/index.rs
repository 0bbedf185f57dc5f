//! Every document under docs/ is found from docs/README.md.

use super::{Finding, SourceFile};

const INDEX: &str = "docs/README.md";

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    let index = files.iter().find(|file| file.path == INDEX);
    let index = index.map_or("", |file| file.text.as_str());
    let mut findings = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.is_markdown() && file.path != INDEX)
    {
        let Some(below) = file.path.strip_prefix("docs/") else {
            continue;
        };
        if !index.contains(&format!("({below})")) {
            findings.push(Finding::in_file(
                file,
                format!("{INDEX} does not link to it"),
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
    fn a_document_nobody_links_to_is_told() {
        let files = [
            file("docs/README.md", "[words](glossary.md)"),
            file("docs/budgets.md", ""),
        ];
        assert_eq!(
            told(&find(&files)),
            ["docs/budgets.md: docs/README.md does not link to it"]
        );
    }

    #[test]
    fn a_linked_document_is_fine() {
        let files = [
            file("docs/README.md", "[words](glossary.md)"),
            file("docs/glossary.md", ""),
        ];
        assert_eq!(find(&files), []);
    }
}
