//! A session bears witness once: however often it is told, copied, judged or looked at again.

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::repository;
use crate::session::{Transcript, work};

fn answer(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let json = arguments.iter().chain(&["--json"]);
    let told = sandbox.oldhand(json).run().success();
    serde_json::from_str(&told).expect("JSON")
}

fn import(sandbox: &Sandbox) -> Value {
    answer(sandbox, &["import", "transcripts", "../transcripts"])
}

/// The line of a session's report about the error that its work met.
fn line(sandbox: &Sandbox, session: &str) -> Option<(String, String)> {
    let shown = answer(sandbox, &["session", "show", session]);
    let lines = shown["report"]["lines"]
        .as_array()
        .expect("a report")
        .clone();
    let mut lines = lines.iter().filter(|line| {
        let words = line["summary"].as_str().unwrap_or_default();
        words.contains("E0433") && line["type"] == "error_pattern"
    });
    let text = |line: &Value, field: &str| line[field].as_str().unwrap_or_default().to_owned();
    lines
        .next()
        .map(|line| (text(line, "outcome"), text(line, "why")))
}

#[test]
fn the_past_that_a_resumed_session_tells_again_counts_once() {
    let sandbox = repository();
    let first = work(&sandbox, "session-one");
    sandbox.write("../transcripts/one.jsonl", &first);
    // Clients write the past anew under the name of the session that goes on, some with the time of that.
    let copied = first.replace("2026-01-10T", "2026-01-11T");
    let copied = copied.replace(
        r#""sessionId":"session-one""#,
        r#""sessionId":"session-two""#,
    );
    let mut more = Transcript::new(&sandbox, "session-two");
    for _ in 0..30 {
        more.prompt("and now say hello");
    }
    let more = more.text();
    let own: Vec<&str> = more.lines().skip(29).collect();
    let resumed = format!("{copied}{}\n", own.join("\n"));
    sandbox.write("../transcripts/two.jsonl", &resumed);
    import(&sandbox);
    let dropped = (
        "dropped".to_owned(),
        "seen in 1 of 2 sessions needed".to_owned(),
    );
    assert_eq!(line(&sandbox, "session-one"), Some(dropped.clone()));
    assert_eq!(line(&sandbox, "session-two"), None);
    let shown = answer(&sandbox, &["session", "show", "session-two"]);
    assert_eq!(shown["body"]["copied_from"], json!(["session-one"]));
    assert_eq!(shown["prompt"], "and now say hello");
    // The other way round nothing changes, however often each is looked at.
    for session in ["session-one", "session-two"] {
        answer(&sandbox, &["session", "validate", session, "--passed"]);
    }
    assert_eq!(line(&sandbox, "session-one"), Some(dropped));
    assert_eq!(line(&sandbox, "session-two"), None);
    // Where the first is gone, the second tells it.
    sandbox
        .oldhand(["session", "discard", "session-one", "--yes"])
        .run()
        .success();
    answer(
        &sandbox,
        &["session", "validate", "session-two", "--passed"],
    );
    assert!(line(&sandbox, "session-two").is_some());
    // A session of its own is a second witness.
    sandbox.write(
        "../transcripts/three.jsonl",
        work(&sandbox, "session-three"),
    );
    import(&sandbox);
    let third = line(&sandbox, "session-three");
    assert_eq!(
        third.map(|(outcome, _)| outcome).as_deref(),
        Some("promoted")
    );
}

#[test]
fn a_prompt_told_by_a_transcript_and_by_a_hook_is_said_once() {
    let sandbox = repository();
    let root = sandbox.project().canonicalize().expect("it is there");
    let mut transcript = Transcript::new(&sandbox, "session-one");
    transcript.prompt("fix the parser please");
    let file = root.join("src/p.rs").display().to_string();
    let edit = json!({ "file_path": file, "old_string": "a", "new_string": "b" });
    transcript.tool("Edit", &edit, "The file has been updated", false);
    sandbox.write("../transcripts/one.jsonl", transcript.text());
    answer(
        &sandbox,
        &["import", "transcripts", "../transcripts", "--no-finalize"],
    );
    let verdict = |prompt: &str| {
        let payload = json!({
            "hook_event_name": "UserPromptSubmit",
            "session_id": "session-one",
            "cwd": sandbox.project(),
            "prompt": prompt,
        });
        sandbox
            .oldhand(["hook", "claude-code"])
            .env("OLDHAND_HOOK_DEADLINE", "60000")
            .stdin(payload.to_string())
            .run()
            .success();
        answer(&sandbox, &["session", "finalize", "session-one"]);
        let shown = answer(&sandbox, &["session", "show", "session-one"]);
        shown["outcome"].clone()
    };
    assert_eq!(verdict("fix the parser please"), "unknown");
    assert_eq!(verdict("no, that is wrong"), "failed");
}

#[test]
fn a_clock_that_runs_ahead_moves_nothing_into_the_future() {
    let sandbox = repository();
    let ahead = work(&sandbox, "session-one").replace("2026-01-10T", "2099-01-10T");
    sandbox.write("../transcripts/one.jsonl", ahead);
    let arguments = ["import", "transcripts", "../transcripts"];
    let now = "2026-03-01T12:00:00Z";
    sandbox.oldhand(arguments).at(now).run().success();
    let shown = answer(&sandbox, &["session", "show", "session-one"]);
    let ended: jiff::Timestamp = shown["ended_at"].as_str().unwrap().parse().unwrap();
    assert!(ended <= now.parse().unwrap(), "{shown}");
}

#[test]
fn a_verdict_holds_for_the_work_it_was_told_of() {
    let sandbox = repository();
    let done = work(&sandbox, "session-one");
    sandbox.write("../transcripts/one.jsonl", &done);
    import(&sandbox);
    answer(
        &sandbox,
        &["session", "validate", "session-one", "--passed"],
    );
    let root = sandbox.project().canonicalize().expect("it is there");
    let mut transcript = Transcript::new(&sandbox, "session-one");
    for _ in 0..20 {
        transcript.prompt("go on");
    }
    let file = root.join("build.rs").display().to_string();
    let edit = json!({ "file_path": file, "old_string": "b", "new_string": "c" });
    transcript.tool("Edit", &edit, "The file has been updated", false);
    let failed = "Exit code 101\ntest result: FAILED. 2 passed; 1 failed";
    transcript.tool("Bash", &json!({ "command": "cargo test" }), failed, true);
    let text = transcript.text();
    let more: Vec<&str> = text.lines().skip(20).collect();
    sandbox.write(
        "../transcripts/one.jsonl",
        format!("{done}{}\n", more.join("\n")),
    );
    import(&sandbox);
    let shown = answer(&sandbox, &["session", "show", "session-one"]);
    assert_eq!(shown["outcome"], "failed", "{}", shown["body"]["evidence"]);
    answer(
        &sandbox,
        &["session", "validate", "session-one", "--passed"],
    );
    let shown = answer(&sandbox, &["session", "show", "session-one"]);
    assert_eq!(shown["outcome"], "passed");
}

#[test]
fn a_replay_shows_the_same_before_and_after_finalizing() {
    let sandbox = repository();
    for session in ["one", "two", "three"] {
        let name = format!("session-{session}");
        let path = format!("../transcripts/{session}.jsonl");
        sandbox.write(&path, work(&sandbox, &name));
    }
    answer(
        &sandbox,
        &["import", "transcripts", "../transcripts", "--no-finalize"],
    );
    for session in ["session-one", "session-two"] {
        answer(&sandbox, &["session", "finalize", session]);
    }
    let replay = || answer(&sandbox, &["session", "replay", "session-three"]);
    let before = replay();
    let lines = answer(&sandbox, &["session", "finalize", "session-three"]);
    let weighed = ["promoted", "dropped"].map(|kind| lines[kind].as_array().map_or(0, Vec::len));
    let candidates = before["candidates"].as_array().expect("a list");
    assert_eq!(
        candidates.len(),
        weighed.iter().sum::<usize>(),
        "{before}\n{lines}"
    );
    assert_eq!(replay(), before);
}
