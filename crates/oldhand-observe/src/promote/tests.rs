//! Every row of the gates, and every reason to be dropped.

use super::gate::GateState;
use super::*;
use crate::detect::{Norms, dead_end, detect};
use crate::distill::{Seen, distill};
use crate::fold::{FoldOptions, fold};
use crate::outcome::judgement::judge;
use crate::story::events;
use oldhand_domain::taint::{OutsideText, Taint};

struct Given {
    sessions: u32,
    complexity: Option<Complexity>,
    neighbours: BTreeMap<String, Neighbour>,
    feedback: Feedback,
    barred: BTreeMap<String, Dropped>,
    taught: usize,
}

fn given(sessions: u32) -> Given {
    Given {
        sessions,
        complexity: Some(Complexity::Complex),
        neighbours: BTreeMap::new(),
        feedback: Feedback::default(),
        barred: BTreeMap::new(),
        taught: 0,
    }
}

fn report(story: &str, given: &Given) -> Report {
    let session = fold(&events(story), &FoldOptions::default());
    let signals = detect(
        &session,
        &Norms {
            tokens_per_file: Some(2_000.0),
        },
    );
    let dead_ends = dead_end::detect(&session);
    let seen = Seen {
        sessions: given.sessions - 1,
        task_types: 1,
        edited_sessions: 0,
        ..Seen::default()
    };
    let frequency = Frequency {
        seen: signals
            .iter()
            .map(|signal| (signal.key.clone(), seen.clone()))
            .collect(),
        modules: BTreeMap::from([("src".to_owned(), given.sessions + 1)]),
        ..Frequency::default()
    };
    let candidates = distill(&session, &signals, &dead_ends, &frequency);
    let judgement = judge(&session);
    let session_type = session
        .start
        .as_ref()
        .map_or(SessionType::Build, |start| start.session_type);
    promote(
        candidates,
        &Circumstances {
            session_type,
            sight: session.sight(),
            judgement: &judgement,
            complexity: given.complexity.unwrap_or_else(|| Complexity::of(&session)),
            frequency: &frequency,
            neighbours: &given.neighbours,
            barred: &given.barred,
            taught_before: given.taught,
            feedback: given.feedback,
        },
    )
}

/// What became of the candidates whose key starts with `key`.
fn fate(story: &str, key: &str, given: &Given) -> String {
    let report = report(story, given);
    let found = report
        .verdicts
        .iter()
        .find(|(candidate, _)| candidate.key.starts_with(key));
    found.map_or_else(
        || "no candidate".to_owned(),
        |(_, verdict)| verdict.to_string(),
    )
}

const ERROR: &str = "run make = 2: error: header `bad` not found; run make = 2: error: header `bad` not found; run ./configure = 0; run make = 0; edit src/a.c; run make = 0; ";
const REVIEWED: &str = "run make = 2: error: header `bad` not found; run make = 2: error: header `bad` not found; run ./configure = 0; run make = 0; edit src/a.c; run make = 0; say Two findings.; ";
const PASSED: &str = "edit src/z.c; run make test = 0; ";

#[test]
fn each_session_type_teaches_only_its_signals() {
    let cases = [
        (
            "start insights",
            "pair:",
            "grep wxyz_a = nothing; read src/a.rs; read lib/b.rs",
            9,
            "promoted: score 0.66, confidence 0.41, seen in 9 sessions, needs review",
        ),
        (
            "start insights",
            "error:",
            ERROR,
            3,
            "dropped: insights sessions do not teach this",
        ),
        (
            "start terminal",
            "error:",
            ERROR,
            2,
            "promoted: score 0.80, confidence 0.75, seen in 2 sessions, needs review",
        ),
        (
            "start terminal",
            "error:",
            ERROR,
            1,
            "dropped: seen in 1 of 2 sessions needed",
        ),
        (
            "start terminal",
            "file:",
            ERROR,
            3,
            "dropped: terminal sessions do not teach this",
        ),
        (
            "start pr_review",
            "error:",
            REVIEWED,
            1,
            "promoted: score 0.82, confidence 0.80, seen in one session",
        ),
        (
            "start pr_review",
            "error:",
            ERROR,
            1,
            "dropped: the gate of pr_review sessions is closed until the review is completed",
        ),
        (
            "start pr_review",
            "file:",
            REVIEWED,
            5,
            "dropped: pr_review sessions do not teach this",
        ),
        (
            "start changelog",
            "error:",
            ERROR,
            9,
            "dropped: the gate of changelog sessions is closed",
        ),
        (
            "start roadmap",
            "error:",
            ERROR,
            9,
            "dropped: roadmap sessions do not teach this",
        ),
        (
            "start roadmap",
            "note:",
            "read src/a.rs; note decision: Tokens live in the keychain.",
            1,
            "promoted: score 0.80, confidence 0.75, seen in one session",
        ),
        (
            "start roadmap",
            "note:",
            "note decision: Tokens live in the keychain.",
            1,
            "promoted: score 0.80, confidence 0.75, seen in one session, needs review",
        ),
        (
            "start roadmap",
            "note:",
            "note gotcha: Tokens live in the keychain.",
            1,
            "dropped: roadmap sessions do not teach this",
        ),
        (
            "start spec_creation",
            "file:",
            "edit src/a.rs; edit src/a.rs; edit src/a.rs; edit src/a.rs; validated passed",
            40,
            "promoted: score 0.66, confidence 0.59, seen in 40 sessions, needs review",
        ),
        (
            "start spec_creation",
            "file:",
            "edit src/a.rs; edit src/a.rs",
            9,
            "dropped: the gate of spec_creation sessions is closed until somebody accepts the specification",
        ),
    ];
    for (start, key, story, sessions, expected) in cases {
        assert_eq!(
            fate(&format!("{start}; {story}"), key, &given(sessions)),
            expected,
            "{start} {key} {sessions}"
        );
    }
}

#[test]
fn a_failed_session_leaves_only_what_failure_teaches() {
    let story = format!("{ERROR}edit src/z.c; validated failed critical src/z.c: it leaks");
    assert_eq!(
        fate(&story, "error:", &given(5)),
        "dropped: the work failed"
    );
    assert!(fate(&story, "qa:", &given(1)).starts_with("promoted"));
    let noted = "edit src/a.rs; note gotcha: Tokens live in the keychain.; ";
    assert!(fate(&format!("{noted}validated passed"), "note:", &given(1)).starts_with("promoted"));
    assert_eq!(
        fate(&format!("{noted}validated failed"), "note:", &given(1)),
        "dropped: the work failed"
    );
    let story = "repeat 20 edit src/a.rs; say This approach won't work because `poll()` blocks every worker.; edit src/b.rs; validated failed";
    assert!(fate(story, "dead_end:", &given(1)).starts_with("promoted"));
}

#[test]
fn two_problems_of_one_file_are_two() {
    let one = "validated failed critical src/z.c: it leaks";
    for (story, expected) in [
        (
            format!("{one}; subtask a failed high src/z.c: numbers are cut"),
            2,
        ),
        (
            format!("{one}; validated failed high src/z.c: numbers are cut"),
            2,
        ),
        (format!("{one}; subtask a failed high src/z.c: it leaks"), 1),
    ] {
        let report = report(&format!("edit src/z.c; {story}"), &given(1));
        let found = report.promoted();
        let found = found.filter(|(candidate, _)| candidate.origin == Origin::Qa);
        assert_eq!(found.count(), expected, "{story}");
    }
}

#[test]
fn without_evidence_the_terminal_gate_applies() {
    let story = format!("{ERROR}edit src/z.c");
    assert_eq!(
        fate(&story, "error:", &given(3)),
        "promoted: score 0.82, confidence 0.80, seen in 3 sessions, needs review"
    );
    assert_eq!(
        fate(&story, "file:", &given(9)),
        "dropped: terminal sessions do not teach this"
    );
}

#[test]
fn signals_need_their_sessions_and_some_need_one() {
    let story = format!("{ERROR}{PASSED}");
    assert_eq!(
        fate(&story, "error:", &given(1)),
        "dropped: seen in 1 of 2 sessions needed"
    );
    assert!(fate(&story, "error:", &given(2)).starts_with("promoted"));
    let story = format!("say I was wrong about `cache_ttl`, it is in seconds.; {PASSED}");
    assert!(fate(&story, "correction:", &given(1)).starts_with("promoted"));
    let story = format!(
        "as one: edit a.rs; as one: edit a.rs = failed: File has been modified since read; as two: edit a.rs = failed: File has been modified since read; as two: edit a.rs; as one: read b.rs; {PASSED}"
    );
    assert!(fate(&story, "conflict:", &given(1)).starts_with("promoted"));
}

#[test]
fn what_is_known_is_not_told_again_unless_it_is_surer() {
    let story = format!("{ERROR}{PASSED}");
    let key = report(&story, &given(2))
        .verdicts
        .iter()
        .find(|(candidate, _)| candidate.key.starts_with("error:"))
        .map(|(candidate, _)| candidate.key.clone())
        .unwrap();
    let memory: MemoryId = "0198c1e2-77aa-7000-8000-0123456789ab".parse().unwrap();
    let near = |cosine, confidence, says| {
        let mut given = given(2);
        given.neighbours.insert(
            key.clone(),
            Neighbour {
                memory,
                cosine,
                confidence: Confidence::clamped(confidence),
                says,
            },
        );
        fate(&story, "error:", &given)
    };
    assert_eq!(
        near(0.9, 0.8, Says::Alike),
        format!("dropped: memory {memory} says it already (0.90 alike)")
    );
    assert!(near(0.9, 0.6, Says::Alike).starts_with("makes a known memory surer"));
    assert!(near(0.87, 0.9, Says::Alike).starts_with("promoted"));
    assert!(near(1.0, 0.9, Says::TheSame).starts_with("makes a known memory surer"));
    assert!(near(1.0, 0.1, Says::Settled).starts_with("dropped"));
}

#[test]
fn outside_text_makes_no_known_memory_surer() {
    let memory: MemoryId = "0198c1e2-77aa-7000-8000-0123456789ab".parse().unwrap();
    let told = |story: &str| {
        let session = fold(&events(story), &FoldOptions::default());
        let signals = detect(&session, &Norms::default());
        let key = signals
            .iter()
            .find(|signal| signal.key.starts_with("error:"))
            .map(|signal| signal.key.clone())
            .unwrap();
        let mut given = given(2);
        let near = Neighbour {
            memory,
            cosine: 0.95,
            confidence: Confidence::clamped(0.1),
            says: Says::Alike,
        };
        given.neighbours.insert(key, near);
        fate(story, "error:", &given)
    };
    let story = format!("{ERROR}{PASSED}");
    assert!(told(&story).starts_with("makes a known memory surer"));
    let outside = told(&format!("fetch https://x.y = ok; {story}"));
    assert!(outside.contains("says it already"), "{outside}");
}

#[test]
fn many_rejections_raise_every_threshold() {
    let story = "start insights; read src/a.rs; read lib/b.rs";
    let mut given = given(9);
    assert!(fate(story, "pair:", &given).starts_with("promoted"));
    given.feedback = Feedback {
        observed: 10,
        rejected: 4,
    };
    assert_eq!(
        fate(story, "pair:", &given),
        "dropped: score 0.66 is under the threshold of 0.72"
    );
    for (observed, rejected, promoted) in [
        (10, 3, true),
        (100, 30, true),
        (100, 31, false),
        (0, 0, true),
    ] {
        given.feedback = Feedback { observed, rejected };
        let fate = fate(story, "pair:", &given);
        assert_eq!(fate.starts_with("promoted"), promoted, "{rejected}: {fate}");
    }
}

#[test]
fn the_size_of_the_task_caps_what_it_teaches() {
    let story =
        format!("edit src/a.rs; repeat 30 note gotcha: The port is in `m{{n}}.rs`.; {PASSED}");
    let promoted = |complexity| {
        let mut given = given(9);
        given.complexity = Some(complexity);
        report(&story, &given).promoted().count()
    };
    assert_eq!(promoted(Complexity::Trivial), 2);
    assert_eq!(promoted(Complexity::Standard), 10);
    assert_eq!(promoted(Complexity::Complex), 20);
    let session = |story: &str| Complexity::of(&fold(&events(story), &FoldOptions::default()));
    assert_eq!(session("edit a.rs; run make = 0"), Complexity::Trivial);
    assert_eq!(session("edit a.rs; edit b.rs"), Complexity::Standard);
    assert_eq!(session("repeat 7 edit a{n}.rs"), Complexity::Standard);
    assert_eq!(session("repeat 8 edit a{n}.rs"), Complexity::Complex);
    for (steps, complexity) in [
        (10, Complexity::Trivial),
        (11, Complexity::Standard),
        (80, Complexity::Standard),
        (81, Complexity::Complex),
    ] {
        let story = format!("edit a.rs; repeat {} read a.rs", steps - 1);
        assert_eq!(session(&story), complexity, "{steps} steps");
    }
}

#[test]
fn a_burst_of_work_teaches_three_pairs_at_most() {
    let story = format!("repeat 12 edit src/m{{n}}/a.rs; {PASSED}");
    let report = report(&story, &given(9));
    let pairs = report
        .promoted()
        .filter(|(candidate, _)| candidate.key.starts_with("pair:"));
    assert_eq!(pairs.count(), 3);
    assert!(report.verdicts.iter().any(|(_, verdict)| {
        verdict.to_string() == "dropped: a session may teach 3 pairs of files at most"
    }));
}

#[test]
fn files_of_one_folder_must_change_together() {
    let read = format!("read src/a.c; read src/b.c; edit lib/c.c; {PASSED}");
    assert_eq!(
        fate(&read, "pair:src/a.c+src/b.c", &given(7)),
        "dropped: both were edited in only 0 of 3 sessions needed"
    );
    let across = format!("read src/a.c; read lib/b.c; edit top/c.c; {PASSED}");
    assert!(!fate(&across, "pair:lib/b.c+src/a.c", &given(7)).contains("both were edited"));
}

#[test]
fn agents_that_agree_need_no_second_session() {
    let story = format!("{ERROR}{PASSED}");
    let session = fold(&events(&story), &FoldOptions::default());
    let one = distill(
        &session,
        &detect(&session, &Norms::default()),
        &[],
        &Frequency::default(),
    );
    let mut two = one.clone();
    for candidate in &mut two {
        candidate.taint = Taint::by(OutsideText::Web);
    }
    let merged = merge(vec![one.clone(), two], &|_, _| 0.0);
    assert_eq!(merged.len(), one.len());
    assert!(
        merged
            .iter()
            .all(|candidate| candidate.quorum && !candidate.taint.is_clean())
    );
    let alone = merge(vec![one.clone()], &|_, _| 1.0);
    assert!(alone.iter().all(|candidate| !candidate.quorum));
    assert!(
        frequency(
            &merged[0],
            GateRule {
                sessions: None,
                lowered: 0.0
            },
            &Frequency::default()
        )
        .is_ok()
    );
}

#[test]
fn pairs_of_other_files_are_other_observations_however_alike_their_words() {
    let pairs = |story: &str| {
        let session = fold(&events(story), &FoldOptions::default());
        let signals = detect(&session, &Norms::default());
        let all = distill(&session, &signals, &[], &Frequency::default());
        let pairs = all.into_iter().filter(|one| one.key.starts_with("pair:"));
        pairs.collect::<Vec<_>>()
    };
    let one = pairs("edit src/a/app.rs; edit src/a/ui.rs");
    let two = pairs("edit src/a/app.rs; edit src/b/event.rs");
    assert_eq!((one.len(), two.len()), (1, 1));
    let merged = merge_into(one, vec![two], |_, _| 0.99);
    assert_eq!(merged.len(), 2);
    assert!(merged.iter().all(|pair| pair.files.len() == 2));
}

mod barred;
mod conditions;
mod earliest;
mod gates;
mod labelled;
mod many;
mod numbers;
mod often;
mod outside;
mod rows;
