//! A finished session, as the store keeps it.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::error::StoreError;
use crate::id::{MemoryId, SessionId};
use crate::memory::Memory;
use crate::port::MemoryReader;

/// What stays of a session once it is finalized. Everything learned across sessions is a fold over these, so that replaying a
/// session replaces its record and changes nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    pub id: SessionId,
    pub client: String,
    pub started_at: Timestamp,
    pub ended_at: Timestamp,
    pub finalized_at: Timestamp,
    /// Of the journal it was made from: the same digest need not be finalized again.
    pub digest: String,
    /// What the observer keeps of it; JSON whose shape is the observer's own.
    pub body: String,
    /// What was promoted and why the rest was not; JSON whose shape is the observer's own.
    pub report: String,
    /// The errors it met, without what changes between runs: it is found by each of them.
    pub errors: BTreeSet<String>,
}

/// What finalizing a session leaves behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    pub record: SessionRecord,
    /// Memories that are new or changed.
    pub memories: Vec<Memory>,
    /// Memories that were used and are otherwise as they were, each with when.
    pub used: Vec<(MemoryId, Timestamp)>,
}

/// Reads, decides, and says what a session leaves behind.
pub type Finish<'a> = dyn FnMut(&dyn MemoryReader) -> Result<Finished, StoreError> + 'a;

/// Stands for something that was erased: enough to recognise it when a journal tells it again, too little to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tombstone([u8; 32]);

impl Tombstone {
    /// Of what a memory said; case and spaces do not matter.
    pub fn of_words(content: &str) -> Self {
        let words: Vec<String> = content.split_whitespace().map(str::to_lowercase).collect();
        Self::of("words", &words.join(" "))
    }

    /// Of the key of the candidate that became the memory: a later session would word it otherwise.
    pub fn of_key(key: &str) -> Self {
        Self::of("key", key)
    }

    /// Of a session that a person discarded: its transcript may tell it again.
    pub fn of_session(id: &SessionId) -> Self {
        Self::of("session", id.as_str())
    }

    fn of(kind: &str, text: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(kind.as_bytes());
        hasher.update(&[0]);
        hasher.update(text.as_bytes());
        Self(*hasher.finalize().as_bytes())
    }

    /// As [`Self::bytes`] told it.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Where finished sessions live. The same promises as for memories: an `Ok` is on disk.
pub trait SessionStore: Send + Sync {
    /// Asks `plan` what to save, in one transaction with what it reads, and saves the record, in place of the one with the
    /// same id, all memories and all uses, or nothing.
    fn finish_session(&self, plan: &mut Finish<'_>) -> Result<(), StoreError>;

    /// Saves a record that taught nothing.
    fn save_session(&self, record: &SessionRecord) -> Result<(), StoreError> {
        self.finish_session(&mut |_| {
            Ok(Finished {
                record: record.clone(),
                memories: Vec::new(),
                used: Vec::new(),
            })
        })
    }

    /// Saves a record whose old words must not stay in any file of the store, backups included.
    fn rewrite_session(&self, record: &SessionRecord) -> Result<(), StoreError>;

    fn session(&self, id: &SessionId) -> Result<Option<SessionRecord>, StoreError>;

    /// Every record, oldest start first.
    fn sessions(&self) -> Result<Vec<SessionRecord>, StoreError>;

    /// Sessions whose id begins with `prefix`, at most 20.
    fn find_sessions(&self, prefix: &str) -> Result<Vec<SessionId>, StoreError>;

    /// Sessions that met an error, newest first, at most `limit`.
    fn sessions_with_error(
        &self,
        error: &str,
        limit: usize,
    ) -> Result<Vec<SessionRecord>, StoreError>;

    /// Notes what was erased, so that no session teaches it again.
    fn bury(&self, erased: &[Tombstone]) -> Result<(), StoreError>;

    fn is_buried(&self, tombstone: &Tombstone) -> Result<bool, StoreError>;

    /// Removes a record; one that is not there is removed already.
    fn remove_session(&self, id: &SessionId) -> Result<(), StoreError>;
}
