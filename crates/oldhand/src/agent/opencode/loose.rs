//! Sessions as OpenCode kept them before it had a database: a file for each session, each message and each part of a message.
//!
//! `storage/session/PROJECT/SESSION.json`, `storage/message/SESSION/MESSAGE.json`, `storage/part/MESSAGE/PART.json`. The names begin
//! with the time, so that their order is the order of what happened.

use std::collections::VecDeque;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::json::{at, text, time};
use super::super::slim;
use super::super::source::{Found, Source};
use super::super::transcript::Head;
use super::session;
use crate::file::open_regular;

/// No file of one of its messages is longer; what is holds a picture or garbage.
const FILE_LIMIT: u64 = 16 * 1024 * 1024;

/// Whether a file is a session among loose files.
pub(crate) fn is_session(path: &Path) -> bool {
    storage(path).is_some_and(is_storage)
}

/// Whether a folder holds sessions as loose files.
pub(crate) fn is_storage(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == "storage")
        && folder.join("session").is_dir()
        && folder.join("message").is_dir()
}

/// The files of all sessions below a folder that [`is_storage`].
pub(crate) fn sessions(storage: &Path) -> Vec<PathBuf> {
    let projects = files(&storage.join("session"));
    projects.iter().flat_map(|project| files(project)).collect()
}

/// What a session says about itself. One that another started belongs to that one.
pub(crate) fn head(path: &Path) -> Head {
    let mut head = Head::default();
    let (mut path, mut started_at) = (path.to_owned(), None);
    for _ in 0..DEEPEST {
        let Ok((Found::Value(info), _)) = read(&path) else {
            return Head::default();
        };
        started_at = started_at.or_else(|| time(at(&info, &["time", "created"])));
        let Some(parent) = text(&info, &["parentID"]) else {
            session::head(&json!({ "info": info }), &mut head);
            head.started_at = started_at;
            return head;
        };
        // A name that leads elsewhere is no name.
        if parent.contains(['/', '\\']) {
            return Head::default();
        }
        path.set_file_name(format!("{parent}.json"));
    }
    head
}

/// How many sessions may have started each other.
const DEEPEST: usize = 16;

fn storage(session: &Path) -> Option<&Path> {
    session.parent()?.parent()?.parent()
}

/// What is in a folder, in the order of the names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// A file as JSON, and its length.
fn read(path: &Path) -> io::Result<(Found, u64)> {
    let file = open_regular(path)?;
    let length = file.metadata()?.len();
    if length > FILE_LIMIT {
        return Ok((Found::TooLong, length));
    }
    let mut bytes = Vec::new();
    file.take(FILE_LIMIT).read_to_end(&mut bytes)?;
    let value = slim::parse(&String::from_utf8_lossy(&bytes));
    Ok((value.map_or(Found::Broken, Found::Value), length))
}

/// One session while it is read, as the database would tell it.
pub(in crate::agent) struct Loose {
    storage: PathBuf,
    session: Option<Value>,
    id: String,
    messages: VecDeque<PathBuf>,
    message: String,
    parts: VecDeque<PathBuf>,
}

impl Loose {
    pub(in crate::agent) fn open(path: &Path) -> io::Result<Self> {
        let missing = || io::Error::other("it lies in no storage folder of OpenCode");
        let storage = storage(path).ok_or_else(missing)?;
        let Found::Value(session) = read(path)?.0 else {
            return Err(io::Error::other("it is no JSON"));
        };
        let id = stem(path);
        Ok(Self {
            messages: files(&storage.join("message").join(&id)).into(),
            storage: storage.to_owned(),
            session: Some(session),
            id,
            message: String::new(),
            parts: VecDeque::new(),
        })
    }
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    stem.unwrap_or_default().to_owned()
}

impl Source for Loose {
    fn next(&mut self) -> io::Result<Option<(Found, u64)>> {
        if let Some(session) = self.session.take() {
            return Ok(Some((Found::Value(json!({ "info": session })), 0)));
        }
        if let Some(part) = self.parts.pop_front() {
            let (found, bytes) = read(&part)?;
            let found = wrapped(
                found,
                |data| json!({"table": "part", "id": stem(&part), "message_id": self.message, "session_id": self.id, "data": data}),
            );
            return Ok(Some((found, bytes)));
        }
        let Some(message) = self.messages.pop_front() else {
            return Ok(None);
        };
        self.message = stem(&message);
        self.parts = files(&self.storage.join("part").join(&self.message)).into();
        let (found, bytes) = read(&message)?;
        let found = wrapped(
            found,
            |data| json!({"table": "message", "id": self.message, "session_id": self.id, "data": data}),
        );
        Ok(Some((found, bytes)))
    }
}

fn wrapped(found: Found, wrap: impl FnOnce(Value) -> Value) -> Found {
    match found {
        Found::Value(value) => Found::Value(wrap(value)),
        other => other,
    }
}
