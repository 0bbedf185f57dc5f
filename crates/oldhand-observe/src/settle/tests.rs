//! What happens when a new statement meets known ones.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use oldhand_domain::id::SessionId;
use oldhand_domain::memory::Draft;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, Payload};
use oldhand_domain::taint::{OutsideText, Taint};
use oldhand_domain::vocabulary::Source;

use super::*;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn settle(new: Memory, neighbours: &[Neighbour], now: Timestamp) -> Settlement {
    super::settle(new, neighbours, Voice::Speaker, now)
}

/// What the observer would write down.
fn memory(id: u128, content: &str) -> Memory {
    let draft = Draft {
        confidence: Confidence::clamped(0.7),
        source: Source::ObserverInferred,
        needs_review: true,
        ..Draft::taught(Payload::from(BuiltInType::Gotcha), content)
    };
    Memory::new(MemoryId::new(uuid::Uuid::from_u128(id)), draft, NOW).unwrap()
}

fn near(memory: Memory, cosine: f32) -> Neighbour {
    let said = Rc::default();
    Neighbour {
        memory,
        cosine,
        said,
    }
}

fn files(paths: &[&str]) -> BTreeSet<ProjectPath> {
    paths
        .iter()
        .map(|path| ProjectPath::new(path).unwrap())
        .collect()
}

#[test]
fn nothing_near_is_new() {
    let new = memory(2, "The build needs protoc");
    let known = memory(1, "The build needs cmake");
    assert_eq!(
        settle(new.clone(), &[near(known, 0.91)], NOW),
        Settlement::New(Box::new(new))
    );
}

#[test]
fn the_same_again_confirms_the_known_one() {
    let mut new = memory(2, "the build needs protoc");
    new.session = Some(SessionId::new("s2").unwrap());
    let known = memory(1, "The build needs protoc");
    let Settlement::Same { into, .. } = settle(new, &[near(known.clone(), 0.95)], NOW) else {
        panic!("not merged")
    };
    assert_eq!(into.id, known.id);
    assert_eq!(into.content, known.content);
    assert_eq!(into.confidence, Confidence::clamped(0.75));
    assert_eq!(into.provenance.len(), 1);
}

#[test]
fn a_record_makes_a_memory_surer_only_by_a_session_that_it_names() {
    let known = memory(1, "The build needs protoc");
    let later = NOW + SignedDuration::from_hours(1);
    let record = |session: Option<&str>| {
        let mut new = memory(2, "the build needs protoc");
        new.session = session.map(|name| SessionId::new(name).unwrap());
        let near = [near(known.clone(), 0.95)];
        let settled = super::settle(new, &near, Voice::Record, later);
        let Settlement::Same { into, .. } = settled else {
            panic!("not merged")
        };
        *into
    };
    assert_eq!(record(None), known);
    assert_eq!(record(Some("s2")).confidence, Confidence::clamped(0.75));
}

#[test]
fn other_files_or_another_type_is_another_statement() {
    let mut known = memory(1, "The build needs protoc");
    known.files = files(&["a.rs"]);
    let mut new = memory(2, "the build needs protoc");
    new.files = files(&["b.rs"]);
    assert!(matches!(
        settle(new.clone(), &[near(known.clone(), 0.99)], NOW),
        Settlement::New(_)
    ));
    new.files = files(&["a.rs", "b.rs"]);
    assert!(matches!(
        settle(new.clone(), &[near(known.clone(), 0.99)], NOW),
        Settlement::Same { .. }
    ));
    new.payload = Payload::from(BuiltInType::Decision);
    assert!(matches!(
        settle(new, &[near(known, 0.99)], NOW),
        Settlement::New(_)
    ));
}

#[test]
fn a_person_s_words_replace_a_machine_s() {
    let known = memory(1, "The build needs protoc");
    let mut new = memory(2, "The Build needs `protoc`");
    new.source = Source::UserTaught;
    new.needs_review = false;
    let Settlement::Same { into, .. } = settle(new.clone(), &[near(known.clone(), 0.95)], NOW)
    else {
        panic!("not merged")
    };
    assert_eq!(
        (into.id, into.source, into.needs_review),
        (known.id, Source::UserTaught, false)
    );
    assert_eq!(into.content, new.content);
    let Settlement::Same { into, .. } = settle(known, &[near(new.clone(), 0.95)], NOW) else {
        panic!("not merged")
    };
    assert_eq!(into.content, new.content);
}

#[test]
fn tainted_repetition_changes_nothing() {
    let known = memory(1, "The build needs protoc");
    let mut new = memory(2, "The build needs protoc");
    new.taint = Taint::by(OutsideText::Web);
    let Settlement::Same { into, .. } = settle(new, &[near(known.clone(), 1.0)], NOW) else {
        panic!("not merged")
    };
    assert_eq!(*into, known);
}

#[test]
fn a_clean_confirmation_does_not_wash_a_tainted_memory() {
    let mut known = memory(1, "The build needs protoc");
    known.taint = Taint::by(OutsideText::Web);
    let mut new = memory(2, "The build needs protoc");
    new.source = Source::AgentExplicit;
    let Settlement::Same { into, .. } = settle(new, &[near(known.clone(), 1.0)], NOW) else {
        panic!("not merged")
    };
    assert_eq!(into.taint, known.taint);
}

#[test]
fn the_opposite_supersedes_and_says_so() {
    let known = memory(1, "Use tabs for indentation");
    let new = memory(2, "Never use tabs for indentation");
    let Settlement::Opposite { new, old } = settle(new, &[near(known.clone(), 0.94)], NOW) else {
        panic!("not opposed")
    };
    assert_eq!(
        new.relations,
        [relation(RelationType::Supersedes, known.id)]
    );
    let (old, opposition) = &old[0];
    assert_eq!(*opposition, Opposition::Negated);
    assert_eq!(
        old.deprecated.as_ref().unwrap().reason,
        "superseded by 00000002: it says the opposite"
    );
}

#[test]
fn a_machine_never_overrules_a_person() {
    let mut known = memory(1, "Use tabs for indentation");
    known.source = Source::UserTaught;
    let new = memory(2, "Never use tabs for indentation");
    assert!(matches!(
        settle(new.clone(), &[near(known, 0.94)], NOW),
        Settlement::New(_)
    ));
    let mut tainted = new;
    tainted.taint = Taint::by(OutsideText::Web);
    let known = memory(1, "Use tabs for indentation");
    assert!(matches!(
        settle(tainted, &[near(known, 0.94)], NOW),
        Settlement::New(_)
    ));
}

#[test]
fn settling_the_same_memory_twice_changes_only_how_sure_we_are() {
    let first = memory(1, "The build needs protoc");
    let Settlement::Same { into: once, .. } = settle(
        memory(2, "The build needs protoc"),
        &[near(first, 1.0)],
        NOW,
    ) else {
        panic!("not merged")
    };
    let Settlement::Same { into: twice, .. } = settle(
        memory(3, "The build needs protoc"),
        &[near((*once).clone(), 1.0)],
        NOW,
    ) else {
        panic!("not merged")
    };
    let mut expected = (*once).clone();
    expected.confidence = twice.confidence;
    assert_eq!(*twice, expected);
}

#[test]
fn near_is_not_the_same_when_each_says_something_of_its_own() {
    let known = memory(1, "Login needs a session cookie");
    let new = memory(2, "Logout needs a session cookie");
    assert!(matches!(
        settle(new, &[near(known, 0.99)], NOW),
        Settlement::New(_)
    ));
}

#[test]
fn a_session_confirms_a_memory_once() {
    let mut new = memory(2, "The build needs protoc");
    new.session = Some(SessionId::new("s2").unwrap());
    let known = memory(1, "The build needs protoc");
    let Settlement::Same { into: once, .. } = settle(new.clone(), &[near(known, 1.0)], NOW) else {
        panic!("not merged")
    };
    let Settlement::Same { into: twice, .. } = settle(new, &[near((*once).clone(), 1.0)], NOW)
    else {
        panic!("not merged")
    };
    assert_eq!(once, twice);
}

#[test]
fn a_contradiction_does_not_care_what_type_it_was_taken_for() {
    let known = memory(1, "Use tabs");
    let mut new = memory(2, "Never use tabs");
    new.payload = Payload::from(BuiltInType::Requirement);
    assert!(matches!(
        settle(new, &[near(known, 0.5)], NOW),
        Settlement::Opposite { .. }
    ));
}

#[test]
fn a_file_read_twice_says_a_thing_once() {
    let mut known = memory(1, "The build needs protoc");
    known.created_by = oldhand_domain::memory::Author::new("import:CLAUDE.md").unwrap();
    let mut new = memory(2, "The build needs protoc");
    new.created_by = known.created_by.clone();
    let Settlement::Same { into, .. } = settle(new, &[near(known.clone(), 1.0)], NOW) else {
        panic!("not merged")
    };
    assert_eq!(*into, known);
}

#[test]
fn what_waits_for_a_review_silences_nothing_and_is_shown_beside_what_it_denies() {
    let mut known = memory(1, "Use tabs for indentation");
    known.needs_review = false;
    let new = memory(2, "Never use tabs for indentation");
    let Settlement::New(new) = settle(new, &[near(known.clone(), 0.94)], NOW) else {
        panic!("replaced by what nobody may be told")
    };
    let conflict = relation(RelationType::ConflictsWith, known.id);
    assert_eq!(new.relations, [conflict]);
    let again = memory(3, "Use tabs for indentation");
    let Settlement::Same { into, .. } = settle(again, &[near(known.clone(), 1.0)], NOW) else {
        panic!("not merged")
    };
    assert_eq!(*into, known, "it proves nothing either");
}

#[test]
fn saying_it_again_and_again_opens_no_door() {
    let mut known = memory(1, "The build needs protoc");
    known.confidence = Confidence::clamped(0.56);
    let say_often = |known: &Memory| {
        let mut known = known.clone();
        for number in 0..20_u128 {
            let mut new = memory(number + 2, "The build needs protoc");
            new.confidence = Confidence::clamped(0.4);
            new.session = Some(SessionId::new(format!("s{number}")).unwrap());
            let Settlement::Same { into, .. } = settle(new, &[near(known.clone(), 1.0)], NOW)
            else {
                panic!("not merged")
            };
            known = *into;
        }
        known.confidence
    };
    assert_eq!(say_often(&known), Confidence::clamped(0.64));
    known.usage.access_count = 1;
    assert_eq!(say_often(&known), Confidence::clamped(0.95));
}

#[test]
fn what_one_file_says_is_compared_with_itself() {
    let imported = |id, content: &str| {
        let mut memory = memory(id, content);
        memory.taint = Taint::by(OutsideText::Import);
        memory
    };
    let known = imported(1, "Use tabs for indentation");
    let new = imported(2, "Never use tabs for indentation");
    let settled = settle(new.clone(), &[near(known, 0.94)], NOW);
    assert!(matches!(settled, Settlement::Opposite { .. }));
    let own = memory(3, "Use tabs for indentation");
    let settled = settle(new, &[near(own, 0.94)], NOW);
    assert!(matches!(settled, Settlement::New(_)), "not with ours");
}

#[test]
fn of_two_rules_files_that_disagree_neither_is_taken_for_right() {
    let rule = |id: u128, file: &str, content: &str| {
        let draft = Draft {
            created_by: oldhand_domain::memory::Author::new(&format!("import:{file}")).unwrap(),
            ..Draft::taught(Payload::from(BuiltInType::Preference), content)
        };
        Memory::new(MemoryId::new(uuid::Uuid::from_u128(id)), draft, NOW).unwrap()
    };
    let known = rule(1, "CLAUDE.md", "Use tabs for indentation");
    let new = rule(2, "AGENTS.md", "Never use tabs for indentation");
    let settled = settle(new.clone(), &[near(known.clone(), 0.9)], NOW);
    let Settlement::Disputed { new: told, with } = settled else {
        panic!("not disputed")
    };
    assert!(told.needs_review && with[0].needs_review && with[0].is_live());
    assert_eq!(told.review_reason, Some(ReviewReason::Disputed));
    let mut later = rule(3, "CLAUDE.md", "Never use tabs for indentation");
    let settled = settle(later.clone(), &[near(known.clone(), 0.9)], NOW);
    assert!(matches!(settled, Settlement::New(_)), "one file has both");
    later.created_at = NOW + SignedDuration::from_secs(60);
    let settled = settle(later, &[near(known.clone(), 0.9)], NOW);
    assert!(
        matches!(settled, Settlement::Opposite { .. }),
        "the file was changed"
    );
    let mut confirmed = known;
    confirmed.pinned = true;
    let settled = settle(new, &[near(confirmed, 0.9)], NOW);
    let Settlement::Disputed { with, .. } = settled else {
        panic!("not disputed")
    };
    assert_eq!(with, [], "a person stands by it");
}

#[test]
fn different_steps_and_cases_do_not_replace_each_other() {
    for (a, b) in [
        (
            "Before every commit run `black src`",
            "Before every commit run `ruff check src`",
        ),
        (
            "Run the tests with `cargo test`",
            "Run the tests with `npm test`",
        ),
        (
            "In `settings.py` set `DEBUG = true` while you work at home",
            "In `settings.py` set `DEBUG = false` in production",
        ),
    ] {
        let settled = settle(memory(2, b), &[near(memory(1, a), 0.95)], NOW);
        assert!(matches!(settled, Settlement::New(_)), "{a} and {b}");
    }
}
