//! What Claude Code tells its hooks, and what comes of it.

use std::fs;

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::{database, repository};

/// A machine under load must not change what a test sees.
pub(super) const PATIENT: &str = "60000";

/// A project that is known, with nothing in it.
pub(super) fn known() -> Sandbox {
    let sandbox = repository();
    sandbox.oldhand(["init"]).run().success();
    sandbox
}

/// Calls the hook and returns what it printed; anything but success and silence on stderr is a failure.
pub(super) fn call(sandbox: &Sandbox, agent: &str, payload: impl Into<Vec<u8>>) -> String {
    let outcome = sandbox
        .oldhand(["hook", agent])
        .env("OLDHAND_HOOK_DEADLINE", PATIENT)
        .stdin(payload)
        .run();
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    outcome.stdout
}

/// A payload of Claude Code, with what every one of its events carries.
pub(super) fn payload(sandbox: &Sandbox, session: &str, event: &str, rest: Value) -> Vec<u8> {
    let mut payload = json!({
        "session_id": session,
        "transcript_path": "/nowhere/transcript.jsonl",
        "cwd": sandbox.project(),
        "hook_event_name": event,
    });
    let (Value::Object(all), Value::Object(rest)) = (&mut payload, rest) else {
        unreachable!("both are objects");
    };
    all.extend(rest);
    payload.to_string().into_bytes()
}

pub(super) fn tell(sandbox: &Sandbox, session: &str, event: &str, rest: Value) -> String {
    call(
        sandbox,
        "claude-code",
        payload(sandbox, session, event, rest),
    )
}

/// The words that reached the model, with `MARK` in the place of what is different each time.
pub(super) fn context(answer: &str, event: &str) -> String {
    let answer: Value = serde_json::from_str(answer).expect("an answer is JSON");
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], event);
    assert_eq!(answer.as_object().map(serde_json::Map::len), Some(1));
    let text = output["additionalContext"].as_str();
    let text = text.expect("there are words");
    let mark = &text["<oldhand-memory ".len()..][..8];
    assert!(text.ends_with(&format!("\n</oldhand-memory {mark}>\n")));
    text.replace(mark, "MARK")
}

pub(super) fn read(sandbox: &Sandbox, session: &str, id: &str, file: &str) -> String {
    let path = sandbox.project().join(file);
    tell(
        sandbox,
        session,
        "PostToolUse",
        json!({
            "tool_name": "Read",
            "tool_input": { "file_path": path },
            "tool_response": { "type": "text", "file": { "filePath": path, "content": "fn main() {}\n" } },
            "tool_use_id": id,
        }),
    )
}

pub(super) fn failed(
    sandbox: &Sandbox,
    session: &str,
    id: &str,
    command: &str,
    error: &str,
) -> String {
    tell(
        sandbox,
        session,
        "PostToolUseFailure",
        json!({
            "tool_name": "Bash",
            "tool_input": { "command": command },
            "tool_use_id": id,
            "error": format!("Exit code 1\n{error}"),
            "is_interrupt": false,
        }),
    )
}

pub(super) fn ran(
    sandbox: &Sandbox,
    session: &str,
    id: &str,
    command: &str,
    output: &str,
) -> String {
    tell(
        sandbox,
        session,
        "PostToolUse",
        json!({
            "tool_name": "Bash",
            "tool_input": { "command": command },
            "tool_response": { "stdout": output, "stderr": "", "interrupted": false },
            "tool_use_id": id,
        }),
    )
}

pub(super) fn edited(sandbox: &Sandbox, session: &str, id: &str, file: &str) -> String {
    let path = sandbox.project().join(file);
    tell(
        sandbox,
        session,
        "PostToolUse",
        json!({
            "tool_name": "Edit",
            "tool_input": { "file_path": path, "old_string": format!("old {id}"), "new_string": format!("new {id}") },
            "tool_response": { "filePath": path, "userModified": false },
            "tool_use_id": id,
        }),
    )
}

/// What was written down of a session, but that it began and where its transcript is: every journal says that once, or once for
/// each of several at the same time.
pub(super) fn journal(sandbox: &Sandbox, session: &str) -> Vec<Value> {
    let folder = database(sandbox).with_file_name("journal");
    let Ok(text) = fs::read_to_string(folder.join(format!("{session}.jsonl"))) else {
        return Vec::new();
    };
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str::<Value>(line).expect("every line is whole"))
        .filter(|event| {
            let begun = ["session_started", "transcribed"];
            !begun.iter().any(|kind| event["event"].get(kind).is_some())
        })
        .collect()
}

pub(super) fn teach(sandbox: &Sandbox, arguments: &[&str]) {
    let arguments = ["remember"].iter().chain(arguments);
    sandbox.oldhand(arguments).run().success();
}

/// Takes away what was handed out to hooks, so that they have to ask the database.
pub(super) fn withdraw(sandbox: &Sandbox) {
    let handout = database(sandbox).with_file_name("memory.db-handout");
    fs::remove_file(handout).expect("every command that changes something hands out");
}
