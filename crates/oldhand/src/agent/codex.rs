//! Codex CLI: hook payloads, nearly those of Claude Code. Its rollouts are in [`rollout`].

use jiff::Timestamp;
use oldhand_domain::event::{Call, Ending, Event, Happening};
use serde_json::Value;

use super::claude_code::{called, last_words, searched, start};
use super::json::{name, prompt, text};
use super::root::Root;
use super::tool::{Result, call, exit_code, output};
use super::{Moment, Told};

pub(super) mod rollout;

pub(super) fn from_hook(payload: &Value, root: &Root, now: Timestamp) -> Told {
    let cwd = text(payload, &["cwd"]);
    let mut events: Vec<Event> = Vec::new();
    let moment = match text(payload, &["hook_event_name"]).unwrap_or("") {
        "SessionStart" => {
            events.push(start("codex", payload, now));
            if text(payload, &["source"]) == Some("compact") {
                Moment::AfterCompaction
            } else {
                Moment::SessionStart
            }
        }
        "UserPromptSubmit" => {
            events.extend(text(payload, &["prompt"]).and_then(|words| prompt(words, now)));
            Moment::Prompt
        }
        "PreToolUse" => {
            events.extend(called(payload, root, cwd, now));
            Moment::BeforeTool
        }
        "PostToolUse" => {
            events.extend(returned(payload, root, cwd, now));
            Moment::AfterTool
        }
        "SubagentStart" => {
            events.push(Event::new(
                now,
                Happening::SubagentStarted {
                    kind: name(text(payload, &["agent_type"]).unwrap_or("")),
                },
            ));
            Moment::SubagentStart
        }
        "SubagentStop" => {
            events.extend(last_words(payload, now));
            events.push(Event::new(now, Happening::SubagentStopped));
            Moment::SubagentStop
        }
        "Stop" => {
            events.extend(last_words(payload, now));
            Moment::TurnEnd
        }
        "PreCompact" => Moment::BeforeCompaction,
        "PostCompact" => {
            events.push(Event::new(now, Happening::ContextCompacted));
            Moment::Other
        }
        "SessionEnd" => {
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
    let agent = text(payload, &["agent_id"]).map(name);
    for event in &mut events {
        event.agent.clone_from(&agent);
    }
    Told {
        moment,
        session: text(payload, &["session_id"]).unwrap_or("").to_owned(),
        cwd: cwd.map(str::to_owned),
        transcript: text(payload, &["transcript_path"]).map(str::to_owned),
        events,
    }
}

/// A failing command comes like a passing one, and mostly without its exit code.
fn returned(payload: &Value, root: &Root, cwd: Option<&str>, now: Timestamp) -> Option<Event> {
    let input = payload.get("tool_input").unwrap_or(&Value::Null);
    let call = call(text(payload, &["tool_name"])?, input, root, cwd);
    let response = payload.get("tool_response").unwrap_or(&Value::Null);
    let text_of = output(response);
    let failed = response.get("isError") == Some(&Value::Bool(true));
    Some(
        result(
            text(payload, &["tool_use_id"])?,
            call,
            &text_of,
            failed,
            root,
            cwd,
        )
        .into_event(now),
    )
}

/// A result whose text may carry the exit code in its first lines.
pub(super) fn result<'a>(
    id: &str,
    call: Call,
    output: &'a str,
    failed: bool,
    root: &Root,
    cwd: Option<&str>,
) -> Result<'a> {
    let (front, body) = match output.find("Output:\n") {
        Some(at) if at < 300 => (&output[..at], &output[at + "Output:\n".len()..]),
        _ => ("", output),
    };
    let shell = matches!(call, Call::Shell { .. });
    let code = exit_code(front);
    let failed = failed || code.is_some_and(|code| code != 0);
    let matched = searched(&call, None, body, root, cwd);
    Result {
        id: id.to_owned(),
        call,
        ended: if failed {
            Ending::Failed
        } else {
            Ending::Succeeded
        },
        output: body,
        matched,
        exit_code: code.filter(|_| shell),
        duration_ms: None,
    }
}
