//! What a running session already shows clearly enough to be looked at first.

use oldhand_domain::signal::SignalKind;

use crate::fold::SessionAnalytics;
use crate::language::Admission;
use crate::paths;

/// A signal that moves to the front of the queue, and how far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Early {
    pub kind: SignalKind,
    pub priority: f64,
}

/// The early triggers that hold, the most urgent first.
pub fn triggers(session: &SessionAnalytics) -> Vec<Early> {
    let corrected = session
        .said
        .iter()
        .any(|said| said.admission == Admission::Correction);
    let searched = session.greps.values().any(|grep| grep.count >= 3);
    let erred = session.errors.len() >= 2;
    let edited = session.edited_files();
    let configured = edited.len() >= 2
        && edited
            .iter()
            .any(|&file| paths::is_config(session.files.path(file).as_str()));
    let table = [
        (corrected, SignalKind::SelfCorrection, 0.9),
        (searched, SignalKind::RepeatedGrep, 0.8),
        (erred, SignalKind::ErrorRetry, 0.75),
        (configured, SignalKind::ConfigTouch, 0.7),
    ];
    table
        .into_iter()
        .filter(|(holds, ..)| *holds)
        .map(|(_, kind, priority)| Early { kind, priority })
        .collect()
}

#[test]
fn each_trigger_has_its_threshold() {
    let told = |story: &str| {
        let session = crate::fold::fold(
            &crate::story::events(story),
            &crate::fold::FoldOptions::default(),
        );
        triggers(&session)
            .iter()
            .map(|early| format!("{} {}", early.kind, early.priority))
            .collect::<Vec<_>>()
            .join(", ")
    };
    assert_eq!(
        told("say I was wrong about the port, it is `8080`."),
        "self_correction 0.9"
    );
    assert_eq!(
        told("grep abcd = nothing; grep abcd = nothing; grep abcd = nothing"),
        "repeated_grep 0.8"
    );
    assert_eq!(told("grep abcd = nothing; grep abcd = nothing"), "");
    assert_eq!(
        told("run make = 2: error: one thing; run make = 2: error: other thing"),
        "error_retry 0.75"
    );
    assert_eq!(told("run make = 2: error: one thing"), "");
    assert_eq!(told("edit package.json; edit src/a.ts"), "config_touch 0.7");
    assert_eq!(told("edit package.json"), "");
    assert_eq!(told("edit src/a.ts; edit src/b.ts"), "");
}
