//! The same search again: what was looked for is not where one looks.

use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::fold::SessionAnalytics;

/// Shorter patterns match too much to say what was sought.
const TELLING: usize = 4;

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    let again = session
        .greps
        .iter()
        .filter(|(pattern, grep)| grep.count >= 2 && pattern.len() >= TELLING);
    again
        .map(|(pattern, grep)| {
            // Files that matched and were then used are where it was.
            let used = |path: &&oldhand_domain::path::ProjectPath| {
                session
                    .files
                    .find(path)
                    .is_some_and(|file| file.last_step >= grep.steps[0])
            };
            let found_in: Vec<_> = grep.matched.iter().filter(used).take(3).cloned().collect();
            let finding = Finding::RepeatedGrep {
                pattern: grep.typed.clone(),
                count: grep.count,
                empty: grep.empty,
                found_in: found_in.clone(),
            };
            let strength = if grep.empty > 0 && !found_in.is_empty() {
                0.7
            } else {
                0.55
            };
            Signal::new(SignalKind::RepeatedGrep, format!("grep:{pattern}"), finding)
                .about(found_in)
                .seen_at(grep.steps.iter().copied())
                .strong(strength)
        })
        .collect()
}

#[test]
fn the_same_pattern_twice_counts_however_it_is_typed() {
    let cases = [
        (
            "grep IPC_HANDLER = nothing; grep ipc_handler = a.rs",
            "grep:ipc_handler",
        ),
        ("grep IPC_HANDLER = nothing; grep ipc_register = a.rs", ""),
        ("grep foo = nothing; grep foo = nothing", ""),
        (
            "run rg -n parse_token = 0; run rg parse_token src = 0",
            "grep:parse_token",
        ),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::RepeatedGrep, story),
            expected,
            "{story}"
        );
    }
}

#[test]
fn a_pattern_is_told_as_it_was_typed() {
    for (story, expected) in [
        (
            "grep retryLimit = nothing; grep retryLimit = a.rs",
            "retryLimit",
        ),
        // The way that found it is the name.
        (
            "grep retrylimit = nothing; grep retryLimit = a.rs; grep RETRYLIMIT = nothing",
            "retryLimit",
        ),
        (
            "run rg -n parseToken = 0; run rg parsetoken src = 0",
            "parseToken",
        ),
    ] {
        let mut signals = super::detected(story).into_iter();
        let told = signals.find_map(|signal| match signal.finding {
            Finding::RepeatedGrep { pattern, .. } => Some(pattern),
            _ => None,
        });
        assert_eq!(told.as_deref(), Some(expected), "{story}");
    }
}

#[test]
fn three_places_are_told() {
    let story = "grep handler = nothing; grep handler = a.rs b.rs c.rs d.rs; read a.rs; read b.rs; read c.rs; read d.rs";
    let signals = super::detected(story);
    let mut found = signals.iter();
    let signal = found.find(|signal| signal.kind == SignalKind::RepeatedGrep);
    assert_eq!(signal.unwrap().files.len(), 3);
}

#[test]
fn where_it_was_found_is_told() {
    let signals =
        super::detected("grep handler = nothing; grep handler = src/a.rs src/b.rs; read src/b.rs");
    let signal = signals
        .iter()
        .find(|signal| signal.kind == SignalKind::RepeatedGrep)
        .unwrap();
    assert_eq!(
        signal
            .files
            .iter()
            .map(oldhand_domain::path::ProjectPath::as_str)
            .collect::<Vec<_>>(),
        ["src/b.rs"]
    );
}
