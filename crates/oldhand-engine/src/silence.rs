//! Whether a task ends in silence, told from vectors alone: most do, and then no database has to be opened for them.

use std::collections::BTreeSet;

use oldhand_domain::id::MemoryId;
use oldhand_domain::port::{Embedder, VectorIndex};
use oldhand_recall::beside::named_files;
use oldhand_recall::calibration::{Met, Own};
use oldhand_recall::candidate::{BAR, may_speak};
use oldhand_recall::fuse::highest_with_words;
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::plan::{DEPTH, RecentWork, plan};

use crate::search::GONE;

/// A scan of sketches may miss one of the hundred nearest, which a shared word would bring back. So much nearer it might be than what was found.
const MISSED: f64 = 0.02;

/// Whether nothing can be said to this task, whatever the words of the memories are, or because nobody measured what the numbers of the model mean. `vectors` follow the store, there are `rows` of them, and
/// `gone` are the memories of it that live no more. When this is not certain the store has to be asked. Most tasks need no more than one look; before a
/// second one `meanwhile` is given the vector of the task, and may ask for the [`DEPTH`] nearest to it on a thread of its own.
pub fn is_silent(
    task: &str,
    embedder: &dyn Embedder,
    vectors: &dyn VectorIndex,
    rows: usize,
    gone: &BTreeSet<MemoryId>,
    meanwhile: impl FnOnce(&[f32]),
) -> bool {
    let plan = plan(task, RecentWork::Ordinary).for_model(embedder.model());
    let Some(calibration) = plan.calibration else {
        return true;
    };
    // The command for an act is told in whichever words, which vectors do not see.
    if !plan.acts.is_empty() {
        return false;
    }
    let Some(vector) = embedder.embed_questions(&[task]).unwrap_or_default().pop() else {
        return false;
    };
    let Some(nearest) = vectors.how_near(&vector) else {
        return rows == 0;
    };
    // Most tasks are near nothing. What is gone only makes them seem nearer.
    let nearest = f64::from(nearest.max(0.0)) + MISSED;
    let memories = rows.saturating_sub(gone.len());
    if !may_speak(nearest, &plan, memories) {
        return true;
    }
    // What is known about a file that the task may name counts for more than its words.
    if !named_files(task).is_empty() {
        return false;
    }
    meanwhile(&vector);
    let near = vectors.nearest(&vector, DEPTH, None);
    // Where too many of the nearest are gone, the search is made once more among the others.
    let is_gone = |(id, _): &&(MemoryId, f32)| gone.contains(id);
    if near.iter().filter(is_gone).count() > GONE {
        return false;
    }
    let near = near.into_iter().map(|(id, cosine)| (id, f64::from(cosine)));
    let dense = Ranked::new(Lane::Dense, near);
    let nearest = dense.hits.first().map_or(0.0, |hit| hit.score.max(0.0)) + MISSED;
    let met = Met {
        lanes: highest_with_words(&dense, &plan),
        words: plan.words.len(),
        memories,
    };
    let best = Own {
        cosine: nearest,
        near: 1.0,
        together: 1.0,
        behind: 0.0,
    };
    calibration.relevance(&met, &best) < BAR
}
