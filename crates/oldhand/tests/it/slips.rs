//! What people type wrong, and what they are told then: which words there are, what was meant, what is not there.

use serde_json::Value;

use crate::session::with_two_sessions;
use crate::{repository, taught};

#[test]
fn a_phase_or_time_that_is_none_is_answered_with_those_there_are() {
    let sandbox = taught();
    let phase = sandbox
        .oldhand(["search", "lint", "--phase", "bogus"])
        .run();
    assert!(phase.stderr.contains("implement"), "{phase}");
    assert!(phase.stderr.contains("reflect"), "{phase}");
    for time in ["yesterday", "2026-13-45"] {
        let told = sandbox.oldhand(["list", "--around", time]).run();
        assert_eq!(told.code, Some(1), "{told}");
        assert!(told.stderr.contains("is no time, and no session"), "{told}");
        assert!(told.stderr.contains("2026-01-31"), "{told}");
        assert!(told.stderr.contains("oldhand session list"), "{told}");
    }
}

#[test]
fn a_session_is_named_by_the_beginning_of_its_id_and_one_that_is_not_there_is_an_error() {
    let sandbox = with_two_sessions();
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
    let listed = |session: &str| sandbox.oldhand(["list", "--session", session]).run();
    // The clock moves on between the two, and with it what is said of ages.
    let ids = |session: &str| -> Vec<String> {
        let listed = listed(session).success();
        let heads = listed.lines().filter(|line| !line.starts_with(' '));
        heads.map(|line| line.chars().take(8).collect()).collect()
    };
    let whole = ids("session-two");
    assert!(!whole.is_empty());
    assert_eq!(ids("session-t"), whole);
    let nobody = listed("nothere");
    assert_eq!(nobody.code, Some(1));
    assert!(nobody.stderr.contains("no session has the id"), "{nobody}");
    let both = listed("session-");
    assert_eq!(both.code, Some(2));
    assert!(both.stderr.contains("2 session ids"), "{both}");
    let around = sandbox.oldhand(["list", "--around", "session-"]).run();
    assert!(around.stderr.contains("2 session ids"), "{around}");
    // A memory may name a session that was never seen here.
    let words = "Port 8080 is taken by the proxy.";
    let remember = ["remember", words, "--session", "elsewhere-7"];
    sandbox.oldhand(remember).run().success();
    assert!(listed("elsewhere-7").success().contains("proxy"));
}

#[test]
fn files_that_are_not_there_are_said_to_be_so() {
    let sandbox = taught();
    sandbox.write("src/here.rs", "fn here() {}\n");
    let missing = "there is no file `src/gone.rs` in this project now";
    for command in [
        &["search", "migrations", "--near", "src/gone.rs"][..],
        &["remember", "The pool holds ten.", "--file", "src/gone.rs"],
    ] {
        let told = sandbox.oldhand(command).run();
        assert_eq!(told.code, Some(0), "{told}");
        assert!(told.stderr.contains(missing), "{told}");
    }
    let task = "add a retry to the upload";
    let context = |file: &str| sandbox.oldhand(["context", task, "--file", file]).run();
    let told = context("src/gone.rs");
    assert!(told.stderr.contains(missing), "{told}");
    let told = context("src/here.rs");
    assert!(!told.stderr.contains("there is no file"), "{told}");
    let there = ["search", "migrations", "--near", "src/here.rs"];
    let told = sandbox.oldhand(there).run();
    assert!(!told.stderr.contains("there is no file"), "{told}");
}

#[test]
fn who_has_no_personal_memory_is_told_how_to_begin() {
    let sandbox = repository();
    let words = "Run the linter before a commit.";
    sandbox.oldhand(["remember", words]).run().success();
    let told = sandbox.oldhand(["search", "lint", "--personal"]).run();
    assert_eq!(told.code, Some(1));
    assert!(told.stderr.contains("no memory follows you"), "{told}");
    assert!(told.stderr.contains("remember --personal"), "{told}");
}

#[test]
fn coupled_takes_files_and_believes_many_commits_more_than_one_session() {
    let sandbox = with_two_sessions();
    std::fs::remove_file(sandbox.project().join("../transcripts/two.jsonl")).expect("one is left");
    let top = sandbox.project();
    for turn in 0..7 {
        sandbox.write("build.rs", format!("// {turn}\n"));
        sandbox.write("src/table.rs", format!("// {turn}\n"));
        sandbox.write("src/wire.rs", "fn wire() {}\n");
        sandbox.git(&top, ["add", "."]);
        let message = format!("table {turn}");
        sandbox.git(&top, ["commit", "--quiet", "-m", &message]);
    }
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
    let told = sandbox.oldhand(["coupled", "build.rs", "--json"]).run();
    let told: Value = serde_json::from_str(&told.stdout).expect("JSON");
    let files = told["files"].as_array().expect("files").iter();
    let files: Vec<&str> = files.filter_map(|file| file["path"].as_str()).collect();
    let place = |path: &str| files.iter().position(|file| *file == path);
    assert_eq!(place("src/table.rs"), Some(0), "{told:#}");
    let folder = sandbox.oldhand(["coupled", "src"]).run();
    assert_eq!(folder.code, Some(2));
    assert!(folder.stderr.contains("`src` is a folder"), "{folder}");
}

#[test]
fn going_back_says_how_far_and_what_is_lost() {
    let sandbox = taught();
    sandbox.oldhand(["backup"]).run().success();
    let words = "Port 8080 is taken by the proxy.";
    sandbox.oldhand(["remember", words]).run().success();
    let restore = ["backup", "restore", "latest", "--yes"];
    let told = sandbox.oldhand(restore).run();
    assert!(told.stdout.contains("ago"), "{told}");
    assert!(
        told.stderr
            .contains("since then 1 memory came that is not in it"),
        "{told}"
    );
    let again = sandbox.oldhand(restore.iter().chain(&["--json"])).run();
    let again: Value = serde_json::from_str(&again.stdout).expect("JSON");
    assert_eq!(again["lost"]["memories"], 0);
}

#[test]
fn a_plan_that_somebody_pasted_is_cut() {
    let sandbox = repository();
    let plan: Vec<String> = (1..=40).map(|step| format!("{step}. do it")).collect();
    let mut told = crate::session::Transcript::new(&sandbox, "planned");
    told.prompt(&plan.join("\n"));
    told.say("Done.");
    sandbox.write("../transcripts/planned.jsonl", told.text());
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
    let show = ["session", "show", "planned"];
    let shown = sandbox.oldhand(show).run().success();
    assert!(shown.contains("8. do it"), "{shown}");
    assert!(shown.contains("… 32 more lines"), "{shown}");
    assert!(!shown.contains("40. do it"), "{shown}");
    let whole = sandbox.oldhand(show.iter().chain(&["--json"])).run();
    assert!(whole.stdout.contains("40. do it"), "{whole}");
}

#[test]
fn a_session_that_is_cut_off_is_told_to_be_so() {
    let sandbox = repository();
    let export = r#"{"info":{"id":"ses_1","directory":"/srv"},"messages":[{"info":{"role":"us"#;
    sandbox.write("../cut.json", export);
    sandbox.write("../letter.json", r#"{"dear": "reader"}"#);
    for (file, why) in [
        ("../cut.json", "it is cut off before its end"),
        ("../letter.json", "it is no transcript of a known agent"),
    ] {
        let told = sandbox.oldhand(["import", "transcripts", file]).run();
        assert!(told.stderr.contains(why), "{told}");
    }
}

#[test]
fn a_home_that_cannot_be_read_is_not_said_to_be_readable() {
    let sandbox = taught();
    let file = sandbox.project().join("../no-folder");
    std::fs::write(&file, "a letter").expect("it can be written");
    let told = sandbox.oldhand(["doctor"]).env("OLDHAND_HOME", &file).run();
    assert!(told.words().contains("cannot be read"), "{told}");
    assert!(!told.words().contains("can still be read"), "{told}");
}

#[test]
fn a_session_without_any_time_is_as_old_as_its_file() {
    let sandbox = repository();
    let text = crate::session::work(&sandbox, "timeless");
    let lines = text.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        line.as_object_mut().expect("an object").remove("timestamp");
        line.to_string() + "\n"
    });
    sandbox.write("../transcripts/timeless.jsonl", lines.collect::<String>());
    let file = sandbox.project().join("../transcripts/timeless.jsonl");
    let then: jiff::Timestamp = "2026-01-09T08:00:00Z".parse().expect("a time");
    let file = std::fs::File::options().append(true).open(file);
    let file = file.expect("it is there");
    file.set_modified(then.into()).expect("a time can be set");
    let import = ["import", "transcripts", "../transcripts/timeless.jsonl"];
    sandbox.oldhand(import).run().success();
    let shown = sandbox
        .oldhand(["session", "show", "timeless", "--json"])
        .run();
    let shown: Value = serde_json::from_str(&shown.stdout).expect("JSON");
    assert_eq!(shown["started_at"], "2026-01-09T08:00:00Z", "{shown:#}");
}

#[test]
fn a_file_without_what_it_holds_is_answered_with_the_commands_that_take_it() {
    let sandbox = taught();
    for (file, commands) in [
        (
            "x.jsonl",
            ["import json x.jsonl", "import transcripts x.jsonl"],
        ),
        (
            "../old logs",
            ["import json '../old logs'", "for what an agent did"],
        ),
        ("docs/CLAUDE.md", ["import rules docs/CLAUDE.md", "rules"]),
        ("index.scip", ["import scip index.scip", "index"]),
    ] {
        for json in [&[][..], &["--json"]] {
            let told = sandbox.oldhand(["import", file].iter().chain(json)).run();
            assert_eq!(told.code, Some(2), "{told}");
            for command in commands {
                assert!(told.stderr.contains(command), "{command}: {told}");
            }
        }
    }
    let slip = sandbox.oldhand(["import", "transcript"]).run();
    assert!(slip.stderr.contains("'transcripts'"), "{slip}");
    let other = sandbox.oldhand(["import", "everything"]).run();
    assert!(!other.stderr.contains("import json"), "{other}");
}
