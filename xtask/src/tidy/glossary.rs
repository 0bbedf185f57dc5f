//! The glossary is in order, holds each word once, and names only code that is there.

use super::{Finding, SourceFile};

const GLOSSARY: &str = "docs/glossary.md";

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    let Some(glossary) = files.iter().find(|file| file.path == GLOSSARY) else {
        return vec![Finding {
            path: GLOSSARY.to_owned(),
            line: None,
            says: "is missing".to_owned(),
        }];
    };
    let code: Vec<&str> = files
        .iter()
        .filter(|file| file.is_rust() || file.has_extension("sql"))
        .map(|file| file.text.as_str())
        .collect();
    let mut findings = Vec::new();
    let mut last = String::new();
    for (index, line) in glossary.text.lines().enumerate() {
        let Some(word) = word(line) else { continue };
        let key = word.to_lowercase();
        if key == last {
            findings.push(Finding::on_line(
                glossary,
                index,
                format!("`{word}` stands here twice"),
            ));
        } else if key < last {
            findings.push(Finding::on_line(
                glossary,
                index,
                format!("`{word}` belongs before `{last}`"),
            ));
        }
        last = key;
        for name in names(line) {
            if !code.iter().any(|text| holds(text, name)) {
                findings.push(Finding::on_line(
                    glossary,
                    index,
                    format!("no code says `{name}`"),
                ));
            }
        }
    }
    findings
}

/// The word a line of the table explains: `| **word** | meaning | `Code` |`.
fn word(line: &str) -> Option<&str> {
    line.strip_prefix("| **")?
        .split_once("** |")
        .map(|(word, _)| word)
}

/// The names of code in the line's last column.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let columns: Vec<&str> = line.trim_end().trim_end_matches('|').split(" | ").collect();
    let last = columns.last().copied().unwrap_or_default();
    last.split('`').skip(1).step_by(2)
}

/// Whether `name` is a word of the text.
fn holds(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample::{file, told};
    use super::find;

    fn found(table: &str) -> Vec<String> {
        let code = file(
            "crates/a/src/lib.rs",
            "//! A.\npub struct Memory;\npub struct MemoryId;\n",
        );
        told(&find(&[code, file("docs/glossary.md", table)]))
    }

    #[test]
    fn a_word_out_of_order_twice_or_without_code_is_told() {
        assert_eq!(
            found(
                "| **memory** | a statement | `Memory` |\n| **Memory** | again | `MemoryId` |\n| **anchor** | place | `Anchor` |"
            ),
            [
                "docs/glossary.md:2: `Memory` stands here twice",
                "docs/glossary.md:3: `anchor` belongs before `memory`",
                "docs/glossary.md:3: no code says `Anchor`",
            ]
        );
    }

    #[test]
    fn words_in_order_with_their_code_are_fine() {
        assert_eq!(
            found(
                "| word | meaning | in the code |\n| --- | --- | --- |\n| **home** | a folder | – |\n| **memory** | not `Mind` | `Memory`, `MemoryId` |"
            ),
            [""; 0]
        );
    }
}
