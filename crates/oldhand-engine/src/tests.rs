//! What the engine promises, over the in-memory store with the real embedder and the real redaction: writing here, looking
//! after in `keep`, asking in `ask`.

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
use oldhand_recall::plan::RecentWork;
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
        near: std::collections::BTreeSet::new(),
        recent: RecentWork::Ordinary,
        phase: None,
        reasons: Reasons::Read,
        weak: Weak::Hidden,
        limit: 10,
    };
    let answer = engine.search(&request, &|_| None, day(0)).unwrap();
    answer
        .results
        .into_iter()
        .map(|(_, candidate)| candidate.memory.content.as_str().to_owned())
        .collect()
}

mod again;
mod apart;
mod ask;
mod breaking;
mod claims;
mod company;
mod follow;
mod found;
mod gate;
mod gone;
mod handout;
mod keep;
mod learn;
mod marks;
mod places;
mod promotion;
mod remote;
mod silence;
mod standing;
mod together;
mod types;
mod verdicts;
mod witness;

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
        .remember_all(Shelf::Project, drafts, Voice::Speaker, day(0), &mut |_| {})
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
        .remember_all(Shelf::Project, drafts, Voice::Speaker, day(0), &mut |_| {})
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
