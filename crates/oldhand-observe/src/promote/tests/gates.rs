//! What opens each session type's gate.

use super::*;
use GateState::{Closed, FailuresOnly, Open};

pub(super) fn gate(session_type: SessionType, story: &str) -> Gate {
    let story = format!("start {session_type}; prompt begin; {story}");
    let session = fold(&events(&story), &FoldOptions::default());
    Gate::of(session_type, &judge(&session))
}

#[test]
fn each_session_type_has_its_gate() {
    use SessionType as T;
    let told = "edit src/a.c; validated passed";
    let passed = "edit src/a.c; run make test = 0";
    let failed = "edit src/a.c; run make test = 2: error: bad";
    let unknown = "edit src/a.c";
    for (session_type, story, applies, state, limit, needs_review) in [
        (T::Build, told, T::Build, Open, 20, false),
        (T::Build, passed, T::Build, Open, 20, false),
        (T::Build, failed, T::Build, FailuresOnly, 20, false),
        (T::Build, unknown, T::Terminal, Open, 3, true),
        (T::Insights, unknown, T::Insights, Open, 5, true),
        (T::Roadmap, unknown, T::Roadmap, Open, 3, false),
        (T::Terminal, passed, T::Terminal, Open, 3, true),
        (T::Changelog, told, T::Changelog, Closed, 0, false),
        (T::SpecCreation, told, T::SpecCreation, Open, 3, false),
        (T::PrReview, told, T::PrReview, Open, 8, false),
    ] {
        let gate = gate(session_type, story);
        assert_eq!(
            (gate.session_type, gate.state, gate.limit, gate.needs_review),
            (applies, state, limit, needs_review),
            "{session_type}: {story}"
        );
    }
}

#[test]
fn the_gate_of_a_specification_waits_until_it_is_accepted() {
    for (story, expected) in [
        ("write spec.md", Closed),
        ("write spec.md; run make test = 0", Closed),
        ("write spec.md; run git commit -m spec = 0", Closed),
        (
            "write spec.md; prompt now add a page for the settings",
            Closed,
        ),
        ("write spec.md; say The spec is done.; end", Closed),
        ("write spec.md; prompt looks good", Open),
        ("write spec.md; prompt looks good; edit spec.md", Closed),
        (
            "write spec.md; prompt looks good; prompt no, that's wrong",
            FailuresOnly,
        ),
        ("write spec.md; validated passed", Open),
        ("write spec.md; validated failed", FailuresOnly),
    ] {
        assert_eq!(
            gate(SessionType::SpecCreation, story).state,
            expected,
            "{story}"
        );
    }
}

#[test]
fn the_gate_of_a_review_waits_until_it_is_completed() {
    for (story, expected) in [
        ("read src/a.rs", Closed),
        ("read src/a.rs; end", Closed),
        (
            "read src/a.rs; say Now the tests.; run make test = 0",
            Closed,
        ),
        ("edit src/a.rs; run make test = 0; end", Closed),
        ("say I shall review it.", Closed),
        ("read src/a.rs; say Two findings.", Open),
        ("read src/a.rs; say Two findings.; end", Open),
        (
            "read src/a.rs; say Two findings.; prompt and the docs?",
            Closed,
        ),
        ("read src/a.rs; validated passed", Open),
        (
            "read src/a.rs; say Two findings.; validated failed",
            FailuresOnly,
        ),
    ] {
        assert_eq!(
            gate(SessionType::PrReview, story).state,
            expected,
            "{story}"
        );
    }
}

#[test]
fn of_failed_work_only_what_failure_teaches_is_left() {
    let failed = gate(
        SessionType::Build,
        "edit src/a.c; run make test = 2: error: bad",
    );
    let signals = SignalKind::ALL.iter().map(|kind| Origin::Signal(*kind));
    let lost = signals.chain([Origin::Note, Origin::Synthesis]);
    let lost = lost.map(|origin| (origin, false));
    let kept = [
        Origin::DeadEnd,
        Origin::Qa,
        Origin::Outcome,
        Origin::Person,
        Origin::Many,
    ];
    for (origin, stays) in lost.chain(kept.map(|origin| (origin, true))) {
        let mut candidate = rows::taught_by(SignalKind::ErrorRetry);
        candidate.origin = origin;
        assert_eq!(failed.admits(&candidate).is_ok(), stays, "{origin:?}");
    }
}

#[test]
fn a_changelog_teaches_nothing_whoever_shows_it() {
    let closed = |session_type| {
        let gate = gate(session_type, "edit CHANGELOG.md; run git commit -m x = 0");
        move |origin| {
            let mut candidate = rows::taught_by(SignalKind::ErrorRetry);
            candidate.origin = origin;
            gate.admits(&candidate).is_err()
        }
    };
    let signals = SignalKind::ALL.iter().map(|kind| Origin::Signal(*kind));
    let all = [
        Origin::DeadEnd,
        Origin::Qa,
        Origin::Note,
        Origin::Person,
        Origin::Synthesis,
        Origin::Many,
        Origin::Outcome,
    ];
    for origin in signals.chain(all) {
        assert!(closed(SessionType::Changelog)(origin), "{origin:?}");
    }
    // A specification that nobody accepted yet is a session like any other.
    assert!(!closed(SessionType::SpecCreation)(Origin::Many));
}

#[test]
fn with_six_subtasks_each_is_promoted_for_itself_and_with_five_none_is() {
    let is_apart = |subtasks: usize| {
        let story: Vec<String> = (0..subtasks)
            .map(|number| format!("edit src/a.rs; subtask s{number} passed"))
            .collect();
        is_split(&fold(&events(&story.join("; ")), &FoldOptions::default()))
    };
    assert!(!is_apart(5));
    assert!(is_apart(6));
}

#[test]
fn what_the_files_of_today_bear_out_passes_where_work_proved_nothing_and_not_where_it_failed() {
    let mut found = rows::taught_by(SignalKind::SelfCorrection);
    let failed = gate(
        SessionType::Build,
        "edit src/a.c; run make test = 2: error: bad",
    );
    let unproved = gate(SessionType::Build, "edit src/a.c");
    assert!(unproved.admits(&found).is_err());
    found.claim = Some(crate::distill::Claim::Own {
        names: vec!["a.c".to_owned()],
    });
    assert!(unproved.admits(&found).is_ok());
    assert_eq!(failed.admits(&found), Err(Dropped::WorkFailed));
    let changelog = gate(SessionType::Changelog, "edit src/a.c; validated passed");
    assert!(changelog.admits(&found).is_err());
}
