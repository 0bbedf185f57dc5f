//! OpenCode: what our plugin passes on, the two arguments of each plugin hook.

use jiff::Timestamp;
use oldhand_domain::event::{Call, Ending, Event, Happening, Voice};
use serde_json::Value;

use super::json::{at, flat_text, name, prompt, said, text};
use super::root::Root;
use super::server;
use super::shared::{searched, start};
use super::tool::{Result, call, output};
use super::{Moment, Told};

pub(crate) mod loose;
pub(super) mod session;

/// Tools that come with the client; every other name with an underscore belongs to a server.
const OWN_TOOLS: [&str; 8] = [
    "apply_patch",
    "todo_write",
    "todo_read",
    "web_search",
    "web_fetch",
    "plan_enter",
    "plan_exit",
    "multi_edit",
];

pub(super) fn from_hook(payload: &Value, root: &Root, now: Timestamp) -> Told {
    let cwd = text(payload, &["cwd"]);
    let input = payload.get("input").unwrap_or(&Value::Null);
    // Our plugin says whose session it is; a subagent has one of its own, told as the agent.
    let mut session = text(payload, &["session"])
        .or_else(|| text(input, &["sessionID"]))
        .unwrap_or("")
        .to_owned();
    let agent = text(payload, &["agent"]).map(name);
    let mut events: Vec<Event> = Vec::new();
    let moment = match text(payload, &["hook_event_name"]).unwrap_or("") {
        "session.start" if agent.is_some() => {
            let kind = String::new();
            events.push(Event::new(now, Happening::SubagentStarted { kind }));
            Moment::SubagentStart
        }
        "session.start" => {
            events.push(start("opencode", payload, now));
            Moment::SessionStart
        }
        // What a subagent is asked, its parent asks.
        "chat.message" if agent.is_some() => Moment::Other,
        "chat.message" => {
            let parts = at(payload, &["output", "parts"]).and_then(Value::as_array);
            // Parts that a plugin pushed are marked as not the user's own.
            let own = parts
                .into_iter()
                .flatten()
                .filter(|part| part.get("synthetic") != Some(&Value::Bool(true)));
            let words: Vec<&str> = own.filter_map(|part| text(part, &["text"])).collect();
            events.extend(prompt(words.join("\n").trim_matches('"'), now));
            Moment::Prompt
        }
        "tool.execute.before" => {
            let args = at(payload, &["output", "args"]).unwrap_or(&Value::Null);
            if let (Some(id), Some(tool)) = (text(input, &["callID"]), text(input, &["tool"])) {
                events.push(Event::new(
                    now,
                    Happening::ToolCalled {
                        id: name(id),
                        call: named_call(tool, args, root, cwd),
                    },
                ));
            }
            Moment::BeforeTool
        }
        "tool.execute.after" => {
            events.extend(returned(payload, input, root, cwd, now));
            Moment::AfterTool
        }
        "experimental.text.complete" => {
            events.extend(
                at(payload, &["output", "text"])
                    .and_then(Value::as_str)
                    .and_then(|words| said(Voice::Said, words, now)),
            );
            Moment::Other
        }
        "session.idle" => {
            events.extend(news(payload, now));
            if agent.is_some() {
                events.push(Event::new(now, Happening::SubagentStopped));
                Moment::SubagentStop
            } else {
                Moment::TurnEnd
            }
        }
        "session.end" => {
            events.extend(news(payload, now));
            events.push(Event::new(now, Happening::SessionEnded { reason: None }));
            Moment::SessionEnd
        }
        "experimental.session.compacting" => Moment::BeforeCompaction,
        "event" => {
            let properties = at(payload, &["event", "properties"]).unwrap_or(&Value::Null);
            if session.is_empty() {
                text(properties, &["sessionID"])
                    .unwrap_or("")
                    .clone_into(&mut session);
            }
            happened(payload, properties, root, cwd, now, &mut events)
        }
        _ => Moment::Unknown,
    };
    for event in &mut events {
        event.agent.clone_from(&agent);
    }
    Told {
        moment,
        session,
        cwd: cwd.map(str::to_owned),
        transcript: None,
        events,
    }
}

fn happened(
    payload: &Value,
    properties: &Value,
    root: &Root,
    cwd: Option<&str>,
    now: Timestamp,
    events: &mut Vec<Event>,
) -> Moment {
    match at(payload, &["event", "type"])
        .and_then(Value::as_str)
        .unwrap_or("")
    {
        "session.created" => {
            events.push(start("opencode", payload, now));
            Moment::SessionStart
        }
        "session.compacted" => {
            events.push(Event::new(now, Happening::ContextCompacted));
            Moment::AfterCompaction
        }
        "session.idle" => Moment::TurnEnd,
        // Failing tools are told here and nowhere else.
        "message.part.updated" => {
            let part = properties.get("part").unwrap_or(&Value::Null);
            let failed = text(part, &["type"]) == Some("tool")
                && text(part, &["state", "status"]) == Some("error");
            let (Some(id), Some(tool), true) =
                (text(part, &["callID"]), text(part, &["tool"]), failed)
            else {
                return Moment::Other;
            };
            let args = at(part, &["state", "input"]).unwrap_or(&Value::Null);
            let error = at(part, &["state", "error"])
                .map(flat_text)
                .unwrap_or_default();
            let call = named_call(tool, args, root, cwd);
            events.push(
                Result {
                    id: id.to_owned(),
                    call,
                    ended: Ending::Failed,
                    output: &error,
                    matched: Vec::new(),
                    exit_code: None,
                    duration_ms: None,
                }
                .into_event(now),
            );
            Moment::ToolTrouble
        }
        _ => Moment::Other,
    }
}

/// The agent's last words, and the fences that our plugin saw on their way to the model.
fn news(payload: &Value, now: Timestamp) -> impl Iterator<Item = Event> {
    let words = text(payload, &["text"]).and_then(|words| said(Voice::Said, words, now));
    let delivered = payload.get("delivered").and_then(Value::as_array);
    let delivered = delivered.map(|marks| {
        let fences = marks.iter().filter_map(Value::as_str).map(name).collect();
        Event::new(now, Happening::Delivered { fences })
    });
    words.into_iter().chain(delivered)
}

fn named_call(tool: &str, args: &Value, root: &Root, cwd: Option<&str>) -> Call {
    let known = call(tool, args, root, cwd);
    if !matches!(known, Call::Other { plan: None, .. }) || OWN_TOOLS.contains(&tool) {
        return known;
    }
    server::joined(tool).unwrap_or(known)
}

fn returned(
    payload: &Value,
    input: &Value,
    root: &Root,
    cwd: Option<&str>,
    now: Timestamp,
) -> Option<Event> {
    let args = input.get("args").unwrap_or(&Value::Null);
    let call = named_call(text(input, &["tool"])?, args, root, cwd);
    let back = payload.get("output").unwrap_or(&Value::Null);
    let words = output(back);
    // A command that fails is a success with another exit code.
    let code = at(back, &["metadata", "exit"])
        .and_then(Value::as_i64)
        .and_then(|code| i32::try_from(code).ok());
    let failed =
        back.get("isError") == Some(&Value::Bool(true)) || code.is_some_and(|code| code != 0);
    let matched = searched(&call, None, &words, root, cwd);
    let ended = if failed {
        Ending::Failed
    } else {
        Ending::Succeeded
    };
    let id = text(input, &["callID"])?.to_owned();
    Some(
        Result {
            id,
            call,
            ended,
            output: &words,
            matched,
            exit_code: code,
            duration_ms: None,
        }
        .into_event(now),
    )
}
