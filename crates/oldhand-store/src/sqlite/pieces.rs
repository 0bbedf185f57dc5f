//! What belongs to the memories of a damaged file, read table by table.
//!
//! Each list is kept twice, once by memory and once by what it holds: where one b-tree is torn, the other may be whole.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::relation::Relation;
use oldhand_domain::seal::Seal;
use oldhand_domain::vocabulary::ReviewReason;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use super::load::{Broken, Parts, Values, load_with, relation};

/// A memory that was carried over without all that belongs to it.
pub(super) struct Lacking {
    pub(super) key: i64,
    pub(super) id: MemoryId,
    /// That of the whole one.
    pub(super) seal: Seal,
    /// Of what something may be missing.
    pub(super) parts: Vec<&'static str>,
}

/// What a memory and its pieces turned out to be.
pub(super) enum Pieced {
    Sound {
        memory: Box<Memory>,
        is_use_lost: bool,
    },
    /// Waits for a review.
    Lacking(Box<Memory>, Lacking),
    Damaged,
}

/// The table, its column, and how people call what it holds; in the order of [`Parts::lists`].
const LISTS: [(&str, &str, &str); 6] = [
    ("memory_tag", "tag", "tags"),
    ("memory_file", "path", "files"),
    ("memory_module", "module", "modules"),
    ("memory_fingerprint", "fingerprint", "errors"),
    ("memory_provenance", "session", "sessions"),
    ("memory_impacted_node", "node", "places"),
];

/// The rows of a table, by memory.
struct Table<T> {
    rows: BTreeMap<i64, T>,
    /// Whether one way at least led along all of them.
    is_whole: bool,
}

impl<T: Default> Table<T> {
    /// What the first of `ways` that does not break off leads to; where all do, as much as they lead to together.
    fn read(
        from: &Connection,
        ways: &[String],
        take: impl Fn(&Row<'_>, &mut T) -> rusqlite::Result<()>,
    ) -> Self {
        let follow = |way: &str, known: &mut BTreeMap<i64, T>| {
            let mut statement = from.prepare(way)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                take(row, known.entry(row.get(0)?).or_default())?;
            }
            Ok::<(), rusqlite::Error>(())
        };
        for way in ways {
            let mut rows = BTreeMap::new();
            if follow(way, &mut rows).is_ok() {
                let is_whole = true;
                return Self { rows, is_whole };
            }
        }
        let mut rows = BTreeMap::new();
        for way in ways {
            // One that breaks off has still led somewhere.
            let _ = follow(way, &mut rows);
        }
        let is_whole = false;
        Self { rows, is_whole }
    }
}

/// The columns behind the memory and the position.
struct Behind<'a>(&'a Row<'a>);

impl Values for Behind<'_> {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, Broken> {
        self.0.value(column + 2)
    }
}

/// Everything that belongs to memories and can be read.
pub(super) struct Pieces {
    lists: [Table<BTreeSet<String>>; 6],
    /// By their position.
    relations: Table<BTreeMap<i64, Relation>>,
    usage: Table<Option<(String, i64)>>,
}

impl Pieces {
    pub(super) fn read(from: &Connection) -> Self {
        let lists = LISTS.map(|(table, column, _)| {
            let by_memory = format!("select memory, {column} from {table} not indexed order by");
            let by_value = format!(
                "select memory, {column} from {table} indexed by {table}_by_{column} order by"
            );
            let ways = [
                format!("{by_memory} memory, {column}"),
                format!("{by_memory} memory desc, {column} desc"),
                format!("{by_value} {column}, memory"),
                format!("{by_value} {column} desc, memory desc"),
            ];
            Table::read(from, &ways, |row, values: &mut BTreeSet<String>| {
                values.insert(row.get(1)?);
                Ok(())
            })
        });
        let both_ways = |columns: &str, order: [&str; 2]| {
            order.map(|order| format!("select memory, {columns} order by {order}"))
        };
        let relations = both_ways(
            "position, relation_type, target_memory, target_file, confidence, extraction
            from memory_relation not indexed",
            ["memory, position", "memory desc, position desc"],
        );
        let usage = both_ways(
            "last_accessed_at, access_count from memory_usage",
            ["memory", "memory desc"],
        );
        Self {
            lists,
            relations: Table::read(from, &relations, |row, known: &mut BTreeMap<_, _>| {
                if let Ok(relation) = relation(&Behind(row)) {
                    known.insert(row.get(1)?, relation);
                }
                Ok(())
            }),
            usage: Table::read(from, &usage, |row, known: &mut Option<_>| {
                *known = Some((row.get(1)?, row.get(2)?));
                Ok(())
            }),
        }
    }

    /// The memory with this key, put together. `None` where there is none.
    pub(super) fn put_together(
        &self,
        from: &Connection,
        key: i64,
    ) -> rusqlite::Result<Option<Pieced>> {
        let usage = self.usage.rows.get(&key).cloned().flatten();
        let is_use_lost = usage.is_none() && !self.usage.is_whole;
        let relations = self.relations.rows.get(&key);
        let parts = Parts {
            lists: self.lists.each_ref().map(|table| as_json(table, key)),
            usage,
            relations: relations
                .into_iter()
                .flat_map(BTreeMap::values)
                .cloned()
                .collect(),
        };
        let Some(loaded) = load_with(from, key, parts)? else {
            return Ok(None);
        };
        let Ok((mut memory, seal)) = loaded else {
            return Ok(Some(Pieced::Damaged));
        };
        if Seal::of(&memory) == seal {
            let memory = Box::new(memory);
            return Ok(Some(Pieced::Sound {
                memory,
                is_use_lost,
            }));
        }
        let mut parts = self.torn();
        if parts.is_empty() {
            return Ok(Some(Pieced::Damaged));
        }
        parts.extend(is_use_lost.then_some("use"));
        memory.await_review(ReviewReason::Damaged);
        memory.revision += 1;
        let id = memory.id;
        let lacking = Lacking {
            key,
            id,
            seal,
            parts,
        };
        Ok(Some(Pieced::Lacking(Box::new(memory), lacking)))
    }

    /// What the tables hold that could not be read to their end.
    fn torn(&self) -> Vec<&'static str> {
        let lists = self.lists.iter().zip(LISTS);
        let lists = lists.filter(|(table, _)| !table.is_whole);
        let lists = lists.map(|(_, (_, _, name))| name);
        let relations = (!self.relations.is_whole).then_some("relations");
        lists.chain(relations).collect()
    }
}

fn as_json(table: &Table<BTreeSet<String>>, key: i64) -> String {
    let values = table.rows.get(&key);
    let values = values.into_iter().flatten().map(String::as_str);
    values.collect::<serde_json::Value>().to_string()
}
