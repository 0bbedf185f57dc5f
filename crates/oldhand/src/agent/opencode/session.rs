//! OpenCode sessions as the rows of its database: sessions, messages and the parts of messages. What `opencode export` prints is
//! read as the rows it was made of.

use std::borrow::Cow;
use std::collections::HashMap;

use jiff::Timestamp;
use oldhand_domain::event::{Ending, Event, Happening, Tokens, Voice};
use serde_json::{Value, json};

use super::super::json::{at, flat_text, name, prompt, said, text};
use super::super::root::Root;
use super::super::shared::{searched, start};
use super::super::tool::Result;
use super::super::transcript::{Head, Parser};
use super::named_call;

pub(in crate::agent) struct Session {
    root: Root,
    /// The session that was opened by a person; the others belong to subagents.
    main: Option<String>,
    cwd: Option<String>,
    last_at: Timestamp,
    /// Whose words a message holds.
    users: HashMap<String, bool>,
}

impl Session {
    pub(in crate::agent) fn new(root: &Root) -> Self {
        Self {
            root: root.clone(),
            main: None,
            cwd: None,
            last_at: Timestamp::UNIX_EPOCH,
            users: HashMap::new(),
        }
    }
}

pub(in crate::agent) fn head(line: &Value, head: &mut Head) {
    for row in rows(line) {
        row_head(&row, head);
    }
}

fn row_head(line: &Value, head: &mut Head) {
    if text(line, &["table"]) != Some("session") {
        return;
    }
    let own = text(line, &["id"]);
    let parent = text(line, &["parent_id"]);
    // A subagent's session tells of its parent's only where that is not told beside it.
    if head.session.is_some() && (parent.is_some() || head.subagent.is_none()) {
        return;
    }
    head.session = parent.or(own).map(str::to_owned);
    head.subagent = own.filter(|_| parent.is_some()).map(str::to_owned);
    head.cwd = text(line, &["directory"]).map(str::to_owned);
    head.started_at = moment(line.get("time_created"));
}

/// Milliseconds since 1970.
fn moment(value: Option<&Value>) -> Option<Timestamp> {
    Timestamp::from_millisecond(value?.as_i64()?).ok()
}

/// The rows that a line stands for: itself, or what an export says of a session or of a message with its parts.
fn rows(line: &Value) -> Vec<Cow<'_, Value>> {
    let Some(info) = line.get("info") else {
        return vec![Cow::Borrowed(line)];
    };
    let list = |key: &str| {
        line.get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let id = info.get("id");
    if info.get("role").is_none() {
        let session = json!({
            "table": "session",
            "id": id,
            "parent_id": info.get("parentID"),
            "directory": info.get("directory"),
            "time_created": at(info, &["time", "created"]),
        });
        let messages = list("messages").flat_map(rows);
        return std::iter::once(Cow::Owned(session))
            .chain(messages)
            .collect();
    }
    let session = info.get("sessionID");
    let message = json!({"table": "message", "id": id, "session_id": session, "data": info});
    let parts = list("parts").map(|part| {
        Cow::Owned(json!({"table": "part", "message_id": id, "session_id": session, "data": part}))
    });
    std::iter::once(Cow::Owned(message)).chain(parts).collect()
}

impl Parser for Session {
    fn take(&mut self, line: &Value, out: &mut Vec<Event>) -> Option<String> {
        let mut unknown = None;
        for row in rows(line) {
            unknown = self.row(&row, out).or(unknown);
        }
        unknown
    }
}

impl Session {
    fn row(&mut self, line: &Value, out: &mut Vec<Event>) -> Option<String> {
        let from = out.len();
        let data = line.get("data").unwrap_or(&Value::Null);
        let unknown = match text(line, &["table"]).unwrap_or("") {
            "session" => {
                self.open(line, out);
                None
            }
            "message" => {
                self.message(line, data, out);
                None
            }
            "part" => self.part(line, data, out),
            other => Some(name(other)),
        };
        let of = text(line, &["session_id"]);
        if of.is_some() && of != self.main.as_deref() {
            for event in &mut out[from..] {
                event.agent = of.map(name);
            }
        }
        unknown
    }

    fn open(&mut self, line: &Value, out: &mut Vec<Event>) {
        if self.main.is_some() {
            return;
        }
        self.cwd = text(line, &["directory"]).map(str::to_owned);
        self.last_at = moment(line.get("time_created")).unwrap_or(self.last_at);
        if !line.get("parent_id").is_none_or(Value::is_null) {
            return;
        }
        self.main = text(line, &["id"]).map(str::to_owned);
        let mut event = start("opencode", line, self.last_at);
        if let (Happening::SessionStarted(start), Some(cwd)) = (&mut event.what, &self.cwd) {
            start.cwd = name(cwd);
        }
        out.push(event);
    }

    fn message(&mut self, line: &Value, data: &Value, out: &mut Vec<Event>) {
        let role = text(data, &["role"]).unwrap_or("");
        if let Some(id) = text(line, &["id"]) {
            self.users.insert(id.to_owned(), role == "user");
        }
        self.last_at = moment(at(data, &["time", "created"])).unwrap_or(self.last_at);
        let number = |path: &[&str]| at(data, path).and_then(Value::as_u64).unwrap_or(0);
        let tokens = Tokens {
            input: number(&["tokens", "input"])
                + number(&["tokens", "cache", "read"])
                + number(&["tokens", "cache", "write"]),
            output: number(&["tokens", "output"]),
        };
        if tokens != Tokens::default() {
            out.push(Event::new(self.last_at, Happening::StepCompleted(tokens)));
        }
    }

    fn part(&mut self, line: &Value, data: &Value, out: &mut Vec<Event>) -> Option<String> {
        let when = moment(at(data, &["time", "start"]))
            .or_else(|| moment(at(data, &["state", "time", "start"])))
            .unwrap_or(self.last_at);
        self.last_at = when;
        let from_user = text(line, &["message_id"])
            .and_then(|message| self.users.get(message))
            .copied()
            .unwrap_or(false);
        let words = text(data, &["text"]).unwrap_or("");
        // Parts that a plugin or the client pushed are marked as not the user's own.
        let own = data.get("synthetic") != Some(&Value::Bool(true));
        match text(data, &["type"]).unwrap_or("") {
            "text" if from_user && own => out.extend(prompt(words.trim_matches('"'), when)),
            "text" if !from_user => out.extend(said(Voice::Said, words, when)),
            "reasoning" => out.extend(said(Voice::Reasoned, words, when)),
            "tool" => out.extend(self.tool(data, when)),
            "compaction" => out.push(Event::new(when, Happening::ContextCompacted)),
            "text" | "step-start" | "step-finish" | "snapshot" | "patch" | "file" | "agent"
            | "subtask" | "retry" => {}
            other => return Some(name(other)),
        }
        None
    }

    /// A call that has ended; one that still runs says nothing yet.
    fn tool(&self, data: &Value, when: Timestamp) -> Option<Event> {
        let cwd = self.cwd.as_deref();
        let state = data.get("state")?;
        let args = state.get("input").unwrap_or(&Value::Null);
        let call = named_call(text(data, &["tool"])?, args, &self.root, cwd);
        let code = at(state, &["metadata", "exit"])
            .and_then(Value::as_i64)
            .and_then(|code| i32::try_from(code).ok());
        let told = |key: &str| state.get(key).map(flat_text).unwrap_or_default();
        let (failed, words) = match text(state, &["status"])? {
            "completed" => (code.is_some_and(|code| code != 0), told("output")),
            "error" => (true, told("error")),
            _ => return None,
        };
        let ended = if failed {
            Ending::Failed
        } else {
            Ending::Succeeded
        };
        let back = Result {
            id: text(data, &["callID"])?.to_owned(),
            matched: searched(&call, None, &words, &self.root, cwd),
            call,
            ended,
            output: &words,
            exit_code: code,
            duration_ms: None,
        };
        Some(back.into_event(when))
    }
}
