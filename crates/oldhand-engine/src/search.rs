//! Finding memories by what they say and by what they mean.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::port::{MemoryStore, VectorIndex};
use oldhand_recall::candidate::Candidate;
use oldhand_recall::gate::{LeftOut, Purpose, Refusal, Stale};
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::plan::{DEPTH, Plan, RecentWork, plan};
use oldhand_recall::rank::{Found, Ranking, rank};
use oldhand_recall::score::{Emphasis, Situation};

use crate::lookup::Shelved;
use crate::{Engine, EngineError, Shelf};

#[derive(Clone, Debug)]
pub struct SearchRequest {
    pub text: String,
    pub filter: Filter,
    /// `None` asks every shelf.
    pub shelf: Option<Shelf>,
    pub stale: Stale,
    pub limit: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Best first.
    pub results: Vec<(Shelf, Candidate)>,
    /// Found, but not shown.
    pub left_out: Vec<(Shelf, LeftOut<Refusal>)>,
    pub damaged: Vec<(Shelf, MemoryId)>,
}

impl Answer {
    pub fn shelved(&self) -> impl Iterator<Item = (Shelved, &Candidate)> {
        let shelve = |(shelf, candidate): &'_ (Shelf, Candidate)| Shelved {
            shelf: *shelf,
            memory: candidate.memory.clone(),
        };
        self.results
            .iter()
            .map(move |result| (shelve(result), &result.1))
    }
}

impl Engine<'_> {
    pub fn search(&self, request: &SearchRequest, now: Timestamp) -> Result<Answer, EngineError> {
        let situation = Situation {
            now,
            phase: None,
            churn: &BTreeMap::new(),
            emphasis: Emphasis::Relevance,
        };
        let mut answer = self.recall(
            &request.text,
            &request.filter,
            request.shelf,
            Purpose::Search {
                stale: request.stale,
            },
            &situation,
        )?;
        answer.results.retain(|(_, candidate)| is_answer(candidate));
        answer.results.truncate(request.limit);
        Ok(answer)
    }

    /// Runs the lanes of every shelf and joins their answers. The score is an estimated chance, so that shelves compare.
    pub(crate) fn recall(
        &self,
        question: &str,
        filter: &Filter,
        shelf: Option<Shelf>,
        purpose: Purpose,
        situation: &Situation<'_>,
    ) -> Result<Answer, EngineError> {
        let plan = plan(question, RecentWork::Ordinary);
        let vector = self
            .embedder
            .embed(&[question])?
            .into_iter()
            .next()
            .unwrap_or_default();
        let mut answer = Answer::default();
        for (at, store) in self
            .shelves()
            .filter(|(at, _)| shelf.is_none_or(|wanted| wanted == *at))
        {
            let (ranking, damaged) = ask(
                store,
                self.vectors(at),
                &plan,
                &vector,
                filter,
                purpose,
                situation,
            )?;
            answer.results.extend(
                ranking
                    .candidates
                    .into_iter()
                    .map(|candidate| (at, candidate)),
            );
            answer
                .left_out
                .extend(ranking.left_out.into_iter().map(|left_out| (at, left_out)));
            answer
                .damaged
                .extend(damaged.into_iter().map(|id| (at, id)));
        }
        answer.results.sort_by(|(_, a), (_, b)| {
            b.score
                .total_cmp(&a.score)
                .then(a.memory.id.cmp(&b.memory.id))
        });
        Ok(answer)
    }
}

/// Something is always nearest. Without a word in common it only counts when it is really near.
fn is_answer(candidate: &Candidate) -> bool {
    const NEAR: f64 = 0.25;
    candidate.because.lanes.iter().any(|part| match part.lane {
        Lane::Text => true,
        Lane::Dense => part.score >= NEAR,
        Lane::Graph | Lane::Recent => false,
    })
}

fn ask(
    store: &dyn MemoryStore,
    vectors: Option<&dyn VectorIndex>,
    plan: &Plan,
    question: &[f32],
    filter: &Filter,
    purpose: Purpose,
    situation: &Situation<'_>,
) -> Result<(Ranking, Vec<MemoryId>), EngineError> {
    let found = store.search(&TextQuery {
        text: plan.text(),
        filter: filter.clone(),
        limit: DEPTH,
    })?;
    let mut damaged = found.damaged;
    let texts: Vec<(MemoryId, f64)> = found
        .hits
        .iter()
        .map(|hit| (hit.memory.id, hit.score))
        .collect();
    let mut memories: BTreeMap<MemoryId, Memory> = found
        .hits
        .into_iter()
        .map(|hit| (hit.memory.id, hit.memory))
        .collect();
    let mut lanes = vec![Ranked::new(Lane::Text, texts)];
    let mut near_vectors = BTreeMap::new();
    if let Some(index) = vectors {
        let near = near(store, index, question, filter, &mut memories, &mut damaged)?;
        near_vectors = index.vectors(&near.iter().map(|(id, _)| *id).collect::<Vec<_>>());
        lanes.push(Ranked::new(Lane::Dense, near));
    }
    let no_neighbours = |_: &BTreeSet<_>| BTreeSet::new();
    let found = Found {
        lanes: &lanes,
        memories,
        vectors: &near_vectors,
        neighbours: &no_neighbours,
    };
    Ok((rank(plan, found, purpose, situation), damaged))
}

/// The dense lane: the nearest memories that pass the filter, and how near the textual matches are.
fn near(
    store: &dyn MemoryStore,
    index: &dyn VectorIndex,
    question: &[f32],
    filter: &Filter,
    memories: &mut BTreeMap<MemoryId, Memory>,
    damaged: &mut Vec<MemoryId>,
) -> Result<Vec<(MemoryId, f64)>, EngineError> {
    let mut near: BTreeMap<MemoryId, f32> = BTreeMap::new();
    if *filter == Filter::default() {
        near.extend(index.nearest(question, DEPTH));
    } else {
        // What the filter lets through is compared one by one: the nearest of all may all be outside it.
        let listing = store.list(&Filter {
            limit: None,
            ..filter.clone()
        })?;
        damaged.extend(listing.damaged);
        let ids: Vec<MemoryId> = listing.memories.iter().map(|memory| memory.id).collect();
        let mut cosines = index.cosines(question, &ids);
        cosines.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        cosines.truncate(DEPTH);
        near.extend(cosines);
        memories.extend(
            listing
                .memories
                .into_iter()
                .filter(|memory| near.contains_key(&memory.id))
                .map(|memory| (memory.id, memory)),
        );
    }
    let textual: Vec<MemoryId> = memories
        .keys()
        .copied()
        .filter(|id| !near.contains_key(id))
        .collect();
    near.extend(index.cosines(question, &textual));
    for id in near.keys().copied().collect::<Vec<_>>() {
        if memories.contains_key(&id) {
            continue;
        }
        match store.get(id) {
            Ok(Some(memory)) if memory.is_live() => {
                memories.insert(id, memory);
            }
            Ok(_) => {
                near.remove(&id);
            }
            Err(oldhand_domain::error::StoreError::DamagedMemory(id)) => {
                near.remove(&id);
                damaged.push(id);
            }
            Err(error) => return Err(error.into()),
        }
    }
    damaged.sort();
    damaged.dedup();
    Ok(near
        .into_iter()
        .map(|(id, cosine)| (id, f64::from(cosine)))
        .collect())
}
