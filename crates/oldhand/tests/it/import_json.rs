//! `oldhand import json`.

use oldhand_testkit::Sandbox;
use serde_json::Value;

use crate::{assert_transcript, database, id_of, repository, sandbox};

const LINES: &str = r#"{"type":"gotcha","content":"The cache is shared.","files":["src/cache.rs"],"tags":["cache"],"confidence":0.8,"created_at":"2025-12-01T10:00:00Z"}

{"content":"Never push to main."}
{"type":"gotcha","content":"The cache is shared."}
{"type":"gossip","content":"x"}
{"content":""}
not json
"#;

#[test]
fn lines_that_cannot_be_taken_are_told_and_the_others_are_taken() {
    let sandbox = sandbox();
    assert_transcript!(sandbox.oldhand(["import", "json", "-"]).stdin(LINES));
    assert_transcript!(sandbox.oldhand(["list"]));
}

#[test]
fn as_json_each_line_is_answered() {
    assert_transcript!(
        sandbox()
            .oldhand(["import", "json", "-", "--json"])
            .stdin(LINES)
    );
}

#[test]
fn a_file_that_is_not_there_is_told() {
    assert_transcript!(sandbox().oldhand(["import", "json", "nowhere.jsonl"]));
}

#[test]
fn nothing_to_import_is_told() {
    assert_transcript!(sandbox().oldhand(["import", "json", "-"]).stdin("\n"));
}

#[test]
fn several_batches_are_imported_in_one_go() {
    let sandbox = sandbox();
    let line = |n| {
        let content = format!("Service {n} listens on port {}", 20_000 + n);
        serde_json::json!({ "type": "gotcha", "content": content }).to_string()
    };
    let lines: Vec<String> = (0..250).map(line).collect();
    let lines = lines.join("\n");
    let outcome = sandbox
        .oldhand(["import", "json", "-", "--json"])
        .stdin(lines)
        .run();
    assert_eq!(outcome.code, Some(0), "{outcome}");
    assert_eq!(
        outcome.stdout.matches(r#""outcome":"inserted""#).count(),
        250
    );
}

#[test]
fn a_line_that_is_not_text_is_told_and_the_others_are_taken() {
    let sandbox = sandbox();
    let mut lines = b"\xef\xbb\xbf".to_vec();
    lines.extend(br#"{"content":"Never push to main."}"#);
    lines.extend(b"\n{\"content\":\"caf\xe9\"}\n\n");
    lines.extend(br#"{"content":"The cache is shared."}"#);
    let outcome = sandbox.oldhand(["import", "json", "-"]).stdin(lines).run();
    assert_eq!(outcome.code, Some(2), "{outcome}");
    let told = "line 2 was not taken: it is not UTF-8 text: byte 16";
    assert!(outcome.stderr.contains(told), "{outcome}");
    assert!(outcome.stdout.contains("2 new, 1 not taken"), "{outcome}");
}

#[test]
fn what_was_forgotten_is_not_brought_back() {
    let sandbox = sandbox();
    let import = |line: &'static str| sandbox.oldhand(["import", "json", "-"]).stdin(line).run();
    let line = r#"{"type":"gotcha","content":"The cache is shared."}"#;
    import(line).success();
    let id = id_of(&sandbox, "cache");
    sandbox.oldhand(["forget", &id]).run().success();
    let again = import(line).success();
    assert_eq!(again, "imported: 1 forgotten before\n");
    assert_eq!(sandbox.oldhand(["search", "cache"]).run().code, Some(1));
}

#[test]
fn a_text_too_long_for_one_memory_becomes_several_that_hang_together() {
    let sandbox = sandbox();
    let paragraph = |n: usize| {
        let words = format!("Step {n} of the release warms cache number {n} and then waits. ");
        words.repeat(12)
    };
    let content: Vec<String> = (0..8).map(paragraph).collect();
    let key = "AKIA".to_owned() + "QQ2WPZR5XKLM7TJB";
    let content = content.join("\n\n") + "\n\nIts key was " + &key;
    let import = |tags: &[&str]| {
        let line = serde_json::json!({ "type": "gotcha", "content": content, "tags": tags, "files": ["ci/release.yml"] });
        let outcome = sandbox
            .oldhand(["import", "json", "-", "--json"])
            .stdin(line.to_string())
            .run()
            .success();
        serde_json::from_str::<Value>(&outcome).unwrap()
    };
    let answer = import(&["release"]);
    assert_eq!(answer["outcome"], "inserted");
    assert_eq!(answer["redactions"].as_array().unwrap().len(), 1);
    let parts = answer["parts"].as_array().unwrap();
    assert!(parts.len() > 2, "{answer}");
    let mut whole = String::new();
    for id in parts {
        let shown = sandbox
            .oldhand(["show", id.as_str().unwrap(), "--json"])
            .run()
            .success();
        let memory: Value = serde_json::from_str(&shown).unwrap();
        let memory = memory.get("memory").unwrap_or(&memory);
        assert_eq!(memory["tags"][0], "release");
        assert_eq!(memory["files"][0], "ci/release.yml");
        whole += memory["content"].as_str().unwrap();
        if id != &parts[0] {
            assert!(shown.contains(parts[0].as_str().unwrap()), "{shown}");
        }
    }
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let kept = dense(&content).replace(&key, "");
    assert!(dense(&whole).starts_with(&kept), "nothing is lost");
    assert!(!whole.contains(&key));
    let again = import(&["release"]);
    assert_eq!(again["outcome"], "known");
    assert_eq!(again["parts"], answer["parts"]);
    let tagged = import(&["release", "later"]);
    assert_eq!(tagged["parts"], answer["parts"], "no part is made twice");
    let first = parts[0].as_str().unwrap();
    let forgotten = sandbox.oldhand(["forget", first]).run();
    let told = format!("{} other parts of the same text stay", parts.len() - 1);
    assert!(forgotten.stderr.contains(&told), "{forgotten}");
    let last = parts.last().unwrap().as_str().unwrap();
    let hint = format!("`oldhand forget {}`", &last[last.len() - 8..]);
    assert!(forgotten.stderr.contains(&hint), "{forgotten}");
    let erase = ["forget", last, "--now", "--yes"];
    let erased = sandbox.oldhand(erase).run();
    let told = format!("{} other part", parts.len() - 2);
    assert!(erased.stderr.contains(&told), "{erased}");
    let again = import(&["release"]);
    assert_eq!(again["outcome"], "forgotten");
    assert_eq!(
        sandbox.oldhand(["show", last]).run().code,
        Some(1),
        "{again}"
    );
    assert_eq!(again["parts"].as_array().unwrap().len(), parts.len() - 1);
}

#[test]
fn the_parts_of_a_long_text_are_parts_again_after_an_export() {
    let sandbox = sandbox();
    let paragraphs: Vec<String> = (0..90)
        .map(|number| {
            format!("Step {number} of the release: tag{number}, build{number} and sign{number}, then wait for ring{number}.")
        })
        .collect();
    let line = serde_json::json!({ "type": "gotcha", "content": paragraphs.join("\n\n") });
    let told = sandbox
        .oldhand(["import", "json", "-"])
        .stdin(line.to_string())
        .run()
        .success();
    let parts: usize = told
        .strip_prefix("imported: 1 new; 1 text too long for one memory, in ")
        .and_then(|rest| rest.trim_end().strip_suffix(" parts")?.parse().ok())
        .unwrap_or_else(|| panic!("{told}"));
    let exported = sandbox.oldhand(["export"]).run().success();
    assert_eq!(exported.lines().count(), parts);

    let other = crate::sandbox();
    let import = || {
        let outcome = other
            .oldhand(["import", "json", "-", "--json"])
            .stdin(exported.clone())
            .run()
            .success();
        let answers = outcome
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        answers.collect::<Vec<Value>>()
    };
    let answers = import();
    assert!(answers.iter().all(|answer| answer["outcome"] == "inserted"));
    let is_first = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["relations"].as_array().unwrap().is_empty()
    };
    let at = exported.lines().position(is_first).unwrap();
    let [second, last] = [(at + 1) % parts, (at + 2) % parts];
    let id = |at: usize| answers[at]["id"].as_str().unwrap();
    let forgotten = other.oldhand(["forget", id(at)]).run();
    let others = format!("{} other part", parts - 1);
    assert!(forgotten.stderr.contains(&others), "{forgotten}");
    let erase = ["forget", id(last), "--now", "--yes"];
    other.oldhand(erase).run().success();
    let again = import();
    assert_eq!(again[at]["outcome"], "forgotten");
    assert_eq!(again[second]["outcome"], "known");
    assert_eq!(
        again[last]["outcome"], "forgotten",
        "no end without its beginning"
    );
}

#[test]
fn a_file_is_found_at_once_and_told_when_a_person_stands_by_it() {
    let line = r#"{"type":"decision","content":"Dates are kept in UTC.","source":"user_taught","pinned":true,"files":["src/time.rs"]}"#;
    for (arguments, told) in [
        (&["import", "json", "-"][..], false),
        (&["import", "json", "--trusted", "-"], true),
    ] {
        let sandbox = repository();
        sandbox.oldhand(["init"]).run().success();
        sandbox.oldhand(arguments).stdin(line).run().success();
        let search = ["search", "dates UTC", "--json"];
        let found = sandbox.oldhand(search).run().success();
        let found: Value = serde_json::from_str(&found).unwrap();
        let memory = &found["results"][0];
        assert_eq!(memory["content"], "Dates are kept in UTC.", "{found}");
        assert_eq!(memory["pinned"], told, "{found}");
        assert_eq!(memory["needs_review"], !told, "{found}");
        let context = ["context", "change dates", "--file", "src/time.rs", "--json"];
        let context = sandbox.oldhand(context).run();
        let context: Value = serde_json::from_str(&context.stdout).unwrap();
        let said = context["text"].as_str().unwrap();
        assert_eq!(said.contains("UTC"), told, "{context}");
    }
}

/// The words that hold and how sure they are, in the order of the words.
fn held(sandbox: &Sandbox) -> Vec<(String, f64)> {
    let listed = sandbox.oldhand(["list", "--json", "--limit", "1000"]).run();
    let listed: Value = serde_json::from_str(&listed.success()).expect("JSON");
    let memories = listed["memories"].as_array().expect("a list");
    let held = memories.iter().map(|memory| {
        let content = memory["content"].as_str().expect("text");
        let confidence = memory["confidence"].as_f64().expect("a number");
        (content.to_owned(), confidence)
    });
    let mut held: Vec<(String, f64)> = held.collect();
    held.sort_by(|a, b| a.0.cmp(&b.0));
    held
}

/// The same line twice, the same in other words, a decision and its opposite, and what two sessions saw.
const AGAIN: &str = r#"{"type":"gotcha","content":"Redis listens on port 7777 in tests.","confidence":0.6}
{"type":"gotcha","content":"Redis listens on port 7777 in tests.","confidence":0.6}
{"type":"gotcha","content":"redis listens on port 7777 in tests!","confidence":0.6}
{"type":"decision","content":"Always use tabs for indentation in Go files.","confidence":0.6}
{"type":"decision","content":"Never use tabs for indentation in Go files.","confidence":0.6}
{"type":"gotcha","content":"The till is slow on Mondays.","confidence":0.6,"session":"one"}
{"type":"gotcha","content":"The till is slow on Mondays.","confidence":0.6,"session":"two"}
"#;

#[test]
fn an_import_that_is_repeated_changes_nothing() {
    let sandbox = sandbox();
    for trust in [&["--trusted"][..], &[]] {
        let import = || {
            let command = ["import", "json", "-"].iter().chain(trust);
            sandbox.oldhand(command).stdin(AGAIN).run().success()
        };
        import();
        let first = held(&sandbox);
        assert_eq!(
            first,
            [
                (
                    "Never use tabs for indentation in Go files.".to_owned(),
                    0.6
                ),
                ("Redis listens on port 7777 in tests.".to_owned(), 0.6),
                ("The till is slow on Mondays.".to_owned(), 0.65),
            ]
        );
        for _ in 0..2 {
            assert_eq!(import(), "imported: 7 known already\n");
            assert_eq!(held(&sandbox), first);
        }
    }
    // Whoever says so later means it.
    let later = r#"{"type":"decision","content":"Always use tabs for indentation in Go files.","created_at":"2031-01-01T00:00:00Z"}"#;
    let import = ["import", "json", "--trusted", "-"];
    sandbox.oldhand(import).stdin(later).run().success();
    assert_eq!(
        held(&sandbox)[0].0,
        "Always use tabs for indentation in Go files."
    );
}

/// What was replaced stays so, through whatever came between; what nothing replaces any more is taken.
#[test]
fn what_nothing_replaces_any_more_is_brought_back_by_an_import() {
    let sandbox = sandbox();
    let contents = [
        "Always use tabs for indentation in Go files.",
        "Never use tabs for indentation in Go files.",
        "Always use tabs for indentation in Go files!",
    ];
    let lines = contents
        .map(|content| serde_json::json!({ "type": "decision", "content": content }).to_string());
    let import = |lines: &[String]| {
        let command = sandbox.oldhand(["import", "json", "--trusted", "-"]);
        command.stdin(lines.join("\n")).run().success()
    };
    import(&lines[..2]);
    import(&lines[2..]);
    assert_eq!(import(&lines), "imported: 3 known already\n");
    let listed = sandbox.oldhand(["list", "--json"]).run().success();
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed["memories"][0]["content"], contents[2]);
    let id = listed["memories"][0]["id"].as_str().expect("an id");
    sandbox
        .oldhand(["forget", id, "--now", "--yes"])
        .run()
        .success();
    assert_eq!(import(&lines[1..2]), "imported: 1 new\n");
    assert_eq!(held(&sandbox)[0].0, contents[1]);
}

#[test]
fn imports_of_one_file_at_once_do_not_confirm_each_other() {
    let sandbox = sandbox();
    let line = |n| {
        let content = format!("Service {n} listens on port {}", 20_000 + n);
        serde_json::json!({ "type": "gotcha", "content": content, "confidence": 0.6 }).to_string()
    };
    let lines: Vec<String> = (0..120).map(line).collect();
    sandbox.write("many.jsonl", lines.join("\n"));
    let importing: Vec<_> = (0..3)
        .map(|_| sandbox.oldhand(["import", "json", "many.jsonl"]).spawn())
        .collect();
    for child in importing {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
    }
    let held = held(&sandbox);
    assert_eq!(held.len(), 120);
    let surer = held.iter().filter(|(_, confidence)| *confidence > 0.601);
    assert_eq!(surer.count(), 0);
}

/// An import that somebody waits for is told, and no longer when it is over.
#[test]
fn status_tells_of_an_import_of_memories_while_it_runs() {
    let sandbox = sandbox();
    sandbox
        .oldhand(["remember", "The cache is shared."])
        .run()
        .success();
    let attended = || {
        let status = sandbox.oldhand(["status", "--json"]).run().success();
        let mut status: Value = serde_json::from_str(&status).expect("JSON");
        status["job"]["attended"]["arguments"].take()
    };
    let other = rusqlite::Connection::open(database(&sandbox)).expect("a database");
    other
        .execute_batch("BEGIN IMMEDIATE")
        .expect("nobody writes");
    sandbox.write("one.jsonl", r#"{"content":"Never push to main."}"#);
    let importing = sandbox.oldhand(["import", "json", "one.jsonl"]).spawn();
    let is_told =
        (0..200).any(|_| attended() == serde_json::json!(["import", "json", "one.jsonl"]));
    other.execute_batch("ROLLBACK").expect("it was begun");
    let output = importing.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    assert!(is_told);
    assert_eq!(attended(), Value::Null);
}
