//! Which memories changed since someone last looked.

use oldhand_domain::error::StoreError;
use oldhand_domain::id::MemoryId;
use rusqlite::{Connection, params};

use super::SqliteStore;
use super::failure::translate;

/// What changed, up to a number to ask from next time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Each changed memory once, with what it says now.
    pub texts: Vec<(MemoryId, String)>,
    pub until: i64,
}

impl SqliteStore {
    /// The number of the newest change; the same number means that nothing changed.
    pub fn newest_change(&self) -> Result<i64, StoreError> {
        // An erased memory takes its number with it, so the counter is asked, not the rows.
        const SQL: &str =
            "select coalesce((select seq from sqlite_sequence where name = 'memory_change'), 0)";
        let newest = self.lock().query_row(SQL, [], |row| row.get(0));
        newest.map_err(|error| translate(self.path(), "look for changes", error))
    }

    /// Memories saved after change number `since`, at most `limit`, in the order they changed.
    pub fn changes_since(&self, since: i64, limit: usize) -> Result<Changes, StoreError> {
        const SQL: &str = "
            select change.number, memory.id, memory.content
            from memory_change as change join memory on memory.key = change.memory
            where change.number > ?1 order by change.number limit ?2";
        let read = |connection: &Connection| {
            let mut statement = connection.prepare_cached(SQL)?;
            let mut rows = statement.query(params![since, limit as i64])?;
            let mut changes = Changes {
                texts: Vec::new(),
                until: since,
            };
            while let Some(row) = rows.next()? {
                changes.until = row.get(0)?;
                if let Ok(id) = row.get::<_, String>(1)?.parse() {
                    changes.texts.push((id, row.get(2)?));
                }
            }
            Ok(changes)
        };
        read(&self.lock()).map_err(|error| translate(self.path(), "look for changes", error))
    }
}
