//! The full-text index: what is written into it, and how it is built anew.

use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::text::Tag;
use oldhand_domain::words;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::load::{Loaded, load};
use super::meta;

/// The fact that says which version of `words::split` cut what is in the index.
pub(super) const WORDS_VERSION: &str = "words_version";

/// The columns of `memory_words`, already cut into words.
#[derive(PartialEq)]
struct Entry {
    content: String,
    summary: String,
    tags: String,
    files: String,
}

impl Entry {
    fn of(memory: &Memory) -> Self {
        let cut = |text: &str| words::split(text).join(" ");
        let all =
            |texts: &mut dyn Iterator<Item = &str>| texts.map(cut).collect::<Vec<_>>().join(" ");
        Self {
            content: cut(memory.content.as_str()),
            summary: cut(memory.summary.as_str()),
            tags: all(&mut memory.tags.iter().map(Tag::as_str)),
            files: all(&mut memory.files.iter().map(ProjectPath::as_str)),
        }
    }
}

/// An index in more pieces than this is worth putting together: each word of a question is looked up in each of them.
const MOST_PIECES: i64 = 6;

/// Whether the index lies in many pieces. Every change adds one, and some are put together along the way.
pub(super) fn is_scattered(connection: &Connection) -> rusqlite::Result<bool> {
    const SQL: &str = "select count(distinct segid) > ?1 from memory_words_idx";
    connection.query_row(SQL, [MOST_PIECES], |row| row.get(0))
}

/// Puts the pieces of the index together. What is found stays the same.
pub(super) fn put_together(connection: &Connection) -> rusqlite::Result<()> {
    const SQL: &str = "insert into memory_words (memory_words) values ('optimize')";
    connection.execute(SQL, [])?;
    Ok(())
}

/// Puts the words of `memory` into the index, in place of those it had.
pub(super) fn write(connection: &Connection, key: i64, memory: &Memory) -> rusqlite::Result<()> {
    const READ: &str = "select content, summary, tags, files from memory_words where rowid = ?1";
    const WRITE: &str = "
        insert into memory_words (rowid, content, summary, tags, files) values (?1, ?2, ?3, ?4, ?5)";
    let entry = Entry::of(memory);
    let old = connection
        .prepare_cached(READ)?
        .query_row([key], |row| {
            Ok(Entry {
                content: row.get(0)?,
                summary: row.get(1)?,
                tags: row.get(2)?,
                files: row.get(3)?,
            })
        })
        .optional()?;
    match old {
        // Most changes leave the words alone, and taking words out of the index is slow.
        Some(old) if old == entry => return Ok(()),
        Some(_) => remove(connection, key)?,
        None => {}
    }
    let Entry {
        content,
        summary,
        tags,
        files,
    } = entry;
    connection
        .prepare_cached(WRITE)?
        .execute(params![key, content, summary, tags, files])?;
    Ok(())
}

pub(super) fn remove(connection: &Connection, key: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("delete from memory_words where rowid = ?1")?
        .execute([key])?;
    Ok(())
}

/// Builds the index anew when its words were cut by another version.
pub(super) fn keep_current(connection: &mut Connection) -> rusqlite::Result<()> {
    if cut_by_this_version(connection)? {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if !cut_by_this_version(&transaction)? {
        rebuild(&transaction)?;
    }
    transaction.commit()
}

/// Builds the index anew, in a transaction of its own.
pub(super) fn rebuild_now(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    rebuild(&transaction)?;
    transaction.commit()
}

pub(super) fn cut_by_this_version(connection: &Connection) -> rusqlite::Result<bool> {
    let version = meta::read(connection, WORDS_VERSION)?;
    Ok(version.is_some_and(|version| version == words::VERSION.to_string()))
}

/// Builds the index anew from the memories that are sound; returns how many. The caller holds a transaction.
pub(super) fn rebuild(connection: &Connection) -> rusqlite::Result<usize> {
    let sql: String = connection.query_row(
        "select sql from sqlite_schema where name = 'memory_words'",
        [],
        |row| row.get(0),
    )?;
    connection.execute_batch(&format!(
        "drop table memory_words;
        {sql};
        insert into memory_words (memory_words, rank) values ('secure-delete', 1);
        insert into memory_words (memory_words, rank) values ('rank', 'bm25(1.0, 1.5, 2.0, 1.0)');"
    ))?;
    let mut keys = connection.prepare("select key from memory order by key")?;
    let mut rows = keys.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let key = row.get(0)?;
        if let Some(Loaded::Sound(memory)) = load(connection, key)? {
            write(connection, key, &memory)?;
            count += 1;
        }
    }
    meta::write(connection, WORDS_VERSION, &words::VERSION.to_string())?;
    Ok(count)
}
