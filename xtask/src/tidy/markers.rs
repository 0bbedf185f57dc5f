//! Nothing is left for later inside the code: what is missing is missing, and the changelog says so.

use super::{Finding, SourceFile};

/// Spelled in two halves, so that this file passes its own rule.
const WORDS: [&str; 3] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
];
const MACROS: [&str; 2] = [concat!("to", "do!("), concat!("unimple", "mented!(")];

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| !file.is_fixture()) {
        let Some(comment) = comment_start(file) else {
            continue;
        };
        for (index, line) in file.text.lines().enumerate() {
            // Words count in comments only: a test runner's output may hold them too.
            let words = line.split_once(comment).map_or("", |(_, words)| words);
            let word = WORDS.iter().find(|word| stands_alone(words, word));
            let call = MACROS.iter().find(|call| stands_alone(line, call));
            if let Some(marker) = word.or(call) {
                findings.push(Finding::on_line(
                    file,
                    index,
                    format!("`{marker}` leaves something for later"),
                ));
            }
        }
    }
    findings
}

/// What begins a comment in this file; `None` when it is not code.
fn comment_start(file: &SourceFile) -> Option<&'static str> {
    let is = |endings: &[&str]| endings.iter().any(|end| file.has_extension(end));
    if is(&["rs", "ts", "tsx"]) {
        Some("//")
    } else if is(&["toml", "sh"]) || file.path == ".ci/run" {
        Some("#")
    } else if is(&["sql"]) {
        Some("--")
    } else {
        None
    }
}

/// Whether `marker` is a word of the line rather than a part of one.
fn stands_alone(line: &str, marker: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(marker).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + marker.len()..].chars().next();
        let open = marker.ends_with('(');
        !before.is_some_and(is_word) && (open || !after.is_some_and(is_word))
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample::file;
    use super::{MACROS, WORDS, find};

    #[test]
    fn a_marker_is_told() {
        for word in WORDS {
            for (path, text) in [
                (
                    "crates/a/src/lib.rs",
                    format!("let a = 1; // {word} one day\n"),
                ),
                ("Cargo.toml", format!("# {word}: one day\n")),
                ("crates/a/migrations/1.sql", format!("-- {word}\n")),
            ] {
                assert_eq!(find(&[file(path, &text)]).len(), 1, "{text}");
            }
        }
        for call in MACROS {
            let text = format!("    {call})\n");
            assert_eq!(
                find(&[file("crates/a/src/lib.rs", &text)]).len(),
                1,
                "{text}"
            );
        }
    }

    #[test]
    fn a_longer_word_or_a_word_in_a_string_is_fine() {
        for word in WORDS {
            for text in [
                format!("// A_{word}_B\n"),
                format!("line.contains(\"# {word}\")\n"),
            ] {
                assert_eq!(find(&[file("crates/a/src/lib.rs", &text)]), [], "{text}");
            }
        }
    }
}
