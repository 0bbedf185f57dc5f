//! Nothing is left for later inside the code: what is missing is missing, and the changelog says so.

use super::{Finding, SourceFile, by_line};

/// Spelled in two halves, so that this file passes its own rule.
const MARKERS: [&str; 5] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
];

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    by_line(files, is_code, |line| {
        let marker = MARKERS.iter().find(|marker| stands_alone(line, marker))?;
        Some(format!("`{marker}` leaves something for later"))
    })
}

fn is_code(file: &SourceFile) -> bool {
    let code = ["rs", "sql", "toml", "sh", "ts", "tsx"];
    !file.is_fixture() && (code.iter().any(|end| file.has_extension(end)) || file.path == ".ci/run")
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
    use super::{MARKERS, find};

    #[test]
    fn a_marker_is_told() {
        for marker in MARKERS {
            let text = format!("    // {marker} one day)\n");
            assert_eq!(
                find(&[file("crates/a/src/lib.rs", &text)]).len(),
                1,
                "{text}"
            );
        }
    }

    #[test]
    fn a_longer_word_with_the_same_letters_is_fine() {
        for marker in MARKERS {
            let text = format!("let A_{marker}_B = 1;\n");
            assert_eq!(find(&[file("crates/a/src/lib.rs", &text)]), [], "{text}");
        }
    }
}
