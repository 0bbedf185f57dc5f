//! A listing whose results nobody opened: the pattern finds noise.

use oldhand_domain::path::ProjectPath;
use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::fold::SessionAnalytics;

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
        let is_used = |path: &&ProjectPath| {
            session
                .files
                .find(path)
                .is_some_and(|file| file.last_step >= glob.step)
        };
        let used = glob.matched.iter().filter(is_used).count();
        let ignored = 1.0 - used as f64 / glob.matched.len() as f64;
        if ignored <= IGNORED {
            continue;
        }
        let results = glob.matched.len() as u32;
        let finding = Finding::GlobIgnore {
            pattern: pattern.clone(),
            results,
            used: used as u32,
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
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::GlobIgnore, story),
            expected,
            "{story}"
        );
    }
}
