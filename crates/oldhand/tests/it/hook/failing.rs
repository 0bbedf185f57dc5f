//! Everything that can go wrong around a hook, and that the agent never notices.

use std::fs::{self, File};
use std::io::Write as _;
use std::time::Duration;

use oldhand_testkit::Sandbox;
use serde_json::json;

use super::told::{call, context, journal, known, payload, read, teach, tell};
use crate::database;

const TRAP: &str = "Run migrations first, or the schema is empty.";

/// A project with a trap in `src/db.rs`.
fn trapped() -> Sandbox {
    let sandbox = known();
    teach(&sandbox, &[TRAP, "--type", "gotcha", "--file", "src/db.rs"]);
    sandbox
}

fn open_file(session: &str, sandbox: &Sandbox) -> Vec<u8> {
    let path = sandbox.project().join("src/db.rs");
    let rest = json!({
        "tool_name": "Read",
        "tool_input": { "file_path": path },
        "tool_response": { "type": "text" },
        "tool_use_id": "t1",
    });
    payload(sandbox, session, "PostToolUse", rest)
}

#[test]
fn a_hook_that_waits_for_another_gives_up_in_time() {
    let sandbox = trapped();
    read(&sandbox, "s0", "t1", "src/db.rs");
    let locks = database(&sandbox).with_file_name("locks");
    let held = File::create(locks.join("inject")).expect("the lock can be opened");
    held.lock().expect("nobody holds it");
    let outcome = sandbox
        .oldhand(["hook", "claude-code"])
        .stdin(open_file("s1", &sandbox))
        .run();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""));
    drop(held);
    assert_ne!(
        read(&sandbox, "s1", "t2", "src/db.rs"),
        "",
        "the next one speaks"
    );
}

#[test]
fn a_client_that_never_finishes_its_payload_leaves_no_process_behind() {
    let sandbox = trapped();
    let mut child = sandbox.oldhand(["hook", "claude-code"]).spawn();
    let mut stdin = child.stdin.take().expect("there is a pipe");
    stdin.write_all(b"{\"session_id\":").expect("it listens");
    let ended = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        child.try_wait().expect("it is our child").is_some()
    });
    if !ended {
        child.kill().expect("it is our child");
    }
    assert!(ended, "it still waits");
    assert_eq!(child.wait().expect("it has ended").code(), Some(0));
}

#[test]
fn a_client_that_does_not_listen_any_more_is_no_failure() {
    let sandbox = trapped();
    let hook = sandbox.oldhand(["hook", "claude-code"]);
    let mut child = hook.env("OLDHAND_HOOK_DEADLINE", "60000").spawn();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("there is a pipe");
    stdin
        .write_all(&open_file("s1", &sandbox))
        .expect("it listens");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"");
}

#[test]
fn a_journal_that_cannot_be_written_costs_the_words_and_nothing_else() {
    let sandbox = trapped();
    let folder = database(&sandbox).with_file_name("journal");
    let _ = fs::remove_dir_all(&folder);
    fs::write(&folder, "not a folder").expect("it can be written");
    assert_eq!(read(&sandbox, "s1", "t1", "src/db.rs"), "");
    assert_eq!(tell(&sandbox, "s1", "SessionStart", json!({})), "");
}

#[test]
fn a_project_whose_folder_or_state_is_gone_is_silent() {
    let sandbox = trapped();
    let gone = open_file("s1", &sandbox);
    fs::remove_dir_all(sandbox.project()).expect("it can be removed");
    fs::create_dir(sandbox.project()).expect("the sandbox starts commands there");
    assert_eq!(call(&sandbox, "claude-code", gone.clone()), "");
    let sandbox = trapped();
    fs::remove_dir_all(sandbox.home().join("projects")).expect("it can be removed");
    assert_eq!(call(&sandbox, "claude-code", open_file("s1", &sandbox)), "");
}

#[test]
fn a_folder_outside_the_project_does_not_lose_the_session() {
    let sandbox = trapped();
    let mut rest: serde_json::Value =
        serde_json::from_slice(&open_file("s1", &sandbox)).expect("it is JSON");
    rest["cwd"] = json!("/");
    let outcome = sandbox
        .oldhand(["hook", "claude-code"])
        .env("OLDHAND_HOOK_DEADLINE", "60000")
        .env("CLAUDE_PROJECT_DIR", sandbox.project())
        .stdin(rest.to_string())
        .run();
    assert!(context(&outcome.stdout, "PostToolUse").contains("migrations"));
    assert_eq!(journal(&sandbox, "s1").len(), 2);
}

#[test]
fn bytes_that_are_no_text_are_mended() {
    let sandbox = trapped();
    let mut bytes = open_file("s1", &sandbox);
    let at = bytes.len() - 3;
    bytes.splice(at..at, *b"\xff\xfe");
    assert_ne!(call(&sandbox, "claude-code", bytes), "");
}

#[test]
fn a_key_at_the_place_where_a_long_output_is_cut_does_not_survive() {
    let sandbox = known();
    let key = ["AKIA", "Q3EGRIXVZ7BUJ2NW"].concat();
    for before in [600, 625, 635, 640, 960, 1280, 24_560, 24_570] {
        let session = format!("s{before}");
        let output = format!("{}{key} {}", "x ".repeat(before / 2), "y ".repeat(60_000));
        super::told::ran(&sandbox, &session, "t1", "make", &output);
        let line = journal(&sandbox, &session)[0].to_string();
        assert!(
            !line.contains(&key[..8]) && !line.contains(&key[12..]),
            "{line}"
        );
    }
}
