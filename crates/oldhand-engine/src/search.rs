//! Finding memories by what they say and by what they mean.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::MemoryId;
use oldhand_domain::port::{Embedder, MemoryStore, VectorIndex};
use oldhand_recall::candidate::Candidate;
use oldhand_recall::gate::{LeftOut, Purpose, Refusal, Stale};
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::plan::{DEPTH, Plan, RecentWork, plan};
use oldhand_recall::rank::{Found, Ranking, best_of, rank, rank_closely};
use oldhand_recall::reread::{Reader, Spread};
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
        text: &str,
        filter: &Filter,
        shelf: Option<Shelf>,
        purpose: Purpose,
        situation: &Situation<'_>,
    ) -> Result<Answer, EngineError> {
        let plan = plan(text, RecentWork::Ordinary);
        let vector = self.embedder.embed(&[text])?.into_iter().next();
        let vector = vector.unwrap_or_default();
        let question = Question {
            plan: &plan,
            vector: &vector,
            filter,
            purpose,
            embedder: self.embedder,
        };
        let mut answer = Answer::default();
        for (at, store) in self
            .shelves()
            .filter(|(at, _)| shelf.is_none_or(|wanted| wanted == *at))
        {
            let (ranking, damaged) = ask(store, self.vectors(at), &question, situation)?;
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

/// How many of the best are read from the store: enough for a close reading and for what the gates keep back.
const READ: usize = 80;

/// One question, as every shelf is asked it.
struct Question<'a> {
    plan: &'a Plan,
    vector: &'a [f32],
    filter: &'a Filter,
    purpose: Purpose,
    embedder: &'a dyn Embedder,
}

fn ask(
    store: &dyn MemoryStore,
    vectors: Option<&dyn VectorIndex>,
    question: &Question<'_>,
    situation: &Situation<'_>,
) -> Result<(Ranking, Vec<MemoryId>), EngineError> {
    let Question { plan, filter, .. } = *question;
    let matches = store.matches(&TextQuery {
        text: plan.text(),
        filter: filter.clone(),
        limit: DEPTH,
    })?;
    let mut lanes = Vec::new();
    if let Some(index) = vectors {
        let near = near(store, index, question, &matches.hits)?;
        lanes.push(Ranked::new(Lane::Dense, near));
    }
    lanes.push(Ranked::new(Lane::Text, matches.hits));
    let best = best_of(plan, &lanes, READ);
    let listing = store.read(&best, filter)?;
    let memories = listing
        .memories
        .into_iter()
        .map(|memory| (memory.id, memory))
        .collect();
    let no_neighbours = |_: &BTreeSet<_>| BTreeSet::new();
    let near_vectors = match (question.purpose, vectors) {
        (Purpose::Inject { .. }, Some(index)) => index.vectors(&best),
        _ => BTreeMap::new(),
    };
    let found = Found {
        lanes: &lanes,
        memories,
        vectors: &near_vectors,
        neighbours: &no_neighbours,
    };
    let embed = |words: &[&str]| question.embedder.embed(words).unwrap_or_default();
    let with = |word: &str| matches.spread.words.get(word).copied().unwrap_or_default();
    let reader = Reader {
        embed: &embed,
        spread: Some(Spread {
            memories: matches.spread.memories,
            with: &with,
        }),
    };
    let ranking = match question.purpose {
        // Who asks waits a few milliseconds for a better answer; a hook does not.
        Purpose::Search { .. } => rank_closely(plan, found, reader, question.purpose, situation),
        Purpose::Inject { .. } => rank(plan, found, question.purpose, situation),
    };
    Ok((ranking, listing.damaged))
}

/// The dense lane: the nearest memories that pass the filter, and how near the textual matches are.
fn near(
    store: &dyn MemoryStore,
    index: &dyn VectorIndex,
    question: &Question<'_>,
    textual: &[(MemoryId, f64)],
) -> Result<Vec<(MemoryId, f64)>, EngineError> {
    let among: Option<BTreeSet<MemoryId>> = if *question.filter == Filter::default() {
        None
    } else {
        Some(store.ids(question.filter)?.into_iter().collect())
    };
    let mut near: BTreeMap<MemoryId, f32> = index
        .nearest(question.vector, DEPTH, among.as_ref())
        .into_iter()
        .collect();
    let others: Vec<MemoryId> = textual
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| !near.contains_key(id))
        .collect();
    near.extend(index.cosines(question.vector, &others));
    Ok(near
        .into_iter()
        .map(|(id, cosine)| (id, f64::from(cosine)))
        .collect())
}
