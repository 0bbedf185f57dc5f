//! Two sessions that edit one file at the same time, and know nothing of each other.

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::repository;
use crate::session::Transcript;

/// A session that edits `src/client.rs` at the minutes it is given, then passes its tests.
fn session(sandbox: &Sandbox, name: &str, hour: u32, edits: u32) -> String {
    let root = sandbox.project().canonicalize().expect("a project");
    let file = root.join("src/client.rs").display().to_string();
    let mut told = Transcript::new(sandbox, name);
    told.prompt("make the client wait");
    for number in 0..edits {
        let edit = json!({ "file_path": file, "old_string": format!("{name}{number}"), "new_string": "b" });
        told.tool("Edit", &edit, "The file has been updated", false);
    }
    let test = json!({ "command": "cargo test" });
    told.tool("Bash", &test, "test result: ok. 3 passed; 0 failed", false);
    told.text().replace("T10:", &format!("T{hour:02}:"))
}

fn ask(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let told = sandbox.oldhand(arguments.iter().chain(&["--json"])).run();
    serde_json::from_str(&told.stdout).expect("JSON")
}

/// Imports sessions one by one and says what is known of the file in the end.
fn learned(order: &[(&str, u32, u32)]) -> (Sandbox, Vec<Value>) {
    let sandbox = repository();
    sandbox.write("src/client.rs", "fn wait() {}\n");
    for (name, hour, edits) in order {
        let text = session(&sandbox, name, *hour, *edits);
        sandbox.write(&format!("../transcripts/{name}.jsonl"), text);
        ask(&sandbox, &["import", "transcripts", "../transcripts"]);
    }
    let listed = ask(&sandbox, &["list", "--limit", "50"]);
    let memories = listed["memories"].as_array().expect("memories").clone();
    let met = memories.into_iter().filter(|memory| {
        let summary = memory["summary"].as_str().expect("a summary");
        summary.starts_with("Let only one session")
    });
    (sandbox, met.collect())
}

#[test]
fn two_sessions_in_one_file_are_a_gotcha_whichever_is_looked_at_first() {
    let words = |memory: &Value| {
        let keys = [
            "content",
            "summary",
            "confidence",
            "needs_review",
            "files",
            "type",
        ];
        keys.map(|key| memory[key].clone())
    };
    let (sandbox, forth) = learned(&[("one", 10, 6), ("two", 10, 3)]);
    let (_, back) = learned(&[("two", 10, 3), ("one", 10, 6)]);
    let ([forth], [back]) = (&forth[..], &back[..]) else {
        panic!("{forth:#?} {back:#?}")
    };
    assert_eq!(words(forth), words(back));
    assert_eq!(forth["type"], "gotcha");
    assert_eq!(forth["needs_review"], false);
    // It leads back to the edits of both.
    let id = forth["id"].as_str().expect("an id");
    let shown = ask(&sandbox, &["show", id]);
    let lessons = shown["learned_from"]
        .as_array()
        .unwrap_or_else(|| panic!("{shown:#}"));
    assert_eq!(lessons.len(), 2, "{shown:#}");
    for lesson in lessons {
        let events = lesson["events"].to_string();
        assert!(events.contains("edited src/client.rs"), "{events}");
    }
    // Looking again, at either of them, changes nothing.
    for name in ["one", "two"] {
        sandbox
            .oldhand(["session", "finalize", name])
            .run()
            .success();
    }
    let again = ask(&sandbox, &["show", id]);
    assert_eq!(words(&again), words(forth));
}

#[test]
fn one_session_after_the_other_is_no_conflict() {
    let (_, met) = learned(&[("one", 10, 6), ("two", 11, 3)]);
    assert_eq!(met, Vec::<Value>::new());
}
