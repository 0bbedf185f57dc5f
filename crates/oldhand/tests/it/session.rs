//! `oldhand import transcripts` and `oldhand session`: what agents did, and what was learned from it.

mod looks;

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::{assert_transcript, repository};

/// A session of Claude Code as its transcript tells it: a failing test, an edit, a passing test.
pub(crate) struct Transcript {
    lines: Vec<String>,
    session: String,
    cwd: String,
    minute: u32,
}

impl Transcript {
    pub(crate) fn new(sandbox: &Sandbox, session: &str) -> Self {
        Self {
            lines: Vec::new(),
            session: session.to_owned(),
            cwd: sandbox
                .project()
                .canonicalize()
                .expect("the project is there")
                .display()
                .to_string(),
            minute: 0,
        }
    }

    /// What is called from here on runs in a folder of the project.
    pub(crate) fn go_down(&mut self, folder: &str) {
        self.cwd = format!("{}/{folder}", self.cwd);
    }

    fn line(&mut self, kind: &str, message: &Value, result: Option<&Value>) {
        self.minute += 1;
        let mut line = json!({
            "type": kind,
            "sessionId": self.session,
            "cwd": self.cwd,
            "gitBranch": "main",
            "version": "2.1.0",
            "isSidechain": false,
            "uuid": format!("{}-{}", self.session, self.minute),
            "timestamp": format!("2026-01-10T10:{:02}:00.000Z", self.minute),
            "message": message,
        });
        if let Some(result) = result {
            line["toolUseResult"] = result.clone();
        }
        self.lines.push(line.to_string());
    }

    pub(crate) fn prompt(&mut self, text: &str) {
        self.line("user", &json!({ "role": "user", "content": text }), None);
    }

    pub(crate) fn say(&mut self, text: &str) {
        let usage = json!({ "input_tokens": 900 + self.minute, "output_tokens": 20 });
        let message = json!({
            "role": "assistant",
            "id": format!("msg_{}", self.minute),
            "usage": usage,
            "content": [{ "type": "text", "text": text }],
        });
        self.line("assistant", &message, None);
    }

    pub(crate) fn tool(&mut self, name: &str, input: &Value, output: &str, failed: bool) {
        let id = format!("toolu_01{}_{}", self.session, self.minute);
        let call = json!([{ "type": "tool_use", "id": id, "name": name, "input": input }]);
        self.line(
            "assistant",
            &json!({ "role": "assistant", "content": call }),
            None,
        );
        let result = json!([{ "type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed }]);
        let detail = if failed {
            json!(format!("Error: {output}"))
        } else {
            json!({ "stdout": output, "stderr": "" })
        };
        self.line(
            "user",
            &json!({ "role": "user", "content": result }),
            Some(&detail),
        );
    }

    pub(crate) fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }
}

const ERROR: &str = "Exit code 1\nerror[E0433]: failed to resolve: use of undeclared crate `protoc_gen` in src/wire.rs:12";

/// The same mistake and the same way out.
pub(crate) fn work(sandbox: &Sandbox, session: &str) -> String {
    let root = sandbox
        .project()
        .canonicalize()
        .expect("the project is there");
    let path = |file: &str| root.join(file).display().to_string();
    let mut transcript = Transcript::new(sandbox, session);
    transcript.prompt("make the wire format compile again");
    transcript.tool(
        "Read",
        &json!({ "file_path": path("src/wire.rs") }),
        "fn wire() {}",
        false,
    );
    transcript.tool("Bash", &json!({ "command": "cargo test" }), ERROR, true);
    transcript.tool("Bash", &json!({ "command": "cargo test" }), ERROR, true);
    transcript.tool("Bash", &json!({ "command": "make gen" }), "ok", false);
    transcript.tool(
        "Bash",
        &json!({ "command": "cargo test" }),
        "test result: ok. 2 passed; 0 failed",
        false,
    );
    let edit = json!({ "file_path": path("build.rs"), "old_string": "a", "new_string": "b" });
    transcript.tool("Edit", &edit, "The file has been updated", false);
    transcript.tool(
        "Bash",
        &json!({ "command": "cargo test" }),
        "test result: ok. 3 passed; 0 failed",
        false,
    );
    transcript.tool(
        "Bash",
        &json!({ "command": "git commit -am wire" }),
        "[main 1a2b3c4] wire",
        false,
    );
    transcript.text()
}

pub(crate) fn with_two_sessions() -> Sandbox {
    let sandbox = repository();
    sandbox.write("../transcripts/one.jsonl", work(&sandbox, "session-one"));
    sandbox.write("../transcripts/two.jsonl", work(&sandbox, "session-two"));
    sandbox
}

#[test]
fn past_sessions_are_imported_and_what_recurred_is_learned() {
    let sandbox = with_two_sessions();
    assert_transcript!(sandbox.oldhand(["import", "transcripts", "../transcripts"]));
    assert_transcript!(sandbox.oldhand(["session", "list"]));
    assert_transcript!(sandbox.oldhand(["session", "show", "session-two"]));
}

#[test]
fn importing_again_changes_nothing() {
    let sandbox = with_two_sessions();
    // Confidence fades by the second; what is compared is what is kept.
    let export = || {
        let export = sandbox.oldhand(["export"]).at("2026-02-01T00:00:00Z");
        export.run().success()
    };
    sandbox
        .oldhand(["import", "transcripts", "../transcripts"])
        .run()
        .success();
    let before = export();
    let again = sandbox
        .oldhand(["import", "transcripts", "../transcripts", "--json"])
        .run()
        .success();
    let again: Value = serde_json::from_str(&again).expect("JSON");
    assert_eq!(again["finalized"]["sessions"], 0, "{again}");
    assert_eq!(export(), before);
    sandbox
        .oldhand(["session", "finalize", "--all", "--wait"])
        .run()
        .success();
    assert_eq!(export(), before);
}

#[test]
fn answers_are_json_when_asked() {
    let sandbox = with_two_sessions();
    for arguments in [
        &["import", "transcripts", "../transcripts", "--no-finalize"][..],
        &["session", "list"],
        &["session", "finalize", "--all"],
        &["session", "show", "session-one"],
        &["session", "replay", "session-one"],
        &["errors"],
        &["recipe", "--all"],
        &["session", "validate", "session-one", "--passed"],
        &["session", "discard", "session-one", "--yes"],
    ] {
        let answer = sandbox
            .oldhand(arguments.iter().chain(&["--json"]))
            .run()
            .success();
        let parsed: Result<Value, _> = serde_json::from_str(&answer);
        assert!(parsed.is_ok(), "{arguments:?}: {answer}");
    }
}

#[test]
fn secrets_of_a_transcript_never_reach_a_journal() {
    let sandbox = repository();
    let key = ["AKIA", "Q3EGRIXVZ7BUJ2NW"].concat();
    let mut transcript = Transcript::new(&sandbox, "session-secret");
    transcript.prompt(&format!("deploy with {key}"));
    transcript.tool(
        "Bash",
        &json!({ "command": format!("deploy --key {key}") }),
        &format!("used {key}"),
        false,
    );
    let root = sandbox.project().canonicalize().expect("it is there");
    let file = root.join(format!("keys/{key}/notes.md"));
    transcript.tool("Edit", &json!({ "file_path": file }), "edited", false);
    transcript.tool(&format!("mcp__vault__{key}"), &json!({}), "opened", false);
    transcript.tool(&format!("vault:{key}"), &json!({}), "done", false);
    let branch = format!("\"gitBranch\":\"fix/{key}\"");
    let text = transcript.text().replace("\"gitBranch\":\"main\"", &branch);
    sandbox.write("../transcripts/secret.jsonl", text);
    sandbox
        .oldhand(["import", "transcripts", "../transcripts"])
        .run()
        .success();
    for entry in walk(&sandbox.home()) {
        let bytes = std::fs::read(&entry).expect("the file is there");
        let found = bytes
            .windows(key.len())
            .any(|window| window == key.as_bytes());
        assert!(!found, "{}", entry.display());
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = folder.read_dir().expect("a folder").flatten();
    let paths = entries.flat_map(|entry| {
        if entry.path().is_dir() {
            walk(&entry.path())
        } else {
            vec![entry.path()]
        }
    });
    paths.collect()
}

#[test]
fn a_broken_transcript_is_read_as_far_as_it_goes() {
    let sandbox = repository();
    let mut text = work(&sandbox, "session-broken");
    text.truncate(text.len() - 40);
    sandbox.write("../transcripts/broken.jsonl", format!("not json\n{text}"));
    sandbox.write("../transcripts/other.jsonl", "{\"unknown\": true}\n");
    assert_transcript!(sandbox.oldhand(["import", "transcripts", "../transcripts"]));
}

#[test]
fn what_is_not_there_is_told() {
    let sandbox = repository();
    assert_transcript!(sandbox.oldhand(["import", "transcripts", "nowhere"]));
    assert_transcript!(sandbox.oldhand(["import", "transcripts"]));
    assert_transcript!(sandbox.oldhand(["session", "list"]));
    let init = ["init", "--yes", "--no-agents"];
    sandbox.oldhand(init).run().success();
    assert_transcript!(sandbox.oldhand(["session", "show", "abc"]));
}

#[test]
fn a_failure_told_by_a_person_keeps_nothing_but_what_it_taught() {
    let sandbox = with_two_sessions();
    sandbox
        .oldhand(["import", "transcripts", "../transcripts", "--no-finalize"])
        .run()
        .success();
    let answer = sandbox
        .oldhand(["session", "validate", "session-one", "--failed", "--json"])
        .run()
        .success();
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    let kept = answer["promoted"].as_array().expect("a list");
    let types: Vec<&Value> = kept.iter().map(|line| &line["type"]).collect();
    assert_eq!(types, [&json!("work_state")], "{answer}");
}

#[test]
fn a_memory_is_traced_back_to_the_events_that_taught_it() {
    let sandbox = with_two_sessions();
    sandbox
        .oldhand(["import", "transcripts", "../transcripts"])
        .run()
        .success();
    let shown = sandbox
        .oldhand(["session", "show", "session-two", "--json"])
        .run()
        .success();
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    let lines = shown["report"]["lines"].as_array().expect("lines");
    let promoted = lines.iter().find(|line| line["outcome"] == "promoted");
    let memory = promoted
        .and_then(|line| line["memory"].as_str())
        .expect("a memory");
    assert_eq!(shown["events"][memory][0]["step"], 2, "{shown}");
    assert_transcript!(sandbox.oldhand(["show", memory]));
    let json = sandbox.oldhand(["show", memory, "--json"]).run().success();
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let lessons = &json["learned_from"];
    assert_eq!(lessons[0]["session"], "session-one", "{json}");
    let lesson = &lessons[1];
    assert_eq!(lesson["session"], "session-two", "{json}");
    let events = lesson["events"].as_array().expect("events");
    assert!(
        events.iter().any(|event| event["what"]
            .as_str()
            .is_some_and(|what| what.starts_with("ran `cargo test`, which failed"))),
        "{json}"
    );
}

#[test]
fn erased_words_leave_every_record_of_a_session() {
    let sandbox = with_two_sessions();
    sandbox
        .oldhand(["import", "transcripts", "../transcripts"])
        .run()
        .success();
    let list = sandbox.oldhand(["list", "--json"]).run().success();
    let list: Value = serde_json::from_str(&list).expect("JSON");
    let id = list["memories"][0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    sandbox
        .oldhand(["forget", &id, "--now", "--yes"])
        .run()
        .success();
    let show = sandbox
        .oldhand(["session", "show", "session-two", "--dropped", "--json"])
        .run()
        .success();
    assert!(!show.contains("protoc_gen"), "{show}");
    sandbox.write(
        "../transcripts/three.jsonl",
        work(&sandbox, "session-three"),
    );
    let again = sandbox
        .oldhand(["import", "transcripts", "../transcripts", "--json"])
        .run()
        .success();
    let again: Value = serde_json::from_str(&again).expect("JSON");
    assert_eq!(again["finalized"]["sessions"], 1, "{again}");
    assert!(!again.to_string().contains("protoc_gen"), "{again}");
}

#[test]
fn a_subtask_can_be_validated_while_the_session_goes_on() {
    let sandbox = with_two_sessions();
    sandbox
        .oldhand(["import", "transcripts", "../transcripts", "--no-finalize"])
        .run()
        .success();
    for part in 1..=5 {
        let name = format!("part-{part}");
        let arguments = [
            "session",
            "validate",
            "session-one",
            "--subtask",
            &name,
            "--passed",
        ];
        let told = sandbox.oldhand(arguments).run();
        assert_eq!(told.code, Some(0), "{told}");
        assert!(told.stderr.contains("all is learned at the end"), "{told}");
    }
    let arguments = [
        "session",
        "validate",
        "session-one",
        "--subtask",
        "part-6",
        "--passed",
    ];
    sandbox.oldhand(arguments).run().success();
    let shown = sandbox
        .oldhand(["session", "show", "session-one"])
        .run()
        .success();
    assert!(
        shown.contains("only what its validated subtasks taught"),
        "{shown}"
    );
    sandbox
        .oldhand(["session", "finalize", "--all"])
        .run()
        .success();
    let shown = sandbox
        .oldhand(["session", "show", "session-one"])
        .run()
        .success();
    assert!(
        !shown.contains("only what its validated subtasks"),
        "{shown}"
    );
}

#[test]
fn sessions_of_gemini_are_found_by_the_folder_they_ran_in() {
    let sandbox = repository();
    let project = sandbox.project().canonicalize().expect("it is there");
    let session = |id: &str, folder: &str| {
        let words =
            format!("This is the Gemini CLI.\nI'm currently working in the directory: {folder}\n");
        let whole = json!({
            "sessionId": id,
            "startTime": "2026-01-10T10:00:00Z",
            "messages": [
                { "id": "a", "timestamp": "2026-01-10T10:00:01Z", "type": "user", "content": words },
                { "id": "b", "timestamp": "2026-01-10T10:00:02Z", "type": "user", "content": "fix the wire" },
            ],
        });
        serde_json::to_string_pretty(&whole).expect("plain data")
    };
    let chats = sandbox.user_home().join(".gemini/tmp/project/chats");
    std::fs::create_dir_all(&chats).expect("a folder can be made");
    let put = |name: &str, text: String| {
        std::fs::write(chats.join(name), text).expect("a file can be written");
    };
    put(
        "session-1.json",
        session("here", &project.display().to_string()),
    );
    put("session-2.json", session("elsewhere", "/somewhere/else"));
    let answer = sandbox
        .oldhand(["import", "transcripts", "--agent", "gemini", "--json"])
        .run()
        .success();
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["transcripts"], 1, "{answer}");
    assert_eq!(answer["broken_lines"], 0, "{answer}");
    let list = sandbox.oldhand(["session", "list"]).run().success();
    assert!(
        list.contains("here") && !list.contains("elsewhere"),
        "{list}"
    );
}

#[test]
fn open_sessions_are_listed_in_the_order_they_were_last_heard_of() {
    let sandbox = repository();
    sandbox.oldhand(["init"]).run().success();
    let heard = [("b", "first"), ("c", "second"), ("a", "third")];
    for (session, words) in heard {
        let payload = json!({"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": sandbox.project(), "prompt": words});
        let hook = sandbox.oldhand(["hook", "claude-code"]);
        hook.stdin(payload.to_string()).run().success();
    }
    // Times of files may be coarser than this test is slow.
    let now = std::time::SystemTime::now();
    for (age, (session, _)) in heard.iter().rev().enumerate() {
        let journal = crate::database(&sandbox).with_file_name("journal");
        let journal = journal.join(format!("{session}.jsonl"));
        let file = std::fs::File::options().append(true).open(journal);
        let then = now - std::time::Duration::from_secs(60 * age as u64);
        file.expect("it is there")
            .set_modified(then)
            .expect("a time");
    }
    let list = sandbox.oldhand(["session", "list", "--json"]).run();
    let list: Value = serde_json::from_str(&list.success()).expect("JSON");
    let ids: Vec<&str> = list["sessions"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|session| session["id"].as_str())
        .collect();
    assert_eq!(ids, ["a", "c", "b"]);
}
