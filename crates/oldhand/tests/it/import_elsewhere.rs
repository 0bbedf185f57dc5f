//! Transcripts of sessions that ran in other folders: other checkouts, other projects, and where this one was before.

use serde_json::{Value, json};

use crate::import_transcripts::import;
use crate::repository;
use crate::session::work;

/// A session as if it had run in another folder.
pub(crate) fn ran_in(sandbox: &oldhand_testkit::Sandbox, session: &str, folder: &str) -> String {
    let root = sandbox.project().canonicalize().expect("it is there");
    work(sandbox, session).replace(&root.display().to_string(), folder)
}

#[test]
fn a_session_in_another_checkout_of_the_repository_is_found_from_here() {
    let sandbox = repository();
    sandbox.write("src/a.rs", "fn a() {}\n");
    let top = sandbox.project();
    sandbox.git(&top, ["add", "."]);
    sandbox.git(&top, ["commit", "--quiet", "-m", "begin"]);
    let tree = sandbox.project().join("../tree");
    let named = tree.to_str().expect("a plain path");
    sandbox.git(&sandbox.project(), ["worktree", "add", "--quiet", named]);
    let tree = tree
        .canonicalize()
        .expect("git made it")
        .display()
        .to_string();
    let place = sandbox.user_home().join(".claude/projects/-tree");
    std::fs::create_dir_all(&place).expect("a folder can be made");
    let text = ran_in(&sandbox, "session-tree", &tree);
    std::fs::write(place.join("one.jsonl"), text).expect("a file can be written");
    let told = sandbox
        .oldhand(["import", "transcripts", "--json"])
        .run()
        .success();
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["taken"], 1, "{told}");
}

#[test]
fn a_former_folder_may_be_named_from_where_one_stands() {
    let sandbox = repository();
    let root = sandbox.project().canonicalize().expect("it is there");
    let above = root.parent().expect("it is in a folder").display();
    let place = sandbox.user_home().join(".claude/projects/-old-name");
    std::fs::create_dir_all(&place).expect("a folder can be made");
    let text = ran_in(&sandbox, "session-old", &format!("{above}/old-name"));
    std::fs::write(place.join("one.jsonl"), text).expect("a file can be written");
    for (folder, found) in [
        (format!("{above}/old-name"), 1),
        ("../old-name".to_owned(), 1),
        ("./../old-name/".to_owned(), 1),
        (format!("{}/../old-name", root.display()), 1),
        ("old-name".to_owned(), 0),
        ("../older-name".to_owned(), 0),
        (r"C:\old-name".to_owned(), 0),
    ] {
        let outcome = sandbox
            .oldhand(["import", "transcripts", "--json", "--ran-in", &folder])
            .run();
        let told: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
        assert_eq!(told["transcripts"], found, "{folder}: {told}");
        let is_told = outcome
            .stderr
            .contains("no transcript tells of a session in ");
        assert_eq!(is_told, found == 0, "{folder}: {outcome}");
    }
}

#[test]
fn sessions_of_other_projects_below_a_folder_are_left_out_and_named() {
    let sandbox = repository();
    let other = sandbox.project().join("../secret-client");
    std::fs::create_dir_all(&other).expect("a folder can be made");
    sandbox.git(&other, ["init", "--quiet"]);
    let other = other
        .canonicalize()
        .expect("it is there")
        .display()
        .to_string();
    for file in ["src/wire.rs", "src/post.rs", "src/round.rs", "build.rs"] {
        sandbox.write(file, "fn main() {}\n");
    }
    for (file, folder, source) in [
        ("other", other.as_str(), "wire.rs"),
        ("clone", "/elsewhere/clone", "wire.rs"),
        ("clone-too", "/elsewhere/clone", "post.rs"),
        ("clone-again", "/elsewhere/clone", "round.rs"),
        ("neighbour", "/elsewhere/neighbour", "shop.rs"),
    ] {
        let text = ran_in(&sandbox, &format!("session-{file}"), folder);
        let text = text.replace("wire.rs", source);
        sandbox.write(&format!("../transcripts/{file}.jsonl"), text);
    }
    let told = import(&sandbox);
    assert_eq!(told["taken"], 3, "{told}");
    assert_eq!(told["skipped"].as_array().map(Vec::len), Some(2), "{told}");
    let skipped = told["skipped"].to_string();
    for folder in [other.as_str(), "/elsewhere/neighbour"] {
        let why = format!("it ran in {folder}, which is another project");
        assert!(skipped.contains(&why), "{skipped}");
        assert!(
            skipped.contains(&format!("`--ran-in {folder}`")),
            "{skipped}"
        );
    }
    let with = [
        "import",
        "transcripts",
        "../transcripts",
        "--ran-in",
        &other,
    ];
    let with = sandbox.oldhand(with).run().success();
    assert!(with.starts_with("1 transcript read"), "{with}");
    let named = ["import", "transcripts", "../transcripts/neighbour.jsonl"];
    let told = sandbox.oldhand(named).run().success();
    assert!(told.starts_with("1 transcript read"), "{told}");
}

#[test]
fn a_session_of_a_project_that_is_gone_does_not_come_in_beside_our_own() {
    let sandbox = repository();
    let root = sandbox.project().canonicalize().expect("it is there");
    let own = root.display().to_string();
    sandbox.write("src/shop.rs", "fn shop() {}\n");
    for (file, folder) in [("own", own.as_str()), ("gone", "/gone/project-of-yore")] {
        let text = ran_in(&sandbox, &format!("session-{file}"), folder);
        sandbox.write(&format!("../transcripts/{file}.jsonl"), text);
    }
    let told = import(&sandbox);
    assert_eq!(told["taken"], 1, "{told}");
    let list = sandbox.oldhand(["session", "list"]).run().success();
    assert!(!list.contains("session-gone"), "{list}");
}

#[test]
fn sessions_from_before_a_folder_was_renamed_are_named_in_one_line_with_the_command_that_takes_them_in()
 {
    let sandbox = repository();
    let place = sandbox.user_home().join(".claude/projects/-gone-old-name");
    std::fs::create_dir_all(&place).expect("a folder can be made");
    let files = [
        ("one", "src/ledger/build.rs"),
        ("two", "src/ledger/wire.rs"),
        ("three", "src/ledger/round.rs"),
    ];
    for (session, file) in files {
        let text = ran_in(&sandbox, session, "/gone/old-name").replace("build.rs", file);
        std::fs::write(place.join(format!("{session}.jsonl")), text).expect("it can be written");
    }
    let import = ["import", "transcripts"];
    // What was edited is not here: another project's, of which nothing is said.
    let outcome = sandbox.oldhand(import).run();
    assert_eq!(outcome.code, Some(1), "{outcome}");
    assert!(!outcome.stderr.contains("old-name"), "{outcome}");
    for (_, file) in files {
        sandbox.write(file, "fn ledger() {}\n");
    }
    let outcome = sandbox.oldhand(import).run();
    let said = "3 transcripts of /gone/old-name, which is not on this machine: what was worked on there is here; \
        `oldhand import transcripts --ran-in /gone/old-name` takes them in";
    assert!(outcome.stderr.contains(said), "{outcome}");
    let outcome = sandbox.oldhand(["init", "--dry-run"]).run();
    assert!(outcome.stderr.contains(said), "{outcome}");
    let told = [
        "import",
        "transcripts",
        "--ran-in",
        "/gone/old-name",
        "--json",
    ];
    let told: Value = serde_json::from_str(&sandbox.oldhand(told).run().success()).expect("JSON");
    assert_eq!(told["taken"], 3, "{told}");
    let shown = sandbox
        .oldhand(["session", "show", "two", "--json"])
        .run()
        .success();
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(
        shown["body"]["edited"],
        json!(["src/ledger/wire.rs"]),
        "{shown}"
    );
    let outcome = sandbox.oldhand(import).run();
    assert!(!outcome.stderr.contains("old-name"), "{outcome}");
}

#[test]
fn files_that_every_project_has_make_no_stranger_this_project() {
    let sandbox = repository();
    let place = sandbox.user_home().join(".claude/projects/-gone-stranger");
    std::fs::create_dir_all(&place).expect("a folder can be made");
    for (session, file) in [
        ("one", "README.md"),
        ("two", "package.json"),
        ("three", "src/main.rs"),
        ("four", ".github/workflows/ci.yml"),
    ] {
        let text = ran_in(&sandbox, session, "/gone/stranger").replace("build.rs", file);
        std::fs::write(place.join(format!("{session}.jsonl")), text).expect("it can be written");
        sandbox.write(file, "here too\n");
    }
    let outcome = sandbox.oldhand(["import", "transcripts"]).run();
    assert!(!outcome.stderr.contains("stranger"), "{outcome}");
}
