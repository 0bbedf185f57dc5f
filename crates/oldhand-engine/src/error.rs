//! What the engine cannot do, said so that a person knows what to change.

use oldhand_domain::error::{EmbedError, ErrorKind, StoreError};
use oldhand_domain::id::MemoryId;
use oldhand_domain::text::InvalidText;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    #[error("no memory has the id `{0}`")]
    UnknownId(String),
    #[error("`{given}` is the beginning of {} ids", .candidates.len())]
    AmbiguousId {
        given: String,
        candidates: Vec<MemoryId>,
    },
    #[error("`{0}` is too short for an id: give at least {MIN_PREFIX} characters of it")]
    ShortId(String),
    #[error("there is no personal memory here")]
    NoPersonalStore,
    #[error("memory {0} is the person's own, not this project's: no agent changes it")]
    NotOfProject(MemoryId),
    #[error("memory {0} is not deleted")]
    NotDeleted(MemoryId),
    #[error("memory {0} is deleted")]
    Deleted(MemoryId),
    #[error(transparent)]
    Text(#[from] InvalidText),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

/// The fewest characters of an id that are looked up.
pub(crate) const MIN_PREFIX: usize = 4;

impl EngineError {
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownId(_) => ErrorKind::NotFound,
            Self::AmbiguousId { .. }
            | Self::ShortId(_)
            | Self::NoPersonalStore
            | Self::NotOfProject(_)
            | Self::NotDeleted(_)
            | Self::Deleted(_)
            | Self::Text(_) => ErrorKind::Invalid,
            Self::Store(error) => error.kind(),
            Self::Embed(_) => ErrorKind::Unavailable,
        }
    }
}
