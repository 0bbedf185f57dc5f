//! From one file to the next by searching for it: a dependency that had to be found by hand.

use std::collections::BTreeMap;

use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::fold::{AccessKind, GrepUse, SessionAnalytics};
use crate::paths;

/// Read, search, read: more steps apart is another train of thought.
const WITHIN: u32 = 3;

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    let mut found: Vec<Signal> = Vec::new();
    let reads: Vec<_> = session
        .accesses
        .iter()
        .filter(|access| access.kind == AccessKind::Read)
        .collect();
    let mut searches: BTreeMap<u32, (&str, &GrepUse)> = BTreeMap::new();
    for (pattern, grep) in &session.greps {
        searches.extend(
            grep.steps
                .iter()
                .map(|&step| (step, (pattern.as_str(), grep))),
        );
    }
    let listings: BTreeMap<u32, &str> = session
        .globs
        .iter()
        .map(|(pattern, glob)| (glob.step, pattern.as_str()))
        .collect();
    for pair in reads.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        if from.file == to.file
            || to.step - from.step < 2
            || to.step - from.step > WITHIN
            || session.files.get(to.file).first_step != to.step
        {
            continue;
        }
        let (from_path, to_path) = (session.files.path(from.file), session.files.path(to.file));
        let between = from.step + 1..to.step;
        let grepped = searches
            .range(between.clone())
            .filter(|(_, (pattern, grep))| {
                names(pattern, to_path.as_str()) || grep.matched.contains(to_path)
            });
        let listed = listings.range(between);
        let listed = listed.filter(|(_, pattern)| names(pattern, to_path.as_str()));
        let searched: Vec<u32> = grepped
            .map(|(step, _)| *step)
            .chain(listed.map(|(step, _)| *step))
            .collect();
        let key = format!("chase:{from_path}->{to_path}");
        if searched.is_empty() || found.iter().any(|signal| signal.key == key) {
            continue;
        }
        let finding = Finding::ImportChase {
            from: from_path.clone(),
            to: to_path.clone(),
        };
        found.push(
            Signal::new(SignalKind::ImportChase, key, finding)
                .about([from_path.clone(), to_path.clone()])
                .seen_at(searched.into_iter().chain([from.step, to.step]))
                .strong(0.55),
        );
    }
    found
}

/// Whether a pattern asks for the file by its own name.
fn names(pattern: &str, path: &str) -> bool {
    let stem = paths::stem(path).to_lowercase();
    stem.len() >= 3 && pattern.contains(&stem)
}

#[test]
fn a_search_must_lead_from_one_file_to_the_other() {
    let cases = [
        (
            "read src/a.rs; grep token_store = src/token_store.rs; read src/token_store.rs",
            "chase:src/a.rs->src/token_store.rs",
        ),
        (
            "read src/a.rs; glob **/token_store.* = src/token_store.rs; read src/token_store.rs",
            "chase:src/a.rs->src/token_store.rs",
        ),
        ("read src/a.rs; read src/token_store.rs", ""),
        (
            "read src/a.rs; grep other = src/other.rs; read src/token_store.rs",
            "",
        ),
        (
            "read src/token_store.rs; read src/a.rs; grep token_store = src/token_store.rs; read src/token_store.rs",
            "",
        ),
        (
            "read src/a.rs; grep token_store = src/token_store.rs; run make = 0; read src/token_store.rs",
            "chase:src/a.rs->src/token_store.rs",
        ),
        (
            "read src/a.rs; grep token_store = src/token_store.rs; repeat 2 run make = 0; read src/token_store.rs",
            "",
        ),
        (
            "read src/a.rs; grep open_socket = src/ipc.rs; read src/ipc.rs",
            "chase:src/a.rs->src/ipc.rs",
        ),
        (
            "read src/a.rs; grep ipc = nothing; read src/ipc.rs",
            "chase:src/a.rs->src/ipc.rs",
        ),
        ("read src/a.rs; grep io = nothing; read src/io.rs", ""),
        (
            "read src/a.rs; grep token_store = src/a.rs; read src/a.rs",
            "",
        ),
        // The way is told once, and what was seen before was not searched for.
        (
            "read src/a.rs; read src/token_store.rs; grep token_store = src/token_store.rs; read src/b.rs",
            "",
        ),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::ImportChase, story),
            expected,
            "{story}"
        );
    }
}

#[test]
fn the_search_is_among_the_events_that_show_it() {
    for story in [
        "read src/a.rs; grep token_store = src/token_store.rs; read src/token_store.rs",
        "read src/a.rs; glob **/token_store.* = src/token_store.rs; read src/token_store.rs",
    ] {
        let shown = super::shown_at(SignalKind::ImportChase, story);
        assert_eq!(shown, [1, 2, 3], "{story}");
    }
}
