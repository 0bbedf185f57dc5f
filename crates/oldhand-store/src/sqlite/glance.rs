//! What a short look at a database mostly wants, read from its pages: memories by their id, documents, sessions, and how far it has come.
//!
//! Every answer is the one that SQLite would give, or [`Untold`]: then SQLite is to be asked, as it is where a memory is missing. Of a damaged file SQLite notices
//! more; what is told here is still what was written, since it is sealed.

use std::path::Path;

use oldhand_domain::error::StoreError;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::port::Listing;
use oldhand_domain::session::SessionRecord;
use rusqlite::types::{FromSql, ValueRef};

use super::load::{Broken, Loaded, Values, put_together, relation};
use super::pages::{Key, Pages, Record, SCHEMA, Untold};
use super::reader::take_in;
use super::{document, schema, session};

/// The trees that are read, by their names in the schema.
const TREES: [&str; 14] = [
    "memory",
    "sqlite_autoindex_memory_1",
    "memory_usage",
    "memory_relation",
    "memory_tag",
    "memory_file",
    "memory_module",
    "memory_fingerprint",
    "memory_provenance",
    "memory_impacted_node",
    "document",
    "session",
    "session_error",
    "sqlite_sequence",
];
const MEMORY: usize = 0;
const MEMORY_BY_ID: usize = 1;
const USAGE: usize = 2;
const RELATION: usize = 3;
/// The first of the tables that hold one text of a memory in each row.
const LISTS: usize = 4;
const DOCUMENT: usize = 10;
const SESSION: usize = 11;
const SESSION_ERROR: usize = 12;
const SEQUENCE: usize = 13;

/// Where a value that [`put_together`] takes comes from.
#[derive(Clone, Copy)]
enum Origin {
    Memory(usize),
    Usage(usize),
    List(usize),
}

use Origin::{List, Memory, Usage};

/// In the order in which [`put_together`] takes them. Columns are counted as the schema has them: those that were added later come last.
const SOURCES: [Origin; 52] = [
    Memory(1),
    Memory(2),
    Memory(3),
    Memory(4),
    Memory(5),
    Memory(6),
    Memory(7),
    List(0),
    List(1),
    List(2),
    List(3),
    Memory(8),
    Memory(9),
    Usage(1),
    Usage(2),
    Memory(10),
    List(4),
    Memory(11),
    Memory(12),
    Memory(13),
    Memory(14),
    Memory(15),
    Memory(16),
    Memory(17),
    Memory(18),
    Memory(19),
    Memory(20),
    Memory(21),
    List(5),
    Memory(22),
    Memory(23),
    Memory(44),
    Memory(24),
    Memory(25),
    Memory(26),
    Memory(27),
    Memory(28),
    Memory(29),
    Memory(43),
    Memory(30),
    Memory(31),
    Memory(32),
    Memory(33),
    Memory(34),
    Memory(35),
    Memory(36),
    Memory(37),
    Memory(38),
    Memory(39),
    Memory(40),
    Memory(41),
    Memory(42),
];

pub(super) struct Glance {
    pages: Pages,
    /// Where each of [`TREES`] begins.
    roots: [u32; TREES.len()],
}

impl Glance {
    /// An error for a file that is not of this version, and for one that only SQLite can read.
    pub(super) fn open(path: &Path, steps: schema::Steps<'_>) -> Result<Self, Untold> {
        let pages = Pages::open(path)?;
        let is_ours = pages.application == schema::APPLICATION_ID as u64
            && pages.version == steps.len() as u64
            && steps.len() == schema::STEPS.len();
        if !is_ours {
            return Err(Untold);
        }
        let mut roots = [0; TREES.len()];
        for definition in pages.all(SCHEMA)? {
            let name = definition.text(1)?;
            if let Some(tree) = TREES.iter().position(|tree| *tree == name) {
                roots[tree] = u32::try_from(definition.integer(3)?).map_err(|_| Untold)?;
            }
        }
        let has_all = !roots.contains(&0);
        has_all.then_some(Self { pages, roots }).ok_or(Untold)
    }

    /// The number of the newest change.
    pub(super) fn newest_change(&self) -> Result<i64, Untold> {
        for counter in self.pages.all(self.roots[SEQUENCE])? {
            if counter.text(0)? == "memory_change" {
                return counter.integer(1);
            }
        }
        Ok(0)
    }

    /// The number of the newest row of all memories.
    pub(super) fn newest_key(&self) -> Result<Option<i64>, Untold> {
        self.pages.highest(self.roots[MEMORY])
    }

    /// The memories with these ids that pass the filter.
    pub(super) fn read(&self, ids: &[MemoryId], filter: &Filter) -> Result<Listing, Untold> {
        let mut listing = Listing::default();
        for id in ids {
            take_in(&mut listing, *id, self.load(*id)?, filter);
        }
        Ok(listing)
    }

    pub(super) fn load(&self, id: MemoryId) -> Result<Loaded, Untold> {
        let text = id.to_string();
        let entries = self.entries(MEMORY_BY_ID, Key::Text(&text))?;
        // Whoever asks for an id has read it somewhere: where it is not, SQLite is to say so.
        let [entry] = &entries[..] else {
            return Err(Untold);
        };
        let key = entry.last()?;
        let mut lists: [String; 6] = Default::default();
        for (number, list) in lists.iter_mut().enumerate() {
            *list = self.list(LISTS + number, Key::Number(key))?;
        }
        let memory = MemoryRow {
            memory: self.pages.row(self.roots[MEMORY], key)?.ok_or(Untold)?,
            usage: self.pages.row(self.roots[USAGE], key)?,
            lists,
        };
        let relations = self.entries(RELATION, Key::Number(key))?;
        let relations = relations.iter().map(|row| relation(&RelationRow(row)));
        Ok(put_together(&memory, relations.collect()))
    }

    /// As [`document::read`].
    pub(super) fn document(
        &self,
        path: &Path,
        name: &str,
    ) -> Result<Result<Option<String>, StoreError>, Untold> {
        let found = self.entries(DOCUMENT, Key::Text(name))?;
        let Some(row) = found.first() else {
            return Ok(Ok(None));
        };
        let written = <[u8; 32]>::column_result(row.value(2)?).map_err(|_| Untold)?;
        Ok(document::unseal(path, name, row.text(1)?, written).map(Some))
    }

    /// The session with this id, if its record is as it was written.
    pub(super) fn session(&self, id: &SessionId) -> Result<Option<SessionRecord>, Untold> {
        let found = self.entries(SESSION, Key::Text(id.as_str()))?;
        match found.into_iter().next() {
            None => Ok(None),
            Some(row) => self.record(row),
        }
    }

    /// All sessions whose records are as they were written, in the order in which they began.
    pub(super) fn sessions(&self) -> Result<Vec<SessionRecord>, Untold> {
        let mut rows = Vec::new();
        for row in self.pages.all(self.roots[SESSION])? {
            rows.push((row.text(2)?.to_owned(), row));
        }
        // They lie in the order of their ids.
        rows.sort_by(|(left, _), (right, _)| left.cmp(right));
        let mut records = Vec::new();
        for (_, row) in rows {
            records.extend(self.record(row)?);
        }
        Ok(records)
    }

    fn record(&self, row: Record) -> Result<Option<SessionRecord>, Untold> {
        let errors = self.list(SESSION_ERROR, Key::Text(row.text(0)?))?;
        Ok(session::record(&SessionRow { row, errors }))
    }

    /// The second values of all rows of a table that begin with `key`, as JSON.
    fn list(&self, tree: usize, key: Key<'_>) -> Result<String, Untold> {
        let rows = self.entries(tree, key)?;
        let texts = rows.iter().map(|row| row.text(1));
        let texts = texts.collect::<Result<Vec<&str>, Untold>>()?;
        if texts.is_empty() {
            return Ok("[]".to_owned());
        }
        serde_json::to_string(&texts).map_err(|_| Untold)
    }

    fn entries(&self, tree: usize, key: Key<'_>) -> Result<Vec<Record>, Untold> {
        self.pages.entries(self.roots[tree], key)
    }
}

struct MemoryRow {
    memory: Record,
    usage: Option<Record>,
    lists: [String; 6],
}

impl Values for MemoryRow {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, Broken> {
        match *SOURCES.get(column).ok_or(Broken)? {
            Memory(place) => self.memory.value(place).map_err(|Untold| Broken),
            Usage(place) => match &self.usage {
                Some(usage) => usage.value(place).map_err(|Untold| Broken),
                None => Ok(ValueRef::Null),
            },
            List(number) => Ok(ValueRef::Text(self.lists[number].as_bytes())),
        }
    }
}

/// A relation's columns are asked for without the two by which its row is found.
struct RelationRow<'a>(&'a Record);

impl Values for RelationRow<'_> {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, Broken> {
        self.0.value(column + 2).map_err(|Untold| Broken)
    }
}

struct SessionRow {
    row: Record,
    errors: String,
}

impl Values for SessionRow {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, Broken> {
        match column {
            session::ERRORS_COLUMN => Ok(ValueRef::Text(self.errors.as_bytes())),
            _ => self.row.value(column).map_err(|Untold| Broken),
        }
    }
}

#[cfg(test)]
mod tests;
