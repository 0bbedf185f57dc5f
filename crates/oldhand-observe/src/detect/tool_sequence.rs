//! The same four or more steps again and again: a way of working worth writing down.

use std::collections::BTreeMap;

use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::fold::SessionAnalytics;

/// The shortest sequence that is more than a habit of the tool.
pub(crate) const LENGTH: usize = 4;
/// A sequence of one or two kinds of step says nothing.
pub(crate) const KINDS: usize = 3;

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

/// Whether a sequence does something and checks it, in at least three kinds of step.
pub(crate) fn is_telling(steps: &[&str]) -> bool {
    let mut kinds: Vec<&str> = steps.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    let acts = steps.iter().any(|step| {
        step.starts_with("edit") || step.starts_with("write") || step.starts_with("run")
    });
    kinds.len() >= KINDS && acts
}

#[test]
fn a_recurring_round_is_found() {
    let round = "read src/a/x.rs; edit src/b/y.rs; run cargo test = 0; run git commit -m x = 0; ";
    let key = "sequence:read src/a > edit src/b > run cargo test > run git commit";
    assert!(super::keys(SignalKind::ToolSequence, &round.repeat(2)).contains(key));
    assert_eq!(super::keys(SignalKind::ToolSequence, round), "");
    assert_eq!(
        super::keys(
            SignalKind::ToolSequence,
            &"read a/b.rs; read c/d.rs; ".repeat(8)
        ),
        ""
    );
}
