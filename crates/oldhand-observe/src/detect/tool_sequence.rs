//! The same four or more steps again and again: a way of working worth writing down.

use std::collections::BTreeMap;

use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::fold::SessionAnalytics;

/// The shortest sequence that is more than a habit of the tool.
pub(crate) const LENGTH: usize = 4;

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    let mut places: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for (at, window) in session.trail.windows(LENGTH).enumerate() {
        let steps: Vec<&str> = window.iter().map(|(key, _)| key.as_str()).collect();
        let places = places.entry(steps).or_default();
        // Overlapping occurrences are one walk in a circle.
        if places.last().is_none_or(|last| at >= last + LENGTH) {
            places.push(at);
        }
    }
    let mut found: Vec<Signal> = Vec::new();
    for (steps, places) in places {
        if places.len() < 2 || !is_telling(&steps) {
            continue;
        }
        let key = format!("sequence:{}", steps.join(" > "));
        let evidence: Vec<u32> = places
            .iter()
            .map(|&at| session.trail[at + LENGTH - 1].1)
            .collect();
        let steps = steps.iter().map(|&step| step.to_owned()).collect();
        let finding = Finding::ToolSequence {
            steps,
            count: places.len() as u32,
        };
        found.push(
            Signal::new(SignalKind::ToolSequence, key, finding)
                .seen_at(evidence.into_iter().take(2))
                .strong(0.6),
        );
    }
    found
}

/// Whether a sequence is a way of working: something is changed, and two different commands follow up
/// on it. Reading, searching and changing in turns is how everybody works everywhere.
pub(crate) fn is_telling(steps: &[&str]) -> bool {
    let changes = steps
        .iter()
        .any(|step| step.starts_with("edit ") || step.starts_with("write "));
    let mut acts: Vec<&str> = steps.iter().copied().filter(|step| is_act(step)).collect();
    acts.sort_unstable();
    acts.dedup();
    changes && acts.len() >= 2
}

/// A command or a call to a server that does more than look.
pub(crate) fn is_act(step: &str) -> bool {
    const LOOKS: [&str; 26] = [
        "ls",
        "cat",
        "head",
        "tail",
        "less",
        "sed",
        "awk",
        "grep",
        "rg",
        "find",
        "fd",
        "tree",
        "wc",
        "which",
        "pwd",
        "cd",
        "echo",
        "stat",
        "file",
        "du",
        "git status",
        "git diff",
        "git log",
        "git show",
        "git branch",
        "jq",
    ];
    step.starts_with("mcp ")
        || step
            .strip_prefix("run ")
            .is_some_and(|command| !LOOKS.contains(&command))
}

#[test]
fn four_steps_that_recur_are_a_round() {
    let change = "read src/a/x.rs; edit src/b/y.rs; ";
    let round = format!("{change}run cargo test = 0; run git commit -m x = 0; ");
    let key = "sequence:read src/a > edit src/b > run cargo test > run git commit";
    let twice = |story: &str| story.repeat(2);
    let between = "read top/x/y.rs; ";
    let cases = [
        (round.clone(), ""),
        (format!("{round}{between}{round}"), key),
        // Three steps, with something else around them each time.
        (
            ["top0", "top1", "top2"]
                .map(|top| format!("edit src/b/y.rs; run cargo test = 0; run git commit -m x = 0; read {top}/x/y.rs; "))
                .concat(),
            "",
        ),
        // Nothing is changed.
        (
            twice(&format!("read src/a/x.rs; read src/b/y.rs; run cargo test = 0; run git commit -m x = 0; {between}")),
            "",
        ),
        // One command follows, and twice the same is one.
        (
            twice(&format!("{change}run cargo test = 0; run git diff = 0; {between}")),
            "",
        ),
        (
            twice(&format!("{change}run cargo test = 0; run cargo test = 0; {between}")),
            "",
        ),
        (
            twice(&format!("{change}run cargo test = 0; mcp db migrate = ok; {between}")),
            "read src/a > edit src/b > run cargo test > mcp db migrate",
        ),
        (
            twice(&format!("read src/a/x.rs; write src/b/y.rs; run cargo test = 0; run git commit -m x = 0; {between}")),
            "read src/a > write src/b > run cargo test > run git commit",
        ),
        // What overlaps with itself is gone through once.
        ("edit a/b.rs; run make = 0; run ./seed.sh = 0; ".repeat(2) + "edit a/b.rs", ""),
    ];
    for (story, expected) in cases {
        let told = super::keys(SignalKind::ToolSequence, &story);
        assert!(told.contains(expected), "{story}: {told}");
        assert_eq!(told.is_empty(), expected.is_empty(), "{story}: {told}");
    }
}
