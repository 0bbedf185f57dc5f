//! Forgetting: the bytes leave the tables, the index, the log and the backups.
//!
//! Freed space is overwritten by SQLite (`secure_delete`) and by the index ('secure-delete'); what is left is
//! the log, which is emptied, and the backups, which are rewritten. Until all of that is done the ids stay in
//! `meta`, so that whoever opens the database next goes on with it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use oldhand_domain::error::StoreError;
use oldhand_domain::id::{MemoryId, SessionId};
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};
use serde::{Deserialize, Serialize};

use super::backup;
use super::failure::translate;
use super::files;
use super::patience::Patience;
use super::{SqliteStore, index, meta, open, schema, session};

/// How long to wait for readers before the log is left for later.
const WAIT_FOR_READERS: Duration = Duration::from_secs(2);
const PENDING: &str = "pending_erasure";
const DOING: &str = "erase memories";
/// The first schema that has sessions.
const SESSIONS_SINCE: u32 = 2;

/// What is out of the tables, and may still lie elsewhere.
#[derive(Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Pending {
    pub(super) memories: Vec<MemoryId>,
    pub(super) sessions: Vec<SessionId>,
}

impl SqliteStore {
    /// Memories whose bytes may still lie in the log or in a backup, because something was in the way.
    pub fn pending_erasure(&self) -> Result<Vec<MemoryId>, StoreError> {
        pending(&*self.lock()?)
            .map(|pending| pending.memories)
            .map_err(|error| translate(self.path(), DOING, error))
    }

    /// Goes on with erasures that could not be finished. Whether nothing is left to do.
    pub fn finish_erasing(&self) -> Result<bool, StoreError> {
        finish(&mut *self.lock()?, self.path())
    }
}

/// What was erased, read before a backup takes the place of the tables: the backup may not know of it.
pub(super) struct Gone {
    pending: Pending,
    tombstones: Vec<[u8; 32]>,
}

impl Gone {
    pub(super) fn read(connection: &Connection) -> Self {
        Self {
            pending: pending(connection).unwrap_or_default(),
            tombstones: session::readable_tombstones(connection),
        }
    }

    pub(super) fn apply(&self, connection: &Connection) -> rusqlite::Result<()> {
        if !self.pending.memories.is_empty() {
            remove_all(connection, &self.pending.memories)?;
        }
        for id in &self.pending.sessions {
            remove_session(connection, id)?;
        }
        self.tombstones
            .iter()
            .try_for_each(|hash| session::put_tombstone(connection, hash))
    }
}

/// What is out of the tables for good and may still be in a backup.
pub(super) fn leaving(connection: &Connection) -> rusqlite::Result<Pending> {
    pending(connection)
}

/// Takes the memories out of the tables and notes what is left to do; returns how many there were.
pub(super) fn remove_all(connection: &Connection, ids: &[MemoryId]) -> rusqlite::Result<usize> {
    let mut erased = 0;
    for id in ids {
        erased += usize::from(remove(connection, *id)?);
    }
    note(connection, |pending| pending.memories.extend(ids))?;
    Ok(erased)
}

/// Takes a session out of its table and notes what is left to do.
pub(super) fn remove_session(connection: &Connection, id: &SessionId) -> rusqlite::Result<()> {
    delete_session(connection, id)?;
    note(connection, |pending| pending.sessions.push(id.clone()))
}

fn delete_session(connection: &Connection, id: &SessionId) -> rusqlite::Result<()> {
    connection
        .prepare_cached("delete from session where id = ?1")?
        .execute([id.as_str()])?;
    Ok(())
}

fn note(connection: &Connection, add: impl FnOnce(&mut Pending)) -> rusqlite::Result<()> {
    let mut pending = pending(connection)?;
    add(&mut pending);
    let text = serde_json::to_string(&pending).expect("lists of ids always serialise");
    meta::write(connection, PENDING, &text)
}

/// Whether there was such a memory.
pub(super) fn remove(connection: &Connection, id: MemoryId) -> rusqlite::Result<bool> {
    let id = id.to_string();
    connection
        .prepare_cached("delete from quarantine where id = ?1")?
        .execute([&id])?;
    let key: Option<i64> = connection
        .prepare_cached("select key from memory where id = ?1")?
        .query_row([&id], |row| row.get(0))
        .optional()?;
    let Some(key) = key else {
        return Ok(false);
    };
    index::remove(connection, key)?;
    connection
        .prepare_cached("delete from memory where key = ?1")?
        .execute([key])?;
    Ok(true)
}

fn pending(connection: &Connection) -> rusqlite::Result<Pending> {
    let text = meta::read(connection, PENDING)?;
    // What is not a list any more cannot be gone on with; the memories themselves are out of the tables.
    Ok(text
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default())
}

/// Whether nothing is left to do.
pub(super) fn finish(connection: &mut Connection, database: &Path) -> Result<bool, StoreError> {
    let fail = |error| translate(database, DOING, error);
    let left = pending(connection).map_err(fail)?;
    if left == Pending::default() {
        return Ok(true);
    }
    if !empty_log(connection).map_err(fail)? {
        return Ok(false);
    }
    // A backup that is being made right now may still hold what is erased: it is waited for.
    let _lock = backup::lock(database)?;
    for backup in backup::list(database)? {
        scrub(&backup.path, &left)?;
    }
    remove_damaged_copies(database)?;
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(fail)?;
    // Another process may have erased more in the meantime.
    if pending(&transaction).map_err(fail)? == left {
        meta::remove(&transaction, PENDING).map_err(fail)?;
    }
    transaction.commit().map_err(fail)?;
    Ok(true)
}

/// Moves the log into the file and cuts it to nothing. `false` when readers still need it.
fn empty_log(connection: &mut Connection) -> rusqlite::Result<bool> {
    connection.busy_handler(Some(Patience::handler(WAIT_FOR_READERS)))?;
    let busy = connection.query_row("pragma wal_checkpoint(truncate)", [], |row| {
        row.get::<_, bool>(0)
    });
    connection.busy_handler(Some(Patience::handler(Patience::longest())))?;
    busy.map(|busy| !busy)
}

/// Takes what is erased out of a backup; a backup that cannot be rewritten goes altogether.
fn scrub(path: &Path, erased: &Pending) -> Result<(), StoreError> {
    let rewritten = backup::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .map_err(|error| translate(path, DOING, error))
        .and_then(|mut connection| rewrite(&mut connection, path, erased));
    match rewritten {
        Err(error @ (StoreError::Busy { .. } | StoreError::DiskFull { .. })) => Err(error),
        Err(_) => files::remove(path).map_err(|error| files::translate(path, DOING, error)),
        Ok(()) => Ok(()),
    }
}

/// A backup of an older schema has the same tables as far as this goes; where it has not, this fails.
fn rewrite(connection: &mut Connection, path: &Path, erased: &Pending) -> Result<(), StoreError> {
    let fail = |error| translate(path, DOING, error);
    let found = open::recognise(connection, path, schema::STEPS)?;
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(fail)?;
    for id in &erased.memories {
        remove(&transaction, *id).map_err(fail)?;
    }
    if found >= SESSIONS_SINCE {
        for id in &erased.sessions {
            delete_session(&transaction, id).map_err(fail)?;
        }
    }
    transaction.commit().map_err(fail)
}

/// Files that `repair` put aside hold everything, and nothing can be taken out of a broken file.
fn remove_damaged_copies(database: &Path) -> Result<(), StoreError> {
    let fail = |error| files::translate(database, DOING, error);
    let (Some(folder), Some(name)) = (database.parent(), database.file_name()) else {
        return Ok(());
    };
    let name = name.to_string_lossy();
    // However whoever put it aside has spelled it.
    let starts = ["-", "."].map(|mark| format!("{name}{mark}damaged-"));
    for entry in fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if starts.iter().any(|start| name.starts_with(start)) {
            files::remove(&entry.path()).map_err(fail)?;
        }
    }
    Ok(())
}
