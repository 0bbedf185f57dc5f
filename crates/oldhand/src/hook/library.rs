//! Where a hook looks things up: the handout beside the database where it can tell, else the database itself, opened once.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use oldhand_domain::filter::Filter;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::Memory;
use oldhand_domain::port::{Embedder, MemoryReader as _, MemoryStore, VectorIndex as _};
use oldhand_embed::MODELS;
use oldhand_engine::handout::ready_for;
use oldhand_engine::{Cue, Engine, Listener, Shelf};
use oldhand_recall::inject::{Fence, Line};
use oldhand_recall::plan::DEPTH;
use oldhand_recall::trust::TrustLevel;
use oldhand_store::handout::Handout;
use oldhand_store::meaning::{Meaning, find_fullest};
use oldhand_store::{Mode, RamStore, SqliteStore};

use super::known;
use crate::config::{Environment, Personal, Settings};
use crate::desk::vectors_beside;
use crate::ids::Ids;
use crate::project::{Head, Project};
use crate::trust;

pub(super) struct Library<'a> {
    settings: &'a Settings,
    environment: &'a Environment,
    ids: Ids,
    project: Place,
    personal: Place,
    branch: Option<String>,
}

impl<'a> Library<'a> {
    pub(super) fn open(
        project: &Project,
        settings: &'a Settings,
        environment: &'a Environment,
    ) -> Self {
        Self {
            ids: Ids::new(environment.seed, environment.now),
            project: Place::new(project.database()),
            personal: Place::new(environment.personal_database()),
            branch: Head::branch(&project.location),
            settings,
            environment,
        }
    }

    /// What may be said on a cue, best first; `None` where nothing can be looked up.
    pub(super) fn recall(&self, cue: &Cue, session: &SessionId) -> Option<Vec<Line>> {
        let listener = |level| Listener {
            session,
            branch: self.branch.as_deref(),
            level,
            now: self.environment.now,
        };
        let chosen = self.settings.embedder();
        let current = match cue {
            Cue::Asked(_) => self.current_meaning(),
            _ => None,
        };
        if let Cue::Asked(task) = cue
            && let Some((meaning, gone)) = &current
        {
            let (vectors, rows) = (meaning.as_ref(), meaning.rows());
            // A task that is near to something is mostly answered: the database is opened while the nearest are looked for.
            let meanwhile = |question: &[f32]| {
                look_for_nearest(meaning, question);
                self.project.store();
            };
            if oldhand_engine::is_silent(task, chosen, vectors, rows, gone, meanwhile) {
                return Some(Vec::new());
            }
        }
        if let Some((memories, level)) = self.ready(cue) {
            if memories.is_empty() && !wants_personal(cue) {
                return Some(Vec::new());
            }
            let project: RamStore = memories.into_iter().collect();
            let personal = self.personal(cue);
            let engine = self.engine(&project, personal.as_ref().map(Personally::store));
            return engine.recall_for(cue, listener(level)).ok();
        }
        let store = self.project.store()?;
        let level = trust::level(self.settings, Some(store));
        let personal = self.personal(cue);
        let (model, meaning) = match current {
            Some((meaning, _)) => (chosen, Some(meaning)),
            None => self.any_meaning(store, cue),
        };
        let personal = personal.as_ref().map(Personally::store);
        let mut engine = Engine::new(store, personal, model, &self.ids);
        if let Some(meaning) = &meaning {
            engine = engine.with_vectors(Shelf::Project, meaning.as_ref());
        }
        let mut lines = engine.recall_for(cue, listener(level)).ok()?;
        known::add_fix(&engine, store, listener(level), cue, &mut lines);
        Some(lines)
    }

    /// The vectors of the chosen model and the memories that live no more; `None` where it is not certain that they follow the database.
    fn current_meaning(&self) -> Option<(Arc<Meaning>, BTreeSet<MemoryId>)> {
        let (newest, gone) = self.project.handout()?.newest()?;
        let folder = vectors_beside(&self.project.database);
        let meaning = Meaning::following(&folder, self.settings.embedder(), newest)?;
        Some((meaning, gone))
    }

    /// The vectors there are for a cue, and the model that made them. While those of a newly chosen model are made, those of the one before
    /// answer.
    fn any_meaning(
        &self,
        store: &SqliteStore,
        cue: &Cue,
    ) -> (&'static dyn Embedder, Option<Arc<Meaning>>) {
        let chosen = self.settings.embedder();
        let folder = vectors_beside(store.path());
        let models = || std::iter::once(chosen).chain(MODELS);
        let is_asked = matches!(cue, Cue::Asked(_));
        let fullest = is_asked.then(|| find_fullest(store, &folder, models()));
        match fullest.flatten() {
            Some(model) => (model, Some(Arc::new(Meaning::as_it_is(&folder, model)))),
            None => (chosen, None),
        }
    }

    /// What these memories of the project say; nothing of those that cannot be read.
    pub(super) fn texts(&self, ids: &[MemoryId]) -> Vec<String> {
        let read = || self.project.store()?.read(ids, &Filter::default()).ok();
        let listing = if ids.is_empty() { None } else { read() };
        let memories = listing.unwrap_or_default().memories.into_iter();
        memories.map(|memory| memory.content.to_string()).collect()
    }

    /// Leaves the databases open: closing them takes longer than ending with them open, and an agent waits.
    pub(super) fn leave(self) {
        let places = [self.project, self.personal].into_iter();
        let opened = places.filter_map(|place| place.store.into_inner().flatten());
        opened.for_each(SqliteStore::leave_open);
    }

    /// A mark that nobody could know.
    pub(super) fn fence(&self) -> Fence {
        self.engine(&RamStore::new(), None).fence()
    }

    fn engine<'e>(
        &'e self,
        project: &'e dyn MemoryStore,
        personal: Option<&'e dyn MemoryStore>,
    ) -> Engine<'e> {
        Engine::new(project, personal, self.settings.embedder(), &self.ids)
    }

    /// What the handout tells about a cue, with the level that holds; `None` where only the database can tell.
    fn ready(&self, cue: &Cue) -> Option<(Vec<Memory>, TrustLevel)> {
        let handout = self.project.handout()?;
        let memories = ready_for(cue, |key| handout.answer(key))?;
        let level = match self.settings.trust {
            Some(level) => level,
            None if memories.is_empty() && !wants_personal(cue) => TrustLevel::default(),
            None => trust::handed_out(handout)?,
        };
        Some((memories, level))
    }

    /// What follows the person from project to project, where it is wanted and can be read.
    fn personal(&self, cue: &Cue) -> Option<Personally<'_>> {
        if self.settings.personal != Personal::Included || !wants_personal(cue) {
            return None;
        }
        let handed_out = self.personal.handout().and_then(|handout| {
            let memories = ready_for(cue, |key| handout.answer(key))?;
            Some(Personally::Ready(memories.into_iter().collect()))
        });
        handed_out.or_else(|| self.personal.store().map(Personally::Database))
    }
}

/// Begins to look for the nearest to a question on a thread of its own. Whoever asks the same waits for what it finds, or looks where there is no thread.
fn look_for_nearest(meaning: &Arc<Meaning>, question: &[f32]) {
    meaning.expect(question, DEPTH);
    let (meaning, question) = (Arc::clone(meaning), question.to_owned());
    let look = move || meaning.nearest(&question, DEPTH, None);
    let _ = thread::Builder::new().spawn(look);
}

/// What follows a person is said in the brief and nowhere else.
fn wants_personal(cue: &Cue) -> bool {
    matches!(cue, Cue::SessionStarted | Cue::ContextCompacted)
}

/// The person's own memories, wherever they were found.
enum Personally<'a> {
    Ready(RamStore),
    Database(&'a SqliteStore),
}

impl Personally<'_> {
    fn store(&self) -> &dyn MemoryStore {
        match self {
            Self::Ready(store) => store,
            Self::Database(store) => *store,
        }
    }
}

/// A database and its handout, each opened when it is first needed.
struct Place {
    database: PathBuf,
    handout: OnceCell<Option<Handout>>,
    store: OnceCell<Option<SqliteStore>>,
}

impl Place {
    fn new(database: PathBuf) -> Self {
        Self {
            database,
            handout: OnceCell::new(),
            store: OnceCell::new(),
        }
    }

    fn handout(&self) -> Option<&Handout> {
        let open = || Handout::open(&self.database);
        self.handout.get_or_init(open).as_ref()
    }

    fn store(&self) -> Option<&SqliteStore> {
        self.store.get_or_init(|| open(&self.database)).as_ref()
    }
}

/// `None` where there is no database, or none that can be read now.
fn open(path: &Path) -> Option<SqliteStore> {
    path.exists()
        .then(|| SqliteStore::open(path, Mode::Once).ok())
        .flatten()
}
