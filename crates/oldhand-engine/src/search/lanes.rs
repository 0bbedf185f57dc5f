//! What each lane finds: memories about files, by their age, by words and by what they mean.

use std::collections::{BTreeMap, BTreeSet};
use std::thread::ScopedJoinHandle;

use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::{Matches, MemoryStore, Spread, VectorIndex};
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::plan::{DEPTH, Day, Time};
use oldhand_recall::score::recent;

use super::Question;
use crate::EngineError;

/// The lanes that need no words, and what in them is about a file that is named.
pub(super) struct Listed {
    pub(super) lanes: Vec<Ranked<MemoryId>>,
    pub(super) named: BTreeSet<MemoryId>,
}

/// The lanes that need no words: what is about the files at hand and beside them, and what came last, or on a day, where that is all that is asked for.
pub(super) fn list_lanes(
    store: &dyn MemoryStore,
    question: &Question<'_>,
    depth: usize,
) -> Result<Listed, EngineError> {
    let mut lanes = Vec::new();
    let mut named = BTreeSet::new();
    let list = |filter: Filter| {
        store.list(&Filter {
            limit: Some(depth),
            ..filter
        })
    };
    let files = question.surrounding.files();
    // Where only some files are wanted, they are the filter's.
    if !files.is_empty() && question.filter.files.is_empty() {
        let about = |files: Vec<ProjectPath>| {
            list(Filter {
                files,
                ..question.filter.clone()
            })
        };
        let mut memories = about(files)?.memories;
        // However much is known about the files beside them, what is about those that are named is there.
        let called = question.surrounding.named();
        if !called.is_empty() && memories.len() >= depth {
            let is_new = |memory: &Memory| memories.iter().all(|known| known.id != memory.id);
            let mut others = about(called)?.memories;
            others.retain(is_new);
            memories.extend(others);
        }
        let why = |memory: &&Memory| question.surrounding.why(memory);
        let is_named = |memory: &&Memory| why(memory).is_some_and(|why| why.name().is_some());
        named.extend(memories.iter().filter(is_named).map(|memory| memory.id));
        lanes.push(question.surrounding.rank(memories.iter()));
    }
    let newest = match question.plan.time {
        Time::Latest => Some(question.filter.clone()),
        Time::Around(day) if question.plan.wants_newest() => Some(of_day(day, question)),
        _ => None,
    };
    if let Some(filter) = newest {
        let newest = list(filter)?.memories;
        let ages = newest
            .iter()
            .map(|memory| (memory.id, recent(memory, question.now)));
        lanes.push(Ranked::new(Lane::Recent, ages));
    }
    Ok(Listed { lanes, named })
}

/// The memories of the day that a question about something counts back to; none where it names no day.
pub(super) fn ids_of_day(
    store: &dyn MemoryStore,
    question: &Question<'_>,
) -> Result<Option<BTreeSet<MemoryId>>, EngineError> {
    match question.plan.time {
        Time::Around(day) if !question.plan.wants_newest() => {
            let ids = store.ids(&of_day(day, question))?;
            Ok(Some(ids.into_iter().collect()))
        }
        _ => Ok(None),
    }
}

fn of_day(day: Day, question: &Question<'_>) -> Filter {
    let (since, until) = day.around(question.now).into_inner();
    let filter = question.filter.clone();
    Filter {
        created_since: filter.created_since.max(Some(since)),
        created_until: filter
            .created_until
            .map_or(Some(until), |other| Some(other.min(until))),
        ..filter
    }
}

/// The words of a question, and how they are spread over the other shelf that is asked.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) query: &'a TextQuery,
    pub(super) beside: &'a Spread,
}

impl Words<'_> {
    fn ask(self, store: &dyn MemoryStore) -> Result<Matches, StoreError> {
        store.matches_beside(self.query, self.beside)
    }
}

/// What words and vectors found.
pub(super) struct Lanes {
    pub(super) matches: Result<Matches, StoreError>,
    pub(super) nearest: Vec<(MemoryId, f32)>,
    /// How near textual matches are, as far as there was time to look.
    pub(super) known: BTreeMap<MemoryId, f32>,
}

/// Asks for words and for vectors at the same time: neither lane waits for the other where there is a processor for each.
pub(super) fn ask_lanes(
    store: &dyn MemoryStore,
    words: Words<'_>,
    vectors: Option<&dyn VectorIndex>,
    question: &Question<'_>,
    among: Option<&BTreeSet<MemoryId>>,
) -> Lanes {
    let Some(index) = vectors else {
        return Lanes {
            matches: words.ask(store),
            nearest: Vec::new(),
            known: BTreeMap::new(),
        };
    };
    let nearest = || index.nearest(question.vector, words.query.limit, among);
    let ask = |is_found: &dyn Fn() -> bool| {
        let matches = words.ask(store);
        let known = match &matches {
            // While the other lane is at it, this one looks at what it will be asked next.
            Ok(matches) if !is_found() => {
                let ids: Vec<MemoryId> = matches.hits.iter().map(|(id, _)| *id).collect();
                index.cosines(question.vector, &ids).into_iter().collect()
            }
            _ => BTreeMap::new(),
        };
        (matches, known)
    };
    if among.is_none() && index.is_asked(question.vector, DEPTH) {
        let (matches, known) = ask(&|| index.is_found(question.vector, DEPTH));
        return Lanes {
            matches,
            nearest: nearest(),
            known,
        };
    }
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new().spawn_scoped(scope, nearest);
        let (matches, known) = ask(&|| other.as_ref().map_or(true, ScopedJoinHandle::is_finished));
        let nearest = match other {
            Ok(other) => other
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // Where no thread could be started, it is done here.
            Err(_) => nearest(),
        };
        Lanes {
            matches,
            nearest,
            known,
        }
    })
}

/// The dense lane: the nearest memories, and how near the textual matches are.
pub(super) fn near(
    index: &dyn VectorIndex,
    question: &Question<'_>,
    nearest: Vec<(MemoryId, f32)>,
    known: &BTreeMap<MemoryId, f32>,
    textual: &[(MemoryId, f64)],
) -> Vec<(MemoryId, f64)> {
    let mut near = known.clone();
    near.extend(nearest);
    let others: Vec<MemoryId> = textual
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| !near.contains_key(id))
        .collect();
    if !others.is_empty() {
        near.extend(index.cosines(question.vector, &others));
    }
    near.into_iter()
        .map(|(id, cosine)| (id, f64::from(cosine)))
        .collect()
}
