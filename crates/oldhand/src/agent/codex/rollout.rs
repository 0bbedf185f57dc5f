//! Codex rollouts: what the model was sent and answered, with events beside it. How calls end is
//! in [`returns`].

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use oldhand_domain::event::{Call, Event, Happening, Tokens, UserCorrection, Voice};
use oldhand_domain::taint::{OutsideText, Taint};
use serde_json::Value;

use super::super::json::{at, flat_text, name, prompt, said, tagged, text, time};
use super::super::root::Root;
use super::super::shared::start;
use super::super::tool::call;
use super::super::transcript::{Head, Parser};
use super::script;

mod bare;
mod returns;

use returns::Waiting;

pub(in crate::agent) struct Rollout {
    root: Root,
    cwd: Option<String>,
    last_at: Timestamp,
    started: bool,
    /// How a rollout of an early version began, until something says where it ran.
    beginning: Option<Value>,
    /// The thread, as Codex calls it.
    own: Option<String>,
    /// The same where another agent started it: what it is asked no person typed.
    asked_by_agent: Option<String>,
    /// The thread, where it belongs to a session that another file tells of.
    subagent: Option<String>,
    waiting: HashMap<String, Waiting>,
    /// Scripts that go on, by the cell that `wait` asks for.
    cells: HashMap<String, Waiting>,
    /// Processes that go on, by the number that `write_stdin` names.
    running: HashMap<u64, String>,
    /// Calls of which an event said so; their output need not.
    failed: HashSet<String>,
}

impl Rollout {
    pub(in crate::agent) fn new(root: &Root) -> Self {
        Self {
            root: root.clone(),
            cwd: None,
            last_at: Timestamp::UNIX_EPOCH,
            started: false,
            beginning: None,
            own: None,
            asked_by_agent: None,
            subagent: None,
            waiting: HashMap::new(),
            cells: HashMap::new(),
            running: HashMap::new(),
            failed: HashSet::new(),
        }
    }
}

pub(in crate::agent) fn head(line: &Value, head: &mut Head) {
    if bare::is_beginning(line) {
        head.session = text(line, &["id"]).map(str::to_owned);
        head.branch = text(line, &["git", "branch"]).map(str::to_owned);
        head.started_at = time(line.get("timestamp"));
    } else if head.session.is_some() && head.cwd.is_none() && bare::is_item(line) {
        head.cwd = bare::folder(line);
    }
    if text(line, &["type"]) != Some("session_meta") {
        return;
    }
    let payload = line.get("payload").unwrap_or(&Value::Null);
    let own = text(payload, &["id"]).or_else(|| text(payload, &["session_id"]));
    let parent = parent(payload);
    head.session = parent.or(own).map(str::to_owned);
    head.subagent = own.filter(|_| parent.is_some()).map(str::to_owned);
    head.cwd = text(payload, &["cwd"]).map(str::to_owned);
    head.branch = text(payload, &["git", "branch"]).map(str::to_owned);
    head.started_at = time(payload.get("timestamp")).or_else(|| time(line.get("timestamp")));
}

/// The session that a subagent belongs to, where the payload is of one.
fn parent(payload: &Value) -> Option<&str> {
    let parent = text(payload, &["parent_thread_id"]).or_else(|| {
        let spawned = ["source", "subagent", "thread_spawn", "parent_thread_id"];
        text(payload, &spawned)
    })?;
    // A subagent of a subagent belongs to the session that started the first.
    let root = text(payload, &["session_id"]).filter(|root| text(payload, &["id"]) != Some(root));
    Some(root.unwrap_or(parent))
}

impl Parser for Rollout {
    fn take(&mut self, line: &Value, out: &mut Vec<Event>) -> Option<String> {
        let from = out.len();
        let unknown = self.read(line, out);
        if let Some(agent) = &self.subagent {
            for event in &mut out[from..] {
                event.agent = Some(agent.clone());
            }
        }
        unknown
    }
}

impl Rollout {
    fn read(&mut self, line: &Value, out: &mut Vec<Event>) -> Option<String> {
        let when = time(line.get("timestamp")).unwrap_or(self.last_at);
        self.last_at = when;
        if bare::is_beginning(line) {
            self.beginning = Some(line.clone());
            return None;
        }
        if bare::is_item(line) {
            self.begin_bare(line, when, out);
            return self.item(line, when, out);
        }
        // Between the items of an early version: how far its state was kept.
        if line.get("record_type").is_some() {
            return None;
        }
        let payload = line.get("payload").unwrap_or(&Value::Null);
        match text(line, &["type"]).unwrap_or("") {
            "session_meta" => {
                self.cwd = text(payload, &["cwd"])
                    .map(str::to_owned)
                    .or_else(|| self.cwd.take());
                if parent(payload).is_some() {
                    self.subagent = text(payload, &["id"]).map(name);
                }
                // Resuming appends a second beginning.
                if !self.started {
                    self.started = true;
                    let subagent = at(payload, &["source", "subagent"]).is_some();
                    self.own = text(payload, &["id"]).map(name);
                    self.asked_by_agent = self.own.clone().filter(|_| subagent);
                    let mut event = start("codex", payload, when);
                    if let Happening::SessionStarted(start) = &mut event.what {
                        start.branch = text(payload, &["git", "branch"]).map(name);
                    }
                    out.push(event);
                }
                None
            }
            "turn_context" => {
                if let Some(cwd) = text(payload, &["cwd"]) {
                    self.cwd = Some(cwd.to_owned());
                }
                None
            }
            "response_item" => self.item(payload, when, out),
            "event_msg" => {
                let item = payload.get("item").unwrap_or(&Value::Null);
                if text(item, &["status"]) == Some("failed") {
                    self.failed.extend(text(item, &["id"]).map(str::to_owned));
                }
                event(payload, when, out);
                None
            }
            "compacted" => {
                out.push(Event::new(when, Happening::ContextCompacted));
                None
            }
            "world_state"
            | "token_usage_record"
            | "session_state"
            | "inter_agent_communication_metadata" => None,
            other => Some(name(other)),
        }
    }
}

impl Rollout {
    /// Starts the session of an early version with its first item, which mostly says where it ran.
    fn begin_bare(&mut self, item: &Value, when: Timestamp, out: &mut Vec<Event>) {
        if self.cwd.is_none() {
            self.cwd = bare::folder(item);
        }
        let Some(beginning) = self.beginning.take().filter(|_| !self.started) else {
            return;
        };
        self.started = true;
        let mut event = start("codex", &beginning, when);
        if let Happening::SessionStarted(start) = &mut event.what {
            start.cwd = self.cwd.clone().unwrap_or_default();
            start.branch = text(&beginning, &["git", "branch"]).map(name);
        }
        out.push(event);
    }
}

/// Events repeat what the items say, except for tokens and interruptions.
fn event(payload: &Value, when: Timestamp, out: &mut Vec<Event>) {
    match text(payload, &["type"]) {
        Some("token_count") => {
            let number = |key: &str| {
                at(payload, &["info", "last_token_usage", key])
                    .and_then(Value::as_u64)
                    .unwrap_or(0)
            };
            let tokens = Tokens {
                input: number("input_tokens"),
                output: number("output_tokens"),
            };
            if tokens != Tokens::default() {
                out.push(Event::new(when, Happening::StepCompleted(tokens)));
            }
        }
        Some("turn_aborted") => out.push(Event::new(
            when,
            Happening::Corrected {
                how: UserCorrection::Interrupted,
                file: None,
            },
        )),
        _ => {}
    }
}

impl Rollout {
    fn item(&mut self, item: &Value, when: Timestamp, out: &mut Vec<Event>) -> Option<String> {
        match text(item, &["type"]).unwrap_or("") {
            "message" => {
                let content = item.get("content").unwrap_or(&Value::Null);
                match text(item, &["role"]) {
                    Some("assistant") => {
                        out.extend(said(Voice::Said, &flat_text(content), when));
                    }
                    Some("user") => {
                        let typed = typed(content);
                        // A thread that another one sent out, though it has a file of its own.
                        let is_sent = typed.trim_start().starts_with("<codex_delegation>");
                        let sent = tagged(&typed, "codex_delegation").filter(|_| is_sent);
                        let asked = sent.map(|sent| tagged(sent, "input").unwrap_or(sent));
                        let by = match asked {
                            Some(_) => self.own.clone(),
                            None => self.asked_by_agent.clone(),
                        };
                        out.extend(
                            prompt(asked.unwrap_or(&typed), when)
                                .map(|asked| Event { agent: by, ..asked }),
                        );
                    }
                    _ => {}
                }
            }
            "reasoning" => out.extend(said(
                Voice::Reasoned,
                &item.get("summary").map(flat_text).unwrap_or_default(),
                when,
            )),
            "function_call" => {
                let input: Value = text(item, &["arguments"])
                    .and_then(|text| serde_json::from_str(text).ok())
                    .unwrap_or(Value::Null);
                self.called(item, &input, when, out);
            }
            "custom_tool_call" if text(item, &["name"]) == Some("exec") => {
                self.scripted(item, when, out);
            }
            "custom_tool_call" => {
                let input = serde_json::json!({ "input": item.get("input") });
                self.called(item, &input, when, out);
            }
            "local_shell_call" => {
                let input = item.get("action").cloned().unwrap_or(Value::Null);
                self.call_as("shell", item, &input, when, out);
            }
            "web_search_call" => {
                let input = item.get("action").cloned().unwrap_or(Value::Null);
                self.call_as("web_search", item, &input, when, out);
            }
            "function_call_output" | "custom_tool_call_output" => self.returned(item, when, out),
            "ghost_snapshot" | "compaction" | "agent_message" | "tool_search_call"
            | "tool_search_output" => {}
            other => return Some(name(other)),
        }
        None
    }

    fn called(&mut self, item: &Value, input: &Value, when: Timestamp, out: &mut Vec<Event>) {
        let tool = text(item, &["name"]).unwrap_or("");
        // A server's tools carry its name as their namespace.
        let whole = match text(item, &["namespace"]) {
            Some(space) if space.starts_with("mcp__") => format!("{space}__{tool}"),
            _ => tool.to_owned(),
        };
        self.call_as(&whole, item, input, when, out);
    }

    fn call_as(
        &mut self,
        tool: &str,
        item: &Value,
        input: &Value,
        when: Timestamp,
        out: &mut Vec<Event>,
    ) {
        let Some(id) = text(item, &["call_id"]).or_else(|| text(item, &["id"])) else {
            return;
        };
        let waits = match self.goes_on(tool, input) {
            Some(waits) => waits,
            None => Waiting::Call(self.call(id, tool, input, when, out)),
        };
        self.waiting.insert(id.to_owned(), waits);
    }

    /// A call that only asks how something older gets on.
    fn goes_on(&self, tool: &str, input: &Value) -> Option<Waiting> {
        match tool {
            "wait" => text(input, &["cell_id"]).map(|cell| Waiting::Cell(cell.to_owned())),
            "write_stdin" => process(input)
                .filter(|process| self.running.contains_key(process))
                .map(Waiting::Process),
            _ => None,
        }
    }

    fn call(
        &self,
        id: &str,
        tool: &str,
        input: &Value,
        when: Timestamp,
        out: &mut Vec<Event>,
    ) -> Call {
        let call = call(tool, input, &self.root, self.cwd.as_deref());
        out.push(Event::new(
            when,
            Happening::ToolCalled {
                id: name(id),
                call: call.clone(),
            },
        ));
        call
    }

    /// A script counts as the calls that stand in it.
    fn scripted(&mut self, item: &Value, when: Timestamp, out: &mut Vec<Event>) {
        let Some(id) = text(item, &["call_id"]) else {
            return;
        };
        let input = text(item, &["input"]).unwrap_or("");
        let written = script::calls(input);
        // What is computed may read anything.
        let is_hidden = |(tool, input): &(String, Value)| {
            tool == "exec_command" && text(input, &["cmd"]).is_none()
        };
        if written.iter().any(is_hidden) || (written.is_empty() && input.contains("tools")) {
            let outside = Taint::by(OutsideText::Unseen);
            out.push(Event::new(when, Happening::MayHaveTaken { outside }));
        }
        let waits = match written.as_slice() {
            [(tool, input)] if let Some(waits) = self.goes_on(tool, input) => waits,
            _ => Waiting::Script(
                written
                    .iter()
                    .enumerate()
                    .map(|(at, (tool, input))| {
                        let id = if written.len() == 1 {
                            id.to_owned()
                        } else {
                            format!("{id}.{}", at + 1)
                        };
                        // A patch is the only tool that takes a bare text.
                        let wrapped = serde_json::json!({ "input": input });
                        let input = if input.is_string() { &wrapped } else { input };
                        let call = self.call(&id, tool, input, when, out);
                        (id, call)
                    })
                    .collect(),
            ),
        };
        self.waiting.insert(id.to_owned(), waits);
    }
}

/// What a person typed: the project's instructions reach the model as a part of the user's message too.
fn typed(content: &Value) -> String {
    match content {
        Value::Array(parts) => parts
            .iter()
            .map(flat_text)
            .filter(|part| !part.starts_with("# AGENTS.md"))
            .collect::<Vec<_>>()
            .join("\n"),
        other => flat_text(other),
    }
}

fn process(input: &Value) -> Option<u64> {
    input.get("session_id")?.as_u64()
}

#[cfg(test)]
mod tests;
