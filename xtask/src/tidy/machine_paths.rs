//! No path of anybody's own machine: it means nothing on another one.

use super::{Finding, SourceFile, by_line};

/// Spelled in two halves, so that this file passes its own rule.
const ROOTS: [&str; 4] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
    concat!("/wo", "rk/"),
];
/// Nobody's folder: what a test may write when it is about such paths.
const EXAMPLES: [&str; 4] = ["a/", "dev/", "me/", "user/"];

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    by_line(
        files,
        |file| !file.is_lock_file(),
        |line| {
            let root = ROOTS.iter().find(|root| names_a_machine(line, root))?;
            Some(format!(
                "names a path below {root}, which is some machine's own"
            ))
        },
    )
}

/// Whether `root` occurs where a path can start, not in the middle of a relative one, and leads to no example.
fn names_a_machine(line: &str, root: &str) -> bool {
    line.match_indices(root).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let inside = |c: char| c.is_alphanumeric() || "._-~]}>/".contains(c);
        let below = &line[at + root.len()..];
        !before.is_some_and(inside) && !EXAMPLES.iter().any(|name| below.starts_with(name))
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample::file;
    use super::{ROOTS, find};

    #[test]
    fn an_absolute_path_is_told() {
        for root in ROOTS {
            for text in [
                format!("{root}builder/x"),
                format!("see `{root}x`"),
                format!("A={root}x"),
            ] {
                assert_eq!(find(&[file("README.md", &text)]).len(), 1, "{text}");
            }
        }
    }

    #[test]
    fn a_relative_path_with_the_same_folder_is_fine() {
        for root in ROOTS {
            for text in [
                format!("crates{root}x"),
                format!("$OLDHAND_HOME/a{root}x"),
                format!("[SANDBOX]{root}x"),
                format!("open '{root}a/.env'"),
            ] {
                assert_eq!(find(&[file("README.md", &text)]), [], "{text}");
            }
        }
    }
}
