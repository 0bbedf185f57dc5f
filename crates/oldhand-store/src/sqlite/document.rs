//! Whole documents looked up by name, sealed like memories.

use std::path::Path;

use oldhand_domain::error::StoreError;
use rusqlite::{Connection, OptionalExtension, params};

use super::SqliteStore;
use super::failure::translate;

impl SqliteStore {
    /// The document of this name, such as the module map.
    pub fn document(&self, name: &str) -> Result<Option<String>, StoreError> {
        if let Some(document) = self.told(|glance| glance.document(self.path(), name)) {
            return document;
        }
        read(&*self.lock()?, self.path(), name)
    }

    /// Writes a document in place of the one of the same name.
    pub fn put_document(&self, name: &str, body: &str) -> Result<(), StoreError> {
        const DOING: &str = "write a document";
        self.write(DOING, |transaction| {
            put(transaction, name, body).map_err(|error| translate(self.path(), DOING, error))
        })
    }
}

pub(super) fn read(
    connection: &Connection,
    path: &Path,
    name: &str,
) -> Result<Option<String>, StoreError> {
    const SQL: &str = "select body, seal from document where name = ?1";
    let look = || {
        connection
            .prepare_cached(SQL)?
            .query_row([name], |row| {
                Ok((row.get::<_, String>(0), row.get::<_, [u8; 32]>(1)))
            })
            .optional()
    };
    match look().map_err(|error| translate(path, "read a document", error))? {
        None => Ok(None),
        Some((Ok(body), Ok(written))) => unseal(path, name, &body, written).map(Some),
        Some(_) => Err(not_as_written(path, name)),
    }
}

/// The words of a document, if they are the ones that were written.
pub(super) fn unseal(
    path: &Path,
    name: &str,
    body: &str,
    written: [u8; 32],
) -> Result<String, StoreError> {
    if written == seal(name, body) {
        Ok(body.to_owned())
    } else {
        Err(not_as_written(path, name))
    }
}

fn not_as_written(path: &Path, name: &str) -> StoreError {
    StoreError::DamagedDatabase {
        path: path.to_owned(),
        detail: format!("the words of document `{name}` are not the ones that were written"),
    }
}

pub(super) fn put(connection: &Connection, name: &str, body: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "insert into document (name, body, seal) values (?1, ?2, ?3)
            on conflict (name) do update set body = excluded.body, seal = excluded.seal",
        )?
        .execute(params![name, body, seal(name, body)])?;
    Ok(())
}

/// The names of documents that do not match their seal.
pub(super) fn damaged(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("select name, body, seal from document")?;
    let mut rows = statement.query([])?;
    let mut damaged = Vec::new();
    while let Some(row) = rows.next()? {
        let name =
            String::from_utf8_lossy(row.get_ref(0)?.as_bytes().unwrap_or_default()).into_owned();
        let body = row.get_ref(1)?.as_str().unwrap_or_default();
        if !row
            .get(2)
            .is_ok_and(|written: [u8; 32]| written == seal(&name, body))
        {
            damaged.push(name);
        }
    }
    Ok(damaged)
}

fn seal(name: &str, body: &str) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.update(body.as_bytes());
    *hasher.finalize().as_bytes()
}
