//! Cursor: hook payloads. Reads, edits, commands and server calls each have an event of their own.

use jiff::Timestamp;
use oldhand_domain::event::{Call, Change, Digest, Ending, Event, Happening, Voice};
use serde_json::Value;

use super::claude_code;
use super::excerpt;
use super::json::{COMMAND, any_text, name, prompt, said, text};
use super::root::Root;
use super::shared::start;
use super::tool::{Result, output};
use super::{Moment, Told};

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
            let command = excerpt::head(text(payload, &["command"]).unwrap_or(""), COMMAND);
            events.push(done(
                payload,
                Call::Shell { command },
                text(payload, &["output"]).unwrap_or(""),
                now,
            ));
            Moment::AfterTool
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
                    server: name(server),
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
        "preCompact" => Moment::BeforeCompaction,
        "stop" => Moment::TurnEnd,
        "sessionEnd" => {
            events.push(Event::new(
                now,
                Happening::SessionEnded {
                    reason: text(payload, &["reason"]).map(name),
                },
            ));
            Moment::SessionEnd
        }
        _ => Moment::Other,
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
