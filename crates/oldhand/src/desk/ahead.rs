//! What means the same as a question, looked for while the database is still being opened.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use oldhand_domain::port::{Embedder, VectorIndex};
use oldhand_recall::plan::DEPTH;
use oldhand_store::meaning::Meaning;

use super::vectors_beside;

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
                meaning.nearest(&vector, DEPTH, None);
            }
        };
        // Where there is no thread for it, nothing is looked for ahead.
        let _ = thread::Builder::new().spawn(look);
        Self(from)
    }

    /// The vectors, if they follow the store up to its change number `newest`.
    pub(super) fn following(&self, newest: i64) -> Option<Arc<Meaning>> {
        let (follows, meaning) = self.0.recv().ok()?;
        (follows == newest).then_some(meaning)
    }
}
