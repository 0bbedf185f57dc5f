//! Facts about the database itself, by name.

use oldhand_domain::error::StoreError;
use rusqlite::{Connection, OptionalExtension};

use super::SqliteStore;
use super::failure::translate;

impl SqliteStore {
    /// A fact about this database, such as the identity of its project.
    pub fn fact(&self, name: &str) -> Result<Option<String>, StoreError> {
        read(&*self.lock()?, name)
            .map_err(|error| translate(self.path(), "read a fact about the database", error))
    }

    pub fn put_fact(&self, name: &str, value: &str) -> Result<(), StoreError> {
        const DOING: &str = "write a fact about the database";
        self.write(DOING, |transaction| {
            write(transaction, name, value).map_err(|error| translate(self.path(), DOING, error))
        })
    }
}

pub(super) fn read(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("select value from meta where name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()
}

pub(super) fn write(connection: &Connection, name: &str, value: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "insert into meta (name, value) values (?1, ?2)
            on conflict (name) do update set value = excluded.value",
        )?
        .execute([name, value])?;
    Ok(())
}

pub(super) fn remove(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("delete from meta where name = ?1")?
        .execute([name])?;
    Ok(())
}
