//! Where a new file has to be entered: learned of a repository on the first day, told to whoever makes such a file.

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::repository;

const ENTERED: &str = "A new file like `test/test-*.py` is entered in `package.json`: all 5 commits that added one changed it (at most 30 files each), and it names all 5 there are.";

/// The list of these tests, as a person keeps it.
fn list(names: &[&str]) -> String {
    let runs: Vec<String> = names
        .iter()
        .map(|name| format!("python3 test/test-{name}.py"))
        .collect();
    format!(
        "{{\"scripts\": {{\"test:python\": \"{}\"}}}}\n",
        runs.join(" && ")
    )
}

/// Adds a test and enters it, on a day of its own.
fn add(sandbox: &Sandbox, names: &[&str]) {
    let name = names.last().expect("one is added");
    sandbox.write(&format!("test/test-{name}.py"), "assert True\n");
    sandbox.write("package.json", list(names));
    commit(sandbox, names.len());
}

fn commit(sandbox: &Sandbox, day: usize) {
    let folder = sandbox.project();
    let time = format!("2026-01-0{day}T12:00:00Z");
    sandbox.git(&folder, ["add", "--all"]);
    let commit = ["commit", "--quiet", "-m", "Add a test"];
    sandbox.git_at(&folder, &time, commit);
}

const NAMES: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];

/// A project with five such tests.
fn project() -> Sandbox {
    let sandbox = repository();
    sandbox.write("package.json", list(&[]));
    sandbox.write("test/helper.txt", "no test\n");
    commit(&sandbox, 1);
    for number in 1..=5 {
        add(&sandbox, &NAMES[..number]);
    }
    let init = ["init", "--yes", "--no-agents"];
    sandbox.oldhand(init).run().success();
    sandbox
}

fn memories(sandbox: &Sandbox) -> Vec<Value> {
    let list = sandbox.oldhand(["list", "--limit", "0", "--json"]).run();
    let list: Value = serde_json::from_str(&list.stdout).expect("JSON");
    let all = list["memories"].as_array().expect("a list");
    all.clone()
}

fn contents(sandbox: &Sandbox) -> Vec<String> {
    let all = memories(sandbox).into_iter();
    all.filter_map(|one| one["content"].as_str().map(str::to_owned))
        .collect()
}

/// What an agent hears that wrote a file.
fn write(sandbox: &Sandbox, session: &str, file: &str) -> String {
    let path = sandbox.project().join(file);
    sandbox.write(file, "assert True\n");
    let payload = json!({
        "session_id": session,
        "cwd": sandbox.project(),
        "hook_event_name": "PostToolUse",
        "tool_name": "Write",
        "tool_use_id": format!("{session}-{file}"),
        "tool_input": { "file_path": path, "content": "assert True\n" },
        "tool_response": { "filePath": path, "type": "create" },
    });
    let call = sandbox.oldhand(["hook", "claude-code"]);
    call.stdin(payload.to_string().into_bytes()).run().success()
}

#[test]
fn the_first_day_knows_where_a_new_file_is_entered() {
    let sandbox = project();
    assert_eq!(contents(&sandbox), [ENTERED]);
    for again in [&["init", "--yes", "--no-agents"][..], &["reindex"]] {
        sandbox.oldhand(again).run().success();
        assert_eq!(contents(&sandbox), [ENTERED], "{again:?}");
    }
    add(&sandbox, &NAMES);
    sandbox.oldhand(["reindex"]).run().success();
    let anew = ENTERED.replace("all 5 there", "all 6 there");
    let anew = anew.replace("all 5 commits", "all 6 commits");
    assert_eq!(contents(&sandbox), [anew]);
}

#[test]
fn whoever_makes_such_a_file_hears_it_once() {
    let sandbox = project();
    let told = write(&sandbox, "s1", "test/test-new.py");
    assert!(told.contains("is entered in `package.json`"), "{told}");
    assert_eq!(write(&sandbox, "s1", "test/test-newer.py"), "", "once");
    for (session, file) in [
        ("s2", "test/other.py"),
        ("s3", "test/deep/test-new.py"),
        ("s4", "test/test-first.py"),
    ] {
        assert_eq!(write(&sandbox, session, file), "", "{file}");
    }
    let names = [&NAMES[..5], &["new"]].concat();
    sandbox.write("package.json", list(&names));
    assert_eq!(
        write(&sandbox, "s5", "test/test-new.py"),
        "",
        "it is entered by now"
    );
    sandbox.write("test/test-known.py", "assert True\n");
    sandbox.git(&sandbox.project(), ["add", "test/test-known.py"]);
    assert_eq!(
        write(&sandbox, "s6", "test/test-known.py"),
        "",
        "git has it already"
    );
}

#[test]
fn context_tells_it_with_such_a_file_and_not_with_the_register() {
    let sandbox = project();
    let context = |file: &str| {
        let ask = ["context", "try the new parser", "--json", "--file", file];
        sandbox.oldhand(ask).run().stdout
    };
    assert!(context("test/test-new.py").contains("is entered in `package.json`"));
    assert!(!context("test/helper.txt").contains("is entered in"));
    assert!(!context("package.json").contains("is entered in"));
}

#[test]
fn what_is_no_more_so_is_stale_until_it_is_again() {
    let sandbox = project();
    sandbox.write("package.json", list(&NAMES[..1]));
    commit(&sandbox, 7);
    sandbox.oldhand(["reindex"]).run().success();
    let stale = |sandbox: &Sandbox| !memories(sandbox)[0]["stale"].is_null();
    assert!(stale(&sandbox));
    sandbox.write("package.json", list(&NAMES[..5]));
    commit(&sandbox, 8);
    sandbox.oldhand(["reindex"]).run().success();
    assert!(!stale(&sandbox));
    assert_eq!(contents(&sandbox), [ENTERED]);
}

#[test]
fn what_a_person_forgot_is_not_learned_again() {
    for forget in [&["forget"][..], &["forget", "--now", "--yes"]] {
        let sandbox = project();
        let id = memories(&sandbox)[0]["id"]
            .as_str()
            .expect("an id")
            .to_owned();
        let forget: Vec<&str> = forget.iter().copied().chain([id.as_str()]).collect();
        sandbox.oldhand(&forget).run().success();
        add(&sandbox, &NAMES);
        sandbox.oldhand(["reindex"]).run().success();
        assert_eq!(contents(&sandbox), [""; 0], "{forget:?}");
    }
}

#[test]
fn what_the_rules_say_is_not_told_beside_them() {
    let sandbox = repository();
    sandbox.write("package.json", list(&[]));
    sandbox.write(
        "CONTRIBUTING.md",
        "# Tests\n\nA new test in `test/` has to be entered in `package.json`.\n",
    );
    commit(&sandbox, 1);
    for number in 1..=5 {
        add(&sandbox, &NAMES[..number]);
    }
    let init = ["init", "--yes", "--no-agents"];
    sandbox.oldhand(init).run().success();
    let all = contents(&sandbox);
    let mut all = all.iter();
    assert!(!all.any(|content| content.starts_with("A new file like")));
}
