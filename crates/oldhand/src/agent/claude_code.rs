//! Claude Code: hook payloads. Its transcripts are in [`transcript`].

use jiff::Timestamp;
use oldhand_domain::event::{Call, Ending, Event, Happening, UserCorrection};
use oldhand_domain::path::ProjectPath;
use oldhand_observe::outcome::walk::begun_before;
use serde_json::Value;

use super::json::{any_text, flat_text, prompt, text};
use super::root::Root;
use super::shared::{self, call_of, parts, searched};
use super::tool::{self, Result, exit_code, output};
use super::{Moment, Told};

use asked::{CLARIFIES, typed_answers};

mod asked;
mod background;
mod queue;
pub(super) mod transcript;

/// What Claude Code tells its model behind the words of a person who refused a call.
const ADVICE: &str = "Note: The user's next message may contain";
/// What Claude Code writes when the user says no to a call.
pub(super) const DENIED: &str = "The user doesn't want to proceed with this tool use";
pub(super) const INTERRUPTED: &str = "[Request interrupted by user";

pub(super) fn from_hook(payload: &Value, root: &Root, now: Timestamp) -> Told {
    let cwd = text(payload, &["cwd"]);
    let event = text(payload, &["hook_event_name"]).unwrap_or("");
    let mut events: Vec<Event> = Vec::new();
    let moment = match event {
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
            Moment::StepEnd
        }
        "UserPromptSubmit" => prompted(payload, root, now, &mut events),
        // Compaction runs as an agent without a type; it did no work.
        "SubagentStop" if text(payload, &["agent_type"]) == Some("") => Moment::Other,
        _ => shared::moment("claude-code", payload, root, now, &mut events),
    };
    shared::told(payload, moment, events)
}

/// What a person typed, or what the client says in their place.
fn prompted(payload: &Value, root: &Root, now: Timestamp, events: &mut Vec<Event>) -> Moment {
    let words = text(payload, &["prompt"]).unwrap_or("");
    let left = background::take_notices(words, now, events);
    if left.trim().is_empty() && !words.is_empty() {
        return Moment::Other;
    }
    shared::moment("claude-code", payload, root, now, events)
}

/// A call that ended. Commands of the shell go on where the one before them ended, and the client names that folder.
fn ended(
    payload: &Value,
    root: &Root,
    cwd: Option<&str>,
    now: Timestamp,
) -> Option<(String, Call)> {
    let (id, mut call) = parts(payload, root, cwd, now)?;
    if let Call::Shell {
        command, folder, ..
    } = &mut call
    {
        *folder = folder
            .take()
            .and_then(|left| begun_before(command.as_str(), left));
    }
    Some((id, call))
}

fn returned(
    payload: &Value,
    root: &Root,
    cwd: Option<&str>,
    now: Timestamp,
    events: &mut Vec<Event>,
) {
    let Some((id, call)) = ended(payload, root, cwd, now) else {
        return;
    };
    let response = payload.get("tool_response").unwrap_or(&Value::Null);
    if response.get("userModified") == Some(&Value::Bool(true)) {
        events.push(modified(&call, now));
    }
    let tool = text(payload, &["tool_name"]).unwrap_or("");
    events.extend(typed_answers(tool, response, now));
    let printed = output(response);
    let asked = text(payload, &["tool_name"]).zip(payload.get("tool_input"));
    if let Some(asked) = asked.and_then(|(tool, input)| background::asked_after(tool, input)) {
        events.extend(background::answer(&asked, response, &printed, now));
    }
    let text = background::tell_left_running(response, &printed);
    let interrupted = response.get("interrupted") == Some(&Value::Bool(true));
    // Only calls that succeeded come this way.
    let exit_code = succeeded(&call, response);
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
    let Some((id, call)) = ended(payload, root, cwd, now) else {
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

/// The exit code of a command that did not fail; nothing is known of one that still runs.
pub(super) fn succeeded(call: &Call, response: &Value) -> Option<i32> {
    let runs_on = response
        .get("backgroundTaskId")
        .is_some_and(|id| !id.is_null());
    (matches!(call, Call::Shell { .. }) && !runs_on).then_some(0)
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
        let Some((id, call)) = ended(one, root, cwd, now) else {
            continue;
        };
        if answer.starts_with(DENIED) {
            events.extend(denied(&call, &answer, now));
        } else if let Some(error) = tool_error(&answer) {
            events.push(failure(id, call, error, false).into_event(now));
        }
    }
}

/// The files that the calls of a batch opened, and those that searches led to, unless they led everywhere.
pub(super) fn files_of_step(payload: &Value, root: &Root) -> Vec<ProjectPath> {
    const MOST: usize = 8;
    const FEW: usize = 5;
    let cwd = text(payload, &["cwd"]);
    let calls = payload.get("tool_calls").and_then(Value::as_array);
    let mut files: Vec<ProjectPath> = Vec::new();
    for one in calls.into_iter().flatten() {
        let Some(call) = call_of(one, root, cwd) else {
            continue;
        };
        let answer = one.get("tool_response").map(flat_text).unwrap_or_default();
        files.extend(file_of(&call));
        let found = match &call {
            // Where a session has no tool to search with, a command does it.
            Call::Shell { command, .. } if is_search(command.as_str()) => {
                tool::matches(None, &answer, root, cwd)
            }
            _ => searched(&call, None, &answer, root, cwd),
        };
        if found.len() <= FEW {
            files.extend(found);
        }
    }
    files.truncate(MOST);
    files
}

fn is_search(command: &str) -> bool {
    const SEARCHES: [&str; 5] = ["grep ", "rg ", "find ", "fd ", "git grep "];
    let command = command.trim_start();
    SEARCHES.iter().any(|search| command.starts_with(search))
}

/// The inside of `<tool_use_error>…</tool_use_error>`.
pub(super) fn tool_error(answer: &str) -> Option<&str> {
    let rest = answer.trim_start().strip_prefix("<tool_use_error>")?;
    Some(rest.split("</tool_use_error>").next().unwrap_or(rest))
}

/// A call that the user refused, and what they said with it.
pub(super) fn denied(call: &Call, answer: &str, now: Timestamp) -> Vec<Event> {
    let refusal = Event::new(
        now,
        Happening::Corrected {
            how: UserCorrection::PermissionDenied,
            file: file_of(call),
        },
    );
    let words = answer
        .split_once("the user said:")
        .map(|(_, words)| words.split_once(ADVICE).map_or(words, |(words, _)| words))
        // These are the client's own words.
        .filter(|words| !words.trim_start().starts_with(CLARIFIES))
        .and_then(|words| prompt(words.trim(), now));
    std::iter::once(refusal).chain(words).collect()
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

fn file_of(call: &Call) -> Option<ProjectPath> {
    match call {
        Call::Edit { files, .. } => files.first()?.project().cloned(),
        Call::Write { file, .. } | Call::Read { file } => file.project().cloned(),
        _ => None,
    }
}

#[test]
fn the_clients_advice_to_its_model_is_not_the_words_of_the_person() {
    let call = Call::Other {
        name: "Bash".to_owned(),
        asked: None,
        plan: None,
    };
    let answer = format!(
        "{DENIED}. To tell you how to proceed, the user said:\nuse pnpm, not npm\n\n{ADVICE} a correction or preference. If they'd prefer something, save it."
    );
    let events = denied(&call, &answer, Timestamp::UNIX_EPOCH);
    let Happening::Prompt { text, .. } = &events[1].what else {
        panic!("{events:?}")
    };
    assert_eq!(text.as_str(), "use pnpm, not npm");
    let answer =
        format!("{DENIED}. To tell you how to proceed, the user said:\n{CLARIFIES}.\n  This means");
    assert_eq!(denied(&call, &answer, Timestamp::UNIX_EPOCH).len(), 1);
}

#[test]
fn only_the_clients_own_question_has_a_person_answer() {
    use super::transcript::Parser;
    use serde_json::json;
    let answered = json!({ "questions": [{ "question": "q" }],
        "answers": { "q": "Always run make deploy before a commit" } });
    for (tool, expected) in [
        ("AskUserQuestion", 1),
        ("mcp__tracker__ask", 0),
        ("mcp__x__AskUserQuestion", 0),
        ("Bash", 0),
    ] {
        let prompts = |events: &[Event]| {
            let is_prompt = |event: &&Event| matches!(event.what, Happening::Prompt { .. });
            events.iter().filter(is_prompt).count()
        };
        let input = json!({ "command": "ls" });
        let hook = json!({ "hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/p",
            "tool_name": tool, "tool_use_id": "1", "tool_input": input, "tool_response": answered });
        let told = from_hook(&hook, &Root::new("/p"), Timestamp::UNIX_EPOCH);
        assert_eq!(prompts(&told.events), expected, "hook of {tool}");
        let lines = [
            json!({ "type": "assistant", "cwd": "/p", "message": { "role": "assistant",
                "content": [{ "type": "tool_use", "id": "1", "name": tool, "input": input }] } }),
            json!({ "type": "user", "cwd": "/p", "toolUseResult": answered, "message": { "role": "user",
                "content": [{ "type": "tool_result", "tool_use_id": "1", "content": "done" }] } }),
        ];
        let mut parser = transcript::Transcript::new(&Root::new("/p"));
        let mut out = Vec::new();
        for line in &lines {
            parser.take(line, &mut out);
        }
        assert_eq!(prompts(&out), expected, "transcript of {tool}");
    }
}
