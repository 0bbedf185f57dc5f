//! Codex CLI: hook payloads, nearly those of Claude Code. Its rollouts are in [`rollout`], exit codes in [`endings`].

use jiff::Timestamp;
use oldhand_domain::event::{Call, Ending, Event};
use serde_json::Value;

use super::json::text;
use super::root::Root;
use super::shared::{self, parts, searched};
use super::tool::{Result, exit_code, output};
use super::{Moment, Told};

mod endings;
pub(super) mod rollout;
mod script;

/// How Codex says that a process outlived its call.
const GOES_ON: &str = "Process running with session ID ";

pub(super) fn from_hook(payload: &Value, root: &Root, now: Timestamp) -> Told {
    let mut events: Vec<Event> = Vec::new();
    let moment = match text(payload, &["hook_event_name"]).unwrap_or("") {
        "PostToolUse" => {
            events.extend(returned(payload, root, now));
            Moment::AfterTool
        }
        "Stop" => {
            events.extend(endings::endings(payload, now));
            shared::moment("codex", payload, root, now, &mut events)
        }
        _ => shared::moment("codex", payload, root, now, &mut events),
    };
    shared::told(payload, moment, events)
}

/// A failing command comes like a passing one, and mostly without its exit code.
fn returned(payload: &Value, root: &Root, now: Timestamp) -> Option<Event> {
    let cwd = text(payload, &["cwd"]);
    let (id, call) = parts(payload, root, cwd, now)?;
    let response = payload.get("tool_response").unwrap_or(&Value::Null);
    let text_of = output(response);
    let failed = response.get("isError") == Some(&Value::Bool(true));
    Some(result(&id, call, &text_of, failed, root, cwd).into_event(now))
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
    // That it goes on is part of what is known of it.
    let body = match front.find(GOES_ON) {
        Some(at) if shell && code.is_none() => &output[at..],
        _ => body,
    };
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
