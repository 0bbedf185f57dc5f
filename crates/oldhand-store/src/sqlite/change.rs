//! Which memories changed since someone last looked.

use oldhand_domain::error::StoreError;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::port::MemoryReader;
use rusqlite::{Connection, params};

use super::SqliteStore;
use super::failure::translate;
use super::glance::Glance;
use super::load::{Loaded, load};

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
        if let Some(newest) = self.told(Glance::newest_change) {
            return Ok(newest);
        }
        let newest = newest(&*self.lock()?);
        newest.map_err(|error| translate(self.path(), "look for changes", error))
    }

    /// Whether there are more memories than this, deleted ones included; takes no longer however many there are.
    pub fn holds_more_than(&self, number: u32) -> Result<bool, StoreError> {
        const SQL: &str = "select exists (select 1 from memory limit 1 offset ?1)";
        let read = |connection: &Connection| {
            let mut statement = connection.prepare_cached(SQL)?;
            statement.query_row([number], |row| row.get(0))
        };
        read(&*self.lock()?).map_err(|error| translate(self.path(), "count memories", error))
    }

    /// Every memory there is, deleted ones included.
    pub fn all_ids(&self) -> Result<Vec<MemoryId>, StoreError> {
        let read = |connection: &Connection| {
            let mut statement = connection.prepare_cached("select id from memory")?;
            let ids = statement.query_map([], |row| row.get::<_, String>(0))?;
            ids.collect::<rusqlite::Result<Vec<String>>>()
        };
        let ids =
            read(&*self.lock()?).map_err(|error| translate(self.path(), "list ids", error))?;
        Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
    }

    /// The parts of the text that begins with `first`, itself included, deleted ones too.
    pub fn parts_of(&self, first: MemoryId) -> Result<Vec<Memory>, StoreError> {
        const SQL: &str = "
            select m.id from memory_relation r join memory m on m.key = r.memory
            where r.target_memory = ?1 order by m.id";
        let read = |connection: &Connection| {
            let mut statement = connection.prepare_cached(SQL)?;
            let ids = statement.query_map([first.to_string()], |row| row.get::<_, String>(0))?;
            ids.collect::<rusqlite::Result<Vec<String>>>()
        };
        let ids =
            read(&*self.lock()?).map_err(|error| translate(self.path(), "find parts", error))?;
        let ids = ids.iter().filter_map(|id| id.parse().ok());
        let mut parts = Vec::new();
        for id in std::iter::once(first).chain(ids) {
            parts.extend(self.get(id)?.filter(|memory| memory.family() == first));
        }
        Ok(parts)
    }

    /// Memories saved after change number `since`, at most `limit`, in the order they changed.
    pub fn changes_since(&self, since: i64, limit: usize) -> Result<Changes, StoreError> {
        let read = |connection: &Connection| {
            let transaction = connection.unchecked_transaction()?;
            let changes = changes(&transaction, since, limit)?;
            transaction.finish()?;
            Ok(changes)
        };
        read(&*self.lock()?).map_err(|error| translate(self.path(), "look for changes", error))
    }
}

pub(super) fn newest(connection: &Connection) -> rusqlite::Result<i64> {
    // An erased memory takes its number with it, so the counter is asked, not the rows.
    const SQL: &str =
        "select coalesce((select seq from sqlite_sequence where name = 'memory_change'), 0)";
    connection
        .prepare_cached(SQL)?
        .query_row([], |row| row.get(0))
}

/// The ids of all memories that were deleted or replaced; `None` where they are more than `most`, or where one cannot be read.
pub(super) fn gone(
    connection: &Connection,
    most: usize,
) -> rusqlite::Result<Option<Vec<[u8; 16]>>> {
    const SQL: &str = "
        select id from memory where deleted_since is not null
        union select id from memory where deprecated_since is not null limit ?1";
    let mut statement = connection.prepare_cached(SQL)?;
    let ids = statement.query_map([most as i64 + 1], |row| row.get::<_, String>(0))?;
    let ids = ids.collect::<rusqlite::Result<Vec<String>>>()?;
    if ids.len() > most {
        return Ok(None);
    }
    let bytes = |id: &String| Some(id.parse::<MemoryId>().ok()?.uuid().into_bytes());
    Ok(ids.iter().map(bytes).collect())
}

fn changes(connection: &Connection, since: i64, limit: usize) -> rusqlite::Result<Changes> {
    const SQL: &str =
        "select number, memory from memory_change where number > ?1 order by number limit ?2";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut rows = statement.query(params![since, limit as i64])?;
    let mut changes = Changes {
        texts: Vec::new(),
        until: since,
    };
    while let Some(row) = rows.next()? {
        changes.until = row.get(0)?;
        // What is damaged is not told about: nothing may be derived from it.
        if let Some(Loaded::Sound(memory)) = load(connection, row.get(1)?)? {
            changes.texts.push((memory.id, memory.content.into()));
        }
    }
    Ok(changes)
}
