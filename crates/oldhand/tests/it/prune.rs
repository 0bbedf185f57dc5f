//! `oldhand prune`.

use serde_json::{Value, json};

use crate::session::Transcript;
use crate::{assert_transcript, repository, taught};

const LATER: &str = "2026-08-01T09:00:00Z";
const MUCH_LATER: &str = "2026-10-01T09:00:00Z";

#[test]
fn a_dry_run_shows_what_would_go_and_changes_nothing() {
    let sandbox = taught();
    assert_transcript!(sandbox.oldhand(["prune", "--dry-run"]).at(LATER));
    assert_eq!(
        sandbox
            .oldhand(["search", "migrations"])
            .at(LATER)
            .run()
            .code,
        Some(0)
    );
}

#[test]
fn what_is_old_is_forgotten_and_its_bytes_go_after_the_grace() {
    let sandbox = taught();
    assert_transcript!(sandbox.oldhand(["prune", "--yes"]).at(LATER));
    assert_transcript!(sandbox.oldhand(["list", "--deleted"]).at(LATER));
    assert_transcript!(sandbox.oldhand(["prune", "--yes"]).at(MUCH_LATER));
}

#[test]
fn nothing_goes_without_a_yes() {
    let sandbox = taught();
    assert_transcript!(sandbox.oldhand(["prune"]).at(LATER));
    let answer = sandbox.oldhand(["search", "migrations"]).at(LATER).run();
    assert_eq!(answer.code, Some(0));
}

#[test]
fn as_json() {
    assert_transcript!(taught().oldhand(["prune", "--json", "--yes"]).at(LATER));
}

#[test]
fn with_nothing_to_prune() {
    assert_transcript!(taught().oldhand(["prune"]));
}

#[test]
fn an_option_that_is_not_known_is_refused() {
    assert_transcript!(taught().oldhand(["prune", "--force"]));
}

#[test]
fn what_is_old_goes_by_itself_when_work_begins_on_another_day() {
    let sandbox = taught();
    let finalize = ["session", "finalize", "--ended"];
    sandbox.oldhand(finalize).run().success();
    let deleted = || sandbox.oldhand(["list", "--deleted"]).at(LATER).run();
    assert_eq!(deleted().code, Some(1));
    let answer = sandbox.oldhand(finalize).at(LATER).run();
    assert!(
        answer.stderr.contains("swept: 1 memory unused for long"),
        "{answer}"
    );
    assert!(deleted().success().contains("migrations"));
    // Once a day is enough.
    let again = sandbox.oldhand(finalize).at(LATER).run();
    assert!(!again.stderr.contains("swept"), "{again}");
}

#[test]
fn what_was_learned_for_a_branch_is_put_away_when_it_is_merged() {
    let sandbox = repository();
    let top = sandbox.project();
    let git = |arguments: &[&str]| sandbox.git(&top, arguments);
    sandbox.write("a.rs", "one");
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "begin"]);
    git(&["branch", "-M", "main"]);
    git(&["checkout", "--quiet", "-b", "faster"]);
    let words = "The new parser is only behind the flag fast for now.";
    let remember = ["remember", words, "--scope", "work_unit"];
    // Before the commits below, whose time is the tests' own.
    sandbox
        .oldhand(remember)
        .at("2026-01-01T09:00:00Z")
        .run()
        .success();
    sandbox.write("a.rs", "two");
    git(&["commit", "--quiet", "-am", "faster"]);
    let finalize = |moment: &str| {
        let command = ["session", "finalize", "--ended"];
        sandbox.oldhand(command).at(moment).run().success();
    };
    let found = || sandbox.oldhand(["search", "parser flag"]).run().code;
    finalize("2026-01-16T09:00:00Z");
    assert_eq!(found(), Some(0), "its branch is not merged yet");
    git(&["checkout", "--quiet", "main"]);
    git(&["merge", "--quiet", "--no-ff", "--no-edit", "faster"]);
    finalize("2026-01-18T09:00:00Z");
    assert_eq!(found(), Some(1));
    let all = sandbox.oldhand(["list", "--all"]).run().success();
    assert!(all.contains("parser"), "{all}");
}

#[test]
fn where_work_stands_is_put_away_with_the_branch_it_was_left_on() {
    let sandbox = repository();
    let top = sandbox.project();
    let git = |arguments: &[&str]| sandbox.git(&top, arguments);
    sandbox.write("a.rs", "one");
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "begin"]);
    git(&["branch", "-M", "main"]);
    git(&["checkout", "--quiet", "-b", "faster"]);
    let file = top.canonicalize().expect("a project").join("a.rs");
    let mut told = Transcript::new(&sandbox, "left");
    told.prompt("make the parser faster");
    let edit = json!({ "file_path": file, "old_string": "one", "new_string": "two" });
    told.tool("Edit", &edit, "The file has been updated", false);
    let test = json!({ "command": "make test" });
    told.tool("Bash", &test, "Exit code 2\nerror: too slow", true);
    // Before the commits, whose time is the tests' own.
    let text = told.text().replace("2026-01-10T", "2026-01-01T");
    let text = text.replace(r#""gitBranch":"main""#, r#""gitBranch":"faster""#);
    sandbox.write("../transcripts/left.jsonl", text);
    let import = ["import", "transcripts", "../transcripts"];
    let moment = "2026-01-02T09:00:00Z";
    sandbox.oldhand(import).at(moment).run().success();
    let listed = |all: &[&str]| {
        let command = ["list", "--type", "work_state", "--json"];
        let told = sandbox.oldhand(command.iter().chain(all)).at(moment).run();
        let listed: Value = serde_json::from_str(&told.stdout).expect("JSON");
        let memories = listed["memories"].as_array().expect("memories").iter();
        let scopes = memories.map(|memory| memory["scope"].as_str().expect("a scope").to_owned());
        scopes.collect::<Vec<String>>()
    };
    assert_eq!(listed(&[]), ["work_unit"]);
    sandbox.write("a.rs", "two");
    git(&["commit", "--quiet", "-am", "faster"]);
    git(&["checkout", "--quiet", "main"]);
    git(&["merge", "--quiet", "--no-ff", "--no-edit", "faster"]);
    git(&["branch", "--quiet", "-d", "faster"]);
    let finalize = ["session", "finalize", "--ended"];
    sandbox
        .oldhand(finalize)
        .at("2026-01-16T09:00:00Z")
        .run()
        .success();
    assert_eq!(listed(&[]), Vec::<String>::new());
    assert_eq!(listed(&["--all"]), ["work_unit"]);
}
