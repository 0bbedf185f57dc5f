//! The vectors of a desk's shelves: kept up with the memories, and given to the engine.

use std::sync::Arc;

use oldhand_domain::id::MemoryId;
use oldhand_domain::port::Embedder;
use oldhand_embed::MODELS;
use oldhand_engine::{Engine, Shelf};
use oldhand_store::SqliteStore;
use oldhand_store::meaning::{self, Meaning};

use super::ahead::Ahead;
use super::{Desk, vectors_beside};
use crate::code::surroundings::KnownCode;
use crate::job;
use crate::out::time::count;
use crate::out::{Out, Waiting};

/// The vectors of each shelf that has a database, and which files belong together.
pub(crate) struct Meanings {
    /// What made them, and has to make those of questions.
    embedder: &'static dyn Embedder,
    /// How many changes of memories they do not follow yet.
    pub(crate) behind: usize,
    project: Option<Arc<Meaning>>,
    personal: Option<Arc<Meaning>>,
    code: KnownCode,
}

impl Meanings {
    /// Says so where an answer had to do without some of them.
    pub(crate) fn tell_damage(&self, out: &Out) {
        let mut all = self.project.iter().chain(&self.personal);
        if all.any(|meaning| meaning.is_damaged()) {
            out.note("some vectors are damaged or cannot be read: what they are about was found by its words only");
            out.hint("ask again: the next question makes them anew; `oldhand doctor` counts those that stay damaged");
        }
    }
}

impl Desk {
    /// The vectors of every shelf, up to date as far as they can be brought while somebody waits. While those of a newly chosen model are
    /// made, those of the one before answer.
    pub(crate) fn meanings(&self, out: &Out) -> Meanings {
        let chosen = self.settings.embedder();
        if let Some(current) = self.current_meanings(chosen) {
            return current;
        }
        let missing = self.behind(chosen);
        let are_few = missing <= meaning::FEW || self.project.is_none();
        let serving = if are_few { chosen } else { self.serving() };
        if !are_few {
            self.read_in_background(missing, out);
        }
        let keep_up = |store: &SqliteStore| {
            let folder = vectors_beside(store.path());
            if !are_few && meaning::behind(store, &folder, serving) > meaning::FEW {
                return Arc::new(Meaning::as_it_is(&folder, serving));
            }
            let _waiting = Waiting::new("reading new memories");
            let meaning = Meaning::keep_up(store, &folder, serving);
            if meaning.embedded > 0 {
                meaning::drop_unknown(&folder, &MODELS);
            }
            if let Some(why) = &meaning.lag {
                out.note(&format!("search by meaning is not up to date: {why}"));
            }
            Arc::new(meaning)
        };
        let project = self.store.as_ref().map(keep_up);
        let personal = self.personal.as_ref().map(keep_up);
        let lags = |meaning: &Option<Arc<Meaning>>| {
            meaning
                .as_ref()
                .is_some_and(|meaning| meaning.lag.is_some())
        };
        let behind = if !are_few || lags(&project) || lags(&personal) {
            self.behind(serving)
        } else {
            0
        };
        Meanings {
            embedder: serving,
            behind,
            project,
            personal,
            code: KnownCode::of(self.project.as_ref(), &self.settings),
        }
    }

    /// The vectors of every shelf, where none is behind: nearly always.
    fn current_meanings(&self, embedder: &'static dyn Embedder) -> Option<Meanings> {
        let follow = |store: &Option<SqliteStore>, ahead: Option<&Ahead>| match store {
            None => Some(None),
            Some(store) => {
                let newest = store.newest_change().ok()?;
                let folder = vectors_beside(store.path());
                let open = || Meaning::following(&folder, embedder, newest);
                let ahead = ahead.and_then(|ahead| ahead.following(newest));
                ahead.or_else(open).map(Some)
            }
        };
        Some(Meanings {
            embedder,
            behind: 0,
            project: follow(&self.store, self.ahead.as_ref())?,
            personal: follow(&self.personal, None)?,
            code: KnownCode::of(self.project.as_ref(), &self.settings),
        })
    }

    /// How many changes of memories the vectors of this model do not follow yet.
    pub(crate) fn behind(&self, embedder: &dyn Embedder) -> usize {
        let behind =
            |store: &SqliteStore| meaning::behind(store, &vectors_beside(store.path()), embedder);
        self.stores().map(behind).max().unwrap_or_default()
    }

    /// The model whose vectors answer: the chosen one, unless nearly all of its vectors are missing and another's are there.
    pub(crate) fn serving(&self) -> &'static dyn Embedder {
        let chosen = self.settings.embedder();
        let is_there = |model: &&'static dyn Embedder| self.behind(*model) <= meaning::FEW;
        std::iter::once(chosen)
            .chain(MODELS)
            .find(is_there)
            .unwrap_or(chosen)
    }

    /// Lets a job make the vectors of the chosen model, and says so. One is enough, whoever asks for it; behind another it waits.
    pub(super) fn read_in_background(&self, missing: usize, out: &Out) {
        let Some(project) = &self.project else {
            return;
        };
        let build = ["model", "build"];
        let running = job::look(&project.directory).running;
        let is_at_it = running.is_some_and(|running| running.arguments == build);
        if is_at_it || job::start(&self.home, project, &build).is_ok() {
            let number = count(missing, "change");
            out.note(&format!(
                "search by meaning is not up to date: {number} to read, which goes on in the background"
            ));
        }
    }

    /// The engine that also finds by meaning.
    pub(crate) fn engine_with<'a>(&'a self, meanings: &'a Meanings) -> Engine<'a> {
        let mut engine = self
            .engine_by(meanings.embedder)
            .with_surroundings(&meanings.code);
        for (shelf, meaning) in [
            (Shelf::Project, &meanings.project),
            (Shelf::Personal, &meanings.personal),
        ] {
            if let Some(meaning) = meaning {
                engine = engine.with_vectors(shelf, meaning.as_ref());
            }
        }
        engine
    }

    /// Takes the vector of an erased memory out of its file. What cannot be taken out now goes when the file is next brought
    /// up to date; a file that nobody brings up to date goes as a whole.
    pub(crate) fn forget_meaning(&self, shelf: Shelf, id: MemoryId, out: &Out) {
        let Some(store) = self.store(shelf) else {
            return;
        };
        let folder = vectors_beside(store.path());
        meaning::drop_unknown(&folder, &MODELS);
        for model in MODELS {
            let Err(error) = meaning::forget(&folder, model, &[id]) else {
                continue;
            };
            let answers = [self.settings.embedder(), self.serving()];
            if answers.iter().all(|one| one.model() != model.model()) {
                meaning::drop_vectors(&folder, model);
            } else {
                out.note(&format!("its vector goes with the next search: {error}"));
            }
        }
    }
}
