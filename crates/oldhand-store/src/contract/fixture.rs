//! Memories for the contract: a plain one, and one with something in every field.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use oldhand_domain::confidence::Confidence;
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::{
    Author, Chunk, ChunkType, CommitSha, Flag, Mark, Memory, Usage, Verified,
};
use oldhand_domain::payload::{BuiltInType, Calibration, Payload};
use oldhand_domain::port::{MemoryReader, MemoryStore};
use oldhand_domain::relation::{Extraction, Relation, RelationTarget, RelationType};
use oldhand_domain::seal::TextHash;
use oldhand_domain::taint::{OutsideText, Taint};
use oldhand_domain::text::{Content, Summary};
use oldhand_domain::vocabulary::{Correction, FlaggedBy, ReviewReason, Scope, Source, Visibility};
use oldhand_domain::work_unit::WorkUnit;

/// No memory at all.
pub(super) const NONE: [u32; 0] = [];

pub(super) fn minute(number: u32) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_mins(i64::from(number))
}

pub(crate) fn id(number: u32) -> MemoryId {
    format!("019bc0d1-3a80-7000-8000-{number:012x}")
        .parse()
        .expect("the text has the shape of an id")
}

pub(super) fn session(name: &str) -> SessionId {
    SessionId::new(name).expect("the contract's sessions are valid")
}

/// One of many, made in the minute of its number.
pub(crate) fn plain(number: u32, content: &str) -> Memory {
    let content = Content::new(content).expect("the contract's contents are valid");
    let moment = minute(number);
    Memory {
        id: id(number),
        payload: Payload::Plain(BuiltInType::Gotcha.into()),
        summary: Summary::of(&content),
        content,
        citation: None,
        confidence: Confidence::clamped(0.9),
        tags: BTreeSet::new(),
        files: BTreeSet::new(),
        modules: BTreeSet::new(),
        fingerprints: BTreeSet::new(),
        created_at: moment,
        updated_at: moment,
        usage: Usage {
            last_accessed_at: moment,
            access_count: 0,
        },
        session: None,
        provenance: BTreeSet::new(),
        commit: None,
        branch: None,
        work_unit: None,
        methodology: None,
        scope: Scope::Global,
        source: Source::UserTaught,
        created_by: Author::user(),
        visibility: Visibility::Private,
        target_node: None,
        impacted_nodes: BTreeSet::new(),
        relations: Vec::new(),
        half_life_days: None,
        needs_review: false,
        review_reason: None,
        verified: None,
        pinned: false,
        flagged: None,
        stale: None,
        deprecated: None,
        deleted_since: None,
        chunk: None,
        embedding_model: None,
        revision: 1,
        taint: Taint::CLEAN,
    }
}

/// Something in every field, and numbers that do not survive being rounded.
pub(crate) fn full(number: u32) -> Memory {
    let third = 1.0 / 3.0;
    let plain = plain(
        number,
        "Steps are off by a third in `auth`.\n\nSee \"éclair\" 配置.",
    );
    let mark = |reason: &str| {
        Some(Mark {
            since: minute(number + 1),
            reason: reason.to_owned(),
        })
    };
    let relation = |relation_type, target| Relation {
        relation_type,
        target,
        confidence: Confidence::clamped(third),
        extraction: Extraction::Automatic,
    };
    Memory {
        payload: Payload::TaskCalibration(Calibration {
            module: text("auth"),
            methodology: "native".to_owned(),
            mean_actual_steps: 10.0 * third,
            mean_planned_steps: 0.1 + 0.2,
            samples: 7,
        }),
        citation: Some(text("auth/login.rs")),
        confidence: Confidence::clamped(0.1 + 0.2),
        tags: set(&["slow", "login"]),
        files: set(&["src/auth/login.rs", "src/auth/logout.rs"]),
        modules: set(&["auth"]),
        fingerprints: set(&["e0308", "e0599"]),
        created_at: minute(number) + SignedDuration::from_nanos(123_456_789),
        usage: Usage {
            last_accessed_at: minute(number + 9),
            access_count: 3,
        },
        session: Some(session("s-1")),
        provenance: BTreeSet::from([session("s-1"), session("s-2")]),
        commit: CommitSha::new(&"ab".repeat(20)),
        branch: Some("main".to_owned()),
        work_unit: WorkUnit::new("native", &["spec_042", "subtask_3"], "Log in").ok(),
        methodology: Some("native".to_owned()),
        scope: Scope::Module,
        source: Source::ObserverInferred,
        created_by: Author::new("agent:coder").expect("the author is valid"),
        visibility: Visibility::Team,
        target_node: Some("src/auth/login.rs:login".to_owned()),
        impacted_nodes: BTreeSet::from(["src/main.rs".to_owned()]),
        relations: vec![
            relation(RelationType::Validates, RelationTarget::Memory(id(900))),
            relation(
                RelationType::RequiredWith,
                RelationTarget::File(text("Cargo.toml")),
            ),
            relation(RelationType::ConflictsWith, RelationTarget::Memory(id(899))),
        ],
        half_life_days: Some(12),
        needs_review: true,
        review_reason: Some(ReviewReason::Contradicted),
        verified: Some(Verified {
            at: minute(number + 2),
            text: TextHash::of(
                &BuiltInType::TaskCalibration.into(),
                &plain.content,
                &plain.summary,
            ),
        }),
        pinned: true,
        flagged: Some(Flag {
            since: minute(number + 3),
            correction: Correction::TooSpecific,
            note: Some("only on Tuesdays".to_owned()),
            by: FlaggedBy::Agent,
        }),
        stale: mark("its file is gone"),
        deprecated: mark("replaced"),
        deleted_since: Some(minute(number + 4)),
        chunk: Some(Chunk {
            chunk_type: ChunkType::Function,
            first_line: 3,
            last_line: 14,
            context_prefix: "impl Login".to_owned(),
        }),
        embedding_model: Some("static-1".to_owned()),
        taint: Taint::by(OutsideText::Mcp("tracker".to_owned())).join(&Taint::by(OutsideText::Web)),
        ..plain
    }
}

pub(super) fn text<T: std::str::FromStr>(text: &str) -> T {
    text.parse()
        .unwrap_or_else(|_| panic!("`{text}` is valid here"))
}

pub(super) fn set<T: std::str::FromStr + Ord>(texts: &[&str]) -> BTreeSet<T> {
    texts.iter().copied().map(text).collect()
}

pub(super) fn save(store: &impl MemoryStore, memories: &[Memory]) {
    store
        .change(&mut |_| Ok(memories.to_vec()))
        .expect("memories can be saved");
}

/// The numbers of the memories a filter lets through, in order.
pub(super) fn listed(store: &impl MemoryReader, filter: &Filter) -> Vec<u32> {
    let listing = store.list(filter).expect("memories can be listed");
    assert_eq!(listing.damaged, []);
    listing.memories.iter().map(number).collect()
}

/// The numbers of the memories a search finds, in order.
pub(super) fn searched(store: &impl MemoryReader, text: &str) -> Vec<u32> {
    searched_with(store, text, Filter::default(), 10)
}

pub(super) fn searched_with(
    store: &impl MemoryReader,
    text: &str,
    filter: Filter,
    limit: usize,
) -> Vec<u32> {
    let text = text.to_owned();
    let query = TextQuery {
        text,
        filter,
        limit,
    };
    let found = store.search(&query).expect("memories can be searched");
    assert_eq!(found.damaged, []);
    let scores: Vec<f64> = found.hits.iter().map(|hit| hit.score).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let numbers: Vec<u32> = found.hits.iter().map(|hit| number(&hit.memory)).collect();
    assert_eq!(searched_without_reading(store, &query), numbers);
    numbers
}

/// The same search by ids, then read: it must find the same.
fn searched_without_reading(store: &impl MemoryReader, query: &TextQuery) -> Vec<u32> {
    let matches = store.matches(query).expect("memories can be matched");
    for (word, count) in &matches.spread.words {
        assert!(*count <= matches.spread.memories, "{word}");
    }
    let ids: Vec<MemoryId> = matches.hits.iter().map(|(id, _)| *id).collect();
    let listing = store.read(&ids, &query.filter).expect("ids can be read");
    let passing = store.ids(&query.filter).expect("ids can be listed");
    assert!(ids.iter().all(|id| passing.contains(id)));
    let read = ids
        .iter()
        .filter_map(|id| listing.memories.iter().find(|memory| memory.id == *id));
    read.map(number).collect()
}

fn number(memory: &Memory) -> u32 {
    memory.id.uuid().as_u128() as u32
}

/// A payload for each type that has one of its own.
pub(super) fn work_state() -> Payload {
    Payload::WorkState(oldhand_domain::payload::WorkState {
        work_unit: WorkUnit::parse("native", "spec_042").expect("the path is valid"),
        state: BTreeMap::from([("open".to_owned(), vec!["subtask_3".to_owned()])]),
    })
}
