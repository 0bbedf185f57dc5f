//! The table of gates and the table of signals, row by row.

use oldhand_domain::path::ProjectPath;
use oldhand_domain::signal::RULES;

use super::*;

/// A candidate as if the signal had taught it.
pub(super) fn taught_by(kind: SignalKind) -> Candidate {
    let story = format!("{ERROR}{PASSED}");
    let report = report(&story, &given(2));
    let mut verdicts = report.verdicts.into_iter();
    let found = verdicts.find(|(candidate, _)| candidate.key.starts_with("error:"));
    let (mut candidate, _) = found.unwrap();
    candidate.origin = Origin::Signal(kind);
    candidate.about([ProjectPath::new("src/a.c").unwrap()])
}

#[test]
fn each_gate_admits_its_signals_and_no_other() {
    use SessionType as T;
    let told = |session_type: T| {
        let gate = gates::gate(session_type, "edit src/a.c; validated passed");
        let rows = SignalKind::ALL.iter().filter_map(|kind| {
            let rule = gate.admits(&taught_by(*kind)).ok()?;
            let times = rule.sessions.map_or(String::new(), |n| format!(" {n}x"));
            Some(format!("{kind}{times} -{}", rule.lowered))
        });
        rows.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(told(T::Build).split(", ").count(), 17, "all of them");
    assert!(!told(T::Build).contains("x -") && !told(T::Build).contains("-0."));
    assert_eq!(
        told(T::Insights),
        "co_access -0.15, read_abandon -0, repeated_grep -0.1, self_correction -0"
    );
    assert_eq!(told(T::Roadmap), "");
    assert_eq!(
        told(T::Terminal),
        "error_retry 2x -0.1, tool_sequence 3x -0.2"
    );
    assert_eq!(told(T::Changelog), "");
    assert_eq!(told(T::SpecCreation), "file_access -0.25");
    assert_eq!(told(T::PrReview), "error_retry 1x -0, self_correction -0");
}

#[test]
fn the_number_of_a_gate_counts_before_that_of_a_refused_option() {
    let refused = "run shop a --parallel = 2: error: unrecognized argument --parallel; run shop a = 0; edit src/a.c";
    let told = |story: &str, sessions| fate(story, "error:", &given(sessions));
    let passed = format!("{refused}; run make test = 0");
    for story in [format!("start terminal; {passed}"), refused.to_owned()] {
        let few = "dropped: seen in 1 of 2 sessions needed";
        assert_eq!(told(&story, 1), few, "{story}");
        assert!(told(&story, 2).starts_with("promoted"), "{story}");
    }
    assert!(told(&passed, 1).starts_with("promoted"));
}

#[test]
fn an_accepted_specification_teaches_insights() {
    let gate = gates::gate(SessionType::SpecCreation, "edit src/a.c; validated passed");
    let story = "grep handler = nothing; grep handler = src/a.rs; read src/a.rs; edit src/a.rs; run make test = 0";
    let report = report(story, &given(2));
    let mut insights = report
        .verdicts
        .iter()
        .map(|(candidate, _)| candidate)
        .filter(|candidate| candidate.built_in() == Some(BuiltInType::ModuleInsight));
    let insight = insights.next().expect("a search that found its file");
    assert!(gate.admits(insight).is_ok());
}

#[test]
fn each_session_type_keeps_to_its_number() {
    let notes = "repeat 30 note decision: The port is in `m{n}.rs`.; edit src/a.rs; ";
    for (kind, most) in [
        ("build", 20),
        ("insights", 5),
        ("roadmap", 3),
        ("terminal", 3),
        ("changelog", 0),
        ("spec_creation", 3),
        ("pr_review", 8),
    ] {
        let story = format!("start {kind}; {notes}validated passed");
        assert_eq!(report(&story, &given(1)).promoted().count(), most, "{kind}");
    }
}

#[test]
fn each_type_has_its_threshold() {
    use BuiltInType as B;
    let table = [
        (B::DeadEnd, 0.3),
        (B::Gotcha, 0.5),
        (B::ErrorPattern, 0.5),
        (B::ModuleInsight, 0.55),
        (B::TaskCalibration, 0.55),
        (B::CausalDependency, 0.6),
        (B::PrefetchPattern, 0.6),
        (B::WorkflowRecipe, 0.65),
    ];
    for (kind, expected) in table {
        assert!((threshold(Some(kind)) - expected).abs() < 1e-9, "{kind}");
    }
}

#[test]
fn a_signal_under_the_floor_is_not_looked_at() {
    let story = format!("{ERROR}{PASSED}");
    let judgement = judge(&fold(&events(&story), &FoldOptions::default()));
    let mut candidate = taught_by(SignalKind::SelfCorrection);
    candidate.priority = 0.39;
    let report = promote(
        vec![candidate],
        &Circumstances {
            session_type: SessionType::Build,
            sight: Sight::Work,
            judgement: &judgement,
            complexity: Complexity::Complex,
            frequency: &Frequency::default(),
            neighbours: &BTreeMap::new(),
            barred: &BTreeMap::new(),
            taught_before: 0,
            feedback: Feedback::default(),
        },
    );
    assert_eq!(
        report.verdicts[0].1.to_string(),
        "dropped: a signal worth 0.39 is not looked at"
    );
}

const ROUND: &str = "read src/a/x.rs; edit src/b/y.rs; run cargo test = 0; run git commit -m x = 0; run mise run deploy = 0; ";

#[test]
fn a_trivial_task_makes_no_recipe() {
    let story = ROUND.repeat(2);
    let mut given = given(9);
    let recipes = |given: &Given| {
        let report = report(&story, given);
        let recipes = report
            .verdicts
            .into_iter()
            .filter(|(candidate, _)| candidate.built_in() == Some(BuiltInType::WorkflowRecipe));
        recipes
            .map(|(_, verdict)| verdict.to_string())
            .collect::<Vec<_>>()
    };
    assert!(
        recipes(&given)
            .iter()
            .any(|told| told.starts_with("promoted"))
    );
    given.complexity = Some(Complexity::Trivial);
    let told = recipes(&given);
    assert!(!told.is_empty());
    assert!(
        told.iter()
            .all(|told| told == "dropped: the task was too small for a recipe"),
        "{told:?}"
    );
}

#[test]
fn each_signal_becomes_only_what_its_row_says() {
    let stories = [
        "read src/ipc/github.ts; read src/ipc/github-issues.ts; edit src/ipc/github-issues.ts; run npm test = 0",
        "edit src/a.rs; read lib/b.rs; edit src/a.rs; edit package.json; run make test = 0",
        "read src/b.rs; read src/a.rs; wait 300s; run make = 2: error: header `bad` not found; run make = 2: error: header `bad` not found; run ./configure = 0; run make = 0; edit src/a.rs; run make = 0",
        "grep handler = nothing; grep handler = src/a.rs; read src/a.rs; edit src/a.rs; run make test = 0",
        "search rust pin docs = ok; edit src/a.rs; say I was wrong about `cache_ttl`, it is in seconds.; run make test = 0",
        "glob **/*.rs = 60 files; read src/a.rs; grep token_store = src/token_store.rs; read src/token_store.rs; edit src/token_store.rs",
        "start build planned 2; run make test = 0; repeat 4 edit src/a{n}.rs; tokens 90000 10; run make test = 0",
        "as one: edit a.rs; as one: edit a.rs = failed: File has been modified since read; as two: edit a.rs = failed: File has been modified since read; as two: edit a.rs; as one: read b.rs; run make test = 0",
    ];
    let mut seen: BTreeSet<SignalKind> = BTreeSet::new();
    for story in stories
        .into_iter()
        .map(str::to_owned)
        .chain([ROUND.repeat(2)])
    {
        for (candidate, _) in report(&story, &given(5)).verdicts {
            let Origin::Signal(kind) = candidate.origin else {
                continue;
            };
            seen.insert(kind);
            let becomes = kind.rule().becomes;
            assert!(
                candidate
                    .built_in()
                    .is_some_and(|kind| becomes.contains(&kind)),
                "{kind} became {:?}",
                candidate.built_in()
            );
        }
    }
    let silent: Vec<SignalKind> = RULES
        .iter()
        .map(|rule| rule.kind)
        .filter(|kind| !seen.contains(kind))
        .collect();
    assert_eq!(silent, [SignalKind::TimeAnomaly], "time alone says nothing");
}

#[test]
fn each_signal_waits_for_the_sessions_of_its_row() {
    for rule in RULES {
        let mut candidate = taught_by(rule.kind);
        candidate.sessions_needed = None;
        let told = |sessions: u32| {
            let seen = Seen {
                sessions: sessions - 1,
                task_types: 1,
                edited_sessions: 0,
                ..Seen::default()
            };
            let times = Frequency {
                seen: BTreeMap::from([(candidate.key.clone(), seen)]),
                modules: BTreeMap::from([("src".to_owned(), 2)]),
                ..Frequency::default()
            };
            frequency(
                &candidate,
                GateRule {
                    sessions: None,
                    lowered: 0.0,
                },
                &times,
            )
        };
        assert_eq!(told(rule.sessions), Ok(()), "{}", rule.kind);
        if rule.sessions > 1 {
            assert!(told(rule.sessions - 1).is_err(), "{}", rule.kind);
        }
    }
}

#[test]
fn agents_that_nearly_agree_keep_their_own_words() {
    let story = format!("say I was wrong about `cache_ttl`, it is in seconds.; {PASSED}");
    let session = fold(&events(&story), &FoldOptions::default());
    let mut one = distill(
        &session,
        &detect(&session, &Norms::default()),
        &[],
        &Frequency::default(),
    );
    one.truncate(1);
    let mut two = one.clone();
    two[0].key = "another".to_owned();
    // Above 0.85 two agents agree, above 0.88 they saw one thing.
    for (alike, observations, agree) in [
        (0.5, 2, false),
        (0.85, 2, false),
        (0.86, 2, true),
        (0.88, 2, true),
        (0.89, 1, true),
    ] {
        let merged = merge(vec![one.clone(), two.clone()], &|_, _| alike);
        assert_eq!(merged.len(), observations, "{alike}");
        let agreed = merged.iter().all(|candidate| candidate.quorum == agree);
        assert!(agreed, "{alike}");
    }
    // What an agent said twice is not said by two.
    let alone = merge(vec![one.into_iter().chain(two).collect()], &|_, _| 0.86);
    assert!(alone.iter().all(|candidate| !candidate.quorum));
}
