//! What the shelves say to a question, together.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::{Mark, Memory};
use oldhand_domain::port::{MemoryStore, Spread, VectorIndex};
use oldhand_recall::gate::{Purpose, refuse};
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::plan::DEPTH;
use oldhand_recall::rank::best_of;

use super::hands::Hands;
use super::lanes::{Words, ask_lanes, ids_of_day, list_lanes, near};
use super::{DEEPEST, GONE, Question, SPARE};
use crate::{EngineError, Shelf};

/// What the shelves found, together.
#[derive(Default)]
pub(super) struct Found {
    pub(super) lanes: BTreeMap<Lane, Ranked<MemoryId>>,
    pub(super) memories: Vec<(Shelf, Memory)>,
    /// Of what may be volunteered, so that it is not said twice.
    pub(super) vectors: BTreeMap<MemoryId, Vec<f32>>,
    pub(super) damaged: Vec<(Shelf, MemoryId)>,
    /// About how many memories there are, and how many have each word.
    pub(super) spread: Spread,
    /// How many of them the filters let through, where there are some.
    pub(super) passing: Option<usize>,
}

impl Found {
    /// Asks one shelf, whose words are weighed beside those of another; says how its own are spread.
    pub(super) fn add(
        &mut self,
        (shelf, store): (Shelf, &dyn MemoryStore),
        vectors: Option<&dyn VectorIndex>,
        question: &Question<'_>,
        beside: &Spread,
        hands: &Hands,
    ) -> Result<Spread, EngineError> {
        let Question { plan, filter, .. } = *question;
        let passing = || -> Result<BTreeSet<MemoryId>, EngineError> {
            Ok(store.ids(filter)?.into_iter().collect())
        };
        let (is_filtered, is_deep) = (*filter != Filter::default(), question.read > DEPTH);
        // Listing all that live takes longer than reading a few that do not.
        let mut among = (is_filtered || is_deep).then(passing).transpose()?;
        let live = among.as_ref().map_or(0, BTreeSet::len);
        if is_filtered {
            *self.passing.get_or_insert(0) += live;
        }
        // Who asks for many is given as many as there are.
        let depth = question.read.min(live).max(DEPTH);
        let listed = list_lanes(store, question, depth)?;
        let of_day = ids_of_day(store, question)?;
        let words = Words {
            query: &query(question, depth),
            beside,
        };
        // Where age alone decides, meaning has nothing to add.
        let vectors = vectors.filter(|_| !question.plan.wants_newest());
        let asked = ask_lanes(store, words, vectors, question, among.as_ref());
        let (matches, mut nearest, known) = (asked.matches?, asked.nearest, asked.known);
        let mut deep = question.read;
        let mut looks = Looks::default();
        let (lanes, best, listing) = loop {
            let mut lanes = Vec::new();
            if let Some(index) = vectors {
                let near = near(index, question, nearest.clone(), &known, &matches.hits);
                lanes.push(Ranked::new(Lane::Dense, near));
            }
            lanes.push(Ranked::new(Lane::Text, matches.hits.clone()));
            if let Some(of_day) = &of_day {
                lanes.push(Ranked::of_day(&lanes, |id| of_day.contains(id)));
            }
            lanes.extend(listed.lanes.iter().cloned());
            let best = best_of(plan, &lanes, &listed.named, deep);
            let mut listing = if deep == question.read {
                hands.read(store, &best, filter)?
            } else {
                store.read(&best, filter)?
            };
            if shelf == Shelf::Project {
                looks.mark(&mut listing.memories, question);
            }
            let may_be_said =
                |memory: &&Memory| refuse(memory, question.purpose, question.now).is_none();
            let tellable = listing.memories.iter().filter(may_be_said).count();
            if tellable < SPARE && best.len() == deep && deep < DEEPEST {
                // What may not be said must not take the places of what may.
                deep = DEEPEST.min(4 * deep);
                continue;
            }
            let read = listing.memories.len() + listing.damaged.len();
            if among.is_some() || best.len() <= read + GONE {
                break (lanes, best, listing);
            }
            // What was deleted or replaced keeps its vector, and took the places of too many others.
            let live = passing()?;
            nearest = vectors
                .map(|index| index.nearest(question.vector, DEPTH, Some(&live)))
                .unwrap_or_default();
            among = Some(live);
        };
        if let (Purpose::Inject { .. }, Some(index)) = (question.purpose, vectors) {
            self.vectors.extend(index.vectors(&best));
        }
        for Ranked { lane, hits } in lanes {
            let known = self.lanes.remove(&lane).map(|ranked| ranked.hits);
            let hits = known.into_iter().flatten().chain(hits);
            let joined = Ranked::new(lane, hits.map(|hit| (hit.key, hit.score)));
            self.lanes.insert(lane, joined);
        }
        let memories = listing.memories.into_iter();
        self.memories.extend(memories.map(|memory| (shelf, memory)));
        let damaged = listing.damaged.into_iter();
        self.damaged.extend(damaged.map(|id| (shelf, id)));
        self.spread.take_in(matches.spread.clone());
        Ok(matches.spread)
    }
}

/// What became of memories whose files were looked at, so that none is looked at twice.
#[derive(Default)]
struct Looks(BTreeMap<MemoryId, Option<Mark>>);

impl Looks {
    /// Marks as stale what is gone from the tree. Of what is not said anyway nobody needs to know.
    fn mark(&mut self, memories: &mut [Memory], question: &Question<'_>) {
        let Some(why_gone) = question.why_gone else {
            return;
        };
        let since = question.now;
        for memory in memories {
            if memory.stale.is_some() || refuse(memory, question.purpose, since).is_some() {
                continue;
            }
            let look = || why_gone(memory).map(|reason| Mark { since, reason });
            let mark = self.0.entry(memory.id).or_insert_with(look).clone();
            memory.stale = mark;
        }
    }
}

/// How words are spread over the shelf behind the first, where there is one: what is few among a person's memories may be much among those of
/// the project, and both are found by one question. The first shelf is not asked for it, since the one behind is asked after it.
pub(super) fn beside_first(
    shelves: &[(Shelf, &dyn MemoryStore)],
    question: &Question<'_>,
) -> Result<Spread, EngineError> {
    match shelves {
        [_, (_, store), ..] => Ok(store.matches(&query(question, 1))?.spread),
        _ => Ok(Spread::default()),
    }
}

fn query(question: &Question<'_>, limit: usize) -> TextQuery {
    TextQuery {
        text: question.plan.text(),
        filter: question.filter.clone(),
        limit,
    }
}
