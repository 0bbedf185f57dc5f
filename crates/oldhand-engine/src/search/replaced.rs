//! What was replaced and says what is asked: no answer, but a reason why none is there.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::filter::{Filter, State, TextQuery};
use oldhand_recall::beside::Surrounding;
use oldhand_recall::gate::{LeftOut, Purpose, Refusal};
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::nearness::Embed;
use oldhand_recall::plan::{DEPTH, Plan};
use oldhand_recall::rank::{Found, rank};
use oldhand_recall::reread::{Reader, Spread};
use oldhand_recall::score::Situation;

use super::SearchRequest;
use crate::{Engine, EngineError, Shelf};

impl Engine<'_> {
    /// Memories that share words of the question and were replaced, with how likely each was what was asked. They are judged beside what matches and
    /// lives, but in an asking of their own: that somebody wants to know of them must not change the answer.
    pub(super) fn replaced(
        &self,
        request: &SearchRequest,
        plan: &Plan,
        situation: &Situation<'_>,
    ) -> Result<Vec<(Shelf, LeftOut<Refusal>)>, EngineError> {
        let filter = Filter {
            state: State::Any,
            ..request.filter.clone()
        };
        let vector = self
            .embedder
            .embed_questions(&[&request.text])?
            .into_iter()
            .next();
        let embed = self.embed_words();
        let mut replaced = Vec::new();
        for (shelf, store) in self.shelves() {
            if request.shelf.is_some_and(|wanted| wanted != shelf) {
                continue;
            }
            let matches = store.matches(&TextQuery {
                text: plan.text(),
                filter: filter.clone(),
                limit: DEPTH,
            })?;
            let ids: Vec<_> = matches.hits.iter().map(|(id, _)| *id).collect();
            let mut memories = store.read(&ids, &filter)?.memories;
            memories.retain(|memory| memory.deleted_since.is_none());
            if memories.iter().all(|memory| memory.deprecated.is_none()) {
                continue;
            }
            let mut lanes = vec![Ranked::new(Lane::Text, matches.hits)];
            if let (Some(vector), Some(index)) = (&vector, self.vectors(shelf)) {
                let cosines = index.cosines(vector, &ids).into_iter();
                let near = cosines.map(|(id, cosine)| (id, f64::from(cosine)));
                lanes.push(Ranked::new(Lane::Dense, near));
            }
            let spread = matches.spread;
            let with = |word: &str| spread.words.get(word).copied().unwrap_or_default();
            let reader = Reader {
                embed: embed.as_deref().map(|embed| embed as &Embed<'_>),
                spread: Some(Spread {
                    memories: spread.memories,
                    with: &with,
                }),
                ahead: &[],
            };
            let found = Found {
                lanes: &lanes,
                memories,
                vectors: &BTreeMap::new(),
                surrounding: &Surrounding::default(),
                neighbours: &|_| BTreeSet::new(),
            };
            let purpose = Purpose::Search {
                stale: request.stale,
            };
            let ranking = rank(plan, found, reader, purpose, situation);
            let left_out = ranking.left_out.into_iter();
            let was_replaced =
                |left: &LeftOut<Refusal>| matches!(left.why, Refusal::Deprecated { .. });
            replaced.extend(left_out.filter(was_replaced).map(|left| (shelf, left)));
        }
        Ok(replaced)
    }
}
