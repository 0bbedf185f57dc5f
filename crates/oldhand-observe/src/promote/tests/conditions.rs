//! Each condition of promotion by itself: what a gate asks for, what needs no telling, what waits for a person.

use super::numbers::{before, decided, shown};
use super::*;
use oldhand_domain::id::SessionId;

#[test]
fn a_roadmap_keeps_noted_decisions_and_nothing_else() {
    let roadmap = gates::gate(SessionType::Roadmap, "edit src/a.c; validated passed");
    let mut candidate = rows::taught_by(SignalKind::SelfCorrection);
    candidate.claim = Some(crate::distill::Claim::Own {
        names: vec!["a.c".to_owned()],
    });
    assert!(roadmap.admits(&candidate).is_err(), "borne out or not");
    for (origin, kind, admitted) in [
        (Origin::Note, BuiltInType::Decision, true),
        (Origin::Note, BuiltInType::Requirement, true),
        (Origin::Note, BuiltInType::Gotcha, false),
        (Origin::Person, BuiltInType::Decision, false),
        (Origin::Qa, BuiltInType::Requirement, false),
    ] {
        candidate.origin = origin;
        candidate.payload = kind.into();
        let is_admitted = roadmap.admits(&candidate).is_ok();
        assert_eq!(is_admitted, admitted, "{origin:?} {kind}");
    }
}

#[test]
fn corrections_and_conflicts_pass_at_once_and_edits_help_files_alone() {
    let rule = GateRule {
        sessions: None,
        lowered: 0.0,
    };
    let told = |kind: SignalKind, sessions: u32, edited: u32| {
        let mut candidate = shown(kind, "one", &["src/m/a.c"]);
        if kind != SignalKind::FileAccess {
            candidate.sessions_needed = Some(3);
        }
        let mut times = before("one", sessions - 1, edited, 1);
        times.modules.insert("src/m".to_owned(), 2);
        frequency(&candidate, rule, &times).is_ok()
    };
    assert!(told(SignalKind::SelfCorrection, 1, 0));
    assert!(told(SignalKind::ParallelConflict, 1, 0));
    assert!(!told(SignalKind::ErrorRetry, 2, 0) && told(SignalKind::ErrorRetry, 3, 0));
    assert!(!told(SignalKind::ReadAbandon, 2, 2));
    assert!(told(SignalKind::FileAccess, 2, 2));
}

#[test]
fn guesses_what_is_unsure_and_what_few_sessions_show_wait_for_a_person() {
    use ReviewReason::{FewSessions, Guess, OutsideText};
    let error = |confidence: f64| {
        let mut candidate = rows::taught_by(SignalKind::ErrorRetry);
        candidate.sessions_needed = Some(1);
        candidate.confidence = Confidence::clamped(confidence);
        candidate
    };
    let of = |origin: Origin, confidence: f64| {
        let mut candidate = error(confidence);
        candidate.origin = origin;
        candidate
    };
    let many = |witnesses: usize, confidence: f64| {
        let mut candidate = of(Origin::Many, confidence);
        let names = (0..witnesses).map(|n| SessionId::new(format!("s{n}")).unwrap());
        candidate.witnesses = names.collect();
        candidate
    };
    let mut recipe = shown(
        SignalKind::ToolSequence,
        "sequence:edit src/m > run make generate > run make test > run git add",
        &[],
    );
    recipe.payload = BuiltInType::WorkflowRecipe.into();
    recipe.sessions_needed = Some(1);
    let mut page = of(Origin::Signal(SignalKind::ExternalReference), 0.8);
    page.sessions_needed = Some(1);
    for (case, candidate, review) in [
        ("an error", error(0.65), None),
        ("an unsure one", error(0.64), Some(Guess)),
        ("an unsure note", of(Origin::Note, 0.6), None),
        ("a recipe", recipe, Some(Guess)),
        ("subtasks", of(Origin::Synthesis, 0.8), Some(Guess)),
        (
            "a correction",
            of(Origin::Signal(SignalKind::SelfCorrection), 0.8),
            Some(Guess),
        ),
        ("nine sessions", many(9, 0.8), Some(FewSessions)),
        ("ten sessions", many(10, 0.8), None),
        ("ten unsure ones", many(10, 0.6), Some(FewSessions)),
        ("a page", page, Some(OutsideText)),
    ] {
        let found = decided(&candidate, &Frequency::default()).expect(case);
        assert_eq!(found.review, review, "{case}");
    }
    let key = "pair:lib/b.c+src/a.c";
    let mut pair = shown(SignalKind::CoAccess, key, &["src/a.c", "lib/b.c"]);
    pair.edited = true;
    for (sessions, review) in [(9, Some(FewSessions)), (10, None)] {
        let found = decided(&pair, &before(key, sessions - 1, sessions - 1, 3));
        assert_eq!(found.unwrap().review, review, "{sessions}");
    }
}

#[test]
fn where_a_page_leads_is_believed_less_once() {
    let mut page = shown(SignalKind::ExternalReference, "web:x", &["src/a.c"]);
    page.sessions_needed = Some(1);
    page.confidence = Confidence::clamped(0.9);
    page.priority = 0.9;
    let sure = |page: &Candidate| {
        let found = decided(page, &Frequency::default()).unwrap();
        format!("{:.2}", found.confidence.get())
    };
    assert_eq!(sure(&page), "0.63");
    page.taint = Taint::by(OutsideText::Web);
    assert_eq!(sure(&page), "0.63");
}

#[test]
fn what_is_told_again_and_what_many_sessions_show_takes_no_room() {
    let judgement = judge(&fold(
        &events("edit a.rs; validated passed"),
        &FoldOptions::default(),
    ));
    let memory: MemoryId = "0198c1e2-77aa-7000-8000-0123456789ab".parse().unwrap();
    let promoted = |origin: Origin, says: Option<Says>| {
        let candidates = (0..3).map(|n| {
            let file = format!("src/m/f{n}.c");
            let mut one = shown(SignalKind::ErrorRetry, &format!("one{n}"), &[&file]);
            one.origin = origin;
            one.replace(one.key.clone());
            one
        });
        let candidates: Vec<Candidate> = candidates.collect();
        let near = says.map(|says| Neighbour {
            memory,
            cosine: 1.0,
            confidence: Confidence::clamped(0.5),
            says,
        });
        let keys = candidates.iter().map(|one| one.key.clone());
        let neighbours = keys.filter_map(|key| Some((key, near?))).collect();
        let circumstances = Circumstances {
            session_type: SessionType::Build,
            sight: Sight::Work,
            judgement: &judgement,
            complexity: Complexity::Trivial,
            frequency: &Frequency::default(),
            neighbours: &neighbours,
            barred: &BTreeMap::new(),
            taught_before: 0,
            feedback: Feedback::default(),
        };
        promote(candidates, &circumstances).promoted().count()
    };
    assert_eq!(promoted(Origin::Note, None), 2);
    assert_eq!(promoted(Origin::Note, Some(Says::TheSame)), 3);
    assert_eq!(promoted(Origin::Many, None), 3);
}

#[test]
fn what_names_and_kinds_of_files_say_is_not_told() {
    use Dropped::{ByProgram, Everybodys, Manifest, ProseBesideCode};
    for (file, expected) in [
        ("src/m/a.c", Ok(())),
        ("a.c", Err(Everybodys)),
        ("src/m/package.json", Err(Everybodys)),
        ("src/m/mod.rs", Err(Everybodys)),
        (".claude/plans/a.md", Err(Everybodys)),
    ] {
        let candidate = shown(SignalKind::FileAccess, &format!("file:{file}"), &[file]);
        assert_eq!(
            telling(&candidate, &Frequency::default()),
            expected,
            "{file}"
        );
    }
    let key = "config:deploy/app.yml+.";
    let of_the_top = shown(SignalKind::ConfigTouch, key, &["deploy/app.yml"]);
    let told = telling(&of_the_top, &Frequency::default());
    assert_eq!(told, Err(Everybodys));
    for (config, expected) in [
        ("package.json", Err(Manifest)),
        (".eslintrc.json", Err(Everybodys)),
        ("vite.config.ts", Err(Everybodys)),
        ("tsconfig.json", Err(Everybodys)),
        (".env", Ok(())),
        ("deploy/app.yml", Ok(())),
    ] {
        let key = format!("config:{config}+src");
        let candidate = shown(SignalKind::ConfigTouch, &key, &[config]);
        assert_eq!(
            telling(&candidate, &Frequency::default()),
            expected,
            "{config}"
        );
        let other = shown(SignalKind::ErrorRetry, &key, &[config]);
        assert_eq!(telling(&other, &Frequency::default()), Ok(()), "{config}");
    }
    for (a, b, expected) in [
        ("lib/b.c", "src/a.c", Ok(())),
        ("AGENTS.md", "src/a.c", Err(ProseBesideCode)),
        ("src/a.c", "web/CLAUDE.md", Err(ProseBesideCode)),
        ("a.pb.go", "src/b.go", Err(ByProgram)),
        ("src/b.go", "z.pb.go", Err(ByProgram)),
        ("Cargo.toml", "src/a.rs", Err(Manifest)),
        ("src/a.rs", "web/package.json", Err(Manifest)),
        ("README.md", "src/a.rs", Err(ProseBesideCode)),
        ("docs/guide.md", "src/a.rs", Err(ProseBesideCode)),
        ("docs/guide.md", "notes/plan.md", Ok(())),
    ] {
        let key = format!("pair:{a}+{b}");
        let mut pair = shown(SignalKind::CoAccess, &key, &[a, b]);
        pair.edited = true;
        let found = telling(&pair, &before(&key, 5, 5, 1));
        assert_eq!(found, expected, "{a} {b}");
    }
}
