//! Which memories a question is about.

use jiff::Timestamp;

use crate::confidence::Confidence;
use crate::id::SessionId;
use crate::path::ProjectPath;
use crate::payload::MemoryType;
use crate::text::{Fingerprint, ModuleName, Tag};
use crate::vocabulary::{Scope, Source};

/// All conditions hold together; an empty list asks nothing. Within a list, any one is enough.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    pub state: State,
    pub types: Vec<MemoryType>,
    pub sources: Vec<Source>,
    pub scopes: Vec<Scope>,
    pub tags: Vec<Tag>,
    /// The memory names one of these files, or a file below one of these folders.
    pub files: Vec<ProjectPath>,
    /// The memory names one of these modules, or something at or below one of the places that are theirs.
    pub modules: Vec<ModuleName>,
    pub module_places: Vec<ProjectPath>,
    pub fingerprints: Vec<Fingerprint>,
    pub session: Option<SessionId>,
    pub branch: Option<String>,
    pub at_least: Option<Sure>,
    pub created_since: Option<Timestamp>,
    pub created_until: Option<Timestamp>,
    pub only: Vec<Only>,
    pub limit: Option<usize>,
}

/// The confidence that must be left of a memory at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sure {
    pub confidence: Confidence,
    pub at: Timestamp,
}

/// Which part of a memory's life is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Neither deleted nor replaced, stale or not.
    #[default]
    Live,
    /// Deleted and not yet erased.
    Deleted,
    /// Everything there is.
    Any,
}

/// Marks a memory must carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    NeedsReview,
    Pinned,
    Flagged,
    Stale,
    Verified,
}

/// Words to look for.
#[derive(Clone, Debug, PartialEq)]
pub struct TextQuery {
    pub text: String,
    pub filter: Filter,
    pub limit: usize,
}
