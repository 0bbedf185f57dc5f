//! What can go wrong at a port: text for people, a kind for branching.

use std::path::PathBuf;

use crate::id::MemoryId;

/// What a caller can do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The thing asked for is not there.
    NotFound,
    /// The request cannot be carried out as it is.
    Invalid,
    /// Nothing is wrong with the request: the disk, a lock or a permission is in the way.
    Unavailable,
    /// What is stored is damaged.
    Damaged,
}

pub type Cause = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    #[error("memory {0} does not exist")]
    NoSuchMemory(MemoryId),
    #[error("memory {0} is damaged: its words are not the ones that were written")]
    DamagedMemory(MemoryId),
    #[error("database {path} is damaged: {detail}")]
    DamagedDatabase { path: PathBuf, detail: String },
    #[error(
        "database {path} was written by a newer Oldhand (schema {found}, this one knows {known})"
    )]
    NewerSchema {
        path: PathBuf,
        found: u32,
        known: u32,
    },
    #[error("database {path} is busy")]
    Busy { path: PathBuf },
    #[error("the disk is full: could not {doing}")]
    DiskFull { doing: &'static str },
    #[error("{path} cannot be written: could not {doing}")]
    ReadOnly { path: PathBuf, doing: &'static str },
    #[error("could not {doing}")]
    Backend { doing: &'static str, source: Cause },
}

impl StoreError {
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchMemory(_) => ErrorKind::NotFound,
            Self::NewerSchema { .. } => ErrorKind::Invalid,
            Self::Busy { .. }
            | Self::DiskFull { .. }
            | Self::ReadOnly { .. }
            | Self::Backend { .. } => ErrorKind::Unavailable,
            Self::DamagedMemory(_) | Self::DamagedDatabase { .. } => ErrorKind::Damaged,
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    #[error("embedding model {model} gave {found} dimensions, {wanted} were asked for")]
    Dimensions {
        model: String,
        found: usize,
        wanted: usize,
    },
    #[error("embedding model {model} did not answer")]
    Unavailable { model: String, source: Cause },
}
