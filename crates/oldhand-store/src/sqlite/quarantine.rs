//! Damaged rows, kept as they were found: never used, there for people to look at.

use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::id::MemoryId;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};
use serde_json::{Map, Value};

use super::SqliteStore;
use super::failure::{is_damage, translate};
use super::load::time_text;

/// A row that did not match its seal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    pub found_at: String,
    pub reason: String,
    /// As far as it could be read.
    pub id: Option<String>,
    /// JSON: each table's columns as they were; null for a table that could not be read.
    pub row: String,
}

#[derive(Clone, Copy)]
pub(super) enum Reason {
    Memory,
    Document,
}

/// Tables whose rows belong to a memory.
const PARTS: [&str; 8] = [
    "memory_usage",
    "memory_tag",
    "memory_file",
    "memory_module",
    "memory_fingerprint",
    "memory_provenance",
    "memory_impacted_node",
    "memory_relation",
];

impl SqliteStore {
    /// Everything in quarantine, oldest first.
    pub fn quarantined(&self) -> Result<Vec<Quarantined>, StoreError> {
        read(&*self.lock()?).map_err(|error| translate(self.path(), "read the quarantine", error))
    }
}

pub(super) fn read(connection: &Connection) -> rusqlite::Result<Vec<Quarantined>> {
    let mut statement =
        connection.prepare("select found_at, reason, id, row from quarantine order by number")?;
    let rows = statement.query_map([], |row| {
        Ok(Quarantined {
            found_at: row.get(0)?,
            reason: row.get(1)?,
            id: row.get(2)?,
            row: row.get(3)?,
        })
    })?;
    rows.collect()
}

pub(super) fn put(
    connection: &Connection,
    now: Timestamp,
    reason: Reason,
    id: Option<MemoryId>,
    row: &str,
) -> rusqlite::Result<()> {
    let reason = match reason {
        Reason::Memory => "a memory does not match its seal",
        Reason::Document => "a document does not match its seal",
    };
    keep(
        connection,
        &Quarantined {
            found_at: time_text(now),
            reason: reason.to_owned(),
            id: id.map(|id| id.to_string()),
            row: row.to_owned(),
        },
    )
}

pub(super) fn keep(connection: &Connection, entry: &Quarantined) -> rusqlite::Result<()> {
    connection.execute(
        "insert into quarantine (found_at, reason, id, row) values (?1, ?2, ?3, ?4)",
        params![entry.found_at, entry.reason, entry.id, entry.row],
    )?;
    Ok(())
}

pub(super) fn memory_as_json(connection: &Connection, key: i64) -> rusqlite::Result<String> {
    let mut tables = Map::new();
    let rows = rows_as_json(connection, "select * from memory where key = ?1", &key)?;
    tables.insert("memory".to_owned(), rows);
    for table in PARTS {
        let sql = format!("select * from {table} where memory = ?1");
        // What is torn there may not cost what can be read here.
        let rows = match rows_as_json(connection, &sql, &key) {
            Err(error) if is_damage(&error) => Value::Null,
            rows => rows?,
        };
        tables.insert(table.to_owned(), rows);
    }
    Ok(Value::from(tables).to_string())
}

pub(super) fn document_as_json(connection: &Connection, name: &str) -> rusqlite::Result<String> {
    let rows = rows_as_json(connection, "select * from document where name = ?1", &name)?;
    Ok(Value::from(Map::from_iter([("document".to_owned(), rows)])).to_string())
}

fn rows_as_json(
    connection: &Connection,
    sql: &str,
    value: &dyn rusqlite::ToSql,
) -> rusqlite::Result<Value> {
    let mut statement = connection.prepare(sql)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([value])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let mut columns = Map::new();
        for (place, name) in names.iter().enumerate() {
            columns.insert(name.clone(), as_json(row.get_ref(place)?));
        }
        all.push(Value::from(columns));
    }
    Ok(Value::from(all))
}

fn as_json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
        ValueRef::Blob(bytes) => {
            let mut hex = String::new();
            for byte in bytes {
                hex.extend(format!("{byte:02x}").chars());
            }
            hex.into()
        }
    }
}
