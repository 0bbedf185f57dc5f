//! Reading what can still be read of a file that does not hold together.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::Path;

use jiff::Timestamp;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use rusqlite::{Connection, OpenFlags, Row};

use super::load::{Loaded, load};
use super::pieces::{Lacking, Pieced, Pieces};
use super::quarantine::{self, Reason};
use super::repair::Repair;
use super::{backup, document, index, meta, save, schema, session};

/// Every way to come by the keys of memories: where one b-tree is torn, another may be whole.
const WAYS: [&str; 14] = [
    "select key from memory order by key",
    "select key from memory order by key desc",
    "select key from memory order by created_at, id",
    "select key from memory order by created_at desc, id desc",
    "select key from memory order by substr(id, 29)",
    "select key from memory order by id",
    "select memory from memory_usage order by memory",
    "select memory from memory_usage order by memory desc",
    "select memory from memory_tag",
    "select memory from memory_file",
    "select memory from memory_module",
    "select memory from memory_fingerprint",
    "select memory from memory_provenance",
    "select id from memory_words_docsize",
];

/// Opens a damaged file to read from it.
pub(super) fn open(path: &Path) -> rusqlite::Result<Connection> {
    let connection = backup::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    schema::version(&connection)?;
    Ok(connection)
}

/// What came of the memories of a damaged file.
#[derive(Default)]
pub(super) struct Carried {
    /// Whether those were all there had been.
    pub(super) are_all: bool,
    /// Those of them that are not whole.
    pub(super) lacking: Vec<Lacking>,
}

/// Writes everything readable into `to`: the sound as it is, what lacks something marked for a review, the rest into quarantine.
pub(super) fn carry_over(
    from: &Connection,
    to: &Connection,
    done: &mut Vec<Repair>,
    now: Timestamp,
) -> rusqlite::Result<Carried> {
    let mut carried = 0;
    let mut lacking: Vec<Lacking> = Vec::new();
    let mut without_use = 0;
    let (keys, are_all) = keys(from);
    let found = keys.len();
    let pieces = OnceCell::new();
    for key in keys {
        // Where a table beside the memory is torn, what it has is looked for in other ways.
        let loaded = match load(from, key) {
            Ok(Some(Loaded::Sound(memory))) => Ok(Some(Pieced::Sound {
                memory,
                is_use_lost: false,
            })),
            Ok(Some(Loaded::Damaged(_))) => Ok(Some(Pieced::Damaged)),
            Ok(None) => Ok(None),
            Err(_) => pieces
                .get_or_init(|| Pieces::read(from))
                .put_together(from, key),
        };
        match loaded {
            Ok(Some(Pieced::Sound {
                memory,
                is_use_lost,
            })) => {
                if !is_known(to, &memory)? {
                    save::insert(to, Some(key), &memory)?;
                    carried += 1;
                    without_use += usize::from(is_use_lost);
                }
            }
            Ok(Some(Pieced::Lacking(memory, lacks))) => {
                if !is_known(to, &memory)? {
                    save::insert(to, Some(key), &memory)?;
                    lacking.push(lacks);
                }
            }
            Ok(Some(Pieced::Damaged)) => match quarantine::memory_as_json(from, key) {
                Ok(row) => {
                    let id = id_of(from, key);
                    quarantine::put(to, now, Reason::Memory, id, &row)?;
                    done.push(Repair::Quarantined { key, id });
                }
                Err(_) => done.push(Repair::Unreadable { key }),
            },
            Ok(None) | Err(_) => done.push(Repair::Unreadable { key }),
        }
    }
    done.push(Repair::CarriedOver(carried));
    if without_use > 0 {
        done.push(Repair::UseLost(without_use));
    }
    carry_over_documents(from, to, done, now)?;
    // A session that cannot be read is finalized again from its journal.
    for record in session::readable(from) {
        session::put(to, &record)?;
    }
    for hash in session::readable_tombstones(from) {
        session::put_tombstone(to, &hash)?;
    }
    for entry in quarantine::read(from).unwrap_or_default() {
        quarantine::keep(to, &entry)?;
    }
    for (name, value) in facts(from) {
        if name != index::WORDS_VERSION {
            meta::write(to, &name, &value)?;
        }
    }
    let are_all = are_all && carried + lacking.len() == found;
    Ok(Carried { are_all, lacking })
}

fn is_known(to: &Connection, memory: &Memory) -> rusqlite::Result<bool> {
    to.prepare_cached("select 1 from memory where id = ?1")?
        .exists([memory.id.to_string()])
}

/// The id of a damaged memory, as far as it can be read.
fn id_of(from: &Connection, key: i64) -> Option<MemoryId> {
    let read = |row: &Row<'_>| row.get::<_, String>(0);
    let id = from.query_row("select id from memory where key = ?1", [key], read);
    id.ok()?.parse().ok()
}

/// The keys of memories, and whether there were no others: then one way at least led along all of them.
fn keys(from: &Connection) -> (BTreeSet<i64>, bool) {
    let mut keys = BTreeSet::new();
    let mut are_all = false;
    for way in WAYS {
        // A way that breaks off has still led somewhere.
        let is_whole = follow(from, way, &mut keys).is_ok();
        are_all |= is_whole && way.contains(" from memory order by ");
    }
    (keys, are_all)
}

fn follow(from: &Connection, way: &str, keys: &mut BTreeSet<i64>) -> rusqlite::Result<()> {
    let mut statement = from.prepare(way)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        keys.insert(row.get(0)?);
    }
    Ok(())
}

fn carry_over_documents(
    from: &Connection,
    to: &Connection,
    done: &mut Vec<Repair>,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let damaged = document::damaged(from).unwrap_or_default();
    for (name, body) in pairs(from, "select name, body from document") {
        if damaged.contains(&name) {
            let row = quarantine::document_as_json(from, &name).unwrap_or(body);
            quarantine::put(to, now, Reason::Document, None, &row)?;
            done.push(Repair::DocumentQuarantined(name));
        } else {
            document::put(to, &name, &body)?;
        }
    }
    Ok(())
}

fn facts(from: &Connection) -> Vec<(String, String)> {
    pairs(from, "select name, value from meta")
}

/// As many pairs of text as can be read.
fn pairs(from: &Connection, sql: &str) -> Vec<(String, String)> {
    let Ok(mut statement) = from.prepare(sql) else {
        return Vec::new();
    };
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.map(|rows| rows.map_while(Result::ok).collect())
        .unwrap_or_default()
}
