//! Looking after memories: ids, edits, flags, forgetting, pruning.

use oldhand_recall::gate::Audience;
use oldhand_recall::inject::Cleared;
use oldhand_recall::trust::TrustLevel;

use super::*;

#[test]
fn ids_are_found_by_their_beginning_on_every_shelf() {
    let house = House::new();
    let engine = house.engine();
    let project = house.teach("one thing about the project").id().unwrap();
    let personal = engine
        .remember(Shelf::Personal, gotcha("another thing about me"), day(0))
        .unwrap()
        .id()
        .unwrap();
    assert_eq!(
        engine.resolve(&project.to_string()).unwrap(),
        (Shelf::Project, project)
    );
    assert_eq!(
        engine.resolve(&personal.short()[..4]).unwrap(),
        (Shelf::Personal, personal)
    );
    assert!(
        matches!(engine.resolve("0198"), Err(EngineError::AmbiguousId { candidates, .. }) if candidates.len() == 2)
    );
    assert!(matches!(
        engine.resolve("abc"),
        Err(EngineError::ShortId(_))
    ));
    assert!(matches!(
        engine.resolve("ffffff"),
        Err(EngineError::UnknownId(_))
    ));
    assert!(matches!(
        engine.resolve("not-an-id"),
        Err(EngineError::UnknownId(_))
    ));
}

#[test]
fn editing_makes_the_words_verified_and_redacts_them() {
    let house = House::new();
    let id = house
        .teach("The API listens on port 8080")
        .id()
        .unwrap()
        .to_string();
    let key = ["AKIA", "Q3EGRIXVZ7BUJ2NW"].concat();
    let edit = Edit {
        content: Some(format!("The API needs {key} and port 9090")),
        ..Edit::default()
    };
    let (shelved, redactions) = house.engine().edit(&id, &edit, day(1)).unwrap();
    assert!(shelved.memory.is_verified());
    assert_eq!(redactions.len(), 1);
    assert!(!shelved.memory.content.as_str().contains(&key));
    assert!(shelved.memory.summary.as_str().contains("9090"));
    let empty = Edit {
        content: Some(" ".to_owned()),
        ..Edit::default()
    };
    assert!(matches!(
        house.engine().edit(&id, &empty, day(1)),
        Err(EngineError::Text(_))
    ));
}

#[test]
fn a_flag_ends_a_verification_and_verifying_ends_a_flag() {
    let house = House::new();
    let engine = house.engine();
    let id = house
        .teach("The cache is safe to delete")
        .id()
        .unwrap()
        .to_string();
    engine.verify(&id, day(1)).unwrap();
    let flagged = engine
        .flag(&id, Correction::Outdated, Some("since v2"), day(2))
        .unwrap();
    assert!(!flagged.memory.is_verified());
    let only = Filter {
        only: vec![Only::Flagged],
        ..Filter::default()
    };
    assert_eq!(engine.list(None, &only).unwrap().memories.len(), 1);
    engine.verify(&id, day(3)).unwrap();
    assert_eq!(engine.list(None, &only).unwrap().memories.len(), 0);
}

#[test]
fn an_agents_flag_asks_for_a_review_and_is_no_persons_word() {
    let house = House::new();
    let engine = house.engine();
    let teach = |text: &str| house.teach(text).id().unwrap().to_string();
    let confirmed = teach("The cache is safe to delete");
    engine.verify(&confirmed, day(1)).unwrap();
    let doubted = engine
        .dispute(&confirmed, Correction::Outdated, Some("not so"), day(2))
        .unwrap()
        .memory;
    assert!(doubted.is_verified() && doubted.needs_review);
    assert!(!doubted.is_flagged_by_a_person());
    let waiting = engine.review_queue(TrustLevel::Standard).unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!(engine.flags_since(day(0)).unwrap(), 0);
    let refusal =
        Cleared::of(doubted, TrustLevel::Autonomous, Audience::Asking, day(3)).unwrap_err();
    assert_eq!(refusal.to_string(), "flagged by an agent");

    let condemned = teach("The port is 8080");
    engine
        .flag(&condemned, Correction::Inaccurate, None, day(2))
        .unwrap();
    let still = engine
        .dispute(&condemned, Correction::Duplicate, None, day(3))
        .unwrap()
        .memory;
    assert!(still.is_flagged_by_a_person(), "a person's word stands");
}

#[test]
fn what_a_person_confirmed_comes_back_confirmed() {
    let house = House::new();
    let engine = house.engine();
    let id = house.teach("The port is 8080").id().unwrap().to_string();
    engine.verify(&id, day(1)).unwrap();
    engine.forget(&id, day(2)).unwrap();
    let restored = engine.restore(&id, day(3)).unwrap().memory;
    assert!(restored.is_verified() && restored.is_live());
}

#[test]
fn what_is_forgotten_comes_back_until_it_is_erased() {
    let house = House::new();
    let engine = house.engine();
    let id = house
        .teach("The build needs protoc")
        .id()
        .unwrap()
        .to_string();
    engine.forget(&id, day(1)).unwrap();
    assert!(search(&engine, "protoc").is_empty());
    assert!(matches!(
        engine.pin(&id, day(1)),
        Err(EngineError::Deleted(_))
    ));
    engine.restore(&id, day(2)).unwrap();
    assert_eq!(search(&engine, "protoc").len(), 1);
    assert!(matches!(
        engine.restore(&id, day(2)),
        Err(EngineError::NotDeleted(_))
    ));
    engine.erase(&id, None).unwrap();
    assert!(matches!(engine.show(&id), Err(EngineError::UnknownId(_))));
}

#[test]
fn pruning_goes_in_two_steps_and_tells_before_it_acts() {
    let house = House::new();
    let engine = house.engine();
    let id = house
        .teach("The build needs protoc")
        .id()
        .unwrap()
        .to_string();
    engine
        .pin(
            &house
                .teach("Never deploy on Fridays")
                .id()
                .unwrap()
                .to_string(),
            day(0),
        )
        .unwrap();
    assert_eq!(
        engine
            .prune(PruneMode::DryRun, None, day(300))
            .unwrap()
            .deleted
            .len(),
        1
    );
    assert!(engine.show(&id).unwrap().memory.deleted_since.is_none());
    engine.prune(PruneMode::Do, None, day(300)).unwrap();
    assert!(engine.show(&id).unwrap().memory.deleted_since.is_some());
    assert_eq!(
        engine
            .prune(PruneMode::Do, None, day(310))
            .unwrap()
            .erased
            .len(),
        0
    );
    assert_eq!(
        engine
            .prune(PruneMode::Do, None, day(331))
            .unwrap()
            .erased
            .len(),
        1
    );
    assert!(engine.show(&id).is_err());
    assert_eq!(
        engine
            .list(None, &Filter::default())
            .unwrap()
            .memories
            .len(),
        1
    );
}

#[test]
fn a_change_of_confidence_reaches_what_it_supersedes() {
    let house = House::new();
    let engine = house.engine();
    house.teach("Use tabs for indentation in the panel");
    let new = house.teach("Never use tabs for indentation in the panel");
    let (new, old) = match &new.outcome {
        Written::Superseded { new, old } => (new.id.to_string(), old[0].id.to_string()),
        other => panic!("{other:?}"),
    };
    let before = engine.show(&old).unwrap().memory.confidence;
    let edit = Edit {
        confidence: Some(Confidence::clamped(0.5)),
        ..Edit::default()
    };
    engine.edit(&new, &edit, day(1)).unwrap();
    let after = engine.show(&old).unwrap().memory.confidence;
    assert!(
        (before.get() - 0.4 * 0.8 - after.get()).abs() < 1e-9,
        "{before} to {after}"
    );
}
