//! Finding memories by what they say.

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::MemoryId;

use crate::lookup::Shelved;
use crate::{Engine, EngineError, Shelf};

#[derive(Clone, Debug)]
pub struct SearchRequest {
    pub text: String,
    pub filter: Filter,
    /// `None` asks every shelf.
    pub shelf: Option<Shelf>,
    pub limit: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Best first.
    pub results: Vec<(Shelved, Because)>,
    pub damaged: Vec<(Shelf, MemoryId)>,
}

/// Why a memory is where it is in the results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Because {
    /// What the results are ordered by: the product of the parts below.
    pub score: f64,
    /// Its place among the textual matches of its shelf, from 1.
    pub text_rank: usize,
    /// BM25 against the best match of its shelf, `0..=1`.
    pub text: f64,
    pub source_trust: f64,
    pub confidence_now: Confidence,
}

/// How many more textual matches are looked at than are wanted, so that trust can reorder them.
const DEPTH: usize = 3;

impl Engine<'_> {
    pub fn search(&self, request: &SearchRequest, now: Timestamp) -> Result<Answer, EngineError> {
        let mut answer = Answer::default();
        let limit = request.limit.saturating_mul(DEPTH).max(request.limit);
        let query = TextQuery {
            text: request.text.clone(),
            filter: request.filter.clone(),
            limit,
        };
        for (shelf, store) in self
            .shelves()
            .filter(|(at, _)| request.shelf.is_none_or(|wanted| wanted == *at))
        {
            let found = store.search(&query)?;
            answer
                .damaged
                .extend(found.damaged.into_iter().map(|id| (shelf, id)));
            // BM25 depends on the collection, so that shelves are compared by distance to their best.
            let best = found
                .hits
                .first()
                .map_or(1.0, |hit| hit.score.max(f64::MIN_POSITIVE));
            for (place, hit) in found.hits.into_iter().enumerate() {
                let text = (hit.score / best).clamp(0.0, 1.0);
                let source_trust = hit.memory.source.trust();
                let confidence_now = hit.memory.confidence_now(now);
                let score = text * source_trust * confidence_now.get();
                let because = Because {
                    score,
                    text_rank: place + 1,
                    text,
                    source_trust,
                    confidence_now,
                };
                answer.results.push((
                    Shelved {
                        shelf,
                        memory: hit.memory,
                    },
                    because,
                ));
            }
        }
        answer.results.sort_by(|(a, because_a), (b, because_b)| {
            because_b
                .score
                .total_cmp(&because_a.score)
                .then(a.memory.id.cmp(&b.memory.id))
        });
        answer.results.truncate(request.limit);
        Ok(answer)
    }
}
