//! What is news, and what waits for a person's word, of what many sessions show.

use oldhand_domain::id::SessionId;

use super::*;
use crate::distill::Together;

#[test]
fn a_recipe_is_news_by_a_command_of_the_project_after_a_change() {
    let recipe = |steps: &str| {
        let mut candidate = rows::taught_by(SignalKind::ToolSequence);
        candidate.payload = BuiltInType::WorkflowRecipe.into();
        candidate.key = format!("sequence:{steps}");
        !is_common(&candidate)
    };
    for steps in [
        "edit api/proto > run make generate > run make test > run git add",
        "write db/migrations > run npm run db:migrate > run npm test",
        "edit src/words > run gen.sh > run cargo test",
        "edit src/m > run cargo xtask > run cargo test",
    ] {
        assert!(recipe(steps), "{steps}");
    }
    for steps in [
        "read src/m > edit src/m > run mise test > run git add",
        "write docs/plans > run git add > run git checkout > run git add",
        "run gofmt > run go test > edit internal/m > run go test",
        "edit src/m > run cargo fmt > run cargo clippy > run git commit",
        "edit package.json > run pnpm install > run pnpm build",
        "run make generate > read src/m > edit src/m > run make test",
        "edit src/m > run npm run dev > run curl",
    ] {
        assert!(!recipe(steps), "{steps}");
    }
}

/// A pair of files as a look at a whole module finds it.
fn pair(a: &str, b: &str, witnesses: usize) -> Candidate {
    let mut candidate = rows::taught_by(SignalKind::CoAccess);
    let path = |text: &str| oldhand_domain::path::ProjectPath::new(text).unwrap();
    candidate.key = format!("pair:{a}+{b}");
    candidate.origin = Origin::Many;
    candidate.payload = BuiltInType::CausalDependency.into();
    candidate.fingerprints.clear();
    candidate.confidence = Confidence::clamped(0.7);
    candidate.edited = true;
    candidate.witnesses = (0..witnesses)
        .map(|n| SessionId::new(format!("s{n}")).unwrap())
        .collect();
    candidate.about([path(a), path(b)])
}

fn weigh(candidate: &Candidate, together: Option<Together>) -> Result<Promotion, Dropped> {
    let judgement = judge(&fold(&events("edit a.rs"), &FoldOptions::default()));
    let mut frequency = Frequency::default();
    if let Some(together) = together {
        frequency.together.insert(candidate.key.clone(), together);
    }
    let circumstances = Circumstances {
        session_type: SessionType::Build,
        sight: Sight::WordsOnly,
        judgement: &judgement,
        complexity: Complexity::Standard,
        frequency: &frequency,
        neighbours: &BTreeMap::new(),
        barred: &BTreeMap::new(),
        taught_before: 0,
        feedback: Feedback::default(),
    };
    let gate = Gate::of(SessionType::Build, &judgement);
    decide(candidate, gate, &circumstances)
}

#[test]
fn ten_sessions_or_git_need_nobodys_word() {
    let needs_review = |witnesses, together| {
        let found = weigh(&pair("src/a.rs", "lib/b.rs", witnesses), together);
        found.unwrap().review.is_some()
    };
    assert!(needs_review(9, None));
    assert!(!needs_review(10, None));
    let (much, little) = (
        Together {
            both: 9,
            days: 9,
            rarer: 9,
            other: 9,
            all: 90,
            ..Together::default()
        },
        Together {
            both: 3,
            days: 3,
            rarer: 9,
            other: 9,
            all: 90,
            ..Together::default()
        },
    );
    assert!(!needs_review(3, Some(much)));
    assert!(needs_review(5, Some(little)));
    let few = |witnesses, together| weigh(&pair("src/a.rs", "lib/b.rs", witnesses), together);
    assert!(
        few(4, Some(little)).is_err() && few(4, None).is_err(),
        "few sessions and no commits"
    );
    let agreeing = Together {
        both: 3,
        days: 3,
        rarer: 4,
        other: 9,
        all: 90,
        ..Together::default()
    };
    let why = |together| Verdict::Promoted(few(3, Some(together)).unwrap()).to_string();
    assert!(why(much).contains("seen in 3 sessions and in 9 small commits"));
    assert!(
        !why(agreeing).contains("commits"),
        "they make nothing alone"
    );
}

#[test]
fn what_names_say_is_told_to_nobody() {
    let much = Some(Together {
        both: 9,
        days: 9,
        rarer: 9,
        other: 9,
        all: 90,
        ..Together::default()
    });
    for (a, b, expected) in [
        ("src/a.rs", "lib/b.rs", None),
        (
            "App/Chat.swift",
            "Tests/ChatTests.swift",
            Some(Dropped::NamesSayIt),
        ),
        (
            "v/ChatView.swift",
            "v/ChatViewModel.swift",
            Some(Dropped::NamesSayIt),
        ),
        ("api/a_test.go", "api/b_test.go", Some(Dropped::NamesSayIt)),
        ("api/a_test.go", "cli/b_test.go", None),
        (
            "ui/log/mod.rs",
            "ui/log/render.rs",
            Some(Dropped::NamesSayIt),
        ),
        ("ui/log/mod.rs", "ui/mod.rs", Some(Dropped::NamesSayIt)),
        ("ui/log.rs", "ui/log/render.rs", Some(Dropped::NamesSayIt)),
        ("ui/log/mod.rs", "app/input.rs", None),
        ("web/index.ts", "web/cart.ts", Some(Dropped::NamesSayIt)),
        ("web/index.html", "web/js/app.js", Some(Dropped::NamesSayIt)),
        ("web/index.html", "web/js/cart.js", None),
        ("src/a_test.go", "docs/b.md", Some(Dropped::ProseBesideCode)),
        ("src/a.go", "docs/b.md", None),
    ] {
        assert_eq!(weigh(&pair(a, b, 10), much).err(), expected, "{a} {b}");
    }
    let beside = pair("src/a.go", "docs/b.md", 10);
    assert_eq!(weigh(&beside, None), Err(Dropped::ProseBesideCode));
    let mut unsure = pair("src/a.rs", "lib/b.rs", 10);
    unsure.confidence = Confidence::clamped(0.64);
    let waiting = weigh(&unsure, None).unwrap();
    assert!(
        waiting.review.is_some(),
        "not told and not asked about would be lost"
    );
    unsure.confidence = Confidence::clamped(0.49);
    assert!(matches!(weigh(&unsure, None), Err(Dropped::NotSure { .. })));
}

#[test]
fn outside_text_sends_a_count_to_a_person_and_keeps_a_statement_from_them() {
    let mut marked = pair("src/a.rs", "lib/b.rs", 10);
    let clean = weigh(&marked, None).unwrap();
    marked.taint = Taint::by(OutsideText::Web);
    let found = weigh(&marked, None).unwrap();
    assert!(found.review.is_some() && clean.review.is_none());
    assert!(found.confidence < clean.confidence);
    assert!((found.score - clean.score).abs() < f64::EPSILON);
    marked.origin = Origin::Note;
    let stated = weigh(&marked, None);
    assert!(
        matches!(stated, Err(Dropped::UnderThreshold { .. })),
        "{stated:?}"
    );
}

#[test]
fn what_was_found_again_is_no_count_and_a_guess_with_a_claim_or_without() {
    let mut counted = pair("a.rs", "b.rs", 12);
    let mut found = counted.clone();
    found.key = "cause:of:x".to_owned();
    assert!(found.claim.is_none() && only_counts(&counted) && !only_counts(&found));
    for candidate in [&mut counted, &mut found] {
        candidate.payload = BuiltInType::Gotcha.into();
        candidate.priority = 0.9;
        candidate.confidence = Confidence::clamped(0.9);
    }
    let review = |candidate: &Candidate| weigh(candidate, None).map(|promotion| promotion.review);
    assert_eq!(review(&found), Ok(Some(ReviewReason::Guess)));
    assert_ne!(review(&counted), Ok(Some(ReviewReason::Guess)));
}
