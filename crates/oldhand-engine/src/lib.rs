//! One method per thing a user can ask; the only caller of the ports.
//!
//! The engine joins the rooms: it redacts, settles, filters and ranks, and leaves files, clocks and
//! wire shapes to the doors. Time is an argument of every method that needs it. Start reading at
//! [`Engine`]; each file is one thing a user can ask.

use oldhand_domain::id::IdSource;
use oldhand_domain::port::{Embedder, MemoryStore, Surroundings, VectorIndex};

mod bury;
pub mod code_search;
mod conflict;
mod context;
mod error;
mod errors;
mod finalize;
mod follow;
pub mod handout;
mod inject;
mod keep;
mod lookup;
mod predict;
mod prune;
mod recipes;
mod redaction;
mod registers;
mod remember;
mod review;
pub mod rules;
mod search;
mod silence;
mod standing;
mod status;

pub use conflict::{contradicted, replaced};
pub use context::{Context, ContextRequest, Unsaid, Why};
pub use error::EngineError;
pub use errors::KnownFix;
pub use finalize::{
    Extent, Finalized, Finalizer, FindCommit, FindSize, FindTakenIn, IsGone, OwnTranscript,
    ReadRules, ReportLine, Scratchpad, ScratchpadUse, SessionBody, SessionReport, TakenOut, Told,
    ToldMemory, Took, Watch, is_current, name_call,
};
pub use follow::{Fate, Followed, Places, is_over};
pub use inject::{Cue, Listener, attribute, say};
pub use keep::Edit;
pub use lookup::{Kept, Shelved};
pub use predict::{CodeEvidence, PredictRequest};
pub use prune::{FindMerged, PruneMode, Pruned};
pub use recipes::KnownRecipe;
pub use redaction::{Place, Redaction, cut_draft};
pub use registers::Entering;
pub use remember::{Receipt, Refusal, Voice, Written};
pub use search::{Answer, Asked, Reasons, SearchRequest, Weak, WhyGone};
pub use silence::is_silent;
pub use standing::{KnownSince, Left, Weighed};
pub use status::Status;

/// Which store a memory lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shelf {
    /// This project's memory.
    Project,
    /// What follows the person from project to project.
    Personal,
}

impl Shelf {
    pub const ALL: [Self; 2] = [Self::Project, Self::Personal];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Personal => "personal",
        }
    }
}

/// The rooms joined: everything a door can ask of a project's memory.
#[derive(Clone, Copy)]
pub struct Engine<'a> {
    project: &'a dyn MemoryStore,
    personal: Option<&'a dyn MemoryStore>,
    embedder: &'a dyn Embedder,
    ids: &'a dyn IdSource,
    project_vectors: Option<&'a dyn VectorIndex>,
    personal_vectors: Option<&'a dyn VectorIndex>,
    surroundings: Option<&'a dyn Surroundings>,
}

impl<'a> Engine<'a> {
    /// `personal` is `None` where there is no per-user store, such as for a project shared by a server.
    pub fn new(
        project: &'a dyn MemoryStore,
        personal: Option<&'a dyn MemoryStore>,
        embedder: &'a dyn Embedder,
        ids: &'a dyn IdSource,
    ) -> Self {
        Self {
            project,
            personal,
            embedder,
            ids,
            project_vectors: None,
            personal_vectors: None,
            surroundings: None,
        }
    }

    /// The same engine that also finds by meaning. Without vectors a shelf is searched by words alone.
    #[must_use]
    pub fn with_vectors(self, shelf: Shelf, vectors: &'a dyn VectorIndex) -> Self {
        match shelf {
            Shelf::Project => Self {
                project_vectors: Some(vectors),
                ..self
            },
            Shelf::Personal => Self {
                personal_vectors: Some(vectors),
                ..self
            },
        }
    }

    /// The same engine that also knows which files belong together.
    #[must_use]
    pub fn with_surroundings(self, surroundings: &'a dyn Surroundings) -> Self {
        Self {
            surroundings: Some(surroundings),
            ..self
        }
    }

    fn vectors(&self, shelf: Shelf) -> Option<&'a dyn VectorIndex> {
        match shelf {
            Shelf::Project => self.project_vectors,
            Shelf::Personal => self.personal_vectors,
        }
    }

    fn store(&self, shelf: Shelf) -> Result<&'a dyn MemoryStore, EngineError> {
        match shelf {
            Shelf::Project => Ok(self.project),
            Shelf::Personal => self.personal.ok_or(EngineError::NoPersonalStore),
        }
    }

    /// The stores there are, the project's first.
    fn shelves(&self) -> impl Iterator<Item = (Shelf, &'a dyn MemoryStore)> {
        let personal = self.personal.map(|store| (Shelf::Personal, store));
        std::iter::once((Shelf::Project, self.project)).chain(personal)
    }
}

#[cfg(test)]
mod tests;
