//! `oldhand import transcripts`, again and again: what is new is taken, and what people said since stays.

use serde_json::{Value, json};

use crate::import_elsewhere::ran_in;
use crate::repository;
use crate::session::{Transcript, with_two_sessions, work};

const IMPORT: [&str; 3] = ["import", "transcripts", "../transcripts"];

pub(crate) fn import(sandbox: &oldhand_testkit::Sandbox) -> Value {
    let answer = sandbox.oldhand(IMPORT.iter().chain(&["--json"])).run();
    serde_json::from_str(&answer.success()).expect("JSON")
}

#[test]
fn importing_again_says_that_nothing_is_new() {
    let sandbox = with_two_sessions();
    assert_eq!(import(&sandbox)["taken"], 2);
    let again = sandbox.oldhand(IMPORT).run().success();
    assert!(again.contains("nothing new in 2 transcripts"), "{again}");
    assert!(again.contains("2 sessions read before"), "{again}");
    let grown = work(&sandbox, "session-two") + &work(&sandbox, "session-two");
    sandbox.write("../transcripts/two.jsonl", grown);
    let third = import(&sandbox);
    assert_eq!(
        (&third["taken"], &third["unchanged"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn a_copy_that_was_cut_takes_the_place_of_nothing() {
    let sandbox = with_two_sessions();
    import(&sandbox);
    let shown = || {
        let show = ["session", "show", "session-two", "--json"];
        sandbox.oldhand(show).run().success()
    };
    let whole = shown();
    assert!(whole.contains("\"passed\""), "{whole}");
    let text = work(&sandbox, "session-two");
    let cut: String = text.chars().take(text.chars().count() / 2).collect();
    sandbox.write("../cut.jsonl", cut);
    let told = sandbox
        .oldhand(["import", "transcripts", "../cut.jsonl"])
        .run();
    assert!(told.stdout.contains("nothing new"), "{told}");
    let why = "says less of session-two than what is known";
    assert!(told.stderr.contains(why), "{told}");
    assert_eq!(shown(), whole);
    // One that goes on is taken in, wherever it lies.
    let file = sandbox.project().join("src/next.rs").display().to_string();
    let mut more = Transcript::new(&sandbox, "session-two");
    let input = json!({ "file_path": file, "content": "fn next() {}" });
    more.tool("Write", &input, "written", false);
    sandbox.write("../cut.jsonl", text + &more.text());
    let import = ["import", "transcripts", "../cut.jsonl"];
    let told = sandbox.oldhand(import).run().success();
    assert!(told.contains("1 transcript read"), "{told}");
}

#[test]
fn a_session_and_its_subagents_are_one_session() {
    let sandbox = repository();
    let root = sandbox.project().canonicalize().expect("it is there");
    sandbox.write("../transcripts/main.jsonl", work(&sandbox, "session-main"));
    let mut aside = Transcript::new(&sandbox, "session-main");
    aside.prompt("look for the other callers");
    let file = root.join("src/other.rs").display().to_string();
    aside.tool(
        "Read",
        &json!({ "file_path": file }),
        "fn other() {}",
        false,
    );
    let text = aside.text().replace(
        "\"isSidechain\":false",
        "\"isSidechain\":true,\"agentId\":\"a1\"",
    );
    sandbox.write(
        "../transcripts/session-main/subagents/agent-a1.jsonl",
        text.replace("toolu_", "toolu_aside_"),
    );
    assert_eq!(import(&sandbox)["transcripts"], 1);
    let shown = sandbox
        .oldhand(["session", "show", "session-main", "--json"])
        .run()
        .success();
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(shown["body"]["edited"], json!(["build.rs"]), "{shown}");
    let read = shown["body"]["read"].to_string();
    assert!(read.contains("src/other.rs"), "{shown}");
    assert_eq!(shown["outcome"], "passed", "{shown}");
}

#[test]
fn what_a_person_said_of_a_session_outlives_another_reading() {
    let sandbox = with_two_sessions();
    import(&sandbox);
    sandbox
        .oldhand(["session", "validate", "session-two", "--failed"])
        .run()
        .success();
    let verdict = || {
        let shown = sandbox
            .oldhand(["session", "show", "session-two", "--json"])
            .run()
            .success();
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        shown["outcome"].clone()
    };
    assert_eq!(verdict(), "failed");
    let grown = work(&sandbox, "session-two") + &work(&sandbox, "session-two");
    sandbox.write("../transcripts/two.jsonl", grown);
    assert_eq!(import(&sandbox)["taken"], 1);
    assert_eq!(verdict(), "failed");
}

#[test]
fn a_discarded_session_stays_away_until_it_is_named() {
    let sandbox = repository();
    let folder = sandbox.user_home().join(".claude/projects/here");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let file = folder.join("one.jsonl");
    std::fs::write(&file, work(&sandbox, "session-one")).expect("a file can be written");
    let import = |arguments: &[&str]| -> Value {
        let words = ["import", "transcripts", "--json"];
        let answer = sandbox.oldhand(words.iter().chain(arguments)).run();
        serde_json::from_str(&answer.success()).expect("JSON")
    };
    assert_eq!(import(&[])["taken"], 1);
    sandbox
        .oldhand(["session", "discard", "session-one", "--yes"])
        .run()
        .success();
    let again = import(&[]);
    assert_eq!(
        (&again["taken"], &again["discarded"]),
        (&json!(0), &json!(1))
    );
    // Nor does it come back where nobody remembers that it was ever read, and nobody is asked about it.
    let notes = find_file(&sandbox.home(), "taken.json").expect("what was read is noted");
    std::fs::remove_file(notes).expect("a file can be removed");
    let again = import(&[]);
    assert_eq!(
        (&again["taken"], &again["discarded"]),
        (&json!(0), &json!(1))
    );
    let begun = sandbox.oldhand(["init", "--yes", "--json"]).run().success();
    assert!(!begun.contains("session-one"), "{begun}");
    assert_eq!(sandbox.oldhand(["session", "list"]).run().code, Some(1));
    let again = import(&[&folder.display().to_string()]);
    assert_eq!(
        (&again["taken"], &again["discarded"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(import(&[&file.display().to_string()])["taken"], 1);
    assert_eq!(import(&[])["unchanged"], 1);
}

fn find_file(folder: &std::path::Path, name: &str) -> Option<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    entries.flatten().find_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            find_file(&path, name)
        } else {
            (entry.file_name() == name).then_some(path)
        }
    })
}

#[test]
fn a_session_that_hooks_told_of_and_was_discarded_is_not_read_from_its_transcript() {
    let sandbox = repository();
    sandbox.oldhand(["init", "--yes"]).run().success();
    let payload = json!({
        "hook_event_name": "UserPromptSubmit",
        "session_id": "session-one",
        "cwd": sandbox.project(),
        "prompt": "and now the docs",
    });
    sandbox
        .oldhand(["hook", "claude-code"])
        .env("OLDHAND_HOOK_DEADLINE", "60000")
        .stdin(payload.to_string())
        .run()
        .success();
    sandbox
        .oldhand(["session", "discard", "session-one", "--yes"])
        .run()
        .success();
    let folder = sandbox.user_home().join(".claude/projects/here");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let text = work(&sandbox, "session-one");
    std::fs::write(folder.join("one.jsonl"), text).expect("a file can be written");
    let read = sandbox.oldhand(["import", "transcripts", "--json"]).run();
    let read: Value = serde_json::from_str(&read.success()).expect("JSON");
    assert_eq!((&read["taken"], &read["discarded"]), (&json!(0), &json!(1)));
}

#[test]
fn histories_that_cannot_be_read_are_named_with_the_reason() {
    let sandbox = repository();
    let chats = sandbox.user_home().join(".cursor/chats");
    std::fs::create_dir_all(chats).expect("a folder can be made");
    let answer = sandbox.oldhand(["import", "transcripts"]).run();
    assert!(
        answer
            .stderr
            .contains("Cursor's command line keeps its chats as bytes"),
        "{answer:?}"
    );
}

#[test]
fn a_session_that_goes_on_under_hooks_is_still_the_one_that_was_imported() {
    let sandbox = with_two_sessions();
    import(&sandbox);
    let payload = json!({
        "hook_event_name": "UserPromptSubmit",
        "session_id": "session-two",
        "cwd": sandbox.project(),
        "prompt": "and now the docs",
    });
    sandbox
        .oldhand(["hook", "claude-code"])
        .env("OLDHAND_HOOK_DEADLINE", "60000")
        .stdin(payload.to_string())
        .run()
        .success();
    sandbox
        .oldhand(["session", "finalize", "session-two"])
        .run()
        .success();
    let shown = sandbox
        .oldhand(["session", "show", "session-two", "--json"])
        .run()
        .success();
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(shown["body"]["edited"], json!(["build.rs"]), "{shown}");
    assert_eq!(shown["client"], "claude-code");
    let all = sandbox
        .oldhand(["session", "finalize", "--all", "--json"])
        .run();
    let all: Value = serde_json::from_str(&all.success()).expect("JSON");
    assert_eq!(all["sessions"], 0, "{all}");
}

#[test]
fn two_sessions_that_were_written_to_one_file_are_two() {
    let sandbox = repository();
    let one = work(&sandbox, "session-one");
    let two = work(&sandbox, "session-two").replace("build.rs", "wire.rs");
    let other = ran_in(&sandbox, "session-other", "/somewhere/else");
    let mixed: Vec<&str> = one
        .lines()
        .zip(two.lines())
        .zip(other.lines())
        .flat_map(|((one, two), other)| [one, two, other])
        .collect();
    sandbox.write("../transcripts/mixed.jsonl", mixed.join("\n"));
    let told = import(&sandbox);
    assert_eq!(told["taken"], 2, "{told}");
    for (session, file) in [("session-one", "build.rs"), ("session-two", "wire.rs")] {
        let shown = sandbox
            .oldhand(["session", "show", session, "--json"])
            .run()
            .success();
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(shown["body"]["edited"], json!([file]), "{shown}");
        assert_eq!(shown["outcome"], "passed", "{shown}");
    }
    let again = import(&sandbox);
    assert_eq!(again["unchanged"], 2, "{again}");
    assert_eq!(again["transcripts"], told["transcripts"], "{again}");
}

#[test]
fn the_second_session_of_a_file_comes_in_although_the_first_was_read_before() {
    let sandbox = repository();
    let two = work(&sandbox, "session-two").replace("build.rs", "wire.rs");
    let both = work(&sandbox, "session-one") + &two;
    sandbox.write("../transcripts/both.jsonl", both);
    assert_eq!(import(&sandbox)["taken"], 2);
    // As an import leaves it that was killed between the two.
    let notes = find_file(&sandbox.home(), "taken.json").expect("what was read is noted");
    let text = std::fs::read_to_string(&notes).expect("notes");
    let mut noted: Value = serde_json::from_str(&text).expect("JSON");
    for known in noted.as_object_mut().expect("an object").values_mut() {
        if let Some(sessions) = known.as_object_mut() {
            sessions.remove("session-two");
        }
    }
    std::fs::write(&notes, noted.to_string()).expect("a file can be written");
    let journal = find_file(notes.parent().expect("a folder"), "session-two.jsonl");
    std::fs::remove_file(journal.expect("a journal")).expect("a file can be removed");
    let counts = |told: &Value| [told["taken"].clone(), told["unchanged"].clone()];
    assert_eq!(counts(&import(&sandbox)), [1, 1]);
    assert_eq!(counts(&import(&sandbox)), [0, 2]);
    // Who discards it and names the file has it again.
    let discard = ["session", "discard", "session-two", "--yes"];
    sandbox.oldhand(discard).run().success();
    let told = import(&sandbox);
    assert_eq!((&told["taken"], &told["discarded"]), (&json!(0), &json!(1)));
    let file = "../transcripts/both.jsonl";
    let named = ["import", "transcripts", file, "--json"];
    let told = sandbox.oldhand(named).run().success();
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(counts(&told), [1, 1], "{told}");
    assert_eq!(counts(&import(&sandbox)), [0, 2]);
}

#[test]
fn a_session_of_gemini_that_does_not_say_where_it_ran_is_taken_when_its_file_is_named() {
    let sandbox = repository();
    let lines = [
        json!({"sessionId": "gemini-one", "projectHash": "5b85", "startTime": "2026-01-10T10:00:00Z"}),
        json!({"type": "user", "id": "a", "timestamp": "2026-01-10T10:00:01Z", "content": "fix the wire"}),
    ];
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    sandbox.write("../transcripts/gemini.jsonl", text.join("\n"));
    let all = sandbox
        .oldhand(["import", "transcripts", "../transcripts"])
        .run();
    assert_eq!(all.code, Some(1), "{all}");
    let named = ["import", "transcripts", "../transcripts/gemini.jsonl"];
    let told = sandbox.oldhand(named).run().success();
    assert!(told.starts_with("1 transcript read"), "{told}");
}

#[test]
fn an_import_learns_nothing_from_a_session_that_still_runs() {
    let sandbox = repository();
    sandbox.oldhand(["init"]).run().success();
    let payload = json!({
        "hook_event_name": "UserPromptSubmit",
        "session_id": "session-running",
        "cwd": sandbox.project(),
        "prompt": "make the build pass",
    });
    sandbox
        .oldhand(["hook", "claude-code"])
        .stdin(payload.to_string())
        .run()
        .success();
    sandbox.write("../transcripts/one.jsonl", work(&sandbox, "session-one"));
    assert_eq!(import(&sandbox)["finalized"]["sessions"], 1);
    let listed = sandbox
        .oldhand(["session", "list", "--json"])
        .run()
        .success();
    assert!(listed.contains("session-running"), "{listed}");
}

#[test]
fn subagents_of_codex_and_gemini_belong_to_the_session_that_started_them() {
    let sandbox = repository();
    let root = sandbox.project().canonicalize().expect("it is there");
    let put = |path: &str, lines: &[Value]| {
        let path = sandbox.user_home().join(path);
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        std::fs::write(path, lines.join("\n")).expect("it can be written");
    };
    let at = "2026-01-10T10:00:00Z";
    let words = |role: &str, words: &str| json!({ "timestamp": at, "type": "response_item", "payload": { "type": "message", "role": role, "content": [{ "type": "text", "text": words }] } });
    let meta =
        |payload: Value| json!({ "timestamp": at, "type": "session_meta", "payload": payload });
    put(
        ".codex/sessions/2026/01/10/rollout-1.jsonl",
        &[
            meta(json!({ "session_id": "parent", "id": "parent", "cwd": root, "timestamp": at })),
            words("user", "fix the wire format"),
        ],
    );
    put(
        ".codex/sessions/2026/01/10/rollout-2.jsonl",
        &[
            meta(
                json!({ "session_id": "parent", "id": "child", "parent_thread_id": "parent", "cwd": root, "timestamp": at }),
            ),
            words("user", "always answer in French"),
        ],
    );
    let user = |words: &str| json!({ "id": words, "timestamp": at, "type": "user", "content": [{ "text": words }] });
    let folder = format!("working in the directory: {}\n", root.display());
    put(
        ".gemini/tmp/project/chats/session-1.jsonl",
        &[
            json!({ "sessionId": "main", "startTime": at, "kind": "main" }),
            user(&format!("<session_context>{folder}</session_context>")),
            user("fix the parser"),
        ],
    );
    put(
        ".gemini/tmp/project/chats/main/scout.jsonl",
        &[
            json!({ "sessionId": "scout", "startTime": at, "kind": "subagent", "directories": [root] }),
            user("always answer in French"),
        ],
    );
    let answer = sandbox
        .oldhand(["import", "transcripts", "--json"])
        .run()
        .success();
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["transcripts"], 2, "{answer}");
    for (session, prompt) in [
        ("parent", "fix the wire format"),
        ("main", "fix the parser"),
    ] {
        let shown = sandbox
            .oldhand(["session", "show", session, "--json"])
            .run()
            .success();
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(shown["prompt"], prompt, "{shown}");
        assert!(!shown["report"].to_string().contains("French"), "{shown}");
    }
}

#[test]
fn what_subagents_did_is_told_of_and_left_out_where_their_session_is_not_there() {
    let sandbox = repository();
    let root = sandbox.project().canonicalize().expect("a project");
    let file = root.join("src/a.rs").display().to_string();
    let part = |session: &str, agent: &str| {
        let mut told = Transcript::new(&sandbox, session);
        told.prompt("look through the parser");
        told.tool("Read", &json!({ "file_path": file }), "text", false);
        let path = format!("../transcripts/{session}/subagents/{agent}.jsonl");
        sandbox.write(&path, told.text());
        path
    };
    part("with-parent", "agent-1");
    let orphan = part("without-parent", "agent-2");
    let mut told = Transcript::new(&sandbox, "with-parent");
    told.prompt("mend the parser");
    told.tool(
        "Bash",
        &json!({ "command": "env" }),
        "DB_PASSWORD=hunterZ9-qLm4vX7",
        false,
    );
    sandbox.write("../transcripts/with-parent.jsonl", told.text());
    let import = |arguments: &[&str]| {
        let command = ["import", "transcripts"].iter().chain(arguments);
        sandbox.oldhand(command).run()
    };
    let answer = import(&["../transcripts", "--json"]).success();
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(
        (&answer["taken"], &answer["parts"]),
        (&json!(1), &json!(1)),
        "{answer}"
    );
    assert_eq!(
        answer["redacted_kinds"],
        json!({ "password": 1 }),
        "{answer}"
    );
    assert_eq!(answer["redacted_in"], json!(["with-parent"]), "{answer}");
    let left_out = answer["skipped"].to_string();
    assert!(
        left_out.contains("without-parent, the session that started it"),
        "{left_out}"
    );
    // Who names it gets it.
    let answer = import(&[&orphan]).success();
    assert!(answer.contains("1 transcript"), "{answer}");
}

#[test]
fn what_is_packed_is_named_with_what_unpacks_it() {
    let sandbox = repository();
    for (name, beginning, how) in [
        ("a.jsonl.gz", &b"\x1f\x8b\x08\0"[..], "`gunzip -k FILE`"),
        ("a.zip", b"PK\x03\x04\x14", "`unzip FILE`"),
    ] {
        sandbox.write(name, [beginning, &[0; 64]].concat());
        let said = sandbox.oldhand(["import", "transcripts", name]).run();
        assert!(said.stderr.contains(how), "{said}");
    }
}

#[test]
fn a_line_that_cannot_be_read_is_named() {
    let sandbox = repository();
    let text = work(&sandbox, "session-broken");
    let (first, rest) = text.split_once('\n').unwrap();
    let torn = format!("{first}\n\n{{\"type\": \n{rest}nothing\n");
    sandbox.write("../transcripts/torn.jsonl", torn);
    let told = sandbox.oldhand(["import", "transcripts", "../transcripts"]);
    let told = told.run().success();
    assert!(told.contains("2 lines could not be read"), "{told}");
    assert!(told.contains("torn.jsonl, the first is line 3"), "{told}");
}
