//! `oldhand search` and `context` as a whole: the floor under their answers, silence, odd questions, what stands beside what.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use oldhand_testkit::Sandbox;
use oldhand_testkit::questions::{CODE, CODE_QUESTIONS, FOREIGN_TASKS, MEMORIES, QUESTIONS};
use serde_json::{Value, json};

use crate::{repository, sandbox, taught};

fn ask(sandbox: &Sandbox, words: &[&str]) -> Value {
    let outcome = sandbox.oldhand([&["--json"], words].concat()).run();
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome}"))
}

/// A sandbox that knows these texts, each with its place as a tag.
fn knowing(texts: &[&str]) -> Sandbox {
    let sandbox = sandbox();
    let lines = texts.iter().enumerate().map(|(at, text)| {
        json!({ "type": "gotcha", "content": text, "tags": [format!("at-{at}")] }).to_string()
    });
    let lines: Vec<String> = lines.collect();
    sandbox
        .oldhand(["import", "json", "-"])
        .stdin(lines.join("\n"))
        .run()
        .success();
    sandbox
}

fn tags(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().expect("an answer has results");
    results
        .iter()
        .map(|result| result["tags"][0].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn the_right_memory_comes_first_often_enough_with_every_model() {
    let sandbox = knowing(MEMORIES);
    for model in ["static-256-2", "static-384-2"] {
        sandbox.oldhand(["model", "use", model]).run().success();
        let places: Vec<Option<usize>> = QUESTIONS
            .iter()
            .map(|(question, answer)| {
                let found = tags(&ask(&sandbox, &["search", question, "--limit", "3"]));
                let right = format!("at-{answer}");
                found.iter().position(|tag| *tag == right)
            })
            .collect();
        let within = |most: usize| {
            let found = places
                .iter()
                .filter(|place| place.is_some_and(|at| at < most));
            found.count() as f64 / QUESTIONS.len() as f64
        };
        assert!(within(1) >= 0.88, "{model}: {} first", within(1));
        assert!(within(3) >= 0.96, "{model}: {} among three", within(3));
    }
}

/// Copies the Rust files below a folder into the sandbox's project.
fn copy_code(from: &Path, to: &str, sandbox: &Sandbox) {
    for entry in fs::read_dir(from).expect("a folder of code") {
        let path = entry.expect("an entry of it").path();
        let name = path.file_name().and_then(OsStr::to_str);
        let to = format!("{to}/{}", name.expect("a plain name"));
        if path.is_dir() {
            copy_code(&path, &to, sandbox);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            sandbox.write(&to, fs::read(&path).expect("a file of code"));
        }
    }
}

/// A repository with the code that the questions are about, as it is today.
fn of_code() -> Sandbox {
    let sandbox = repository();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the folder of crates");
    for name in CODE {
        copy_code(
            &crates.join(name).join("src"),
            &format!("{name}/src"),
            &sandbox,
        );
    }
    sandbox
}

#[test]
fn the_right_piece_of_code_comes_first_often_enough() {
    let sandbox = of_code();
    let mut sum = 0.0;
    let mut places = String::new();
    for (question, path, name) in CODE_QUESTIONS {
        let answer = ask(&sandbox, &["search", "--code", question, "--limit", "10"]);
        let results = answer["results"].as_array().unwrap();
        let place = results.iter().position(|result| {
            let mut names = result["name"].as_str().unwrap().split(", ");
            let is_so_named = names.any(|found| found.rsplit(['.', ':']).next() == Some(name));
            is_so_named && result["path"].as_str().unwrap().ends_with(path)
        });
        sum += place.map_or(0.0, |at| 1.0 / (at + 1) as f64);
        places = format!("{places}{place:?} {question}\n");
    }
    // It was .392; as long as several functions of a piece counted together .409, without meaning .349 then, and without words .358.
    let mean = sum / CODE_QUESTIONS.len() as f64;
    assert!(
        mean >= 0.38,
        "a mean reciprocal rank of {mean:.3}\n{places}"
    );
}

#[test]
fn where_orders_for_a_sentence_as_search_does_and_names_come_first() {
    let sandbox = of_code();
    for (question, path, name) in [
        (
            "delete old backups beyond the number kept",
            "oldhand-store/src/sqlite/backup.rs",
            "prune",
        ),
        (
            "confidence fades as time passes",
            "oldhand-domain/src/lifecycle.rs",
            "Memory.confidence_now",
        ),
    ] {
        let outcome = sandbox.oldhand(["--json", "where", question]).run();
        let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
        let first = &answer["matches"][0];
        assert_eq!(
            (&first["path"], &first["symbol"], &first["because"]),
            (&json!(path), &json!(name), &json!("code")),
            "{outcome}"
        );
        assert!(outcome.stderr.contains("nothing is called exactly so"));
        assert_eq!(answer["matches"].as_array().unwrap().len(), 10);
    }
    sandbox.write("docs/old backups.md", "# Kept\n");
    let outcome = sandbox
        .oldhand(["--json", "where", "old", "backups.md"])
        .run();
    let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(answer["matches"][0]["because"], "name", "{outcome}");
    assert!(!outcome.stderr.contains("called exactly so"), "{outcome}");
}

#[test]
fn a_task_is_told_what_is_known_of_it_and_a_foreign_one_nothing() {
    let sandbox = sandbox();
    for (at, text) in MEMORIES.iter().enumerate() {
        let tag = format!("at-{at}");
        let remember = ["remember", text, "--type", "gotcha", "--tag", &tag];
        sandbox.oldhand(remember).run().success();
    }
    let context = |task: &str| {
        let answer = ask(&sandbox, &["context", task]);
        let told = answer["memories"].as_array().unwrap().iter();
        told.map(|memory| memory["tags"][0].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let told = QUESTIONS
        .iter()
        .filter(|(task, answer)| context(task).contains(&format!("at-{answer}")));
    let told = told.count() as f64 / QUESTIONS.len() as f64;
    let spoken: Vec<_> = FOREIGN_TASKS
        .iter()
        .map(|task| (task, context(task)))
        .filter(|(_, told)| !told.is_empty())
        .collect();
    let silent = 1.0 - spoken.len() as f64 / FOREIGN_TASKS.len() as f64;
    assert!(
        told >= 0.84,
        "{told} of the tasks were told the right memory"
    );
    assert!(
        silent >= 0.83,
        "{silent} of the foreign tasks stayed silent: {spoken:?}"
    );
}

#[test]
fn a_question_that_says_nothing_gets_silence_and_not_the_commonest_words() {
    let sandbox = knowing(MEMORIES);
    for nothing in [
        "the of and",
        "who are they",
        "...",
        "?!",
        "-",
        "🙂",
        "q",
        "\u{202e}\u{200b}",
    ] {
        let outcome = sandbox.oldhand(["search", "--", nothing]).run();
        assert_eq!(outcome.code, Some(1), "{nothing:?}: {outcome}");
        let has_words = nothing.contains(char::is_alphanumeric);
        let said = if has_words {
            "note: nothing "
        } else {
            "note: there are no words to look for"
        };
        assert!(outcome.stderr.contains(said), "{outcome}");
    }
    let weak = ask(&sandbox, &["search", "the of and", "--weak"]);
    assert!(!weak["results"].as_array().unwrap().is_empty(), "{weak}");
    let context = ask(&sandbox, &["context", "what is it that they do"]);
    assert_eq!(context["silent"], true, "{context}");
    let short = tags(&ask(&sandbox, &["search", "v1"]));
    assert_eq!(short[0], "at-11", "a short name is one");
}

#[test]
fn odd_questions_are_answered_like_any_other() {
    let sandbox = knowing(MEMORIES);
    let huge = "word ".repeat(10_000) + "webhooks";
    let front = "webhooks ".to_owned() + &"word ".repeat(10_000);
    for (question, right) in [
        ("\"webhooks\" 'repeated'", "at-2"),
        ("webhooks\" OR 1=1 --", "at-2"),
        ("NEAR(webhooks payment, 2) AND NOT *", "at-2"),
        ("webhooks* ^gateway {content}: (", "at-2"),
        ("content:webhooks AND", "at-2"),
        ("webhooks 🚀🚀🚀", "at-2"),
        ("webhooks שלום مرحبا \u{202e}gnol", "at-2"),
        ("webhooks\u{7}\u{1b}[31m\u{fffd}", "at-2"),
        ("%_webhooks;DROP TABLE memories", "at-2"),
        (&front, "at-2"),
        (&huge, ""),
    ] {
        let answer = ask(&sandbox, &["search", "--", question]);
        let first = tags(&answer).into_iter().next().unwrap_or_default();
        if !right.is_empty() {
            let shown: String = question.chars().take(60).collect();
            assert_eq!(first, right, "{shown}");
        }
    }
}

#[test]
fn a_store_of_nothing_answers_at_once_and_kindly() {
    let sandbox = sandbox();
    let search = ask(&sandbox, &["search", "anything"]);
    assert_eq!(
        (&search["results"], &search["weak"]),
        (&json!([]), &json!(0))
    );
    let context = ask(&sandbox, &["context", "anything"]);
    assert_eq!(
        (&context["silent"], &context["text"]),
        (&json!(true), &json!(""))
    );
}

#[test]
fn vectors_that_lag_behind_are_told_and_words_still_find() {
    let sandbox = taught();
    let answer = ask(&sandbox, &["search", "migrations"]);
    assert_eq!(answer["behind"], 0);
    let project = fs::read_dir(sandbox.home().join("projects"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let vectors = project.path().join("vectors");
    fs::remove_dir_all(&vectors).unwrap();
    fs::write(&vectors, "in the way").unwrap();
    let answer = ask(&sandbox, &["search", "migrations"]);
    assert_eq!(answer["behind"], 2, "{answer}");
    assert_eq!(answer["results"].as_array().unwrap().len(), 1, "{answer}");
    let context = ask(&sandbox, &["context", "run the migrations"]);
    assert_eq!(context["behind"], 2, "{context}");
    fs::remove_file(&vectors).unwrap();
    assert_eq!(ask(&sandbox, &["search", "migrations"])["behind"], 0);
}

#[test]
fn the_phase_decides_among_equals() {
    let sandbox = sandbox();
    let lines = ["decision", "gotcha"].map(|kind| {
        json!({ "type": kind, "content": "The cache is cleared before a deploy." }).to_string()
    });
    let import = ["import", "json", "-"];
    sandbox
        .oldhand(import)
        .stdin(lines.join("\n"))
        .run()
        .success();
    let first = |phase: &str| {
        let words = ["search", "clear the cache", "--phase", phase];
        ask(&sandbox, &words)["results"][0]["type"].clone()
    };
    assert_eq!(first("define"), "decision");
    assert_eq!(first("implement"), "gotcha");
}

#[test]
fn personal_and_project_memories_stand_side_by_side_with_where_they_are_from() {
    let sandbox = sandbox();
    let remember = ["remember", "Commits are small and signed."];
    sandbox.oldhand(remember).run().success();
    let remember = ["remember", "--personal", "I never sign my commits."];
    sandbox.oldhand(remember).run().success();
    let answer = ask(&sandbox, &["search", "signed commits"]);
    let shelves: Vec<&str> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["shelf"].as_str().unwrap())
        .collect();
    assert_eq!(shelves.len(), 2, "{answer}");
    assert!(shelves.contains(&"personal") && shelves.contains(&"project"));
    let personal = ask(&sandbox, &["search", "signed commits", "--personal"]);
    assert_eq!(personal["results"].as_array().unwrap().len(), 1);
    let shown = sandbox
        .oldhand(["search", "signed", "commits"])
        .run()
        .success();
    assert!(shown.contains("personal"), "{shown}");
}

#[test]
fn around_a_memory_is_around_its_day() {
    let sandbox = sandbox();
    let days = ["2026-01-01", "2026-01-05", "2026-03-01"];
    let lines = days.map(|day| {
        json!({ "type": "gotcha", "content": format!("The cache was cleared on {day}."), "tags": [day], "created_at": format!("{day}T10:00:00Z") })
            .to_string()
    });
    sandbox
        .oldhand(["import", "json", "-"])
        .stdin(lines.join("\n"))
        .run()
        .success();
    let all = ask(&sandbox, &["search", "cache cleared"]);
    let first = all["results"]
        .as_array()
        .unwrap()
        .iter()
        .find(|result| result["tags"][0] == days[0]);
    let id = first.unwrap()["id"].as_str().unwrap().to_owned();
    let mut around = tags(&ask(
        &sandbox,
        &["search", "cache cleared", "--around", &id],
    ));
    around.sort();
    assert_eq!(around, days[..2]);
}

#[test]
fn a_file_that_was_taken_out_is_not_expected_and_reasons_name_words() {
    let sandbox = repository();
    let project = sandbox.project();
    let commit = |message: &str| {
        sandbox.git(&project, ["add", "-A"]);
        sandbox.git(&project, ["commit", "-q", "-m", message]);
    };
    sandbox.write("src/upload.rs", "pub fn upload() {}\n");
    sandbox.write("src/retry.rs", "pub fn retry_upload() {}\n");
    commit("Add upload with a retry");
    fs::remove_file(project.join("src/upload.rs")).unwrap();
    commit("Take the upload out");
    let context = ask(&sandbox, &["context", "add a retry to the upload"]);
    let files = context["files"].as_array().unwrap();
    let named = |path: &str| files.iter().find(|file| file["path"] == path);
    assert!(named("src/upload.rs").is_none(), "{context}");
    let retry = named("src/retry.rs").unwrap();
    assert_eq!(retry["there"], true, "{context}");
    let reasons = retry["because"].as_array().unwrap().iter();
    let words: Vec<String> = reasons.map(|reason| reason["words"].to_string()).collect();
    assert!(words.concat().contains("\"retry\""), "{context}");
    let task = "bring `src/upload.rs` back";
    let context = ask(&sandbox, &["context", task]);
    let files = context["files"].as_array().unwrap();
    let upload = files.iter().find(|file| file["path"] == "src/upload.rs");
    assert_eq!(upload.unwrap()["there"], false, "{context}");
    let shown = sandbox.oldhand(["context", task]).run();
    assert!(
        shown.stdout.contains("src/upload.rs  not there now"),
        "{shown}"
    );
}
