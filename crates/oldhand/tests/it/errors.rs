//! `oldhand errors` and `oldhand recipe`: what many sessions show together.

use serde_json::{Value, json};

use crate::session::{Transcript, with_two_sessions, work};
use crate::{assert_transcript, repository};

#[test]
fn an_error_is_listed_with_what_made_it_go_away() {
    let sandbox = with_two_sessions();
    sandbox
        .oldhand(["import", "transcripts", "../transcripts"])
        .run()
        .success();
    assert_transcript!(sandbox.oldhand(["errors"]));
    assert_transcript!(sandbox.oldhand(["errors", "undeclared crate"]));
    let output =
        "error[E0433]: failed to resolve: use of undeclared crate `protoc_gen` in src/other.rs:7";
    let answer = sandbox
        .oldhand(["errors", output, "--json"])
        .run()
        .success();
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    let error = &answer["errors"][0];
    assert_eq!(error["known_fix"], "first run `make gen`", "{answer}");
    assert_eq!(error["sessions"].as_array().map(Vec::len), Some(2));
    let id = error["id"].as_str().expect("an id");
    sandbox.oldhand(["errors", &id[..6]]).run().success();
    let nothing = sandbox.oldhand(["errors", "nothing like it"]).run();
    assert_eq!(nothing.code, Some(1), "{nothing}");
}

/// A session in which commands failed, each with what it printed, and one that passed at the end.
fn with_failures(failures: &[(&str, &str)]) -> oldhand_testkit::Sandbox {
    let sandbox = repository();
    let mut transcript = Transcript::new(&sandbox, "session-failures");
    transcript.prompt("make it build");
    for (command, output) in failures {
        let failed = format!("Exit code 1\n{output}");
        transcript.tool("Bash", &json!({ "command": command }), &failed, true);
    }
    sandbox.write("../transcripts/failures.jsonl", transcript.text());
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
    sandbox
}

#[test]
fn what_one_rule_finds_is_one_row() {
    let sandbox = with_failures(&[
        (
            "make lint",
            "cmd/a.go:3:4: Error return value of `a.Close` is not checked (errcheck)",
        ),
        (
            "make lint",
            "cmd/b.go:9:4: Error return value of `b.Close` is not checked (errcheck)",
        ),
        (
            "make lint",
            "[lint:go] cmd/b.go:9:4: Error return value is not checked (errcheck)",
        ),
        ("make build", "error: no such table: users"),
        ("make build", "error: no such table: users"),
    ]);
    assert_transcript!(sandbox.oldhand(["errors"]));
    let all = sandbox.oldhand(["errors", "errcheck", "--json"]).run();
    let all: Value = serde_json::from_str(&all.success()).expect("JSON");
    assert_eq!(all["total"], 3, "{all}");
}

#[test]
fn an_error_is_found_by_what_was_printed() {
    let sandbox = with_failures(&[(
        "git merge topic",
        "Auto-merging cmd/cart.go\nCONFLICT (content): Merge conflict in cmd/cart.go\nAutomatic merge failed; fix conflicts and then commit the result.",
    )]);
    for given in [
        "CONFLICT (content): Merge conflict in cmd/till.go",
        "CONFLICT (content): Merge conflict in a.go",
        "$ git merge other\nAuto-merging a.go\nCONFLICT (content): Merge conflict in a.go\nAutomatic merge failed; fix conflicts and then commit the result.\n",
        "merge conflict",
    ] {
        let found = sandbox.oldhand(["errors", given]).run().success();
        assert!(
            found.contains("Merge conflict in <path>"),
            "{given}: {found}"
        );
    }
    let other = sandbox
        .oldhand(["errors", "CONFLICT (content): somebody was faster"])
        .run();
    assert_eq!(other.code, Some(1), "{other}");
}

#[test]
fn a_test_that_failed_once_before_it_passed_is_listed_with_all_alone() {
    let sandbox = repository();
    let path = sandbox.project().canonicalize().expect("it is there");
    let path = path.join("src/parse.rs").display().to_string();
    let mut transcript = Transcript::new(&sandbox, "session-test");
    let failed = "Exit code 101\nrunning 1 test\ntest parse::refuses_long_ids ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed";
    let run = json!({ "command": "cargo test" });
    transcript.prompt("refuse ids that are too long");
    transcript.tool("Bash", &run, failed, true);
    let edit = json!({ "file_path": path, "old_string": "a", "new_string": "b" });
    transcript.tool("Edit", &edit, "The file has been updated", false);
    let passed = "test result: ok. 1 passed; 0 failed";
    transcript.tool("Bash", &run, passed, false);
    let commit = json!({ "command": "git commit -am ids" });
    transcript.tool("Bash", &commit, "[main 1a2b3c4] ids", false);
    sandbox.write("../transcripts/test.jsonl", transcript.text());
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
    let listed = sandbox.oldhand(["errors"]).run();
    assert_eq!(listed.code, Some(1), "{listed}");
    assert!(listed.stderr.contains("`--all` shows 1 other"), "{listed}");
    let all = sandbox.oldhand(["errors", "--all"]).run().success();
    assert!(all.contains("refuses_long_ids fails"), "{all}");
}

#[test]
fn where_nothing_happened_there_is_nothing_to_list() {
    let sandbox = repository();
    assert_transcript!(sandbox.oldhand(["errors"]));
    assert_transcript!(sandbox.oldhand(["recipe"]));
}

#[test]
fn a_way_of_working_is_listed_with_its_sessions() {
    let sandbox = with_two_sessions();
    sandbox
        .oldhand(["import", "transcripts", "../transcripts"])
        .run()
        .success();
    assert_transcript!(sandbox.oldhand(["recipe"]));
    assert_transcript!(sandbox.oldhand(["recipe", "--all"]));
    sandbox.write(
        "../transcripts/three.jsonl",
        work(&sandbox, "session-three"),
    );
    sandbox
        .oldhand(["import", "transcripts", "../transcripts"])
        .run()
        .success();
    assert_transcript!(sandbox.oldhand(["recipe", "."]));
    let json = sandbox.oldhand(["recipe", "--json"]).run().success();
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["recipes"][0]["successes"], 3, "{json}");
}
