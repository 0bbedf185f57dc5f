//! What means the same as a question, looked for while the database is still being opened.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use oldhand_domain::port::{Embedder, VectorIndex};
use oldhand_recall::plan::DEPTH;
use oldhand_store::meaning::Meaning;

use super::vectors_beside;
use crate::processors::{processors, spawn_beside};

/// Vectors that are already being asked.
pub(super) struct Ahead(Receiver<(i64, Arc<Meaning>)>);

impl Ahead {
    /// Opens the vectors beside `database` and asks them, on a thread of its own. They remember what they found for whoever asks the same.
    pub(super) fn start(database: &Path, embedder: &'static dyn Embedder, question: &str) -> Self {
        let (folder, question) = (vectors_beside(database), question.to_owned());
        let (to, from) = channel();
        let look = move || {
            let Some((follows, meaning)) = Meaning::with_follows(&folder, embedder) else {
                return;
            };
            let asked = embedder.embed(&[&question]).unwrap_or_default().pop();
            if let Some(vector) = &asked {
                meaning.expect(vector, DEPTH);
            }
            if to.send((follows, Arc::clone(&meaning))).is_ok()
                && let Some(vector) = asked
            {
                call_others(&meaning, &vector);
                meaning.nearest(&vector, DEPTH, None);
                meaning.let_go();
            }
        };
        // Where there is no thread for it, nothing is looked for ahead.
        let _ = spawn_beside(look);
        Self(from)
    }

    /// The vectors, if they follow the store up to its change number `newest`.
    pub(super) fn following(&self, newest: i64) -> Option<Arc<Meaning>> {
        let (follows, meaning) = self.0.recv().ok()?;
        (follows == newest).then_some(meaning)
    }
}

/// So many vectors are worth one more who looks through them.
const ROWS_FOR_ONE: usize = 40_000;
/// More than this wait for memory.
const MOST_OTHERS: usize = 2;

/// Lets others help who ask the same, where there are processors for them: one is this thread's, and one belongs to whoever waits for the answer.
fn call_others(meaning: &Arc<Meaning>, question: &[f32]) {
    let most = (meaning.rows() / ROWS_FOR_ONE).min(MOST_OTHERS);
    if most == 0 {
        return;
    }
    for _ in 0..most.min(processors().saturating_sub(2)) {
        let (meaning, question) = (Arc::clone(meaning), question.to_owned());
        let _ = spawn_beside(move || meaning.nearest(&question, DEPTH, None));
    }
}
