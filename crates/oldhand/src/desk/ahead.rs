//! What means the same as a question, looked for while the project is still being found and its database opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use oldhand_domain::port::{Embedder, VectorIndex};
use oldhand_embed::MODELS;
use oldhand_recall::plan::DEPTH;
use oldhand_store::meaning::Meaning;

use super::vectors_beside;
use crate::processors::{processors, spawn_beside};

/// A question that somebody is at before it is known which vectors will be asked.
pub(crate) struct Early {
    place: Sender<(PathBuf, &'static dyn Embedder)>,
    from: Receiver<(i64, Arc<Meaning>)>,
}

impl Early {
    /// Begins with the question on a thread of its own: what it means to the usual model is nearly always what it means here.
    pub(crate) fn start(question: &str) -> Self {
        let question = question.to_owned();
        let (place, told) = channel::<(PathBuf, &'static dyn Embedder)>();
        let (to, from) = channel();
        let look = move || {
            let usual = MODELS[0];
            let embed = |model: &dyn Embedder| {
                model
                    .embed_questions(&[&question])
                    .unwrap_or_default()
                    .pop()
            };
            let mut asked = embed(usual);
            let Ok((folder, embedder)) = told.recv() else {
                return;
            };
            let Some((follows, meaning)) = Meaning::with_follows(&folder, embedder) else {
                return;
            };
            if embedder.model() != usual.model() {
                asked = embed(embedder);
            }
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
        Self { place, from }
    }

    /// Has the vectors beside `database` opened and asked. They remember what they found for whoever asks the same.
    pub(super) fn ask(self, database: &Path, embedder: &'static dyn Embedder) -> Ahead {
        // Who is not there does not hear it, and is not waited for.
        let _ = self.place.send((vectors_beside(database), embedder));
        Ahead(self.from)
    }
}

/// Vectors that are already being asked.
pub(super) struct Ahead(Receiver<(i64, Arc<Meaning>)>);

impl Ahead {
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
