//! Codex rollouts: what the model was sent and answered, with events beside it. How calls end is
//! in [`returns`].

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use oldhand_domain::event::{Call, Event, Happening, Tokens, UserCorrection, Voice};
use serde_json::Value;

use super::super::json::{at, flat_text, name, prompt, said, text, time};
use super::super::root::Root;
use super::super::shared::start;
use super::super::tool::call;
use super::super::transcript::{Head, Parser};
use super::script;

mod returns;

use returns::{Running, Waiting};

pub(in crate::agent) struct Rollout {
    root: Root,
    cwd: Option<String>,
    last_at: Timestamp,
    started: bool,
    /// The thread, where another agent started it: what it is asked no person typed.
    asked_by_agent: Option<String>,
    /// The thread, where it belongs to a session that another file tells of.
    subagent: Option<String>,
    waiting: HashMap<String, Waiting>,
    /// Scripts that go on, by the cell that `wait` asks for.
    cells: HashMap<String, Waiting>,
    /// Processes that go on, by the number that `write_stdin` names.
    running: HashMap<u64, Running>,
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
                    self.asked_by_agent = text(payload, &["id"]).filter(|_| subagent).map(name);
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
                        out.extend(prompt(&typed(content), when).map(|asked| Event {
                            agent: self.asked_by_agent.clone(),
                            ..asked
                        }));
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
        let written = script::calls(text(item, &["input"]).unwrap_or(""));
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
mod tests {
    use oldhand_domain::event::Ending;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_patch_that_does_not_fit_and_a_server_that_fails_are_failures() {
        let item = |payload: Value| json!({ "type": "response_item", "payload": payload });
        let lines = [
            item(
                json!({ "type": "custom_tool_call", "name": "apply_patch", "input": "x", "call_id": "a" }),
            ),
            item(json!({ "type": "custom_tool_call_output", "call_id": "a",
                "output": "apply_patch verification failed: Failed to find expected lines" })),
            item(
                json!({ "type": "function_call", "name": "search", "namespace": "mcp__docs", "call_id": "b" }),
            ),
            json!({ "type": "event_msg", "payload": { "type": "item_completed",
                "item": { "type": "McpToolCall", "id": "b", "status": "failed" } } }),
            item(
                json!({ "type": "function_call_output", "call_id": "b", "output": "no such page" }),
            ),
            item(
                json!({ "type": "function_call", "name": "search", "namespace": "mcp__docs", "call_id": "c" }),
            ),
            item(json!({ "type": "function_call_output", "call_id": "c", "output": "a page" })),
        ];
        let mut rollout = Rollout::new(&Root::new("/home/dev/project"));
        let mut events = Vec::new();
        for line in &lines {
            assert_eq!(rollout.take(line, &mut events), None);
        }
        let ended: Vec<Ending> = events
            .iter()
            .filter_map(|event| match &event.what {
                Happening::ToolReturned(back) => Some(back.ended),
                _ => None,
            })
            .collect();
        assert_eq!(ended, [Ending::Failed, Ending::Failed, Ending::Succeeded]);
    }

    #[test]
    fn a_script_counts_as_its_calls_and_a_process_ends_when_its_exit_code_is_told() {
        let item = |payload: Value| json!({ "type": "response_item", "payload": payload });
        let exec = |id: &str, input: &str| {
            item(
                json!({ "type": "custom_tool_call", "name": "exec", "input": input, "call_id": id }),
            )
        };
        let printed = |id: &str, texts: &[&str]| {
            let head = "Script completed\nWall time 0.1 seconds\nOutput:\n";
            let parts: Vec<Value> = std::iter::once(&head)
                .chain(texts)
                .map(|text| json!({ "type": "input_text", "text": text }))
                .collect();
            item(json!({ "type": "custom_tool_call_output", "call_id": id, "output": parts }))
        };
        let lines = [
            exec(
                "a",
                "await tools.apply_patch(\"*** Begin Patch\\n*** Update File: src/a.rs\\n+x\\n*** End Patch\")",
            ),
            printed("a", &["{}"]),
            exec(
                "b",
                "for (const r of await Promise.all([tools.exec_command({cmd: 'ls'}), tools.exec_command({cmd: 'cat notes.md', workdir: '/opt/other'})])) text(r.output)",
            ),
            printed("b", &["src", "text"]),
            exec(
                "c",
                "const r = await tools.exec_command({cmd: 'cargo test'}); text(JSON.stringify(r))",
            ),
            item(
                json!({ "type": "custom_tool_call_output", "call_id": "c", "output": "Script running with cell ID 4\nWall time 10.0 seconds\nOutput:\n" }),
            ),
            item(
                json!({ "type": "function_call", "name": "wait", "arguments": "{\"cell_id\":\"4\"}", "call_id": "d" }),
            ),
            printed("d", &["{\"session_id\":7,\"output\":\"compiling\"}"]),
            exec(
                "e",
                "const r = await tools.write_stdin({session_id: 7, chars: ''}); text(JSON.stringify(r))",
            ),
            printed(
                "e",
                &["{\"exit_code\":101,\"output\":\"test a ... FAILED\"}"],
            ),
            item(
                json!({ "type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"make\"}", "call_id": "f" }),
            ),
            item(
                json!({ "type": "function_call_output", "call_id": "f", "output": "Chunk ID: 1\nProcess running with session ID 9\nOutput:\nstart" }),
            ),
            item(
                json!({ "type": "function_call", "name": "write_stdin", "arguments": "{\"session_id\":9,\"chars\":\"\"}", "call_id": "g" }),
            ),
            item(
                json!({ "type": "function_call_output", "call_id": "g", "output": "Process exited with code 0\nOutput:\ndone" }),
            ),
        ];
        let mut rollout = Rollout::new(&Root::new("/home/dev/project"));
        let mut events = Vec::new();
        for line in &lines {
            assert_eq!(rollout.take(line, &mut events), None);
        }
        let told: Vec<String> = events
            .iter()
            .map(|event| match &event.what {
                Happening::ToolCalled { id, .. } => format!("{id} called"),
                Happening::ToolReturned(back) => format!(
                    "{} {:?} {:?} {}",
                    back.id,
                    back.ended,
                    back.exit_code,
                    back.excerpt.as_str().replace('\n', "|")
                ),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(
            told,
            [
                "a called",
                "a Succeeded None ",
                "b.1 called",
                "b.2 called",
                "b.1 Succeeded None src",
                "b.2 Succeeded None text",
                "c called",
                "c Failed Some(101) compilingtest a ... FAILED",
                "f called",
                "f Succeeded Some(0) startdone",
            ]
        );
        let outside = |id: &str| {
            events.iter().any(|event| matches!(&event.what,
                Happening::ToolCalled { id: of, call: Call::Shell { reads_outside: true, .. } } if of == id))
        };
        assert!(!outside("b.1"), "{events:?}");
        assert!(outside("b.2"), "{events:?}");
    }
}
