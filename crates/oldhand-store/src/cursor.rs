//! The databases in which Cursor keeps its chats. They are another program's: opened to read, never changed. Their layout is
//! nowhere described; it is read as it was found, and a database of another layout has no chats.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

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
        let mut query = connection.prepare(
            "SELECT substr(key, 14), CASE WHEN length(value) <= ?1 AND json_valid(CAST(value AS TEXT)) \
             THEN json_extract(CAST(value AS TEXT), '$.createdAt') END \
             FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'",
        )?;
        let rows = query.query_map(params![VALUE_LIMIT], |row| {
            let id: String = row.get(0)?;
            Ok(CursorChat {
                folder: folders.get(&id).cloned(),
                created: row.get::<_, Option<f64>>(1).ok().flatten().map(whole),
                id,
            })
        })?;
        let mut chats = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        chats.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
        Ok(chats)
    };
    list().map_err(io::Error::other)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "milliseconds of our age fit"
)]
fn whole(milliseconds: f64) -> i64 {
    milliseconds as i64
}

/// The folder of each chat.
fn folders(shared: &Path, connection: &Connection) -> BTreeMap<String, String> {
    let mut folders = BTreeMap::new();
    let windows = shared.parent().and_then(Path::parent);
    let windows = windows.map(|user| user.join("workspaceStorage"));
    for window in windows.iter().flat_map(|windows| subfolders(windows)) {
        let noted = fs::read(window.join("workspace.json")).unwrap_or_default();
        let noted: Value = serde_json::from_slice(&noted).unwrap_or_default();
        let Some(folder) = noted
            .get("folder")
            .and_then(Value::as_str)
            .and_then(path_of)
        else {
            continue;
        };
        let Ok(own) = open(&window.join("state.vscdb")) else {
            continue;
        };
        for chat in listed(&own, "composer.composerData") {
            if let Some(id) = id(&chat) {
                folders.insert(id, folder.clone());
            }
        }
    }
    for chat in listed(connection, "composer.composerHeaders") {
        let uri = chat.pointer("/workspaceIdentifier/uri");
        let path = uri.and_then(|uri| {
            let text = |key| uri.get(key).and_then(Value::as_str);
            text("fsPath").or_else(|| text("path")).map(str::to_owned)
        });
        if let (Some(id), Some(path)) = (id(&chat), path) {
            folders.insert(id, path);
        }
    }
    folders
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

/// The path in a `file:` address.
fn path_of(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?;
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let coded = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        match coded {
            Some(coded) if byte == b'%' => {
                bytes.push(coded);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// What is kept under a key.
enum Stored {
    Nothing,
    TooLong,
    NoJson,
    Value(Value),
}

/// Hands on what happened in a chat: `{"chat", "folder"}` once, then `{"bubble"}` for each of its bubbles in their order. Says
/// how many bubbles were too long to be read. A chat that cannot be read is an error and not one in which nothing happened.
pub fn each_bubble(
    path: &Path,
    chat: &str,
    folder: &str,
    mut hand_on: impl FnMut(&Value),
) -> io::Result<u64> {
    let connection = open(path).map_err(io::Error::other)?;
    let mut query = connection
        .prepare(
            "SELECT length(value) > ?2, CASE WHEN length(value) <= ?2 THEN value END \
             FROM cursorDiskKV WHERE key = ?1",
        )
        .map_err(io::Error::other)?;
    let mut stored = |key: String| -> io::Result<Stored> {
        let found = query.query_row(params![key, VALUE_LIMIT], |row| {
            Ok(match (row.get::<_, Option<bool>>(0)?, json_of(row, 1)) {
                (None, _) => Stored::Nothing,
                (Some(true), _) => Stored::TooLong,
                (Some(false), Value::Null) => Stored::NoJson,
                (Some(false), value) => Stored::Value(value),
            })
        });
        let found = found.optional().map_err(io::Error::other)?;
        Ok(found.unwrap_or(Stored::Nothing))
    };
    let unread = |why: &str| io::Error::other(format!("its chat {chat} {why}"));
    let mut data = match stored(format!("composerData:{chat}"))? {
        Stored::Value(data) => data,
        Stored::TooLong => return Err(unread("is longer than 16 MiB")),
        Stored::NoJson => return Err(unread("is no JSON")),
        Stored::Nothing => return Err(unread("is gone")),
    };
    let bubbles = data.get_mut("fullConversationHeadersOnly").map(Value::take);
    // Older versions kept the bubbles themselves in the chat.
    let inline = data.get_mut("conversation").map(Value::take);
    hand_on(&json!({"chat": data, "folder": folder}));
    for bubble in inline.iter().filter_map(Value::as_array).flatten() {
        hand_on(&json!({ "bubble": bubble }));
    }
    let mut too_long = 0;
    for header in bubbles.iter().filter_map(Value::as_array).flatten() {
        let Some(id) = header.get("bubbleId").and_then(Value::as_str) else {
            continue;
        };
        match stored(format!("bubbleId:{chat}:{id}"))? {
            Stored::Value(bubble) => hand_on(&json!({ "bubble": bubble })),
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
        let found = chats(&shared).unwrap();
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
            each_bubble(&shared, chat, "/p", |row| {
                told.extend(
                    row.pointer("/bubble/text")
                        .map(|text| text.as_str().unwrap().to_owned()),
                );
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
        let too_long = each_bubble(&shared, "open", "/p", |_| told += 1).unwrap();
        assert_eq!((too_long, told), (1, 2));
        for (chat, why) in [
            ("long", "is longer than 16 MiB"),
            ("torn", "is no JSON"),
            ("none", "is gone"),
        ] {
            let error = each_bubble(&shared, chat, "/p", |_| panic!("nothing is told"));
            assert!(error.unwrap_err().to_string().ends_with(why), "{chat}");
        }
    }
}
