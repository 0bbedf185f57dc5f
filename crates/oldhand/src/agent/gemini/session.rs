//! Gemini session files: messages that are written again when they grow, and patches between them.

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::event::{Event, Happening, Start, Tokens, Voice};
use serde_json::Value;

use super::super::json::{at, flat_text, name, prompt, said, text, time, without_tag};
use super::super::root::Root;
use super::super::transcript::{Head, Parser};
use super::{named_call, result};

pub(in crate::agent) struct Session {
    root: Root,
    last_at: Timestamp,
    started: bool,
    cwd: Option<String>,
    subagent: Option<String>,
    /// Messages and calls already told.
    told: BTreeSet<String>,
}

impl Session {
    pub(in crate::agent) fn new(root: &Root) -> Self {
        Self {
            root: root.clone(),
            last_at: Timestamp::UNIX_EPOCH,
            started: false,
            cwd: None,
            subagent: None,
            told: BTreeSet::new(),
        }
    }
}

/// Where it ran stands only in what the client told the model at the beginning.
pub(in crate::agent) fn head(line: &Value, head: &mut Head) {
    if let Some(session) = text(line, &["sessionId"]) {
        head.session = Some(session.to_owned());
        head.subagent = is_subagent(line).then(|| session.to_owned());
        head.started_at = time(line.get("startTime"));
        let folders = line.get("directories").and_then(Value::as_array);
        let first = folders.and_then(|folders| folders.first()?.as_str());
        head.cwd = first.map(str::to_owned);
    }
    if head.cwd.is_none() {
        let set = line.get("$set").unwrap_or(line);
        let messages = set.get("messages").and_then(Value::as_array);
        let mut told = messages
            .into_iter()
            .flatten()
            .chain([line])
            .filter_map(|message| message.get("content"));
        head.cwd = told.find_map(|content| folder_told(&flat_text(content)));
    }
}

fn is_subagent(line: &Value) -> bool {
    text(line, &["kind"]) == Some("subagent")
}

/// The folder in the words with which the client sets up a session.
fn folder_told(words: &str) -> Option<String> {
    const BEFORE: [&str; 4] = [
        "working in the directory: ",
        "working in the following directories:\n  - ",
        "Workspace Directories:**\n  - ",
        "Workspace Directories:\n  - ",
    ];
    let rest = BEFORE
        .iter()
        .find_map(|before| words.split_once(before).map(|(_, rest)| rest))?;
    let folder = rest.lines().next()?.trim();
    (!folder.is_empty()).then(|| folder.to_owned())
}

impl Parser for Session {
    fn take(&mut self, line: &Value, out: &mut Vec<Event>) -> Option<String> {
        let when = time(line.get("timestamp"))
            .or_else(|| time(line.get("startTime")))
            .unwrap_or(self.last_at);
        self.last_at = when;
        if let Some(session) = text(line, &["sessionId"])
            && is_subagent(line)
        {
            self.subagent = Some(name(session));
        }
        let from = out.len();
        let unknown = self.read(line, when, out);
        if let Some(agent) = &self.subagent {
            for event in &mut out[from..] {
                event.agent = Some(agent.clone());
            }
        }
        unknown
    }
}

impl Session {
    fn read(&mut self, line: &Value, when: Timestamp, out: &mut Vec<Event>) -> Option<String> {
        if line.get("sessionId").is_some() {
            self.begin(when, out);
            self.messages(line.get("messages"), out);
            return None;
        }
        if let Some(set) = line.get("$set") {
            self.messages(set.get("messages"), out);
            return None;
        }
        self.message(line, when, out)
    }

    fn begin(&mut self, when: Timestamp, out: &mut Vec<Event>) {
        if self.started {
            return;
        }
        self.started = true;
        out.push(Event::new(
            when,
            Happening::SessionStarted(Start {
                client: "gemini".to_owned(),
                session_type: oldhand_domain::event::SessionType::Build,
                type_told: false,
                task: None,
                cwd: String::new(),
                branch: None,
                work_unit: None,
                planned_steps: None,
            }),
        ));
    }

    fn messages(&mut self, list: Option<&Value>, out: &mut Vec<Event>) {
        for message in list.and_then(Value::as_array).into_iter().flatten() {
            let when = time(message.get("timestamp")).unwrap_or(self.last_at);
            self.message(message, when, out);
        }
    }

    fn message(
        &mut self,
        message: &Value,
        when: Timestamp,
        out: &mut Vec<Event>,
    ) -> Option<String> {
        let kind = text(message, &["type"]).unwrap_or("");
        let id = text(message, &["id"]).unwrap_or("").to_owned();
        let new = id.is_empty() || self.told.insert(id);
        match kind {
            "user" if new => {
                let words = user_words(message.get("content").unwrap_or(&Value::Null));
                self.cwd = folder_told(&words).or(self.cwd.take());
                out.extend(prompt(&words, when));
            }
            "gemini" => {
                if new {
                    for thought in message
                        .get("thoughts")
                        .and_then(Value::as_array)
                        .into_iter()
                        .flatten()
                    {
                        out.extend(said(
                            Voice::Reasoned,
                            text(thought, &["description"]).unwrap_or(""),
                            when,
                        ));
                    }
                    out.extend(said(
                        Voice::Said,
                        &message.get("content").map(flat_text).unwrap_or_default(),
                        when,
                    ));
                    let number = |key: &str| {
                        at(message, &["tokens", key])
                            .and_then(Value::as_u64)
                            .unwrap_or(0)
                    };
                    let tokens = Tokens {
                        input: number("input"),
                        output: number("output"),
                    };
                    if tokens != Tokens::default() {
                        out.push(Event::new(when, Happening::StepCompleted(tokens)));
                    }
                }
                for call in message
                    .get("toolCalls")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                {
                    self.call(call, when, out);
                }
            }
            "user" | "info" | "error" | "warning" => {}
            other => return Some(name(other)),
        }
        None
    }

    fn call(&mut self, call: &Value, when: Timestamp, out: &mut Vec<Event>) {
        let (Some(id), Some(tool)) = (text(call, &["id"]), text(call, &["name"])) else {
            return;
        };
        // A call is written when it starts and again when it has ended.
        let status = text(call, &["status"]).unwrap_or("");
        if !matches!(status, "success" | "error" | "cancelled")
            || !self.told.insert(format!("call {id}"))
        {
            return;
        }
        let when = time(call.get("timestamp")).unwrap_or(when);
        let parsed = named_call(
            tool,
            call.get("args").unwrap_or(&Value::Null),
            None,
            &self.root,
            self.cwd.as_deref(),
        );
        let answer = at(call, &["result"])
            .and_then(Value::as_array)
            .and_then(|list| list.first())
            .and_then(|first| at(first, &["functionResponse", "response"]));
        let words = answer
            .and_then(|answer| answer.get("output"))
            .map(|output| without_tag(&flat_text(output), "hook_context"))
            .unwrap_or_default();
        let error = answer.and_then(|answer| answer.get("error")).map(flat_text);
        let failed = error.or_else(|| (status == "error").then(|| words.clone()));
        out.push(
            result(
                name(id),
                parsed,
                &words,
                failed.as_deref(),
                None,
                &self.root,
                self.cwd.as_deref(),
            )
            .into_event(when),
        );
    }
}

/// The texts of a user message; answers of tools are among its parts too.
fn user_words(content: &Value) -> String {
    match content {
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| text(part, &["text"]))
            .collect::<Vec<_>>()
            .join("\n"),
        other => flat_text(other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_folder_is_read_from_what_the_client_told_the_model() {
        let told = |line: &Value| {
            let mut found = Head::default();
            head(line, &mut found);
            found.cwd
        };
        let old = "This is the Gemini CLI.\nI'm currently working in the directory: /home/dev/project\nThe folder structure";
        let new = "<session_context>\n- **Workspace Directories:**\n  - /home/dev/project\n- **Directory Structure:**";
        let message = |words: &str| json!({"type": "user", "content": [{"text": words}]});
        for words in [old, new] {
            let set = json!({"$set": {"messages": [message(words)]}});
            assert_eq!(told(&set).as_deref(), Some("/home/dev/project"));
            let whole = json!({"sessionId": "a", "messages": [message(words)]});
            assert_eq!(told(&whole).as_deref(), Some("/home/dev/project"));
            assert_eq!(told(&message(words)).as_deref(), Some("/home/dev/project"));
        }
        assert_eq!(told(&message("fix it")), None);
    }
}
