//! A listing whose results nobody opened: the pattern finds noise.

use std::collections::BTreeSet;

use oldhand_domain::path::ProjectPath;
use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::fold::{FileUse, SessionAnalytics};

/// With fewer results a ninth of them is no number.
const RESULTS: usize = 10;
const IGNORED: f64 = 0.9;

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    let mut found: Vec<Signal> = Vec::new();
    for (pattern, glob) in session
        .globs
        .iter()
        .filter(|(_, glob)| glob.matched.len() >= RESULTS)
    {
        let is_used = |file: &FileUse| file.last_step >= glob.step;
        let known: BTreeSet<&ProjectPath> = glob.matched.iter().collect();
        let used = |path: &&&ProjectPath| session.files.find(path).is_some_and(is_used);
        let mut used = known.iter().filter(used).count();
        if glob.is_cut || glob.found as usize > known.len() {
            // Any other file may have been among those that are not known by name.
            let files = session.files.iter().map(|(_, file)| file);
            let others = files.filter(|file| is_used(file) && !known.contains(&file.path));
            used += others.count();
        }
        let ignored = 1.0 - used as f64 / f64::from(glob.found);
        if ignored <= IGNORED {
            continue;
        }
        // A folder in which most of the list lies anyway says nothing.
        let below = place_of(session, pattern, is_used).filter(|folder| {
            let inside = known.iter().filter(|path| is_below(path.as_str(), folder));
            2 * inside.count() <= known.len()
        });
        // Where something else was needed it is another thing to be seen.
        let key = match &below {
            Some(folder) => format!("glob:{pattern}{BELOW}{folder}"),
            None => format!("glob:{pattern}"),
        };
        let finding = Finding::GlobIgnore {
            pattern: pattern.clone(),
            below,
            results: glob.found,
            is_cut: glob.is_cut,
        };
        found.push(
            Signal::new(SignalKind::GlobIgnore, key, finding)
                .seen_at([glob.step])
                .strong(0.55),
        );
    }
    found
}

/// What stands in a key between the pattern and the folder.
pub(crate) const BELOW: &str = " below ";

/// One file lies in one folder, whatever was looked for.
const FEW: usize = 2;

/// The folder in which all files lie that were used and that a pattern finds; `None` where that is no deeper than the pattern's own.
fn place_of(
    session: &SessionAnalytics,
    pattern: &str,
    is_used: impl Fn(&FileUse) -> bool,
) -> Option<String> {
    let fixed = &pattern[..pattern.find(['*', '?', '[', '{']).unwrap_or(0)];
    let start = fixed.rfind('/').map_or("", |at| &fixed[..=at]);
    let end = pattern
        .rsplit(['*', '?', ']', '}'])
        .next()
        .unwrap_or_default();
    let files = session.files.iter().map(|(_, file)| file);
    let found: Vec<&str> = files
        .filter(|file| is_used(file))
        .map(|file| file.path.as_str())
        .filter(|path| {
            let path = path.to_lowercase();
            path.starts_with(start) && path.ends_with(end)
        })
        .collect();
    let (first, rest) = found.split_first().filter(|_| found.len() >= FEW)?;
    let mut folder = &first[..first.rfind('/')?];
    for path in rest {
        while !is_below(path, folder) {
            folder = &folder[..folder.rfind('/')?];
        }
    }
    (folder.len() >= start.len().max(1)).then(|| folder.to_owned())
}

fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

#[test]
fn where_all_lay_that_was_used_is_part_of_it() {
    for (story, expected) in [
        (
            "glob src/**/*.rs = 60 files; read src/a/x.rs; read src/a/y.rs",
            "glob:src/**/*.rs below src/a",
        ),
        (
            "glob src/**/*.rs = 60 files; read src/a/b/x.rs; read src/a/y.rs; read notes.md",
            "glob:src/**/*.rs below src/a",
        ),
        // One file, several folders, and the folder that was asked for.
        (
            "glob src/**/*.rs = 60 files; read src/a/x.rs; read src/a/y.md",
            "glob:src/**/*.rs",
        ),
        (
            "glob src/**/*.rs = 60 files; read src/a/x.rs; read src/b/y.rs",
            "glob:src/**/*.rs",
        ),
        (
            "glob **/*.rs = 60 files; read src/x.rs; read lib/y.rs",
            "glob:**/*.rs",
        ),
        (
            "glob **/*.rs = 60 files; read src/x.rs; read src/y.rs",
            "glob:**/*.rs below src",
        ),
        (
            "glob **/*.rs = 60 files; read listed/f1.rs; read listed/f2.rs",
            "glob:**/*.rs",
        ),
        (
            "glob **/*.rs = 60 files; read src/x.rs; read srcs/y.rs",
            "glob:**/*.rs",
        ),
    ] {
        assert_eq!(
            super::keys(SignalKind::GlobIgnore, story),
            expected,
            "{story}"
        );
    }
}

#[test]
fn one_result_in_ten_read_is_enough() {
    let cases = [
        ("glob **/*.rs = 20 files; read other.rs", "glob:**/*.rs"),
        ("glob **/*.rs = 20 files; read listed/f1.rs", "glob:**/*.rs"),
        (
            "glob **/*.rs = 20 files; read listed/f1.rs; read listed/f2.rs",
            "",
        ),
        ("glob **/*.rs = 10 files", "glob:**/*.rs"),
        ("glob **/*.rs = 10 files; read listed/f1.rs", ""),
        ("glob **/*.rs = 16 files; read listed/f1.rs", "glob:**/*.rs"),
        (
            "read listed/f1.rs; read listed/f2.rs; glob **/*.rs = 20 files",
            "glob:**/*.rs",
        ),
        ("glob **/*.rs = 9 files", ""),
        // What is not known by name may be what was read.
        ("glob **/*.rs = 120 files; repeat 60 read gen/f{n}.rs", ""),
        (
            "glob **/*.rs = 120 files; repeat 11 read gen/f{n}.rs",
            "glob:**/*.rs below gen",
        ),
        ("glob **/*.rs = 120 files; repeat 12 read gen/f{n}.rs", ""),
        (
            "glob **/*.rs = 59 files; repeat 12 read gen/f{n}.rs",
            "glob:**/*.rs below gen",
        ),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::GlobIgnore, story),
            expected,
            "{story}"
        );
    }
}
