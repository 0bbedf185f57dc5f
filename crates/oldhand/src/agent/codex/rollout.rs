//! Codex rollouts: what the model was sent and answered, with events beside it.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use oldhand_domain::event::{Call, Event, Happening, Tokens, UserCorrection, Voice};
use serde_json::Value;

use super::super::json::{at, flat_text, name, prompt, said, text, time};
use super::super::root::Root;
use super::super::shared::start;
use super::super::tool::call;
use super::super::transcript::{Head, Parser};
use super::result;

/// How Codex begins to say that a patch does not fit.
const REFUSED_PATCH: &str = "apply_patch verification failed";

pub(in crate::agent) struct Rollout {
    root: Root,
    cwd: Option<String>,
    last_at: Timestamp,
    started: bool,
    /// The thread, where another agent started it: what it is asked no person typed.
    asked_by_agent: Option<String>,
    /// The thread, where it belongs to a session that another file tells of.
    subagent: Option<String>,
    waiting: HashMap<String, Call>,
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
                    self.asked_by_agent = text(payload, &["id"])
                        .filter(|_| subagent)
                        .map(str::to_owned);
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
            "world_state" | "token_usage_record" | "session_state" => None,
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
                let words = item.get("content").map(flat_text).unwrap_or_default();
                match text(item, &["role"]) {
                    Some("assistant") => out.extend(said(Voice::Said, &words, when)),
                    // Instructions of the project reach the model as words of the user.
                    Some("user") if !words.starts_with("# AGENTS.md") => {
                        out.extend(prompt(&words, when).map(|asked| Event {
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
            "ghost_snapshot" | "compaction" => {}
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
        let call = call(tool, input, &self.root, self.cwd.as_deref());
        self.waiting.insert(id.to_owned(), call.clone());
        out.push(Event::new(
            when,
            Happening::ToolCalled { id: name(id), call },
        ));
    }

    fn returned(&mut self, item: &Value, when: Timestamp, out: &mut Vec<Event>) {
        let Some(id) = text(item, &["call_id"]) else {
            return;
        };
        let Some(call) = self.waiting.remove(id) else {
            return;
        };
        let told = item.get("output").map(flat_text).unwrap_or_default();
        // Older rollouts wrap the output and its exit code in JSON once more.
        let inner: Option<Value> = told
            .starts_with('{')
            .then(|| serde_json::from_str(&told).ok())
            .flatten();
        let (words, code) = match &inner {
            Some(inner) if inner.get("output").is_some() => (
                flat_text(inner),
                at(inner, &["metadata", "exit_code"]).and_then(Value::as_i64),
            ),
            _ => (told, None),
        };
        let failed = self.failed.remove(id) || words.starts_with(REFUSED_PATCH);
        let mut back = result(id, call, &words, failed, &self.root, self.cwd.as_deref());
        if let Some(code) = code {
            back.exit_code = i32::try_from(code).ok();
            if code != 0 {
                back.ended = oldhand_domain::event::Ending::Failed;
            }
        }
        out.push(back.into_event(when));
    }
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
}
