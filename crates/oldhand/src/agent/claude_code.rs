//! Claude Code: hook payloads. Its transcripts are in [`transcript`].

use jiff::Timestamp;
use oldhand_domain::event::{Call, Ending, Event, Happening, Start, UserCorrection, Voice};
use serde_json::Value;

use super::json::{any_text, flat_text, name, prompt, said, text};
use super::root::Root;
use super::tool::{self, Result, call, exit_code, output};
use super::{Moment, Told};

pub(super) mod transcript;

/// What Claude Code writes when the user says no to a call.
pub(super) const DENIED: &str = "The user doesn't want to proceed with this tool use";
pub(super) const INTERRUPTED: &str = "[Request interrupted by user";

pub(super) fn from_hook(payload: &Value, root: &Root, now: Timestamp) -> Told {
    let cwd = text(payload, &["cwd"]);
    let event = text(payload, &["hook_event_name"]).unwrap_or("");
    let mut events: Vec<Event> = Vec::new();
    let moment = match event {
        "SessionStart" => {
            let compacted = text(payload, &["source"]) == Some("compact");
            events.push(start("claude-code", payload, now));
            if compacted {
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
            returned(payload, root, cwd, now, &mut events);
            Moment::AfterTool
        }
        "PostToolUseFailure" => {
            failed(payload, root, cwd, now, &mut events);
            Moment::ToolTrouble
        }
        "PostToolBatch" => {
            batch(payload, root, cwd, now, &mut events);
            Moment::ToolTrouble
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
        // Compaction runs as an agent without a type; it did no work.
        "SubagentStop" if text(payload, &["agent_type"]) == Some("") => Moment::Other,
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

/// The beginning of a session, for every client that names `cwd` the same way.
pub(super) fn start(client: &str, payload: &Value, at: Timestamp) -> Event {
    Event::new(
        at,
        Happening::SessionStarted(Start {
            client: client.to_owned(),
            session_type: oldhand_domain::event::SessionType::Build,
            task: None,
            cwd: name(text(payload, &["cwd"]).unwrap_or("")),
            branch: None,
            work_unit: None,
            planned_steps: None,
        }),
    )
}

pub(super) fn last_words(payload: &Value, now: Timestamp) -> Option<Event> {
    said(
        Voice::Said,
        text(payload, &["last_assistant_message"])?,
        now,
    )
}

fn parts<'a>(
    payload: &'a Value,
    root: &Root,
    cwd: Option<&str>,
) -> Option<(String, Call, &'a Value)> {
    let input = payload.get("tool_input").unwrap_or(&Value::Null);
    let tool = text(payload, &["tool_name"])?;
    let id = text(payload, &["tool_use_id"])?.to_owned();
    Some((id, call(tool, input, root, cwd), input))
}

pub(super) fn called(
    payload: &Value,
    root: &Root,
    cwd: Option<&str>,
    now: Timestamp,
) -> Option<Event> {
    let (id, call, _) = parts(payload, root, cwd)?;
    Some(Event::new(now, Happening::ToolCalled { id, call }))
}

fn returned(
    payload: &Value,
    root: &Root,
    cwd: Option<&str>,
    now: Timestamp,
    events: &mut Vec<Event>,
) {
    let Some((id, call, _)) = parts(payload, root, cwd) else {
        return;
    };
    let response = payload.get("tool_response").unwrap_or(&Value::Null);
    if response.get("userModified") == Some(&Value::Bool(true)) {
        events.push(modified(&call, now));
    }
    let text = output(response);
    let interrupted = response.get("interrupted") == Some(&Value::Bool(true));
    // Only calls that succeeded come this way.
    let exit_code = matches!(call, Call::Shell { .. }).then_some(0);
    let matched = searched(&call, response.get("filenames"), &text, root, cwd);
    let ended = if interrupted {
        Ending::Interrupted
    } else {
        Ending::Succeeded
    };
    let duration_ms = payload.get("duration_ms").and_then(Value::as_u64);
    events.push(
        Result {
            id,
            call,
            ended,
            output: &text,
            matched,
            exit_code,
            duration_ms,
        }
        .into_event(now),
    );
}

fn failed(
    payload: &Value,
    root: &Root,
    cwd: Option<&str>,
    now: Timestamp,
    events: &mut Vec<Event>,
) {
    let Some((id, call, _)) = parts(payload, root, cwd) else {
        return;
    };
    let error = any_text(payload, &["error"]).unwrap_or("");
    let interrupted = payload.get("is_interrupt") == Some(&Value::Bool(true));
    if interrupted {
        events.push(Event::new(
            now,
            Happening::Corrected {
                how: UserCorrection::Interrupted,
                file: None,
            },
        ));
    }
    events.push(failure(id, call, error, interrupted).into_event(now));
}

/// A failed call; a shell's exit code is the first line of its error.
pub(super) fn failure(id: String, call: Call, error: &str, interrupted: bool) -> Result<'_> {
    let exit_code = matches!(call, Call::Shell { .. })
        .then(|| exit_code(&error[..error.floor_char_boundary(40)]).unwrap_or(1));
    let ended = if interrupted {
        Ending::Interrupted
    } else {
        Ending::Failed
    };
    Result {
        id,
        call,
        ended,
        output: error,
        matched: Vec::new(),
        exit_code,
        duration_ms: None,
    }
}

/// A batch repeats what the other hooks told, except for calls that never ran.
fn batch(payload: &Value, root: &Root, cwd: Option<&str>, now: Timestamp, events: &mut Vec<Event>) {
    let calls = payload.get("tool_calls").and_then(Value::as_array);
    for one in calls.into_iter().flatten() {
        let answer = one.get("tool_response").map(flat_text).unwrap_or_default();
        let Some((id, call, _)) = parts(one, root, cwd) else {
            continue;
        };
        if answer.contains(DENIED) {
            events.push(denied(&call, now));
        } else if let Some(error) = tool_error(&answer) {
            events.push(failure(id, call, error, false).into_event(now));
        }
    }
}

/// The inside of `<tool_use_error>…</tool_use_error>`.
pub(super) fn tool_error(answer: &str) -> Option<&str> {
    let rest = answer.trim_start().strip_prefix("<tool_use_error>")?;
    Some(rest.split("</tool_use_error>").next().unwrap_or(rest))
}

pub(super) fn denied(call: &Call, now: Timestamp) -> Event {
    Event::new(
        now,
        Happening::Corrected {
            how: UserCorrection::PermissionDenied,
            file: file_of(call),
        },
    )
}

pub(super) fn modified(call: &Call, now: Timestamp) -> Event {
    Event::new(
        now,
        Happening::Corrected {
            how: UserCorrection::EditModified,
            file: file_of(call),
        },
    )
}

fn file_of(call: &Call) -> Option<oldhand_domain::path::ProjectPath> {
    match call {
        Call::Edit { files, .. } => files.first()?.project().cloned(),
        Call::Write { file, .. } | Call::Read { file } => file.project().cloned(),
        _ => None,
    }
}

pub(super) fn searched(
    call: &Call,
    listed: Option<&Value>,
    output: &str,
    root: &Root,
    cwd: Option<&str>,
) -> Vec<oldhand_domain::path::ProjectPath> {
    if matches!(call, Call::Grep { .. } | Call::Glob { .. }) {
        tool::matches(listed, output, root, cwd)
    } else {
        Vec::new()
    }
}
