//! The stages as a search runs them, over real memories.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::payload::BuiltInType;
use oldhand_recall::candidate::gather;
use oldhand_recall::diversify::diversify;
use oldhand_recall::fuse::{Method, fuse};
use oldhand_recall::lane::Ranked;
use oldhand_recall::plan::{RecentWork, plan};
use oldhand_recall::score::{Emphasis, Situation, score};
use oldhand_testkit::{memory, memory_id};

use crate::systems::{Prepared, Scored};

/// Which stages run after the lanes are joined.
#[derive(Clone, Copy)]
pub(crate) enum Stages {
    Score(Emphasis),
    Diversify,
}

impl Stages {
    pub(crate) const ALL: [Self; 3] = [
        Self::Score(Emphasis::Relevance),
        Self::Score(Emphasis::Usefulness),
        Self::Diversify,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Score(Emphasis::Relevance) => "**… then scored: all stages of a search**",
            Self::Score(Emphasis::Usefulness) => "… then scored as for an injection",
            Self::Diversify => "… then diversified",
        }
    }
}

/// Only what can be among the first ten matters.
const KEPT: usize = 60;

pub(crate) fn answer(store: &Prepared, question: &str, stages: Stages) -> Vec<usize> {
    let plan = plan(question, RecentWork::Ordinary);
    let vector = oldhand_embed::StaticEmbedder.embed(question);
    let numbered = store.lanes(&plan, &vector, Scored::TextHitsToo);
    let lanes: Vec<Ranked<MemoryId>> = numbered
        .iter()
        .map(|ranked| {
            Ranked::new(
                ranked.lane,
                ranked.hits.iter().map(|hit| (id_of(hit.key), hit.score)),
            )
        })
        .collect();
    let mut fused = fuse(&lanes, &plan, Method::Standardised);
    fused.truncate(KEPT);
    let last = store.corpus.days.iter().copied().fold(0.0, f64::max);
    let now = Timestamp::from_second(1_700_000_000).expect("a moment of 2023");
    let memories: BTreeMap<MemoryId, Memory> = fused
        .iter()
        .map(|item| (item.key, memory_of(store, number_of(item.key), now, last)))
        .collect();
    let vectors: BTreeMap<MemoryId, Vec<f32>> = fused
        .iter()
        .map(|item| (item.key, store.vectors[number_of(item.key)].clone()))
        .collect();
    let mut candidates = gather(&fused, memories, plan.query_type);
    let churn = BTreeMap::new();
    let weigh = |emphasis, candidates: &mut Vec<_>| {
        score(
            candidates,
            &Situation {
                now,
                phase: None,
                churn: &churn,
                emphasis,
            },
        );
    };
    match stages {
        Stages::Score(emphasis) => weigh(emphasis, &mut candidates),
        Stages::Diversify => diversify(&mut candidates, &vectors),
    }
    candidates
        .iter()
        .map(|candidate| number_of(candidate.memory.id))
        .collect()
}

/// A gotcha of the day it was said on: the type that ages fastest of those that hold lessons.
fn memory_of(store: &Prepared, number: usize, now: Timestamp, last: f64) -> Memory {
    let text = &store.corpus.documents[number];
    let mut memory = memory(
        number as u32,
        BuiltInType::Gotcha,
        &text[..text.floor_char_boundary(2000)],
    );
    let age = SignedDuration::from_secs(((last - store.corpus.days[number]) * 86_400.0) as i64);
    memory.created_at = now - age;
    memory.usage.last_accessed_at = memory.created_at;
    memory.files = BTreeSet::new();
    memory
}

fn id_of(number: usize) -> MemoryId {
    memory_id(number as u32)
}

fn number_of(id: MemoryId) -> usize {
    (id.uuid().as_u128() & 0xffff_ffff) as usize
}
