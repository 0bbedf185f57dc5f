//! The databases in which Cursor keeps its chats. They are another program's: opened to read, never changed. Their layout is
//! nowhere described; it is read as it was found, and a database of another layout has no chats.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use oldhand_domain::path::path_in_address;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use serde_json::{Value, json};

/// A chat of Cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorChat {
    pub id: String,
    /// The folder it was about, where one is noted.
    pub folder: Option<String>,
    /// Milliseconds since 1970.
    pub created: Option<i64>,
}

/// A value that is longer holds pictures or copies of files.
const VALUE_LIMIT: i64 = 16 * 1024 * 1024;

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
}

/// The chats in the database that all windows of Cursor share, oldest first. The folder of a chat is noted there, or in the
/// database of its window.
pub fn chats(path: &Path) -> io::Result<Vec<CursorChat>> {
    let list = || -> rusqlite::Result<Vec<CursorChat>> {
        let connection = open(path)?;
        let folders = folders(path, &connection);
        let mut query = connection.prepare(&format!(
            "{CHATS} WHERE key >= 'composerData:' AND key < 'composerData;'"
        ))?;
        let rows = query.query_map(params![VALUE_LIMIT], |row| {
            let id: String = row.get(0)?;
            let folder = folders.get(&id).cloned();
            Ok(chat_of(row, id, folder))
        })?;
        let mut chats = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        chats.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
        Ok(chats)
    };
    list().map_err(io::Error::other)
}

/// The id of each chat, and when it was begun.
const CHATS: &str = "SELECT substr(key, 14), CASE WHEN length(value) <= ?1 AND json_valid(CAST(value AS TEXT)) \
    THEN json_extract(CAST(value AS TEXT), '$.createdAt') END FROM cursorDiskKV";

/// The chat of that name, found by its key: neither other chats nor, as a rule, other windows are looked at.
pub fn chat(path: &Path, id: &str) -> io::Result<Option<CursorChat>> {
    let find = || -> rusqlite::Result<Option<CursorChat>> {
        let connection = open(path)?;
        let key = format!("composerData:{id}");
        let query = format!("{CHATS} WHERE key = ?2");
        connection
            .query_row(&query, params![VALUE_LIMIT, key], |row| {
                let mut noted = noted_folders(&connection).chain(window_folders(path));
                let folder = noted.find(|(chat, _)| chat == id);
                let folder = folder.map(|(_, folder)| folder);
                Ok(chat_of(row, id.to_owned(), folder))
            })
            .optional()
    };
    find().map_err(io::Error::other)
}

fn chat_of(row: &Row<'_>, id: String, folder: Option<String>) -> CursorChat {
    CursorChat {
        created: row.get::<_, Option<f64>>(1).ok().flatten().map(whole),
        folder,
        id,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "milliseconds of our age fit"
)]
fn whole(milliseconds: f64) -> i64 {
    milliseconds as i64
}

/// The folder of each chat. What all windows share is the later word.
fn folders(shared: &Path, connection: &Connection) -> BTreeMap<String, String> {
    let noted = window_folders(shared).chain(noted_folders(connection));
    noted.collect()
}

/// Chats with their folders, as the window of each notes it.
fn window_folders(shared: &Path) -> impl Iterator<Item = (String, String)> {
    let windows = shared.parent().and_then(Path::parent);
    let windows = windows.map(|user| user.join("workspaceStorage"));
    let windows = windows.into_iter().flat_map(|windows| subfolders(&windows));
    windows
        .filter_map(|window| {
            let noted = workspace(&window.join("workspace.json"))?;
            let folder = path_in_address(noted.get("folder")?.as_str()?)?;
            let own = open(&window.join("state.vscdb")).ok()?;
            let chats = listed(&own, "composer.composerData");
            let ids: Vec<String> = chats.iter().filter_map(id).collect();
            Some(ids.into_iter().map(move |id| (id, folder.clone())))
        })
        .flatten()
}

/// Chats with their folders, as all windows share them.
fn noted_folders(connection: &Connection) -> impl Iterator<Item = (String, String)> {
    let chats = listed(connection, "composer.composerHeaders").into_iter();
    chats.filter_map(|chat| {
        let uri = chat.pointer("/workspaceIdentifier/uri")?;
        let text = |key| uri.get(key).and_then(Value::as_str);
        let folder = text("fsPath").or_else(|| text("path"))?;
        Some((id(&chat)?, folder.to_owned()))
    })
}

/// What a window says of itself. No such file is long, and one that is a pipe or a device is none.
fn workspace(path: &Path) -> Option<Value> {
    const LIMIT: u64 = 1024 * 1024;
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > LIMIT {
        return None;
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).ok()?;
    file.take(LIMIT).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.sort();
    found
}

fn id(chat: &Value) -> Option<String> {
    Some(chat.get("composerId")?.as_str()?.to_owned())
}

/// The chats that a list among the settings names.
fn listed(connection: &Connection, key: &str) -> Vec<Value> {
    let read = connection.query_row(
        "SELECT value FROM ItemTable WHERE key = ?1",
        params![key],
        |row| Ok(json_of(row, 0)),
    );
    let mut read = read.optional().ok().flatten().unwrap_or_default();
    match read.get_mut("allComposers").map(Value::take) {
        Some(Value::Array(chats)) => chats,
        _ => Vec::new(),
    }
}

/// A value is kept as text or as the bytes of one.
fn json_of(row: &Row<'_>, column: usize) -> Value {
    let Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) = row.get_ref(column) else {
        return Value::Null;
    };
    serde_json::from_slice(bytes).unwrap_or_default()
}

/// What is kept under a key.
enum Stored {
    Nothing,
    TooLong,
    NoJson,
    /// With its length.
    Value(Value, usize),
}

/// Hands on what happened in a chat: `{"chat", "folder"}` once, then `{"bubble"}` for each of its bubbles in their order. Says
/// how many bubbles were too long to be read. Each comes with its length in bytes; it ends where nothing more is wanted. A chat that cannot be read is an error and not one in which nothing happened.
pub fn each_bubble(
    path: &Path,
    chat: &str,
    folder: &str,
    mut hand_on: impl FnMut(&Value, usize) -> ControlFlow<()>,
) -> io::Result<u64> {
    let connection = open(path).map_err(io::Error::other)?;
    let mut query = connection
        .prepare(
            "SELECT length(value), CASE WHEN length(value) <= ?2 THEN value END \
             FROM cursorDiskKV WHERE key = ?1",
        )
        .map_err(io::Error::other)?;
    let mut stored = |key: String| -> io::Result<Stored> {
        let found = query.query_row(params![key, VALUE_LIMIT], |row| {
            Ok(match (row.get::<_, Option<i64>>(0)?, json_of(row, 1)) {
                (None, _) => Stored::Nothing,
                (Some(length), _) if length > VALUE_LIMIT => Stored::TooLong,
                (Some(_), Value::Null) => Stored::NoJson,
                (Some(length), value) => {
                    Stored::Value(value, usize::try_from(length).unwrap_or_default())
                }
            })
        });
        let found = found.optional().map_err(io::Error::other)?;
        Ok(found.unwrap_or(Stored::Nothing))
    };
    let unread = |why: &str| io::Error::other(format!("its chat {chat} {why}"));
    let (mut data, length) = match stored(format!("composerData:{chat}"))? {
        Stored::Value(data, length) => (data, length),
        Stored::TooLong => return Err(unread("is longer than 16 MiB")),
        Stored::NoJson => return Err(unread("is no JSON")),
        Stored::Nothing => return Err(unread("is gone")),
    };
    let bubbles = data.get_mut("fullConversationHeadersOnly").map(Value::take);
    // Older versions kept the bubbles themselves in the chat.
    let inline = data.get_mut("conversation").map(Value::take);
    if hand_on(&json!({"chat": data, "folder": folder}), length).is_break() {
        return Ok(0);
    }
    for bubble in inline.iter().filter_map(Value::as_array).flatten() {
        // They were counted with the chat.
        if hand_on(&json!({ "bubble": bubble }), 0).is_break() {
            return Ok(0);
        }
    }
    let mut too_long = 0;
    for header in bubbles.iter().filter_map(Value::as_array).flatten() {
        let Some(id) = header.get("bubbleId").and_then(Value::as_str) else {
            continue;
        };
        match stored(format!("bubbleId:{chat}:{id}"))? {
            Stored::Value(bubble, length) => {
                if hand_on(&json!({ "bubble": bubble }), length).is_break() {
                    break;
                }
            }
            Stored::TooLong => too_long += 1,
            // Cursor forgets bubbles of which it keeps the names.
            Stored::NoJson | Stored::Nothing => {}
        }
    }
    Ok(too_long)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database(path: &Path) -> Connection {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let made = Connection::open(path).unwrap();
        made.execute_batch(
            "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
            CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);",
        )
        .unwrap();
        made
    }

    fn put(connection: &Connection, table: &str, key: &str, value: &Value) {
        connection
            .execute(
                &format!("INSERT INTO {table} VALUES (?1, ?2)"),
                params![key, value.to_string()],
            )
            .unwrap();
    }

    #[test]
    fn chats_are_listed_with_the_folders_noted_in_either_place_and_read_in_order() {
        let user = tempfile::tempdir().unwrap();
        let shared = user.path().join("globalStorage/state.vscdb");
        let made = database(&shared);
        put(
            &made,
            "cursorDiskKV",
            "composerData:new",
            &json!({"createdAt": 2, "fullConversationHeadersOnly": [{"bubbleId": "b"}, {"bubbleId": "a"}, {"bubbleId": "gone"}]}),
        );
        put(
            &made,
            "cursorDiskKV",
            "composerData:old",
            &json!({"createdAt": 1, "conversation": [{"text": "inline"}]}),
        );
        put(&made, "cursorDiskKV", "composerData:lost", &json!({}));
        put(
            &made,
            "cursorDiskKV",
            "bubbleId:new:a",
            &json!({"text": "second"}),
        );
        put(
            &made,
            "cursorDiskKV",
            "bubbleId:new:b",
            &json!({"text": "first"}),
        );
        put(
            &made,
            "ItemTable",
            "composer.composerHeaders",
            &json!({"allComposers": [{"composerId": "new", "workspaceIdentifier": {"uri": {"fsPath": "/new"}}}]}),
        );
        let window = user.path().join("workspaceStorage/1a2b");
        let own = database(&window.join("state.vscdb"));
        fs::write(
            window.join("workspace.json"),
            r#"{"folder": "file:///old%20one"}"#,
        )
        .unwrap();
        put(
            &own,
            "ItemTable",
            "composer.composerData",
            &json!({"allComposers": [{"composerId": "old"}]}),
        );
        drop((made, own));
        let before = fs::read(&shared).unwrap();
        // A window that says too much of itself says nothing.
        let loud = user.path().join("workspaceStorage/3c4d");
        fs::create_dir_all(&loud).unwrap();
        fs::write(loud.join("workspace.json"), " ".repeat(2 << 20)).unwrap();
        let found = chats(&shared).unwrap();
        for one in &found {
            assert_eq!(chat(&shared, &one.id).unwrap().as_ref(), Some(one));
        }
        assert_eq!(chat(&shared, "none").unwrap(), None);
        let found: Vec<(&str, Option<&str>)> = found
            .iter()
            .map(|chat| (chat.id.as_str(), chat.folder.as_deref()))
            .collect();
        assert_eq!(
            found,
            [
                ("lost", None),
                ("old", Some("/old one")),
                ("new", Some("/new"))
            ]
        );
        let told = |chat| {
            let mut told = Vec::new();
            each_bubble(&shared, chat, "/p", |row, _| {
                told.extend(
                    row.pointer("/bubble/text")
                        .map(|text| text.as_str().unwrap().to_owned()),
                );
                ControlFlow::Continue(())
            })
            .unwrap();
            told
        };
        assert_eq!(told("new"), ["first", "second"]);
        assert_eq!(told("old"), ["inline"]);
        assert_eq!(fs::read(&shared).unwrap(), before);
        assert!(chats(&user.path().join("none")).is_err());
    }

    #[test]
    fn a_chat_that_cannot_be_read_is_an_error_and_a_long_bubble_is_counted() {
        let user = tempfile::tempdir().unwrap();
        let shared = user.path().join("globalStorage/state.vscdb");
        let made = database(&shared);
        let long = "x".repeat(usize::try_from(VALUE_LIMIT).unwrap());
        let chat = json!({"fullConversationHeadersOnly": [{"bubbleId": "a"}, {"bubbleId": "b"}]});
        put(&made, "cursorDiskKV", "composerData:open", &chat);
        let bubble = json!({"text": "short"});
        put(&made, "cursorDiskKV", "bubbleId:open:a", &bubble);
        let bubble = json!({ "text": long });
        put(&made, "cursorDiskKV", "bubbleId:open:b", &bubble);
        let chat = json!({"conversation": [{"text": long}]});
        put(&made, "cursorDiskKV", "composerData:long", &chat);
        made.execute(
            "INSERT INTO cursorDiskKV VALUES ('composerData:torn', '{')",
            [],
        )
        .unwrap();
        drop(made);
        let mut told = 0;
        let too_long = each_bubble(&shared, "open", "/p", |_, length| {
            assert!(length > 0);
            told += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((too_long.unwrap(), told), (1, 2));
        let stopped = each_bubble(&shared, "open", "/p", |_, _| {
            told += 1;
            ControlFlow::Break(())
        });
        assert_eq!((stopped.unwrap(), told), (0, 3));
        for (chat, why) in [
            ("long", "is longer than 16 MiB"),
            ("torn", "is no JSON"),
            ("none", "is gone"),
        ] {
            let error = each_bubble(&shared, chat, "/p", |_, _| panic!("nothing is told"));
            assert!(error.unwrap_err().to_string().ends_with(why), "{chat}");
        }
    }
}
