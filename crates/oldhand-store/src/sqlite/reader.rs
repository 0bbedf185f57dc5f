//! Reading memories over one connection, inside a transaction that is already open.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::{Called, Counts, Found, Listing, Matches, MemoryReader, Spread};
use oldhand_domain::text::ModuleName;
use rusqlite::{Connection, params_from_iter};

use super::failure::translate;
use super::load::{Loaded, load, load_each};
use super::search::{self, Ground};
use super::select::Conditions;
use crate::matching::passes;

/// How many ids `find` gives at most.
const FIND_LIMIT: usize = 20;

pub(super) struct Reader<'a> {
    pub(super) connection: &'a Connection,
    pub(super) path: &'a Path,
}

impl Reader<'_> {
    fn select(&self, filter: &Filter) -> rusqlite::Result<Listing> {
        let conditions = Conditions::of(filter);
        let sql = format!(
            "select m.key from memory m where {} order by m.created_at desc, m.id desc",
            conditions.sql()
        );
        let limit = filter.limit.unwrap_or(usize::MAX);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(&conditions.values))?;
        let mut listing = Listing::default();
        while listing.memories.len() < limit
            && let Some(row) = rows.next()?
        {
            match load(self.connection, row.get(0)?)? {
                Some(Loaded::Sound(memory)) if passes(&memory, filter) => {
                    listing.memories.push(*memory);
                }
                Some(Loaded::Damaged(id)) => listing.damaged.extend(id),
                Some(Loaded::Sound(_)) | None => {}
            }
        }
        Ok(listing)
    }

    fn files_called(&self, names: &BTreeSet<ProjectPath>) -> rusqlite::Result<Called> {
        const KNOWN: &str = "select distinct path from memory_file";
        let mut called = Called::new();
        let mut ends: BTreeMap<&str, &ProjectPath> = BTreeMap::new();
        let mut is_known = self
            .connection
            .prepare_cached("select 1 from memory_file where path = ?1 limit 1")?;
        for name in names {
            if is_known.exists([name.as_str()])? {
                called.insert(name.clone(), BTreeSet::from([name.clone()]));
            } else {
                ends.insert(name.as_str(), name);
            }
        }
        if ends.is_empty() {
            return Ok(called);
        }
        let mut known = self.connection.prepare_cached(KNOWN)?;
        let mut rows = known.query([])?;
        while let Some(row) = rows.next()? {
            let path = row.get_ref(0)?.as_str().unwrap_or_default();
            let behind = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
            for name in behind.filter_map(|end| ends.get(end)) {
                // What is no path is no file, and the memory that has it is damaged.
                if let Ok(file) = ProjectPath::new(path) {
                    let files = called.entry(ProjectPath::clone(name)).or_default();
                    files.insert(file);
                }
            }
        }
        Ok(called)
    }

    fn select_ids(&self, filter: &Filter) -> rusqlite::Result<Vec<MemoryId>> {
        if filter.at_least.is_some() {
            // How much has faded cannot be told in SQL.
            let listing = self.select(filter)?;
            return Ok(listing.memories.iter().map(|memory| memory.id).collect());
        }
        let conditions = Conditions::of(filter);
        let sql = format!("select m.id from memory m where {}", conditions.sql());
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(&conditions.values))?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next()? {
            ids.extend(
                row.get_ref(0)?
                    .as_str()
                    .ok()
                    .and_then(|id| id.parse::<MemoryId>().ok()),
            );
        }
        Ok(ids)
    }

    fn begin_with(&self, prefix: &str) -> rusqlite::Result<Vec<MemoryId>> {
        const FULL: &str =
            "select id from memory where id >= ?1 and id < ?1 || 'g' order by id limit ?2";
        const SHORT: &str = "
            select id from memory where substr(id, 29) >= ?1 and substr(id, 29) < ?1 || 'g'
            order by substr(id, 29), id limit ?2";
        let digits: String = prefix
            .chars()
            .filter(|&c| c != '-')
            .map(|c| c.to_ascii_lowercase())
            .collect();
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(Vec::new());
        }
        let mut ids: Vec<MemoryId> = Vec::new();
        for (sql, start) in [(FULL, hyphenate(&digits)), (SHORT, digits)] {
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query((start, FIND_LIMIT as i64))?;
            while let Some(row) = rows.next()? {
                let id = row.get_ref(0)?.as_str().ok().and_then(|id| id.parse().ok());
                ids.extend(id.filter(|id| !ids.contains(id)));
            }
        }
        ids.truncate(FIND_LIMIT);
        Ok(ids)
    }

    fn count(&self) -> rusqlite::Result<Counts> {
        const LIVE: &str = "deleted_since is null and deprecated_since is null";
        let by_type = format!("select type, count(*) from memory where {LIVE} group by type");
        let mut statement = self.connection.prepare_cached(&by_type)?;
        let rows =
            statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as usize)))?;
        let mut live: Vec<(String, usize)> = rows.collect::<rusqlite::Result<_>>()?;
        live.sort_by(|(a, m), (b, n)| n.cmp(m).then(a.cmp(b)));
        let count = |which: String| {
            let sql = format!("select count(*) from memory where {which}");
            let mut statement = self.connection.prepare_cached(&sql)?;
            statement.query_row([], |row| row.get::<_, i64>(0).map(|count| count as usize))
        };
        Ok(Counts {
            live,
            deprecated: count("deprecated_since is not null and deleted_since is null".to_owned())?,
            deleted: count("deleted_since is not null".to_owned())?,
            needs_review: count(format!("needs_review = 1 and {LIVE}"))?,
            pinned: count(format!("pinned = 1 and {LIVE}"))?,
            flagged: count(format!("flagged_since is not null and {LIVE}"))?,
            stale: count(format!("stale_since is not null and {LIVE}"))?,
        })
    }
}

/// Adds what was found for `id` to what is listed.
pub(super) fn take_in(listing: &mut Listing, id: MemoryId, loaded: Loaded, filter: &Filter) {
    match loaded {
        Loaded::Sound(memory) if memory.id == id => {
            if passes(&memory, filter) {
                listing.memories.push(*memory);
            }
        }
        _ => listing.damaged.push(id),
    }
}

/// What was found for `id`, if it is as it was written.
pub(super) fn sound(id: MemoryId, loaded: Option<Loaded>) -> Result<Option<Memory>, StoreError> {
    match loaded {
        None => Ok(None),
        Some(Loaded::Sound(memory)) if memory.id == id => Ok(Some(*memory)),
        Some(_) => Err(StoreError::DamagedMemory(id)),
    }
}

/// The hyphens of an id at their places, so that digits can be compared with stored ids.
fn hyphenate(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + 4);
    for (place, digit) in digits.chars().enumerate() {
        if matches!(place, 8 | 12 | 16 | 20) {
            text.push('-');
        }
        text.push(digit);
    }
    text
}

impl MemoryReader for Reader<'_> {
    fn get(&self, id: MemoryId) -> Result<Option<Memory>, StoreError> {
        let mut loaded = None;
        load_each(self.connection, &[id], |_, memory| loaded = Some(memory))
            .map_err(|error| translate(self.path, "read a memory", error))?;
        sound(id, loaded)
    }

    fn find(&self, prefix: &str) -> Result<Vec<MemoryId>, StoreError> {
        self.begin_with(prefix)
            .map_err(|error| translate(self.path, "look up an id", error))
    }

    fn list(&self, filter: &Filter) -> Result<Listing, StoreError> {
        self.select(filter)
            .map_err(|error| translate(self.path, "list memories", error))
    }

    fn search(&self, query: &TextQuery) -> Result<Found, StoreError> {
        search::search(self.connection, query)
            .map_err(|error| translate(self.path, "search memories", error))
    }

    fn matches_beside(&self, query: &TextQuery, others: &Spread) -> Result<Matches, StoreError> {
        let database = Ground::Database(self.connection);
        search::matches((database, self.path), query, others)
            .map_err(|error| translate(self.path, "search memories", error))
    }

    fn read(&self, ids: &[MemoryId], filter: &Filter) -> Result<Listing, StoreError> {
        let mut listing = Listing::default();
        load_each(self.connection, ids, |id, loaded| {
            take_in(&mut listing, id, loaded, filter);
        })
        .map_err(|error| translate(self.path, "read memories", error))?;
        Ok(listing)
    }

    fn ids(&self, filter: &Filter) -> Result<Vec<MemoryId>, StoreError> {
        self.select_ids(filter)
            .map_err(|error| translate(self.path, "list ids", error))
    }

    fn called(&self, names: &BTreeSet<ProjectPath>) -> Result<Called, StoreError> {
        self.files_called(names)
            .map_err(|error| translate(self.path, "look up files", error))
    }

    fn modules(&self) -> Result<Vec<ModuleName>, StoreError> {
        let list = || -> rusqlite::Result<Vec<String>> {
            let sql = "select distinct module from memory_module order by module";
            let mut statement = self.connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        };
        let names = list().map_err(|error| translate(self.path, "list modules", error))?;
        // What is no name any more was damaged, and is told of where its memory is read.
        let names = names.iter().filter_map(|name| ModuleName::new(name).ok());
        Ok(names.collect())
    }

    fn learned_in(&self, session: &SessionId) -> Result<usize, StoreError> {
        self.connection
            .prepare_cached("select count(*) from memory where session = ?1")
            .and_then(|mut statement| {
                statement.query_row([session.as_str()], |row| row.get::<_, i64>(0))
            })
            .map(|count| count as usize)
            .map_err(|error| translate(self.path, "count a session's memories", error))
    }

    fn counts(&self) -> Result<Counts, StoreError> {
        self.count()
            .map_err(|error| translate(self.path, "count memories", error))
    }
}
