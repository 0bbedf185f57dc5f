//! A finished session, as the store keeps it.

use jiff::Timestamp;

use crate::error::StoreError;
use crate::id::SessionId;

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
}

/// Where finished sessions live. The same promises as for memories: an `Ok` is on disk.
pub trait SessionStore: Send + Sync {
    /// Saves a record in place of the one with the same id.
    fn save_session(&self, record: &SessionRecord) -> Result<(), StoreError>;

    fn session(&self, id: &SessionId) -> Result<Option<SessionRecord>, StoreError>;

    /// Every record, oldest start first.
    fn sessions(&self) -> Result<Vec<SessionRecord>, StoreError>;

    /// Sessions whose id begins with `prefix`, at most 20.
    fn find_sessions(&self, prefix: &str) -> Result<Vec<SessionId>, StoreError>;

    /// Removes a record; one that is not there is removed already.
    fn remove_session(&self, id: &SessionId) -> Result<(), StoreError>;
}
