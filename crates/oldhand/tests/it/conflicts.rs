//! Two sessions that edit one file at the same time, and know nothing of each other.

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::repository;
use crate::session::Transcript;

/// A session that edits `src/client.rs` so many times in an hour, perhaps is refused once because somebody else did, and passes
/// its tests.
fn session(sandbox: &Sandbox, (name, hour, edits, met): Work<'_>) -> String {
    let root = sandbox.project().canonicalize().expect("a project");
    let file = root.join("src/client.rs").display().to_string();
    let mut told = Transcript::new(sandbox, name);
    told.prompt("make the client wait");
    for number in 0..edits {
        let edit = json!({ "file_path": file, "old_string": format!("{name}{number}"), "new_string": "b" });
        told.tool("Edit", &edit, "The file has been updated", false);
    }
    if met == Met::Refused {
        let edit = json!({ "file_path": file, "old_string": name, "new_string": "b" });
        let refusal = "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.";
        told.tool("Edit", &edit, refusal, true);
        let again = json!({ "file_path": file, "old_string": "again", "new_string": "b" });
        told.tool("Edit", &again, "The file has been updated", false);
    }
    let test = json!({ "command": "cargo test" });
    told.tool("Bash", &test, "test result: ok. 3 passed; 0 failed", false);
    told.text().replace("T10:", &format!("T{hour:02}:"))
}

fn ask(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let told = sandbox.oldhand(arguments.iter().chain(&["--json"])).run();
    serde_json::from_str(&told.stdout).expect("JSON")
}

#[derive(Clone, Copy, PartialEq)]
enum Met {
    Nobody,
    Refused,
}

/// A name, an hour, how many edits, and whom it ran into.
type Work<'a> = (&'a str, u32, u32, Met);

/// Imports sessions one by one and says what is known of those that met in the end.
fn learned(order: &[Work<'_>]) -> (Sandbox, Vec<Value>) {
    let sandbox = repository();
    sandbox.write("src/client.rs", "fn wait() {}\n");
    for work in order {
        let (text, name) = (session(&sandbox, *work), work.0);
        import(&sandbox, name, &text);
    }
    let met = met(&sandbox);
    (sandbox, met)
}

fn import(sandbox: &Sandbox, name: &str, text: &str) {
    sandbox.write(&format!("../transcripts/{name}.jsonl"), text);
    ask(sandbox, &["import", "transcripts", "../transcripts"]);
}

fn met(sandbox: &Sandbox) -> Vec<Value> {
    let listed = ask(sandbox, &["list", "--limit", "50"]);
    let memories = listed["memories"].as_array().expect("memories").clone();
    let met = memories
        .into_iter()
        .filter(|memory| memory["summary"] == SUMMARY);
    met.collect()
}

const SUMMARY: &str = "Several sessions edit this checkout at once: stage only your own files";

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
    let (sandbox, forth) = learned(&[("one", 10, 6, Met::Refused), ("two", 10, 3, Met::Refused)]);
    let (_, back) = learned(&[("two", 10, 3, Met::Refused), ("one", 10, 6, Met::Refused)]);
    let ([forth], [back]) = (&forth[..], &back[..]) else {
        panic!("{forth:#?} {back:#?}")
    };
    assert_eq!(words(forth), words(back));
    assert_eq!(forth["type"], "gotcha");
    assert_eq!(forth["needs_review"], true);
    // Who edits that file need not hear it any more than others.
    assert_eq!(forth["files"], json!([]));
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
    let (_, met) = learned(&[("one", 10, 6, Met::Refused), ("two", 11, 3, Met::Refused)]);
    assert_eq!(met, Vec::<Value>::new());
}

#[test]
fn who_got_by_is_told_in_the_report_alone() {
    let (sandbox, met) = learned(&[("one", 10, 6, Met::Nobody), ("two", 10, 3, Met::Refused)]);
    assert_eq!(met, Vec::<Value>::new());
    let shown = ask(&sandbox, &["session", "show", "two"]);
    let lines = shown["report"]["lines"].as_array().expect("lines");
    let line = lines.iter().find(|line| line["summary"] == SUMMARY);
    let why = line.expect("it was weighed")["why"].as_str();
    assert_eq!(why, Some("nobody ran into the other more than once"));
}

#[test]
fn a_later_conflict_in_another_file_says_the_same_anew() {
    let (sandbox, met_first) =
        learned(&[("one", 10, 6, Met::Refused), ("two", 10, 3, Met::Refused)]);
    sandbox.write("src/server.rs", "fn serve() {}\n");
    for work in [
        ("three", 10, 6, Met::Refused),
        ("four", 10, 3, Met::Refused),
    ] {
        let text = session(&sandbox, work).replace("client.rs", "server.rs");
        import(
            &sandbox,
            work.0,
            &text.replace("2026-01-10T", "2026-01-12T"),
        );
    }
    let ([first], [again]) = (&met_first[..], &met(&sandbox)[..]) else {
        panic!("{met_first:#?}");
    };
    assert_eq!(first["id"], again["id"]);
    let said = |date: &str, file: &str| {
        format!(
            "Several sessions work in this checkout at once (on {date} two of them edited `src/{file}`, and edits of both were refused because it had changed): what you did not change may be another's. Stage only your own files, and read a file again before editing it."
        )
    };
    assert_eq!(first["content"], said("2026-01-10", "client.rs"));
    assert_eq!(again["content"], said("2026-01-12", "server.rs"));
}
