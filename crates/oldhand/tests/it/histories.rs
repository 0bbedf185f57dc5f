//! `oldhand import transcripts` and the histories that are no files of one JSON object a line: databases, loose files, exports. And
//! what any of them costs in memory.

use std::fs;
use std::path::Path;

use oldhand_testkit::Sandbox;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::repository;
use crate::session::Transcript;

fn import(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let command = ["import", "transcripts", "--json"].iter().chain(arguments);
    let answer = sandbox.oldhand(command).run();
    serde_json::from_str(&answer.success()).expect("JSON")
}

fn show(sandbox: &Sandbox, session: &str) -> Value {
    let shown = sandbox
        .oldhand(["session", "show", session, "--json"])
        .run();
    serde_json::from_str(&shown.success()).expect("JSON")
}

fn root(sandbox: &Sandbox) -> String {
    let root = sandbox.project().canonicalize().expect("it is there");
    root.display().to_string()
}

fn write(path: &Path, value: &Value) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
    let text = serde_json::to_string_pretty(value).expect("JSON");
    fs::write(path, text).expect("it can be written");
}

/// A session of OpenCode that edits a file and tests it: what is known of it, and its messages with their parts.
fn opencode(folder: &str, id: &str) -> (Value, Vec<(Value, Vec<Value>)>) {
    let session = json!({"id": id, "projectID": "p", "directory": folder, "time": {"created": 1_780_000_000_000_i64}});
    let message = |number: i64, role: &str| json!({"id": format!("msg_{number}"), "sessionID": id, "role": role, "time": {"created": 1_780_000_000_000 + number * 1000}});
    let tool = |call: &str, tool: &str, input: &Value, output: &str| json!({"type": "tool", "callID": format!("{id}_{call}"), "tool": tool, "state": {"status": "completed", "input": input, "output": output, "metadata": {"exit": 0}}});
    let file = format!("{folder}/src/a.rs");
    let edit = json!({"filePath": file, "oldString": "a", "newString": "b"});
    let parts = vec![
        tool("call_1", "edit", &edit, "done"),
        tool(
            "call_2",
            "bash",
            &json!({"command": "cargo test"}),
            "test result: ok. 3 passed",
        ),
    ];
    let asked = vec![json!({"type": "text", "text": "make the parser faster"})];
    (
        session,
        vec![
            (message(1, "user"), asked),
            (message(2, "assistant"), parts),
        ],
    )
}

fn is_learned(sandbox: &Sandbox, session: &str) {
    let shown = show(sandbox, session);
    assert_eq!(shown["body"]["edited"], json!(["src/a.rs"]), "{shown}");
    assert_eq!(shown["outcome"], "passed", "{shown}");
    assert_eq!(shown["prompt"], "make the parser faster", "{shown}");
}

#[test]
fn an_export_of_opencode_is_read_message_by_message() {
    let sandbox = repository();
    let (session, messages) = opencode(&root(&sandbox), "ses_export");
    let messages: Vec<Value> = messages
        .into_iter()
        .map(|(info, parts)| json!({"info": info, "parts": parts}))
        .collect();
    let export = json!({"info": session, "messages": messages});
    write(&sandbox.project().join("../export/one.json"), &export);
    let answer = import(&sandbox, &["../export"]);
    assert_eq!(answer["taken"], 1, "{answer}");
    is_learned(&sandbox, "ses_export");
}

#[test]
fn the_export_of_a_subagent_counts_as_a_part_of_its_session() {
    let sandbox = repository();
    for (id, parent) in [("ses_one", None), ("ses_two", Some("ses_one"))] {
        let (mut session, messages) = opencode(&root(&sandbox), id);
        session["parentID"] = json!(parent);
        let messages: Vec<Value> = messages
            .into_iter()
            .map(|(info, parts)| json!({"info": info, "parts": parts}))
            .collect();
        let export = json!({"info": session, "messages": messages});
        write(
            &sandbox.project().join(format!("../export/{id}.json")),
            &export,
        );
    }
    let is_whole = |sandbox: &Sandbox| {
        is_learned(sandbox, "ses_one");
        let replayed = sandbox.oldhand(["session", "replay", "ses_one", "--json"]);
        let replayed: Value = serde_json::from_str(&replayed.run().success()).expect("JSON");
        assert_eq!(replayed["steps"], 4, "{replayed}");
    };
    let answer = import(&sandbox, &["../export"]);
    assert_eq!(answer["taken"], 1, "{answer}");
    assert_eq!(answer["skipped"], json!([]), "{answer}");
    is_whole(&sandbox);
    for alone in ["../export/ses_two.json", "../export/ses_one.json"] {
        let answer = import(&sandbox, &[alone]);
        assert_eq!(answer["taken"], 0, "{answer}");
        is_whole(&sandbox);
    }
    let later = repository();
    let there = sandbox.project().join("../export");
    let there = there.canonicalize().expect("it is there");
    for one_by_one in ["ses_two.json", "ses_one.json"] {
        let path = there.join(one_by_one);
        import(&later, &[path.to_str().expect("text")]);
    }
    is_whole(&later);
}

#[test]
fn a_loose_file_of_a_subagent_of_claude_code_leaves_its_session_whole() {
    let sandbox = repository();
    let folder = sandbox.project().join("../kept");
    fs::create_dir_all(&folder).expect("a folder");
    let mut told = Transcript::new(&sandbox, "one");
    told.prompt("make the parser faster");
    let edit = json!({"file_path": format!("{}/src/a.rs", root(&sandbox)), "old_string": "a", "new_string": "b"});
    told.tool("Edit", &edit, "The file has been updated", false);
    let passed = "test result: ok. 3 passed; 0 failed";
    told.tool("Bash", &json!({"command": "cargo test"}), passed, false);
    fs::write(folder.join("one.jsonl"), told.text()).expect("written");
    let mut aside = Transcript::new(&sandbox, "one");
    aside.prompt("look for who calls the parser");
    aside.tool("Grep", &json!({"pattern": "parse("}), "src/b.rs", false);
    let of_subagent = "\"isSidechain\":true,\"agentId\":\"a1\"";
    let aside = aside.text().replace("\"isSidechain\":false", of_subagent);
    let aside = aside.replace("toolu_01", "toolu_02");
    assert!(aside.contains(of_subagent), "{aside}");
    fs::write(folder.join("agent-a1.jsonl"), aside).expect("written");
    for path in ["../kept/one.jsonl", "../kept/agent-a1.jsonl"] {
        import(&sandbox, &[path]);
        is_learned(&sandbox, "one");
    }
    let replayed = sandbox.oldhand(["session", "replay", "one", "--json"]);
    let replayed: Value = serde_json::from_str(&replayed.run().success()).expect("JSON");
    assert_eq!(replayed["steps"], 3, "{replayed}");
}

#[test]
fn loose_files_of_opencode_are_read_with_the_sessions_of_its_subagents() {
    let sandbox = repository();
    let storage = sandbox.user_home().join(".local/share/opencode/storage");
    let put = |id: &str, parent: Option<&str>, folder: &str| {
        let (mut session, messages) = opencode(folder, id);
        session["parentID"] = json!(parent);
        write(&storage.join(format!("session/p/{id}.json")), &session);
        for (info, parts) in messages {
            let message = format!("{id}_{}", info["id"].as_str().expect("a name"));
            write(&storage.join(format!("message/{id}/{message}.json")), &info);
            for (number, part) in parts.iter().enumerate() {
                let name = format!("part/{message}/prt_{number}.json");
                write(&storage.join(name), part);
            }
        }
    };
    put("ses_main", None, &root(&sandbox));
    put("ses_sub", Some("ses_main"), &root(&sandbox));
    put("ses_other", None, "/somewhere/else");
    let answer = import(&sandbox, &["--agent", "opencode"]);
    assert_eq!(answer["taken"], 1, "{answer}");
    assert_eq!(answer["skipped"], json!([]), "{answer}");
    is_learned(&sandbox, "ses_main");
    let replayed = sandbox
        .oldhand(["session", "replay", "ses_main", "--json"])
        .run();
    let replayed: Value = serde_json::from_str(&replayed.success()).expect("JSON");
    assert_eq!(replayed["steps"], 4, "{replayed}");
}

/// A database as Cursor keeps it, with a chat of each folder.
fn cursor(sandbox: &Sandbox, chats: &[(&str, Option<&str>)]) {
    let folder = sandbox
        .user_home()
        .join(".config/Cursor/User/globalStorage");
    fs::create_dir_all(&folder).expect("it can be made");
    let database = Connection::open(folder.join("state.vscdb")).expect("a database");
    database
        .execute_batch(
            "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
            CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);",
        )
        .expect("tables");
    let put = |table: &str, key: &str, value: &Value| {
        let insert = format!("INSERT INTO {table} VALUES (?1, ?2)");
        database
            .execute(&insert, params![key, value.to_string().into_bytes()])
            .expect("a row");
    };
    let tool = |name: &str, arguments: &Value, result: &Value| json!({"name": name, "toolCallId": format!("tool_{name}"), "status": "completed", "rawArgs": arguments.to_string(), "result": result.to_string()});
    let mut headers = Vec::new();
    for (chat, folder) in chats {
        if let Some(folder) = folder {
            headers.push(
                json!({"composerId": chat, "workspaceIdentifier": {"uri": {"fsPath": folder}}}),
            );
        }
        let edit = json!({"target_file": "src/a.rs", "instructions": "faster", "code_edit": "b"});
        let test = json!({"command": "cargo test"});
        let bubbles = [
            json!({"type": 1, "text": "make the parser faster", "createdAt": "2026-06-01T10:00:00Z"}),
            json!({"type": 2, "text": "", "thinking": {"text": "The loop is slow."}, "createdAt": "2026-06-01T10:00:05Z"}),
            json!({"type": 2, "createdAt": "2026-06-01T10:00:10Z", "toolFormerData": tool("edit_file_v2", &edit, &json!({}))}),
            json!({"type": 2, "createdAt": "2026-06-01T10:00:20Z", "toolFormerData": tool("run_terminal_cmd", &test, &json!({"output": "test result: ok. 3 passed", "exitCodeV2": 0}))}),
            json!({"type": 7, "createdAt": "2026-06-01T10:00:30Z"}),
        ];
        let mut listed = Vec::new();
        for (number, bubble) in bubbles.iter().enumerate() {
            listed.push(json!({"bubbleId": format!("b{number}")}));
            put(
                "cursorDiskKV",
                &format!("bubbleId:{chat}:b{number}"),
                bubble,
            );
        }
        let data = json!({"composerId": chat, "createdAt": 1_780_308_000_000_i64, "createdOnBranch": "faster", "fullConversationHeadersOnly": listed});
        put("cursorDiskKV", &format!("composerData:{chat}"), &data);
    }
    let headers = json!({ "allComposers": headers });
    put("ItemTable", "composer.composerHeaders", &headers);
}

#[test]
fn chats_of_cursor_are_matched_by_the_folder_they_were_about() {
    let sandbox = repository();
    let root = root(&sandbox);
    cursor(
        &sandbox,
        &[
            ("chat-here", Some(&root)),
            ("chat-elsewhere", Some("/somewhere/else")),
            ("chat-lost", None),
        ],
    );
    let answer = import(&sandbox, &["--agent", "cursor"]);
    assert_eq!(answer["taken"], 1, "{answer}");
    assert_eq!(answer["unknown_kinds"], json!({"bubble 7": 1}), "{answer}");
    let why = answer["skipped"][0]["why"].as_str().unwrap_or_default();
    assert!(
        why.starts_with("Cursor notes no folder for 1 chat"),
        "{answer}"
    );
    is_learned(&sandbox, "chat-here");
    assert_eq!(import(&sandbox, &["--agent", "cursor"])["unchanged"], 1);
}

/// The most memory that a command held at once, in bytes.
#[cfg(target_os = "linux")]
fn peak(sandbox: &Sandbox, arguments: &[&str]) -> u64 {
    let mut child = sandbox.oldhand(arguments).spawn();
    drop(child.stdin.take());
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    // Bounded by the tests' own limit on time, an hour.
    for _ in 0..720_000 {
        let told = fs::read_to_string(&status).unwrap_or_default();
        let peak = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        most = most.max(peak.unwrap_or(0) * 1024);
        if child.try_wait().expect("it can be waited for").is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("it ended");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    most
}

/// Writes a session with a subagent, and one that is a single object, each of about so many bytes, with one text as long as a
/// quarter of them.
#[cfg(target_os = "linux")]
fn write_long(sandbox: &Sandbox, bytes: usize) -> u64 {
    use std::io::{BufWriter, Write as _};
    let place = sandbox.project().join("../transcripts");
    let (root, aside) = (root(sandbox), place.join("main/subagents"));
    fs::create_dir_all(&aside).expect("a folder");
    let said = "The parser reads every byte twice and the second time is not needed. ".repeat(30);
    let line = |number: usize, id: &str, sidechain: bool| {
        json!({"type": "assistant", "sessionId": "main", "cwd": root, "uuid": format!("{id}{number}"), "timestamp": format!("2026-06-01T10:{:02}:{:02}Z", number / 60 % 60, number % 60), "isSidechain": sidechain, "agentId": sidechain.then_some("a1"),
            "message": {"role": "assistant", "content": [{"type": "text", "text": format!("{number} {said}")}]}})
    };
    let many = bytes / said.len();
    fs::write(
        place.join("main.jsonl"),
        format!("{}\n", line(0, "m", false)),
    )
    .expect("room");
    let open = |name: &Path| BufWriter::new(fs::File::create(name).expect("a file"));
    let mut file = open(&aside.join("agent-a1.jsonl"));
    for number in 0..many {
        writeln!(file, "{}", line(number, "a", true)).expect("room");
    }
    drop(file);
    let mut file = open(&place.join("object.json"));
    let first = json!({"type": "user", "id": "u", "content": [{"text": format!("I'm currently working in the directory: {root}\n")}]});
    write!(file, "{{\n\"sessionId\": \"object\", \"startTime\": \"2026-06-02T10:00:00Z\", \"messages\": [\n{first}").expect("room");
    for number in 0..many * 3 / 4 {
        let message = json!({"type": "gemini", "id": format!("g{number}"), "timestamp": "2026-06-02T10:00:00Z", "content": format!("{number} {said}")});
        write!(file, ",\n{message}").expect("room");
    }
    let long = json!({"type": "gemini", "id": "long", "content": "x".repeat(bytes / 4)});
    writeln!(file, ",\n{long}\n]\n}}").expect("room");
    drop(file);
    let length = |path: &Path| fs::metadata(path).expect("a file").len();
    length(&aside.join("agent-a1.jsonl")) + length(&place.join("object.json"))
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_history_takes_a_small_part_of_its_length_in_memory() {
    let command = ["import", "transcripts", "../transcripts"];
    let (short, long) = (repository(), repository());
    let before = write_long(&short, 1 << 18);
    let bytes = write_long(&long, 16 << 20) - before;
    let grown = peak(&long, &command).saturating_sub(peak(&short, &command));
    let part = grown as f64 / bytes as f64;
    assert!(part < 0.25, "{part:.2} of {bytes} bytes");
}

#[test]
fn transcripts_of_cursor_are_matched_by_what_their_calls_name() {
    let sandbox = repository();
    let root = root(&sandbox);
    let name = root.trim_start_matches('/').replace(['/', '.', '_'], "-");
    let keep = |session: &str, project: &str, file: &str| {
        let ask = format!("<user_query>\nmend {session}\n</user_query>");
        let asked =
            json!({ "role": "user", "message": { "content": [{ "type": "text", "text": ask }] } });
        let edit = json!({ "path": file, "old_string": "a", "new_string": "b" });
        let edited = json!({ "role": "assistant", "message": { "content": [
            { "type": "text", "text": "I edit it." },
            { "type": "tool_use", "name": "StrReplace", "input": edit },
            { "type": "tool_use", "name": "Shell", "input": { "command": "make test" } }] } });
        let ended = json!({ "type": "turn_ended", "status": "success" });
        let path =
            format!(".cursor/projects/{project}/agent-transcripts/{session}/{session}.jsonl");
        let path = sandbox.user_home().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, format!("{asked}\n{edited}\n{ended}\n")).expect("it can be written");
    };
    let here = format!("{root}/src/a.rs");
    keep("of-here", &name, &here);
    keep("of-elsewhere", "opt-other", "/opt/other/a.rs");
    keep("of-nowhere", &name, "a.rs");
    // The database knows more of a session that both tell of.
    keep("of-both", &name, &here);
    cursor(&sandbox, &[("of-both", Some(&root))]);
    let answer = import(&sandbox, &["--agent", "cursor"]);
    assert_eq!(answer["taken"], 2, "{answer}");
    is_learned(&sandbox, "of-both");
    let left_out = answer["skipped"].to_string();
    assert!(left_out.contains("of-nowhere"), "{left_out}");
    assert!(!left_out.contains("of-elsewhere"), "{left_out}");
    let shown = sandbox.oldhand(["session", "show", "of-here"]).run();
    let shown = shown.success();
    for part in ["mend of-here", "cursor", "src/a.rs", "unknown"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(import(&sandbox, &["--agent", "cursor"])["unchanged"], 2);
    // Who names a file says that it is of this project.
    let named = format!(".cursor/projects/{name}/agent-transcripts/of-nowhere/of-nowhere.jsonl");
    let answer = import(
        &sandbox,
        &[&sandbox.user_home().join(named).display().to_string()],
    );
    assert_eq!(answer["taken"], 1, "{answer}");
}
