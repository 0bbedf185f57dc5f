//! `oldhand session validate`: what a person says of the work, and how it must be said.

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::repository;
use crate::session::{Transcript, with_two_sessions};

fn imported() -> Sandbox {
    let sandbox = with_two_sessions();
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
    sandbox
}

#[test]
fn an_issue_that_is_not_understood_is_refused_with_its_form() {
    let sandbox = imported();
    let tell = |issue: &str| {
        let command = ["session", "validate", "session-one", "--failed", "--issue"];
        sandbox.oldhand(command.iter().chain([&issue])).run()
    };
    for issue in [
        "terrible x: y",
        "justwords",
        "high : ",
        "critical ../../etc/passwd: boom",
    ] {
        let told = tell(issue);
        assert_eq!(told.code, Some(2), "{issue}: {told}");
        assert!(told.stderr.contains("is not understood"), "{told}");
        assert!(told.stderr.contains("`SEVERITY FILE: words`"), "{told}");
        assert!(
            told.stderr.contains("critical, high, medium, low"),
            "{told}"
        );
    }
    tell("high src/wire.rs: entries are never dropped").success();
    let listed = sandbox.oldhand(["list"]).run().success();
    assert!(listed.contains("entries are never dropped"), "{listed}");
    // A file may be called as a secret would begin; a secret is one all the same.
    let issue = "critical src/passwd: DB_PASSWORD=hunterZ9-qLm4vX7";
    let command = [
        "session",
        "validate",
        "session-two",
        "--failed",
        "--issue",
        issue,
    ];
    sandbox.oldhand(command).run().success();
    let listed = sandbox.oldhand(["list", "--file", "src/passwd"]).run();
    let listed = listed.success();
    assert!(listed.contains("[REDACTED:password]"), "{listed}");
    assert!(!listed.contains("hunterZ9"), "{listed}");
}

#[test]
fn without_a_verdict_both_are_named() {
    let sandbox = imported();
    let told = sandbox
        .oldhand(["session", "validate", "session-one"])
        .run();
    assert_eq!(told.code, Some(2));
    assert!(told.stderr.contains("--passed"), "{told}");
    assert!(told.stderr.contains("--failed"), "{told}");
    assert!(told.stderr.contains("--type"), "{told}");
    for words in [
        &["--passed", "--failed"][..],
        &["--type", "build", "--issue", "high: it leaks"],
        &["--subtask", "a", "--type", "build"],
        &["--subtask", "a", "--passed", "--type", "build"],
    ] {
        let command = ["session", "validate", "session-one"];
        let command = command.iter().chain(words);
        assert_eq!(sandbox.oldhand(command).run().code, Some(2), "{words:?}");
    }
}

pub(crate) fn answered(sandbox: &Sandbox, command: &[&str]) -> Value {
    let command = command.iter().chain(&["--json"]);
    let answer = sandbox.oldhand(command).run().stdout;
    serde_json::from_str(&answer).expect("JSON")
}

#[test]
fn what_is_found_wrong_with_a_subtask_is_remembered_at_once() {
    let sandbox = with_two_sessions();
    let import = ["import", "transcripts", "../transcripts", "--no-finalize"];
    sandbox.oldhand(import).run().success();
    let command = ["session", "validate", "session-one", "--subtask", "parser"];
    let issue = |severity: &str, words: &str| format!("{severity} src/wire.rs: {words}");
    let tell = |issues: &[String]| {
        let issues = issues.iter().flat_map(|issue| ["--issue", issue.as_str()]);
        let words = command.iter().copied().chain(["--failed"]).chain(issues);
        sandbox.oldhand(words).run().success()
    };
    tell(&[issue("low", "a typo in the name")]);
    let kept = || {
        let listed = answered(&sandbox, &["list", "--type", "error_pattern"]);
        let memories = listed["memories"].as_array().expect("memories").iter();
        memories
            .map(|memory| {
                let words = memory["content"].as_str().unwrap_or_default().to_owned();
                (
                    words,
                    memory["confidence"].clone(),
                    memory["source"].clone(),
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(), []);
    let secret = issue("high", "DB_PASSWORD=hunterZ9-qLm4vX7 is logged");
    tell(&[issue("critical", "numbers are cut"), secret]);
    let mut found = kept();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(
        found[0].0,
        "A critical problem was found in `src/wire.rs` by user in subtask `parser`: numbers are cut"
    );
    assert!(found[1].0.contains("[REDACTED:password]"), "{found:?}");
    for (_, confidence, source) in &found {
        assert_eq!((confidence, source), (&json!(0.8), &json!("qa_auto")));
    }
    let shown = sandbox.oldhand(["session", "show", "session-one"]).run();
    let shown = shown.success();
    assert!(
        shown.contains("user found subtask `parser` wrong: numbers are cut"),
        "{shown}"
    );
    // The end of the session and another look tell it once.
    for _ in 0..2 {
        let finalize = ["session", "finalize", "--all"];
        sandbox.oldhand(finalize).run().success();
        let qa = kept().into_iter();
        assert_eq!(qa.filter(|(.., source)| source == "qa_auto").count(), 2);
    }
    assert!(
        answered(&sandbox, &["session", "show", "session-one"])["report"]["lines"]
            .to_string()
            .contains("\"subtask\":\"parser\"")
    );
}

#[test]
fn to_say_again_that_work_failed_changes_nothing() {
    let sandbox = repository();
    let root = sandbox.project().canonicalize().expect("a project");
    let mut told = Transcript::new(&sandbox, "asked");
    told.prompt("add a retry. Always use pnpm, never npm, in this repository.");
    let file = root.join("src/a.rs").display().to_string();
    let edit = json!({ "file_path": file, "old_string": "a", "new_string": "b" });
    told.tool("Edit", &edit, "The file has been updated", false);
    told.say("I was wrong about the retry: the client already waits twice.");
    let test = json!({ "command": "make test" });
    told.tool("Bash", &test, "3 passed", false);
    sandbox.write("../transcripts/asked.jsonl", told.text());
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
    let known = || {
        let listed = sandbox.oldhand(["list", "--all", "--json"]).run().stdout;
        let listed: Value = serde_json::from_str(&listed).expect("JSON");
        let memories = listed["memories"].as_array().expect("memories");
        let told = |memory: &Value| {
            (
                memory["summary"].to_string(),
                memory["deprecated"].is_null(),
            )
        };
        let mut known: Vec<_> = memories.iter().map(told).collect();
        known.sort();
        known
    };
    let fail = || {
        let command = ["session", "validate", "asked", "--failed"];
        sandbox.oldhand(command).run().success();
        known()
    };
    let first = fail();
    let lasting = first.iter().filter(|(_, lasts)| *lasts);
    assert!(
        lasting.clone().any(|(words, _)| words.contains("pnpm")),
        "{first:?}"
    );
    for _ in 0..3 {
        assert_eq!(fail(), first);
    }
}

/// A session that found something out.
pub(crate) fn with_a_finding() -> Sandbox {
    let sandbox = repository();
    let root = sandbox.project().canonicalize().expect("a project");
    sandbox.write("src/a.rs", "fn a() { d(); b(); }\nfn b() {}\nfn d() {}\n");
    let mut told = Transcript::new(&sandbox, "found");
    told.prompt("fix the build");
    let file = root.join("src/a.rs").display().to_string();
    told.tool("Read", &json!({ "file_path": file }), "x", false);
    told.say(
        "I was wrong about `src/a.rs`: actually `a()` must always call `d()` first, not `b()`.",
    );
    let edit = json!({ "file_path": file, "old_string": "a", "new_string": "b" });
    told.tool("Edit", &edit, "ok", false);
    let test = json!({ "command": "cargo test" });
    told.tool("Bash", &test, "test result: ok. 3 passed; 0 failed", false);
    sandbox.write("../transcripts/found.jsonl", told.text());
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
    sandbox
}

#[test]
fn a_finding_goes_with_failed_work_and_comes_back_as_the_memory_it_was() {
    let sandbox = with_a_finding();
    let found = || {
        let listed = sandbox.oldhand(["list", "--json"]).run().stdout;
        let listed: Value = serde_json::from_str(&listed).expect("JSON");
        let memories = listed["memories"].as_array().expect("memories").iter();
        let found = memories.filter(|memory| memory["content"].to_string().contains("`d()`"));
        found
            .map(|memory| memory["id"].to_string())
            .collect::<Vec<_>>()
    };
    let first = found();
    assert_eq!(first.len(), 1);
    for verdict in ["--failed", "--failed", "--failed", "--passed", "--passed"] {
        let command = ["session", "validate", "found", verdict];
        let said = sandbox.oldhand(command).run().success();
        let stands = if verdict == "--passed" {
            &first[..]
        } else {
            &[]
        };
        assert_eq!(found(), stands, "{verdict}");
        let is_open = said.contains("work_state");
        assert!(!is_open || verdict == "--failed", "{said}");
    }
}

#[cfg(unix)]
#[test]
fn what_was_forgotten_or_known_before_is_not_told_as_learned() {
    let sandbox = with_a_finding();
    let passed = ["session", "validate", "found", "--passed"];
    let failed = ["session", "validate", "found", "--failed"];
    sandbox.oldhand(failed).run().success();
    let first = sandbox.oldhand(passed).run().success();
    assert!(first.contains("`d()`"), "it is back: {first}");
    let again = sandbox.oldhand(passed).run().success();
    assert!(again.contains("0 learned"), "{again}");
    assert!(!again.contains("`d()`"), "{again}");
    let listed = answered(&sandbox, &["list"]);
    for memory in listed["memories"].as_array().expect("memories") {
        let forget = ["forget", memory["id"].as_str().expect("an id")];
        sandbox.oldhand(forget).run().success();
    }
    let after = answered(&sandbox, &passed);
    let promoted = after["promoted"].as_array().expect("a list");
    assert!(promoted.is_empty(), "{after}");
}

#[test]
fn an_issue_of_a_person_is_theirs_whatever_the_agent_had_read() {
    for part in [&[][..], &["--subtask", "parser"]] {
        let sandbox = repository();
        let mut told = Transcript::new(&sandbox, "read");
        told.prompt("fix the build");
        let list = json!({ "command": "gh pr list" });
        told.tool("Bash", &list, "12 a fix", false);
        sandbox.write("../transcripts/read.jsonl", told.text());
        let import = ["import", "transcripts", "../transcripts"];
        sandbox.oldhand(import).run().success();
        let issue = ["--failed", "--issue", "high: numbers are cut"];
        let command = ["session", "validate", "read"].iter();
        let said = sandbox.oldhand(command.chain(part).chain(&issue)).run();
        let said = said.success();
        assert!(!said.contains("needs review"), "{part:?}: {said}");
        let listed = answered(&sandbox, &["list", "--type", "error_pattern"]);
        assert_eq!(listed["memories"][0]["confidence"], 0.8, "{listed}");
    }
}

#[test]
fn whoever_learns_second_waits_for_the_first() {
    let sandbox = imported();
    sandbox.write(
        "../transcripts/three.jsonl",
        crate::session::work(&sandbox, "session-three"),
    );
    let projects = sandbox.home().join("projects");
    let project = std::fs::read_dir(projects).expect("projects").next();
    let project = project.expect("one").expect("readable").path();
    let lock = std::fs::File::create(project.join("locks/finalize")).expect("a lock");
    lock.lock().expect("nobody else holds it");
    let import = ["import", "transcripts", "../transcripts"];
    let status = sandbox.oldhand(["status"]).run().success();
    let learns = "another process learns from sessions";
    assert!(status.contains(learns), "{status}");
    std::thread::scope(|scope| {
        let second = scope.spawn(|| sandbox.oldhand(import).run());
        // Longer than anybody waits for a short piece of work.
        std::thread::sleep(std::time::Duration::from_secs(12));
        drop(lock);
        let told = second.join().expect("it ends");
        assert_eq!(told.code, Some(0), "{told}");
        assert!(
            told.stderr.contains("waiting for another process"),
            "{told}"
        );
        assert!(told.stdout.contains("1 session finalized"), "{told}");
    });
}

/// Each takes in a session of its own, and the first to learn learns from both.
#[cfg(unix)]
#[test]
fn who_is_overtaken_by_another_import_is_told_so() {
    let sandbox = imported();
    for name in ["three", "four"] {
        let told = crate::session::work(&sandbox, &format!("session-{name}"));
        sandbox.write(&format!("../{name}.jsonl"), told);
    }
    let projects = sandbox.home().join("projects");
    let project = std::fs::read_dir(projects).expect("projects").next();
    let project = project.expect("one").expect("readable").path();
    let lock = std::fs::File::create(project.join("locks/finalize")).expect("a lock");
    lock.lock().expect("nobody else holds it");
    let sessions = || {
        let list = sandbox.oldhand(["session", "list", "--json"]).run();
        let list: Value = serde_json::from_str(&list.success()).expect("it is JSON");
        list["total"].as_u64().expect("a number")
    };
    let before = sessions();
    std::thread::scope(|scope| {
        let import = |file: &'static str| {
            let sandbox = &sandbox;
            scope.spawn(move || sandbox.oldhand(["import", "transcripts", file]).run())
        };
        let imports = [import("../three.jsonl"), import("../four.jsonl")];
        let are_taken = (0..200).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            sessions() == before + 2
        });
        drop(lock);
        let told = imports.map(|import| import.join().expect("it ends").success());
        assert!(are_taken, "{told:?}");
        for words in [
            "2 sessions finalized: ",
            "0 sessions finalized: another process learned from them already",
        ] {
            let saying = told.iter().filter(|told| told.contains(words));
            assert_eq!(saying.count(), 1, "{words}: {told:?}");
        }
    });
}

/// An import that somebody waits for is told from its first transcript on, and no longer when it is over.
#[cfg(unix)]
#[test]
fn status_tells_of_an_import_that_somebody_waits_for() {
    let sandbox = imported();
    sandbox.write(
        "../transcripts/three.jsonl",
        crate::session::work(&sandbox, "session-three"),
    );
    let projects = sandbox.home().join("projects");
    let project = std::fs::read_dir(projects).expect("projects").next();
    let project = project.expect("one").expect("readable").path();
    let lock = std::fs::File::create(project.join("locks/finalize")).expect("a lock");
    lock.lock().expect("nobody else holds it");
    let attended = || {
        let status = sandbox.oldhand(["status", "--json"]).run().success();
        let mut status: Value = serde_json::from_str(&status).expect("it is JSON");
        status["job"]["attended"].take()
    };
    assert_eq!(attended(), Value::Null);
    std::thread::scope(|scope| {
        let import = || {
            let command = ["import", "transcripts", "../transcripts"];
            sandbox.oldhand(command).run()
        };
        let import = scope.spawn(import);
        let read = json!({"doing": "reading transcripts", "done": 3, "total": 3});
        let is_told = (0..200).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            attended()["progress"] == read
        });
        let told = sandbox.oldhand(["status"]).run().success();
        drop(lock);
        assert_eq!(import.join().expect("it ends").code, Some(0));
        assert!(is_told, "{told}");
        assert!(told.contains("reading transcripts, 3 of 3"), "{told}");
        assert!(!told.contains("another process"), "it is named: {told}");
    });
    assert_eq!(attended(), Value::Null);
}

#[test]
fn work_that_was_right_after_all_stands_behind_everything_it_did_before() {
    let sandbox = repository();
    for number in 1..=6 {
        let name = format!("session-{number}");
        let text = crate::session::work(&sandbox, &name);
        let day = format!("2026-01-1{number}T");
        sandbox.write(
            &format!("../transcripts/{name}.jsonl"),
            text.replace("2026-01-10T", &day),
        );
    }
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
    let known = || {
        let listed = sandbox.oldhand(["list", "--all", "--json"]).run().stdout;
        let listed: Value = serde_json::from_str(&listed).expect("JSON");
        let memories = listed["memories"].as_array().expect("memories").iter();
        let told = ["id", "content", "confidence", "provenance", "deprecated"];
        let told = |memory: &Value| told.map(|key| memory[key].to_string());
        let mut known: Vec<_> = memories
            .filter(|memory| memory["type"] != "work_state")
            .map(told)
            .collect();
        known.sort();
        known
    };
    let before = known();
    assert!(before.iter().any(|memory| memory[3].contains("session-3")));
    let say = |verdict: &str| {
        let command = ["session", "validate", "session-3", verdict];
        sandbox.oldhand(command).run().success();
        known()
    };
    let failed = say("--failed");
    assert!(!failed.iter().any(|memory| memory[3].contains("session-3")));
    assert_eq!(say("--failed"), failed);
    assert_eq!(say("--passed"), before);
    assert_eq!(say("--passed"), before);
}

#[test]
fn a_check_left_running_is_judged_by_what_is_told_of_it_later() {
    let sandbox = repository();
    let root = sandbox.project().canonicalize().expect("a project");
    let file = root.join("src/a.rs").display().to_string();
    for (name, status, code, expected) in [
        ("later-passed", "completed", 0, "passed"),
        ("later-failed", "failed", 2, "failed"),
        ("never-told", "running", 0, "unknown"),
    ] {
        let mut told = Transcript::new(&sandbox, name);
        told.prompt("make the retry wait longer");
        let edit = json!({ "file_path": file, "old_string": "a", "new_string": "b" });
        told.tool("Edit", &edit, "The file has been updated", false);
        let test = json!({ "command": "make test", "run_in_background": true });
        let left = "Command running in background with ID: b1. Output is being written to: /tmp/b1";
        told.tool("Bash", &test, left, false);
        let answer = format!(
            "<status>{status}</status>\n\n<exit_code>{code}</exit_code>\n\n<stdout>\nran\n</stdout>"
        );
        told.tool("BashOutput", &json!({ "bash_id": "b1" }), &answer, false);
        sandbox.write(&format!("../transcripts/{name}.jsonl"), told.text());
        let import = ["import", "transcripts", "../transcripts"];
        sandbox.oldhand(import).run().success();
        let shown = sandbox.oldhand(["session", "show", name, "--json"]).run();
        let shown: Value = serde_json::from_str(&shown.stdout).expect("JSON");
        assert_eq!(shown["outcome"], expected, "{name}: {shown}");
    }
}
