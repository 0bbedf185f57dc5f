//! `oldhand off` and `oldhand on`: a project in which agents are neither heard nor told anything.

use std::fs;

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::{assert_transcript, database, repository};

/// A known project with a trap in `src/db.rs`.
fn trapped() -> Sandbox {
    let sandbox = repository();
    sandbox.oldhand(["init"]).run().success();
    let trap = "Run migrations first, or the schema is empty.";
    let words = ["remember", trap, "--type", "gotcha", "--file", "src/db.rs"];
    sandbox.oldhand(words).run().success();
    sandbox
}

fn open_file(sandbox: &Sandbox, session: &str) -> String {
    let payload = json!({
        "session_id": session,
        "cwd": sandbox.project(),
        "hook_event_name": "PostToolUse",
        "tool_name": "Read",
        "tool_input": { "file_path": sandbox.project().join("src/db.rs") },
        "tool_response": { "type": "text" },
        "tool_use_id": session,
    });
    let hook = sandbox
        .oldhand(["hook", "claude-code"])
        .env("OLDHAND_HOOK_DEADLINE", "60000");
    hook.stdin(payload.to_string()).run().success()
}

fn journals(sandbox: &Sandbox) -> Vec<String> {
    let folder = database(sandbox).with_file_name("journal");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn a_project_that_is_off_is_neither_heard_nor_told_and_comes_back() {
    let sandbox = trapped();
    assert_transcript!(sandbox.oldhand(["off"]), @"
    exit 0
    --- stdout
    project is off: nothing that agents do here is written down, and they are told nothing
    --- stderr
    hint: `oldhand on` switches it on again
    ");
    assert_eq!(open_file(&sandbox, "s1"), "");
    assert_eq!(journals(&sandbox), [""; 0]);
    let found = sandbox.oldhand(["search", "migrations"]).run().success();
    assert!(found.contains("schema is empty"), "a person still finds it");
    assert_transcript!(sandbox.oldhand(["on", "--json"]), @r#"
    exit 0
    --- stdout
    {"project":"project","enabled":true}
    "#);
    assert!(open_file(&sandbox, "s1").contains("schema is empty"));
    assert_eq!(journals(&sandbox), ["s1.jsonl"]);
    sandbox.oldhand(["off"]).run().success();
    assert_eq!(open_file(&sandbox, "s1"), "", "also in a session that runs");
}

#[test]
fn status_and_doctor_say_that_a_project_is_off() {
    let sandbox = trapped();
    let status = |words: &[&str]| sandbox.oldhand(words).run().success();
    let told: Value = serde_json::from_str(&status(&["status", "--json"])).expect("it is JSON");
    assert_eq!(told["enabled"], true);
    assert!(!status(&["doctor"]).contains("switch"));
    sandbox.oldhand(["off"]).run().success();
    let told: Value = serde_json::from_str(&status(&["status", "--json"])).expect("it is JSON");
    assert_eq!(told["enabled"], false);
    let status_words = status(&["status"]);
    assert!(
        status_words.contains("off: agents are neither heard"),
        "{status_words}"
    );
    let doctor = status(&["doctor"]);
    assert!(doctor.contains("off: agents are neither heard"), "{doctor}");
    assert!(doctor.contains("`oldhand on`"), "{doctor}");
    let context = sandbox.oldhand(["context", "run the migrations"]).run();
    assert!(
        context.stderr.contains("agents hear nothing of this"),
        "{context}"
    );
}

#[test]
fn tools_refuse_in_a_project_that_is_off() {
    let sandbox = trapped();
    sandbox.oldhand(["off"]).run().success();
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "some-client", "version": "1" },
    } });
    let begun = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let call = |id: u32, name: &str, arguments: Value| {
        let params = json!({ "name": name, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    let lines = [
        begin,
        begun,
        call(2, "search_memory", json!({ "query": "migrations" })),
        call(
            3,
            "record_memory",
            json!({ "text": "The zebra is striped.", "type": "gotcha" }),
        ),
    ];
    let lines = lines.map(|line| line.to_string()).join("\n") + "\n";
    let heard = sandbox.oldhand(["mcp"]).stdin(lines).run().success();
    let refused = heard.matches("switched off").count();
    assert!(
        refused >= 2 && !heard.contains("schema is empty"),
        "{heard}"
    );
    assert_eq!(journals(&sandbox), [""; 0]);
}

#[test]
fn settings_that_cannot_be_read_are_no_reason_to_listen() {
    let sandbox = trapped();
    sandbox.oldhand(["off"]).run().success();
    fs::write(sandbox.home().join("config.toml"), "= =").expect("a file can be written");
    assert_eq!(open_file(&sandbox, "s1"), "");
    assert_eq!(journals(&sandbox), [""; 0]);
}

#[test]
fn a_project_that_is_not_known_cannot_be_switched() {
    let sandbox = repository();
    assert_transcript!(sandbox.oldhand(["off"]), @"
    exit 1
    --- stderr
    error: this project is not known yet
    hint: nothing is heard here before `oldhand init` makes it known
    ");
}
