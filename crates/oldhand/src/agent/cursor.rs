//! Cursor: hook payloads. Reads, edits, commands and server calls each have an event of their own.

use jiff::Timestamp;
use oldhand_domain::event::{Call, Change, Digest, Ending, Event, Happening, Voice};
use serde_json::Value;

use super::claude_code;
use super::json::{any_text, name, prompt, said, text, typed};
use super::root::Root;
use super::shared::{ended, id_or_made_up, start};
use super::shell;
use super::tool::{self, Result, output};
use super::{Moment, Told};

pub(super) mod history;
pub(super) mod transcript;

pub(super) fn from_hook(payload: &Value, root: &Root, now: Timestamp) -> Told {
    let event = text(payload, &["hook_event_name"]).unwrap_or("");
    // Cursor also runs hooks written for Claude Code, with that client's names and payloads.
    if event.starts_with(|c: char| c.is_ascii_uppercase()) {
        return claude_code::from_hook(payload, root, now);
    }
    let roots = payload.get("workspace_roots").and_then(Value::as_array);
    let cwd = any_text(payload, &["cwd"]).or_else(|| roots?.first()?.as_str());
    let mut events: Vec<Event> = Vec::new();
    let moment = match event {
        "sessionStart" => {
            events.push(start("cursor", &serde_json::json!({ "cwd": cwd }), now));
            Moment::SessionStart
        }
        "beforeSubmitPrompt" => {
            events.extend(text(payload, &["prompt"]).and_then(|words| prompt(words, now)));
            Moment::Prompt
        }
        "beforeShellExecution" | "beforeMCPExecution" | "preToolUse" => Moment::BeforeTool,
        // Reading is only told before it happens; the file is there or the agent sees that it is not.
        "beforeReadFile" => {
            let file = root.place(text(payload, &["file_path"]).unwrap_or(""), cwd);
            events.push(done(payload, Call::Read { file }, "", now));
            Moment::BeforeTool
        }
        "afterShellExecution" => {
            let command = text(payload, &["command"]).unwrap_or("");
            events.push(done(
                payload,
                shell::typed(command, root, cwd),
                text(payload, &["output"]).unwrap_or(""),
                now,
            ));
            Moment::AfterTool
        }
        "postToolUse" | "postToolUseFailure" => {
            events.push(used(payload, event, root, cwd, now));
            if event == "postToolUse" {
                Moment::AfterTool
            } else {
                Moment::ToolTrouble
            }
        }
        "afterFileEdit" => {
            let file = root.place(text(payload, &["file_path"]).unwrap_or(""), cwd);
            events.push(done(
                payload,
                Call::Edit {
                    files: vec![file],
                    change: change(payload),
                },
                "",
                now,
            ));
            Moment::AfterTool
        }
        "afterMCPExecution" => {
            let tool = text(payload, &["tool_name"]).unwrap_or("");
            let server = any_text(payload, &["server_name", "server", "url", "command"])
                .unwrap_or("unknown");
            let answer = payload.get("result_json").map(output).unwrap_or_default();
            events.push(done(
                payload,
                Call::Mcp {
                    // An address or a command may hold a key.
                    server: typed(server),
                    name: name(tool),
                },
                &answer,
                now,
            ));
            Moment::AfterTool
        }
        "afterAgentResponse" => {
            events.extend(text(payload, &["text"]).and_then(|words| said(Voice::Said, words, now)));
            Moment::Other
        }
        "afterAgentThought" => {
            events.extend(
                text(payload, &["text"]).and_then(|words| said(Voice::Reasoned, words, now)),
            );
            Moment::Other
        }
        "subagentStart" => {
            let kind = any_text(payload, &["subagent_type", "agent_type"]).unwrap_or("agent");
            events.push(Event::new(
                now,
                Happening::SubagentStarted { kind: name(kind) },
            ));
            Moment::SubagentStart
        }
        "subagentStop" => {
            events.push(Event::new(now, Happening::SubagentStopped));
            Moment::SubagentStop
        }
        "preCompact" => {
            events.push(Event::new(now, Happening::ContextCompacted));
            Moment::BeforeCompaction
        }
        "stop" => Moment::TurnEnd,
        "sessionEnd" => {
            events.push(ended(payload, now));
            Moment::SessionEnd
        }
        _ => Moment::Unknown,
    };
    Told {
        moment,
        session: any_text(payload, &["conversation_id", "session_id"])
            .unwrap_or("")
            .to_owned(),
        cwd: cwd.map(str::to_owned),
        transcript: text(payload, &["transcript_path"]).map(str::to_owned),
        events,
    }
}

/// A call of any tool, with how it ended.
fn used(payload: &Value, event: &str, root: &Root, cwd: Option<&str>, now: Timestamp) -> Event {
    let tool = text(payload, &["tool_name"]).unwrap_or("");
    let nothing = Value::Null;
    let input = payload.get("tool_input").unwrap_or(&nothing);
    // Calls of servers come as `MCP:tool`, and their input as text.
    let read;
    let input = match input.as_str() {
        Some(words) => {
            read = serde_json::from_str(words).unwrap_or_default();
            &read
        }
        None => input,
    };
    let call = match tool.strip_prefix("MCP:") {
        Some(tool) => Call::Mcp {
            server: name(any_text(payload, &["server_name", "server"]).unwrap_or("unknown")),
            name: name(tool),
        },
        None => tool::call(tool, input, root, cwd),
    };
    // What came of it is JSON in a text.
    let told = text(payload, &["tool_output"]).unwrap_or("");
    let told: Value = serde_json::from_str(told).unwrap_or_else(|_| told.into());
    let exit_code = told.get("exitCode").and_then(Value::as_i64);
    let words = any_text(payload, &["error_message"]).map_or_else(
        || output(told.get("output").unwrap_or(&told)),
        str::to_owned,
    );
    let failed = event == "postToolUseFailure" || exit_code.is_some_and(|code| code != 0);
    Result {
        id: id_or_made_up(payload, now),
        matched: match &call {
            Call::Grep { .. } => tool::matches(None, &words, root, cwd),
            _ => Vec::new(),
        },
        call,
        ended: if failed {
            Ending::Failed
        } else {
            Ending::Succeeded
        },
        output: &words,
        exit_code: exit_code.and_then(|code| i32::try_from(code).ok()),
        duration_ms: payload.get("duration").and_then(Value::as_u64),
    }
    .into_event(now)
}

/// A finished call. Calls have no ids here: what was done in one generation at one time is one call.
fn done(payload: &Value, call: Call, output: &str, now: Timestamp) -> Event {
    let generation = text(payload, &["generation_id"]).unwrap_or("");
    let id = Digest::of(&format!("{generation}\n{call:?}\n{now}")).to_string();
    let duration_ms = payload.get("duration").and_then(Value::as_u64);
    Result {
        id,
        call,
        ended: Ending::Succeeded,
        output,
        matched: Vec::new(),
        exit_code: None,
        duration_ms,
    }
    .into_event(now)
}

fn change(payload: &Value) -> Option<Change> {
    let edits = payload.get("edits")?.as_array()?;
    let joined = |key: &str| {
        edits
            .iter()
            .filter_map(|edit| text(edit, &[key]))
            .collect::<Vec<_>>()
            .join("\n")
    };
    Some(Change::between(
        &joined("old_string"),
        &joined("new_string"),
    ))
}
