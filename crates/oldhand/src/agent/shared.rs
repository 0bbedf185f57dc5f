//! Hook payloads as Claude Code shapes them and as Codex took them over: one reading for both.

use jiff::Timestamp;
use oldhand_domain::event::{Call, Digest, Event, Happening, SessionType, Start, Voice};
use oldhand_domain::path::ProjectPath;
use serde_json::Value;

use super::json::{name, prompt, said, text};
use super::root::Root;
use super::tool::{self, call};
use super::{Moment, Told};

/// How ids begin that are made up for calls to which the client gave none.
pub(crate) const UNNAMED: &str = "unnamed-";

/// What an event tells that means the same in both clients.
pub(super) fn moment(
    client: &str,
    payload: &Value,
    root: &Root,
    now: Timestamp,
    events: &mut Vec<Event>,
) -> Moment {
    match text(payload, &["hook_event_name"]).unwrap_or("") {
        "SessionStart" => {
            events.push(start(client, payload, now));
            events.extend(transcribed(payload, now));
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
            events.extend(called(payload, root, now));
            Moment::BeforeTool
        }
        "SubagentStart" => {
            let kind = name(text(payload, &["agent_type"]).unwrap_or(""));
            events.push(Event::new(now, Happening::SubagentStarted { kind }));
            Moment::SubagentStart
        }
        "SubagentStop" => {
            events.extend(last_words(payload, now));
            let path = text(payload, &["agent_transcript_path"]).map(str::to_owned);
            events.extend(path.map(|path| Event::new(now, Happening::Transcribed { path })));
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
            events.push(ended(payload, now));
            Moment::SessionEnd
        }
        "Notification" | "PermissionRequest" => Moment::Other,
        _ => Moment::Unknown,
    }
}

/// A session is over, with the reason that the payload names.
pub(super) fn ended(payload: &Value, at: Timestamp) -> Event {
    let reason = text(payload, &["reason"]).map(name);
    Event::new(at, Happening::SessionEnded { reason })
}

/// Events with the agent, the session and the files that the payload names.
pub(super) fn told(payload: &Value, moment: Moment, mut events: Vec<Event>) -> Told {
    let agent = subagent(payload);
    for event in &mut events {
        event.agent.clone_from(&agent);
    }
    Told {
        moment,
        session: text(payload, &["session_id"]).unwrap_or("").to_owned(),
        cwd: text(payload, &["cwd"]).map(str::to_owned),
        transcript: text(payload, &["transcript_path"]).map(str::to_owned),
        events,
    }
}

pub(super) fn subagent(payload: &Value) -> Option<String> {
    text(payload, &["agent_id"]).map(name)
}

/// The beginning of a session, for every client that names `cwd` the same way.
pub(super) fn start(client: &str, payload: &Value, at: Timestamp) -> Event {
    Event::new(
        at,
        Happening::SessionStarted(Start {
            client: client.to_owned(),
            session_type: SessionType::Build,
            type_told: false,
            task: None,
            cwd: name(text(payload, &["cwd"]).unwrap_or("")),
            branch: None,
            work_unit: None,
            planned_steps: None,
        }),
    )
}

/// Where the client writes down the session itself.
pub(super) fn transcribed(payload: &Value, at: Timestamp) -> Option<Event> {
    let path = text(payload, &["transcript_path"])?.to_owned();
    Some(Event::new(at, Happening::Transcribed { path }))
}

fn last_words(payload: &Value, now: Timestamp) -> Option<Event> {
    let words = text(payload, &["last_assistant_message"])?;
    said(Voice::Said, words, now)
}

/// The id and the call that a payload tells the end of.
pub(super) fn parts(
    payload: &Value,
    root: &Root,
    cwd: Option<&str>,
    now: Timestamp,
) -> Option<(String, Call)> {
    let call = call_of(payload, root, cwd)?;
    Some((id_or_made_up(payload, now), call))
}

/// The call a payload is about.
pub(super) fn call_of(payload: &Value, root: &Root, cwd: Option<&str>) -> Option<Call> {
    let input = payload.get("tool_input").unwrap_or(&Value::Null);
    let tool = text(payload, &["tool_name"])?;
    Some(call(tool, input, root, cwd))
}

/// The id that the client gave a call that ended. Where it gave none, one is made up: the same call at another moment is another call.
pub(super) fn id_or_made_up(payload: &Value, now: Timestamp) -> String {
    id_of(payload).map_or_else(
        || {
            let [tool, input] = ["tool_name", "tool_input"].map(|key| &payload[key]);
            let digest = Digest::of(&format!("{tool}\n{input}\n{now}"));
            format!("{UNNAMED}{digest}")
        },
        str::to_owned,
    )
}

/// The id that the client gave a call. An empty one is none.
fn id_of(payload: &Value) -> Option<&str> {
    text(payload, &["tool_use_id"]).filter(|id| !id.is_empty())
}

/// A call that begins. One without an id is told by its end alone, for nothing else would say that both are one.
fn called(payload: &Value, root: &Root, now: Timestamp) -> Option<Event> {
    let id = id_of(payload)?.to_owned();
    let call = call_of(payload, root, text(payload, &["cwd"]))?;
    Some(Event::new(now, Happening::ToolCalled { id, call }))
}

/// The files that a search found.
pub(super) fn searched(
    call: &Call,
    listed: Option<&Value>,
    output: &str,
    root: &Root,
    cwd: Option<&str>,
) -> Vec<ProjectPath> {
    if matches!(call, Call::Grep { .. } | Call::Glob { .. }) {
        tool::matches(listed, output, root, cwd)
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Agent, from_hook};
    use super::*;

    #[test]
    fn a_call_without_an_id_is_told_by_its_end_each_time_it_ends() {
        let ids = |agent: Agent, event: &str, second: i64, given: &Value| -> Vec<String> {
            let payload = json!({
                "tool_use_id": given,
                "session_id": "s", "cwd": "/p", "hook_event_name": event, "tool_name": "Bash",
                "tool_input": { "command": "make" }, "tool_response": "done", "tool_output": "done", "error": "Exit code 2",
            });
            let now = Timestamp::from_second(second).unwrap();
            let told = from_hook(agent, &payload, &Root::new("/p"), now);
            let id = |event: &Event| match &event.what {
                Happening::ToolReturned(back) => back.id.clone(),
                other => panic!("{other:?}"),
            };
            told.events.iter().map(id).collect()
        };
        for (agent, ends) in [
            (Agent::ClaudeCode, "PostToolUse"),
            (Agent::ClaudeCode, "PostToolUseFailure"),
            (Agent::Codex, "PostToolUse"),
            (Agent::Cursor, "postToolUse"),
        ] {
            for none in [Value::Null, "".into()] {
                let first = ids(agent, ends, 1, &none);
                assert_eq!(first.len(), 1, "{agent:?} {ends}");
                assert!(first[0].starts_with(UNNAMED), "{first:?}");
                assert_ne!(first, ids(agent, ends, 2, &none));
            }
            assert_eq!(ids(agent, ends, 1, &"t1".into()), ["t1"]);
        }
        for none in [Value::Null, "".into()] {
            assert_eq!(ids(Agent::ClaudeCode, "PreToolUse", 1, &none), [""; 0]);
        }
    }
}
