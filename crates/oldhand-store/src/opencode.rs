//! The database in which OpenCode keeps its sessions. It is another program's: opened to read, never changed.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use serde_json::{Value, json};

/// A session of OpenCode, as its database lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCodeSession {
    pub id: String,
    /// The folder it ran in.
    pub directory: String,
    /// Milliseconds since 1970.
    pub created: i64,
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
}

/// The sessions that no other session started, oldest first.
pub fn sessions(path: &Path) -> io::Result<Vec<OpenCodeSession>> {
    let list = || -> rusqlite::Result<Vec<OpenCodeSession>> {
        let connection = open(path)?;
        let mut query = connection.prepare(
            "SELECT id, directory, time_created FROM session WHERE parent_id IS NULL ORDER BY time_created, id",
        )?;
        query.query_map([], of_row)?.collect()
    };
    list().map_err(io::Error::other)
}

/// The session of that name, unless another session started it.
pub fn session(path: &Path, id: &str) -> io::Result<Option<OpenCodeSession>> {
    let find = || -> rusqlite::Result<Option<OpenCodeSession>> {
        let query =
            "SELECT id, directory, time_created FROM session WHERE id = ?1 AND parent_id IS NULL";
        open(path)?.query_row(query, params![id], of_row).optional()
    };
    find().map_err(io::Error::other)
}

fn of_row(row: &Row<'_>) -> rusqlite::Result<OpenCodeSession> {
    Ok(OpenCodeSession {
        id: row.get(0)?,
        directory: row.get(1)?,
        created: row.get(2)?,
    })
}

/// Hands on what happened in a session and in those it started, one row as JSON a time and how many bytes it has: `{"table", "id", …, "data"}`. It ends
/// where nothing more is wanted.
pub fn each_row(
    path: &Path,
    session: &str,
    mut hand_on: impl FnMut(&Value, usize) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut read = || -> rusqlite::Result<()> {
        let connection = open(path)?;
        let mut family = connection.prepare(
            "SELECT id, parent_id, directory, time_created FROM session WHERE id = ?1 OR parent_id = ?1 ORDER BY time_created, id",
        )?;
        let mut sessions = family.query(params![session])?;
        while let Some(row) = sessions.next()? {
            let parent: Option<String> = row.get(1)?;
            let value = json!({
                "table": "session",
                "id": row.get::<_, String>(0)?,
                "parent_id": parent,
                "directory": row.get::<_, String>(2)?,
                "time_created": row.get::<_, i64>(3)?,
            });
            if hand_on(&value, 0).is_break() {
                return Ok(());
            }
        }
        // Ids begin with the time, so that their order is the order of what happened.
        let mut messages = connection.prepare(
            "SELECT id, session_id, data FROM message WHERE session_id = ?1 OR session_id IN (SELECT id FROM session WHERE parent_id = ?1) ORDER BY id",
        )?;
        let mut parts =
            connection.prepare("SELECT id, data FROM part WHERE message_id = ?1 ORDER BY id")?;
        let mut found = messages.query(params![session])?;
        while let Some(row) = found.next()? {
            let (id, of): (String, String) = (row.get(0)?, row.get(1)?);
            let text: String = row.get(2)?;
            let data = parsed(&text);
            let value = json!({"table": "message", "id": id, "session_id": of, "data": data});
            if hand_on(&value, text.len()).is_break() {
                return Ok(());
            }
            let mut pieces = parts.query(params![id])?;
            while let Some(piece) = pieces.next()? {
                let text: String = piece.get(1)?;
                let value = json!({
                    "table": "part",
                    "id": piece.get::<_, String>(0)?,
                    "message_id": id,
                    "session_id": of,
                    "data": parsed(&text),
                });
                if hand_on(&value, text.len()).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    };
    read().map_err(io::Error::other)
}

fn parsed(data: &str) -> Value {
    serde_json::from_str(data).unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_read_with_those_it_started_and_nothing_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("opencode.db");
        let made = Connection::open(&path).unwrap();
        made.execute_batch(
            r#"CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, time_created INTEGER);
            CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);
            CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);
            INSERT INTO session VALUES ('a', NULL, '/p', 1), ('b', 'a', '/p', 2), ('c', NULL, '/q', 3);
            INSERT INTO message VALUES ('m1', 'a', '{"role":"user"}'), ('m2', 'b', 'broken'), ('m3', 'c', '{}');
            INSERT INTO part VALUES ('p1', 'm1', 'a', '{"type":"text","text":"hi"}');"#,
        )
        .unwrap();
        drop(made);
        let before = std::fs::read(&path).unwrap();
        let ids: Vec<String> = sessions(&path)
            .unwrap()
            .into_iter()
            .map(|one| one.id)
            .collect();
        assert_eq!(ids, ["a", "c"]);
        let folder_of = |id: &str| session(&path, id).unwrap().map(|one| one.directory);
        assert_eq!(folder_of("c").as_deref(), Some("/q"));
        assert_eq!(folder_of("b"), None, "another session started it");
        assert_eq!(folder_of("z"), None);
        let mut rows = Vec::new();
        each_row(&path, "a", |row, _| {
            rows.push(format!(
                "{} {}",
                row["table"].as_str().unwrap(),
                row["id"].as_str().unwrap()
            ));
            ControlFlow::Continue(())
        })
        .unwrap();
        let mut bytes = Vec::new();
        each_row(&path, "a", |_, length| {
            bytes.push(length > 0);
            if bytes.len() < 4 {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })
        .unwrap();
        assert_eq!(bytes, [false, false, true, true], "no more than is wanted");
        assert_eq!(
            rows,
            [
                "session a",
                "session b",
                "message m1",
                "part p1",
                "message m2"
            ]
        );
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert!(sessions(&folder.path().join("none.db")).is_err());
    }
}
