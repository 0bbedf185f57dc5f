//! Naming what a session shows. Seventeen detectors, each a pure function in a file of its own.
//!
//! A detector that fires wrongly is worse than one that stays silent: each asks for more than the
//! bare pattern where the bare pattern is ordinary work.

use oldhand_domain::path::ProjectPath;
use oldhand_domain::signal::SignalKind;
use oldhand_domain::taint::Taint;

use crate::fold::SessionAnalytics;

mod backtrack;
pub(crate) mod causes;
mod co_access;
mod config_touch;
mod context_token_spike;
pub mod dead_end;
pub mod early;
mod error_retry;
mod external_reference;
mod file_access;
mod finding;
pub(crate) mod glob_ignore;
mod import_chase;
mod parallel_conflict;
mod read_abandon;
mod repeated_grep;
mod self_correction;
pub(crate) mod step_overrun;
mod test_order;
mod time_anomaly;
mod tool_sequence;

pub(crate) mod sequence {
    //! What counts as a sequence, for statistics over many sessions.
    pub(crate) use super::tool_sequence::{LENGTH, is_act, is_telling};
}

pub use finding::{Cause, Finding, Order, Solved, SolvedBy, Symptom};

/// How the key of a cause in an agent's words begins.
pub(crate) const CAUSE: &str = "cause:";
/// The same of what it had taken for something else.
pub(crate) const CORRECTION: &str = "correction:";

/// One behavioural pattern, seen in one session.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    pub kind: SignalKind,
    /// What makes it the same pattern when another session shows it.
    pub key: String,
    pub finding: Finding,
    pub files: Vec<ProjectPath>,
    /// The steps that show it.
    pub evidence: Vec<u32>,
    /// How clearly this session shows it, between 0 and 1.
    pub strength: f64,
    pub taint: Taint,
}

/// What detectors may compare a session with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Norms {
    /// Mean context tokens per file over earlier sessions, once there are enough of them.
    pub tokens_per_file: Option<f64>,
}

/// Looks at a whole session.
pub type Detector = fn(&SessionAnalytics, &Norms) -> Vec<Signal>;

/// The whole list.
pub const DETECTORS: [(SignalKind, Detector); 17] = [
    (SignalKind::FileAccess, file_access::detect),
    (SignalKind::CoAccess, co_access::detect),
    (SignalKind::ErrorRetry, error_retry::detect),
    (SignalKind::Backtrack, backtrack::detect),
    (SignalKind::ReadAbandon, read_abandon::detect),
    (SignalKind::RepeatedGrep, repeated_grep::detect),
    (SignalKind::ToolSequence, tool_sequence::detect),
    (SignalKind::TimeAnomaly, time_anomaly::detect),
    (SignalKind::SelfCorrection, self_correction::detect),
    (SignalKind::ExternalReference, external_reference::detect),
    (SignalKind::GlobIgnore, glob_ignore::detect),
    (SignalKind::ImportChase, import_chase::detect),
    (SignalKind::TestOrder, test_order::detect),
    (SignalKind::ConfigTouch, config_touch::detect),
    (SignalKind::StepOverrun, step_overrun::detect),
    (SignalKind::ParallelConflict, parallel_conflict::detect),
    (SignalKind::ContextTokenSpike, context_token_spike::detect),
];

/// Everything a session shows, in the order of the table, marked by outside text where it came after.
pub fn detect(session: &SessionAnalytics, norms: &Norms) -> Vec<Signal> {
    let mut signals: Vec<Signal> = Vec::new();
    for (_, detector) in DETECTORS {
        signals.extend(detector(session, norms));
    }
    for signal in &mut signals {
        signal.taint = taint(signal, session);
    }
    signals
}

/// The marks of all that came in up to the last thing that shows it. A look outside is told by its address and the file that was
/// edited then: what was found there has no part in it.
fn taint(signal: &Signal, session: &SessionAnalytics) -> Taint {
    let steps = signal.evidence.iter().copied();
    match signal.kind {
        SignalKind::ExternalReference => session.taint_after(steps.min().unwrap_or(0)),
        _ => session.taint_after(steps.max().unwrap_or(session.step) + 1),
    }
}

/// Signals given up first when a scratchpad grows too large, the cheapest to lose first.
pub const EVICTION_ORDER: [SignalKind; 7] = [
    SignalKind::TimeAnomaly,
    SignalKind::FileAccess,
    SignalKind::ToolSequence,
    SignalKind::CoAccess,
    SignalKind::ImportChase,
    SignalKind::GlobIgnore,
    SignalKind::TestOrder,
];

/// How many of a kind are kept even then.
const KEPT: usize = 10;

/// The most bytes of signals a scratchpad holds.
pub const SCRATCHPAD_LIMIT: usize = 50 * 1024 * 1024;

/// How many bytes signals take.
pub fn size(signals: &[Signal]) -> usize {
    signals.iter().map(Signal::size).sum()
}

/// Drops signals in [`EVICTION_ORDER`] until the rest fits into `limit` bytes; tells how many went.
pub fn evict(signals: &mut Vec<Signal>, limit: usize) -> usize {
    let before = signals.len();
    for kind in EVICTION_ORDER {
        if size(signals) <= limit {
            break;
        }
        let mut left = signals.iter().filter(|signal| signal.kind == kind).count();
        signals.retain(|signal| {
            if signal.kind != kind {
                return true;
            }
            left -= 1;
            left < KEPT
        });
    }
    before - signals.len()
}

impl Signal {
    fn new(kind: SignalKind, key: String, finding: Finding) -> Self {
        Self {
            kind,
            key,
            finding,
            files: Vec::new(),
            evidence: Vec::new(),
            strength: 0.6,
            taint: Taint::CLEAN,
        }
    }

    fn about(mut self, files: impl IntoIterator<Item = ProjectPath>) -> Self {
        self.files = files.into_iter().collect();
        self
    }

    /// Everything that shows it, in order: the step that decided it as well as those around it.
    fn seen_at(mut self, steps: impl IntoIterator<Item = u32>) -> Self {
        self.evidence = steps.into_iter().collect();
        self.evidence.sort_unstable();
        self.evidence.dedup();
        self
    }

    fn strong(mut self, strength: f64) -> Self {
        self.strength = strength.clamp(0.0, 1.0);
        self
    }

    /// Whether the session saw it with its own eyes: no outside text had a hand in it. What is about the outside itself, and
    /// what clients state as a fact, is the session's own all the same.
    pub(crate) fn is_own(&self) -> bool {
        self.taint.is_clean()
            || matches!(
                self.finding,
                Finding::ExternalReference { .. }
                    | Finding::TooLarge { .. }
                    | Finding::Missing { .. }
            )
    }

    /// Sessions that must show it before it is told.
    pub(crate) fn sessions_needed(&self) -> u32 {
        match self.finding {
            Finding::Missing { .. } => 2,
            _ => self.kind.rule().sessions,
        }
    }

    fn size(&self) -> usize {
        let files: usize = self.files.iter().map(|file| file.as_str().len() + 24).sum();
        size_of::<Self>() + self.key.len() + files + self.evidence.len() * 4
    }
}

#[cfg(test)]
pub(crate) fn detected(story: &str) -> Vec<Signal> {
    let session = crate::fold::fold(
        &crate::story::events(story),
        &crate::fold::FoldOptions::default(),
    );
    detect(
        &session,
        &Norms {
            tokens_per_file: Some(2_000.0),
        },
    )
}

/// The keys of one kind, for the tables of cases.
#[cfg(test)]
pub(crate) fn keys(kind: SignalKind, story: &str) -> String {
    let signals = detected(story);
    let keys: Vec<&str> = signals
        .iter()
        .filter(|signal| signal.kind == kind)
        .map(|signal| signal.key.as_str())
        .collect();
    keys.join(", ")
}

/// The steps that show the first signal of a kind.
#[cfg(test)]
pub(crate) fn shown_at(kind: SignalKind, story: &str) -> Vec<u32> {
    let mut signals = detected(story).into_iter();
    let signal = signals.find(|signal| signal.kind == kind);
    signal.map(|signal| signal.evidence).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_every_signal_once() {
        let listed: Vec<SignalKind> = DETECTORS.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(listed, SignalKind::ALL);
    }

    #[test]
    fn a_detector_only_speaks_of_its_own_signal() {
        let story = "read a.rs; edit a.rs; run cargo test = 1: error: bad thing; edit a.rs; run cargo test = 1: error: bad thing; edit a.rs; run cargo test = 0; grep x = nothing; grep x = nothing";
        let session = crate::fold::fold(
            &crate::story::events(story),
            &crate::fold::FoldOptions::default(),
        );
        for (kind, detector) in DETECTORS {
            assert!(
                detector(&session, &Norms::default())
                    .iter()
                    .all(|signal| signal.kind == kind),
                "{kind}"
            );
        }
    }

    #[test]
    fn each_signal_has_its_strength() {
        let cases = [
            ("read a.rs; read a.rs", "file:", "0.60"),
            ("repeat 3 edit a.rs", "file:", "0.80"),
            ("repeat 4 edit a.rs", "file:", "0.90"),
            ("repeat 5 edit a.rs", "file:", "0.90"),
            ("read a.rs; read b.rs", "pair:", "0.52"),
            (
                "read a.rs; read b.rs; read a.rs; read b.rs",
                "pair:",
                "0.56",
            ),
            (
                "repeat 5 run ls = 0; read a.rs; read b.rs; read a.rs; read b.rs; read a.rs",
                "pair:",
                "0.58",
            ),
            (
                "repeat 5 run ls = 0; read a.rs; read b.rs; read a.rs; read b.rs; read a.rs; read b.rs",
                "pair:",
                "0.58",
            ),
            ("read a.rs; edit b.rs", "pair:", "0.62"),
            ("edit a.rs; edit b.rs", "pair:", "0.72"),
            (
                "read a.rs; read b.rs; repeat 5 read f{n}.rs; read a.rs; read b.rs",
                "pair:a.rs+b.rs",
                "0.54",
            ),
            (
                "edit a.rs; run make = 2: error: bad thing; edit a.rs",
                "backtrack:",
                "0.70",
            ),
            ("edit a.rs; read b.rs; edit a.rs", "backtrack:", "0.60"),
            ("read a/user.rs; edit a/user_store.rs", "door:", "0.60"),
            (
                "read a/x.yml = failed: File does not exist. Did you mean x.yaml?",
                "missing:",
                "0.80",
            ),
            (
                "grep handler = nothing; grep handler = a.rs; read a.rs",
                "grep:",
                "0.70",
            ),
            (
                "grep handler = a.rs; grep handler = a.rs; read a.rs",
                "grep:",
                "0.55",
            ),
            (
                "grep handler = nothing; grep handler = nothing",
                "grep:",
                "0.55",
            ),
            (
                "read b.rs; read a.rs; wait 300s; run make = 2: error: bad thing",
                "dwell:",
                "0.60",
            ),
            ("fetch https://x.y = ok; edit a.rs", "web:", "0.55"),
            ("glob **/*.rs = 20 files", "glob:", "0.55"),
            (
                "read a.rs; grep token_store = nothing; read token_store.rs",
                "chase:",
                "0.55",
            ),
            ("run cargo test = 0; edit src/a.rs", "tests:", "0.60"),
            ("edit src/a/x.ts; edit package.json", "config:", "0.60"),
            (
                "start build planned 2; repeat 4 edit src/a.rs",
                "steps:",
                "0.65",
            ),
            (
                "as one: edit a.rs; as two: edit a.rs; as one: read b.rs",
                "conflict:",
                "0.80",
            ),
            (
                "repeat 4 read src/a{n}.rs; tokens 20000 10",
                "tokens:",
                "0.60",
            ),
            (
                "read a.rs = failed: File content (34278 tokens) exceeds maximum allowed tokens (25000).",
                "large:",
                "0.80",
            ),
        ];
        for (story, key, expected) in cases {
            let signals = detected(story);
            let found = signals.iter().find(|signal| signal.key.starts_with(key));
            let strength = found.map(|signal| format!("{:.2}", signal.strength));
            assert_eq!(strength.as_deref(), Some(expected), "{story}");
        }
    }

    #[test]
    fn what_was_seen_before_the_web_stays_clean() {
        let story = "run make = 2: error: bad thing; run make = 2: error: bad thing; fetch https://x.y = ok; grep abcd = nothing; grep abcd = nothing";
        let signals = detected(story);
        let clean = |kind| {
            signals
                .iter()
                .find(|signal| signal.kind == kind)
                .map(|signal| signal.taint.is_clean())
        };
        assert_eq!(clean(SignalKind::ErrorRetry), Some(true));
        assert_eq!(clean(SignalKind::RepeatedGrep), Some(false));
    }

    #[test]
    fn eviction_takes_the_cheap_signals_and_keeps_the_dear_ones() {
        let mut story =
            String::from("run make = 2: error: bad thing; run make = 2: error: bad thing; ");
        story.push_str("repeat 40 read src/a{n}.rs");
        let mut signals = detected(&story);
        let before = signals.len();
        let gone = evict(&mut signals, 1);
        assert_eq!(before - gone, signals.len());
        assert!(gone > 0);
        assert!(
            signals
                .iter()
                .any(|signal| signal.kind == SignalKind::ErrorRetry)
        );
        assert_eq!(
            signals
                .iter()
                .filter(|signal| signal.kind == SignalKind::CoAccess)
                .count(),
            10
        );
    }

    #[test]
    fn what_is_cheapest_to_lose_goes_first_and_only_as_much_as_must() {
        let of = |kind: SignalKind| {
            let finding = Finding::FileAccess {
                weight: 1,
                edited: false,
            };
            (0..KEPT + 5).map(move |at| Signal::new(kind, format!("key{at:02}"), finding.clone()))
        };
        let order = [
            SignalKind::TimeAnomaly,
            SignalKind::FileAccess,
            SignalKind::ToolSequence,
            SignalKind::CoAccess,
            SignalKind::ImportChase,
            SignalKind::GlobIgnore,
            SignalKind::TestOrder,
        ];
        let kinds = order.iter().rev().chain([&SignalKind::ErrorRetry]);
        let all: Vec<Signal> = kinds.flat_map(|kind| of(*kind)).collect();
        let size = |signals: &[Signal]| signals.iter().map(Signal::size).sum::<usize>();
        let one = all[0].size();
        for gone in 0..=order.len() {
            let mut signals = all.clone();
            let limit = size(&all) - gone * 5 * one;
            assert_eq!(evict(&mut signals, limit), gone * 5);
            for (at, kind) in order.iter().enumerate() {
                let left: Vec<&Signal> = signals
                    .iter()
                    .filter(|signal| signal.kind == *kind)
                    .collect();
                let kept = if at < gone { KEPT } else { KEPT + 5 };
                assert_eq!(left.len(), kept, "{kind} of the first {gone}");
                assert_eq!(left.last().map(|signal| signal.key.as_str()), Some("key14"));
            }
        }
        let mut signals = all.clone();
        evict(&mut signals, 1);
        let errors = signals
            .iter()
            .filter(|signal| signal.kind == SignalKind::ErrorRetry);
        assert_eq!(errors.count(), KEPT + 5, "no limit takes these");
    }

    #[test]
    fn a_scratchpad_holds_fifty_megabytes() {
        let large = |bytes: usize| {
            let finding = Finding::FileAccess {
                weight: 1,
                edited: false,
            };
            let small = Signal::new(SignalKind::FileAccess, String::new(), finding.clone());
            let signal = |length: usize| {
                Signal::new(SignalKind::FileAccess, "k".repeat(length), finding.clone())
            };
            let each = bytes / (KEPT + 1);
            let mut signals: Vec<Signal> = (0..KEPT).map(|_| signal(each - small.size())).collect();
            signals.push(signal(bytes - KEPT * each - small.size()));
            assert_eq!(signals.iter().map(Signal::size).sum::<usize>(), bytes);
            evict(&mut signals, SCRATCHPAD_LIMIT)
        };
        assert_eq!((large(50 << 20), large((50 << 20) + 1)), (0, 1));
    }
}
