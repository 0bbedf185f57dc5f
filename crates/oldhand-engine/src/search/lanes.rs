//! What each lane finds: memories about files, by their age, by words and by what they mean.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::MemoryId;
use oldhand_domain::port::{Matches, MemoryStore, VectorIndex};
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::plan::{DEPTH, Time};
use oldhand_recall::score::recent;

use super::Question;
use crate::EngineError;

/// The lanes that need no words: what is about the files at hand and beside them, and what came last where that is asked for.
pub(super) fn list_lanes(
    store: &dyn MemoryStore,
    question: &Question<'_>,
) -> Result<Vec<Ranked<MemoryId>>, EngineError> {
    let mut lanes = Vec::new();
    let list = |filter: Filter| {
        store.list(&Filter {
            limit: Some(DEPTH),
            ..filter
        })
    };
    let files = question.surrounding.files();
    // Where only some files are wanted, they are the filter's.
    if !files.is_empty() && question.filter.files.is_empty() {
        let about = list(Filter {
            files,
            ..question.filter.clone()
        })?;
        lanes.push(question.surrounding.rank(about.memories.iter()));
    }
    if question.plan.time == Time::Latest {
        let newest = list(question.filter.clone())?.memories;
        let ages = newest
            .iter()
            .map(|memory| (memory.id, recent(memory, question.now)));
        lanes.push(Ranked::new(Lane::Recent, ages));
    }
    Ok(lanes)
}

/// Asks for words and for vectors at the same time: neither lane waits for the other where there is a processor for each.
pub(super) fn ask_lanes(
    store: &dyn MemoryStore,
    query: &TextQuery,
    vectors: Option<&dyn VectorIndex>,
    question: &Question<'_>,
    among: Option<&BTreeSet<MemoryId>>,
) -> (Result<Matches, StoreError>, Vec<(MemoryId, f32)>) {
    let Some(index) = vectors else {
        return (store.matches(query), Vec::new());
    };
    let nearest = || index.nearest(question.vector, DEPTH, among);
    if among.is_none() && index.is_asked(question.vector, DEPTH) {
        return (store.matches(query), nearest());
    }
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new().spawn_scoped(scope, nearest);
        let matches = store.matches(query);
        let found = match other {
            Ok(other) => other
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // Where no thread could be started, it is done here.
            Err(_) => index.nearest(question.vector, DEPTH, among),
        };
        (matches, found)
    })
}

/// The dense lane: the nearest memories, and how near the textual matches are.
pub(super) fn near(
    index: &dyn VectorIndex,
    question: &Question<'_>,
    nearest: Vec<(MemoryId, f32)>,
    textual: &[(MemoryId, f64)],
) -> Vec<(MemoryId, f64)> {
    let mut near: BTreeMap<MemoryId, f32> = nearest.into_iter().collect();
    let others: Vec<MemoryId> = textual
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| !near.contains_key(id))
        .collect();
    near.extend(index.cosines(question.vector, &others));
    near.into_iter()
        .map(|(id, cosine)| (id, f64::from(cosine)))
        .collect()
}
