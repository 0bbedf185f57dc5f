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
        let is_most = glob.is_cut || glob.found as usize > known.len();
        if is_most {
            // Any other file may have been among those that are not known by name.
            let files = session.files.iter().map(|(_, file)| file);
            let others = files.filter(|file| is_used(file) && !known.contains(&file.path));
            used += others.count();
        }
        let ignored = 1.0 - used as f64 / f64::from(glob.found);
        if ignored <= IGNORED {
            continue;
        }
        let finding = Finding::GlobIgnore {
            pattern: pattern.clone(),
            results: glob.found,
            is_cut: glob.is_cut,
            used: used as u32,
            is_most,
        };
        let key = format!("glob:{pattern}");
        found.push(
            Signal::new(SignalKind::GlobIgnore, key, finding)
                .seen_at([glob.step])
                .strong(0.55),
        );
    }
    found
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
            "glob:**/*.rs",
        ),
        ("glob **/*.rs = 120 files; repeat 12 read gen/f{n}.rs", ""),
        (
            "glob **/*.rs = 59 files; repeat 12 read gen/f{n}.rs",
            "glob:**/*.rs",
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
