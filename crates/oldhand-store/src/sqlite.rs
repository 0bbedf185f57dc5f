//! Memories in a SQLite file: one connection, many processes.

mod failure;
mod index;
mod load;
mod open;
mod reader;
mod save;
mod schema;
mod search;
mod select;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::Memory;
use oldhand_domain::port::{Counts, Found, Listing, MemoryReader, MemoryStore, Plan};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

pub use open::Mode;

use failure::translate;
use reader::Reader;

/// One database file.
pub struct SqliteStore {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl SqliteStore {
    /// Opens the database at `path`. Opening to write makes it, with its folders, when there is none.
    pub fn open(path: &Path, mode: Mode) -> Result<Self, StoreError> {
        let connection = open::open(path, mode, schema::STEPS)?;
        Ok(Self {
            path: path.to_owned(),
            connection: Mutex::new(connection),
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A panic while the lock was held rolled its transaction back; the connection is as good as before.
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Several statements, one moment: nothing another process does comes in between.
    fn read<T>(
        &self,
        doing: &'static str,
        look: impl FnOnce(&dyn MemoryReader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let connection = self.lock();
        let fail = |error| translate(&self.path, doing, error);
        let transaction = connection.unchecked_transaction().map_err(fail)?;
        let answer = look(&Reader {
            connection: &transaction,
            path: &self.path,
        })?;
        transaction.finish().map_err(fail)?;
        Ok(answer)
    }

    fn write<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = self.lock();
        let fail = |error| translate(&self.path, doing, error);
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(fail)?;
        let answer = work(&transaction)?;
        transaction.commit().map_err(fail)?;
        Ok(answer)
    }
}

impl MemoryReader for SqliteStore {
    fn get(&self, id: MemoryId) -> Result<Option<Memory>, StoreError> {
        self.read("read a memory", |reader| reader.get(id))
    }

    fn find(&self, prefix: &str) -> Result<Vec<MemoryId>, StoreError> {
        self.read("look up an id", |reader| reader.find(prefix))
    }

    fn list(&self, filter: &Filter) -> Result<Listing, StoreError> {
        self.read("list memories", |reader| reader.list(filter))
    }

    fn search(&self, query: &TextQuery) -> Result<Found, StoreError> {
        self.read("search memories", |reader| reader.search(query))
    }

    fn learned_in(&self, session: &SessionId) -> Result<usize, StoreError> {
        self.read("count a session's memories", |reader| {
            reader.learned_in(session)
        })
    }

    fn counts(&self) -> Result<Counts, StoreError> {
        self.read("count memories", |reader| reader.counts())
    }
}

impl MemoryStore for SqliteStore {
    fn change(&self, plan: &mut Plan<'_>) -> Result<(), StoreError> {
        const DOING: &str = "save memories";
        self.write(DOING, |transaction| {
            let memories = plan(&Reader {
                connection: transaction,
                path: &self.path,
            })?;
            memories
                .iter()
                .try_for_each(|memory| save::save(transaction, memory))
                .map_err(|error| translate(&self.path, DOING, error))
        })
    }

    fn erase(&self, ids: &[MemoryId]) -> Result<usize, StoreError> {
        const DOING: &str = "erase memories";
        let fail = |error| translate(&self.path, DOING, error);
        let erased = self.write(DOING, |transaction| {
            let mut erased = 0;
            for id in ids {
                erased += usize::from(remove(transaction, *id).map_err(fail)?);
            }
            Ok(erased)
        })?;
        self.lock()
            .query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))
            .map_err(fail)?;
        Ok(erased)
    }

    fn touch(&self, ids: &[MemoryId], now: Timestamp) -> Result<(), StoreError> {
        const DOING: &str = "count a use";
        const SQL: &str = "
            update memory_usage set access_count = access_count + 1, last_accessed_at = ?2
            where memory = (select key from memory where id = ?1)";
        let fail = |error| translate(&self.path, DOING, error);
        self.write(DOING, |transaction| {
            let mut statement = transaction.prepare_cached(SQL).map_err(fail)?;
            for id in ids {
                let values = params![id.to_string(), load::time_text(now)];
                statement.execute(values).map_err(fail)?;
            }
            Ok(())
        })
    }
}

/// Whether there was such a memory.
fn remove(connection: &Connection, id: MemoryId) -> rusqlite::Result<bool> {
    let key: Option<i64> = connection
        .prepare_cached("select key from memory where id = ?1")?
        .query_row([id.to_string()], |row| row.get(0))
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

#[cfg(test)]
mod tests {
    use std::ops::Deref;

    use tempfile::TempDir;

    use super::*;

    /// A store in a folder that is removed with it.
    struct Temporary {
        store: SqliteStore,
        _folder: TempDir,
    }

    impl Temporary {
        fn new() -> Self {
            let folder = TempDir::new().unwrap();
            let path = folder.path().join("projects/a/memory.db");
            Self {
                store: SqliteStore::open(&path, Mode::Write).unwrap(),
                _folder: folder,
            }
        }
    }

    impl Deref for Temporary {
        type Target = SqliteStore;

        fn deref(&self) -> &SqliteStore {
            &self.store
        }
    }

    crate::contract!(Temporary::new());
}
