//! What is wrong with a database, as far as it can be seen.

use std::fmt;

use oldhand_domain::id::MemoryId;
use rusqlite::Connection;

use super::failure::is_damage;
use super::load::{Loaded, load};
use super::{document, session};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// The file's pages do not hold together.
    Structure(String),
    /// The full-text index does not match the memories; it can be built anew.
    Index(String),
    /// A memory's words are not the ones that were written.
    Memory { key: i64, id: Option<MemoryId> },
    /// A document's words are not the ones that were written.
    Document(String),
    /// The record of a session is not the one that was written.
    Session(String),
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Structure(detail) => write!(f, "the file is damaged: {detail}"),
            Self::Index(detail) => write!(f, "the full-text index is damaged: {detail}"),
            Self::Memory { id: Some(id), .. } => write!(f, "memory {id} is damaged"),
            Self::Memory { key, id: None } => {
                write!(f, "a memory whose id cannot be read (row {key}) is damaged")
            }
            Self::Document(name) => write!(f, "document `{name}` is damaged"),
            Self::Session(id) => write!(f, "the record of session {id} is damaged"),
        }
    }
}

/// Everything that is wrong. An error means that not even looking was possible.
pub(super) fn check(connection: &Connection) -> rusqlite::Result<Vec<Finding>> {
    let mut findings = structure(connection)?;
    if findings
        .iter()
        .any(|finding| matches!(finding, Finding::Structure(_)))
    {
        // What is read through broken pages says nothing more.
        return Ok(findings);
    }
    if findings.is_empty() {
        findings = index(connection)?;
    }
    findings.extend(memories(connection)?);
    findings.extend(
        document::damaged(connection)?
            .into_iter()
            .map(Finding::Document),
    );
    let sessions = session::damaged(connection)?;
    findings.extend(sessions.into_iter().map(Finding::Session));
    Ok(findings)
}

/// Pages, cells, and rows that point to rows. SQLite looks at the full-text index on the way.
pub(super) fn structure(connection: &Connection) -> rusqlite::Result<Vec<Finding>> {
    match look_at_structure(connection) {
        Err(error) if is_damage(&error) => Ok(vec![Finding::Structure(error.to_string())]),
        looked => looked,
    }
}

fn look_at_structure(connection: &Connection) -> rusqlite::Result<Vec<Finding>> {
    const MOST: i64 = 10;
    let mut findings = Vec::new();
    let mut pages = connection.prepare(&format!("pragma quick_check({MOST})"))?;
    let mut rows = pages.query([])?;
    while let Some(row) = rows.next()? {
        let detail: String = row.get(0)?;
        if detail.contains("FTS5 table") {
            findings.push(Finding::Index(detail));
        } else if detail != "ok" {
            findings.push(Finding::Structure(detail));
        }
    }
    let mut orphans = connection.prepare("pragma foreign_key_check")?;
    let mut rows = orphans.query([])?;
    while findings.len() < MOST as usize
        && let Some(row) = rows.next()?
    {
        let table: String = row.get(0)?;
        findings.push(Finding::Structure(format!(
            "a row of {table} belongs to no memory"
        )));
    }
    Ok(findings)
}

/// Whether the full-text index is sound in itself and has one entry per memory.
fn index(connection: &Connection) -> rusqlite::Result<Vec<Finding>> {
    const COMPARE: &str = "
        select count(*) from memory m
        full join memory_words_docsize w on w.id = m.key
        where m.key is null or w.id is null";
    let compare = || connection.query_row(COMPARE, [], |row| row.get::<_, i64>(0));
    let checked = connection
        .execute(
            "insert into memory_words (memory_words, rank) values ('integrity-check', 0)",
            [],
        )
        .and_then(|_| compare());
    match checked {
        Ok(0) => Ok(Vec::new()),
        Ok(count) => Ok(vec![Finding::Index(format!(
            "{count} entries are missing or left over"
        ))]),
        Err(error) if is_damage(&error) => Ok(vec![Finding::Index(error.to_string())]),
        Err(error) => Err(error),
    }
}

fn memories(connection: &Connection) -> rusqlite::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut keys = connection.prepare("select key from memory order by key")?;
    let mut rows = keys.query([])?;
    while let Some(row) = rows.next()? {
        let key = row.get(0)?;
        if let Some(Loaded::Damaged(id)) = load(connection, key)? {
            findings.push(Finding::Memory { key, id });
        }
    }
    Ok(findings)
}
