//! What the engine promises, over the in-memory store with the real embedder and the real redaction.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::{SignedDuration, Timestamp};
use oldhand_domain::confidence::Confidence;
use oldhand_domain::filter::{Filter, Only, State};
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::{Draft, SESSION_LIMIT};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, DeadEnd, Payload};
use oldhand_domain::vocabulary::{Correction, Source};
use oldhand_embed::StaticEmbedder;
use oldhand_recall::gate::Stale;
use oldhand_store::RamStore;

use super::*;

/// Ids whose short forms differ from the first character on.
struct Counting(AtomicU64);

impl IdSource for Counting {
    fn memory_id(&self) -> MemoryId {
        let n = u128::from(self.0.fetch_add(1, Ordering::Relaxed));
        MemoryId::new(uuid::Uuid::from_u128(
            (0x0198 << 112) | ((n + 1) * 0x1111_1111),
        ))
    }
}

struct House {
    project: RamStore,
    personal: RamStore,
    ids: Counting,
}

impl House {
    fn new() -> Self {
        Self {
            project: RamStore::new(),
            personal: RamStore::new(),
            ids: Counting(AtomicU64::new(0)),
        }
    }

    fn engine(&self) -> Engine<'_> {
        Engine::new(
            &self.project,
            Some(&self.personal),
            &StaticEmbedder,
            &self.ids,
        )
    }

    fn remember(&self, draft: Draft) -> Receipt {
        self.engine()
            .remember(Shelf::Project, draft, day(0))
            .unwrap()
    }

    fn teach(&self, content: &str) -> Receipt {
        self.remember(gotcha(content))
    }
}

fn day(n: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap() + SignedDuration::from_hours(24 * n)
}

fn gotcha(content: &str) -> Draft {
    Draft::taught(Payload::from(BuiltInType::Gotcha), content)
}

fn search(engine: &Engine<'_>, text: &str) -> Vec<String> {
    let request = SearchRequest {
        text: text.to_owned(),
        filter: Filter::default(),
        shelf: None,
        stale: Stale::Hidden,
        limit: 10,
    };
    let answer = engine.search(&request, day(0)).unwrap();
    answer
        .results
        .into_iter()
        .map(|(_, candidate)| candidate.memory.content.as_str().to_owned())
        .collect()
}

#[test]
fn what_is_taught_is_found() {
    let house = House::new();
    let receipt = house.teach("The parser needs a warm cache before the first request");
    assert!(matches!(receipt.outcome, Written::Inserted(_)));
    assert_eq!(search(&house.engine(), "warm cache").len(), 1);
    assert!(search(&house.engine(), "unrelated zebra").is_empty());
}

#[test]
fn secrets_are_gone_before_anything_is_stored() {
    let house = House::new();
    let key = ["AKIA", "Q3EGRIXVZ7BUJ2NW"].concat();
    let dead_end = DeadEnd {
        tried: format!("signing with {key}"),
        why_it_failed: "expired".to_owned(),
        used_instead: None,
        task_context: None,
    };
    let draft = Draft {
        summary: Some(format!("use {key}")),
        ..Draft::taught(
            Payload::DeadEnd(dead_end),
            format!("line one\nthe key is {key} there"),
        )
    };
    let receipt = house.remember(draft);
    let places: Vec<Place> = receipt
        .redactions
        .iter()
        .map(|redaction| redaction.place)
        .collect();
    assert_eq!(
        places,
        [
            Place::Content {
                line: 2,
                column: 12
            },
            Place::Summary,
            Place::Details
        ]
    );
    let stored = format!(
        "{:?}",
        house.engine().list(None, &Filter::default()).unwrap()
    );
    assert!(!stored.contains(&key), "{stored}");
    assert!(stored.contains("[REDACTED:"), "{stored}");
}

#[test]
fn no_field_of_a_draft_carries_a_secret_in() {
    use oldhand_domain::memory::Author;
    use oldhand_domain::text::Tag;
    use oldhand_domain::work_unit::WorkUnit;
    let house = House::new();
    let key = ["AKIA", "Q3EGRIXVZ7BUJ2NW"].concat();
    let draft = Draft {
        tags: [Tag::new(&key).unwrap(), Tag::new("plain").unwrap()].into(),
        session: Some(SessionId::new(format!("sess-{key}")).unwrap()),
        work_unit: WorkUnit::parse("native", &format!("spec_{key}/sub")).ok(),
        created_by: Author::new(&format!("import:{key}")).unwrap(),
        branch: Some(format!("feat/{key}")),
        ..gotcha("The deploy needs a key")
    };
    let receipt = house.remember(draft);
    assert_eq!(receipt.memory().unwrap().tags.len(), 1);
    let stored = format!(
        "{:?}",
        house.engine().list(None, &Filter::default()).unwrap()
    )
    .to_lowercase();
    assert!(!stored.contains(&key.to_lowercase()), "{stored}");
    assert!(receipt.redactions.len() >= 5, "{:?}", receipt.redactions);
}

#[test]
fn saying_it_again_confirms_instead_of_repeating() {
    let house = House::new();
    let first = house.teach("Run the database migrations before the integration tests");
    let again = house.teach("Run the database migrations before the integration tests.");
    let Written::Merged { into, .. } = &again.outcome else {
        panic!("{again:?}")
    };
    assert_eq!(Some(into.id), first.id());
    assert_eq!(into.confidence, Confidence::clamped(0.95));
    assert_eq!(
        house
            .engine()
            .list(None, &Filter::default())
            .unwrap()
            .memories
            .len(),
        1
    );
}

#[test]
fn the_opposite_replaces_and_both_can_be_read() {
    let house = House::new();
    let old = house.teach("Use tabs for indentation in the panel");
    let new = house.teach("Never use tabs for indentation in the panel");
    let Written::Superseded { old: replaced, .. } = &new.outcome else {
        panic!("{new:?}")
    };
    assert_eq!(replaced[0].id, old.id().unwrap());
    assert_eq!(
        search(&house.engine(), "tabs indentation"),
        ["Never use tabs for indentation in the panel"]
    );
    let shown = house.engine().show(&old.id().unwrap().to_string()).unwrap();
    assert!(shown.memory.deprecated.is_some());
}

#[test]
fn drafts_of_one_batch_see_each_other() {
    let house = House::new();
    let drafts = vec![
        gotcha("The queue drops messages over 1 MB"),
        gotcha("The queue drops messages over 1 MB"),
    ];
    let receipts = house
        .engine()
        .remember_all(Shelf::Project, drafts, day(0), &mut |_| {})
        .unwrap();
    assert!(matches!(receipts[1].outcome, Written::Merged { .. }));
    assert_eq!(receipts[0].id(), receipts[1].id());
}

#[test]
fn a_session_leaves_fifty_memories_and_no_more() {
    let house = House::new();
    let from_agent = |n: usize| Draft {
        session: Some(SessionId::new("s1").unwrap()),
        source: Source::AgentExplicit,
        ..gotcha(&format!(
            "module{n} owns table{n} and nobody else writes column{n}"
        ))
    };
    let drafts = (0..SESSION_LIMIT + 2).map(from_agent).collect();
    let receipts = house
        .engine()
        .remember_all(Shelf::Project, drafts, day(0), &mut |_| {})
        .unwrap();
    let refused = receipts
        .iter()
        .filter(|receipt| matches!(receipt.outcome, Written::Refused(Refusal::SessionFull(_))));
    assert_eq!(refused.count(), 2);
    let one_more = house.remember(from_agent(99));
    assert!(matches!(
        one_more.outcome,
        Written::Refused(Refusal::SessionFull(_))
    ));
}

#[test]
fn nonsense_is_refused_and_nothing_is_stored() {
    let house = House::new();
    for content in ["", "  \n ", &"x".repeat(2049)] {
        let receipt = house.teach(content);
        assert!(
            matches!(receipt.outcome, Written::Refused(Refusal::Text(_))),
            "{receipt:?}"
        );
    }
    assert!(
        house
            .engine()
            .list(
                None,
                &Filter {
                    state: State::Any,
                    ..Filter::default()
                }
            )
            .unwrap()
            .memories
            .is_empty()
    );
}

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
    engine.erase(&id).unwrap();
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
            .prune(PruneMode::DryRun, day(300))
            .unwrap()
            .deleted
            .len(),
        1
    );
    assert!(engine.show(&id).unwrap().memory.deleted_since.is_none());
    engine.prune(PruneMode::Do, day(300)).unwrap();
    assert!(engine.show(&id).unwrap().memory.deleted_since.is_some());
    assert_eq!(
        engine.prune(PruneMode::Do, day(310)).unwrap().erased.len(),
        0
    );
    assert_eq!(
        engine.prune(PruneMode::Do, day(331)).unwrap().erased.len(),
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

#[test]
fn both_shelves_answer_and_say_which_they_are() {
    let house = House::new();
    let engine = house.engine();
    house.remember(Draft {
        files: [ProjectPath::new("Makefile").unwrap()].into(),
        ..gotcha("make needs GNU make")
    });
    engine
        .remember(
            Shelf::Personal,
            gotcha("I like make targets sorted"),
            day(0),
        )
        .unwrap();
    let request = SearchRequest {
        text: "make".to_owned(),
        filter: Filter::default(),
        shelf: None,
        stale: Stale::Hidden,
        limit: 10,
    };
    let answer = engine.search(&request, day(0)).unwrap();
    let shelves: Vec<Shelf> = answer.results.iter().map(|(shelf, _)| *shelf).collect();
    assert_eq!(shelves.len(), 2);
    assert!(shelves.contains(&Shelf::Personal) && shelves.contains(&Shelf::Project));
    let only = SearchRequest {
        shelf: Some(Shelf::Personal),
        ..request
    };
    assert_eq!(engine.search(&only, day(0)).unwrap().results.len(), 1);
}

#[test]
fn an_agent_is_told_what_is_sound_and_relevant_and_nothing_else() {
    let house = House::new();
    let engine = house.engine();
    let file = ProjectPath::new("src/wire.rs").unwrap();
    let sound = house.remember(Draft {
        files: [file.clone()].into(),
        ..gotcha("The wire format breaks unless protoc runs before the build")
    });
    let unreviewed = house.remember(Draft {
        needs_review: true,
        files: [file.clone()].into(),
        ..gotcha("The wire format is faster with zero copies, someone thinks")
    });
    house.teach("The panel uses blue buttons everywhere");
    let ask = |task: &str, files: Vec<ProjectPath>| {
        let request = ContextRequest {
            task: task.to_owned(),
            phase: None,
            files,
            budget: None,
        };
        engine.context(&request, day(0)).unwrap()
    };
    let told = ask("change the wire format", vec![file.clone()]);
    assert!(
        told.text.contains("protoc runs before the build"),
        "{}",
        told.text
    );
    assert!(
        !told.text.contains("zero copies") && !told.text.contains("blue buttons"),
        "{}",
        told.text
    );
    let why = |id: Option<MemoryId>| {
        told.left_out
            .iter()
            .find(|(left, _)| Some(*left) == id)
            .map(|(_, why)| why.as_str())
    };
    assert_eq!(why(unreviewed.id()), Some("waits for a review"));
    engine
        .flag(
            &sound.id().unwrap().to_string(),
            Correction::Outdated,
            None,
            day(0),
        )
        .unwrap();
    assert_eq!(ask("change the wire format", vec![file]).text, "");
    assert_eq!(ask("write a poem about the sea", Vec::new()).text, "");
}
