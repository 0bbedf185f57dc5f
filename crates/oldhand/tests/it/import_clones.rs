//! Transcripts of clones: what was done in a folder tells whose it was, and neither its name nor that of the clone here does.

use std::collections::BTreeSet;

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::repository;
use crate::session::Transcript;

/// A repository with a library, a part of its own below `packages`, and a file that is gone.
fn ledger() -> Sandbox {
    let sandbox = repository();
    let top = sandbox.project();
    for file in [
        "src/ledger/post.rs",
        "src/ledger/round.rs",
        "src/ledger/gone.rs",
        "src/main.rs",
        "packages/web/src/cart.ts",
        "packages/web/src/till.ts",
    ] {
        sandbox.write(file, format!("// {file}\n"));
    }
    sandbox.git(&top, ["add", "."]);
    sandbox.git(&top, ["commit", "--quiet", "-m", "begin the ledger"]);
    sandbox.git(&top, ["rm", "--quiet", "src/ledger/gone.rs"]);
    sandbox.git(&top, ["commit", "--quiet", "-m", "take it out"]);
    sandbox
}

/// Three files that few other projects have.
const LEDGER: [&str; 3] = [
    "src/ledger/post.rs",
    "src/ledger/round.rs",
    "packages/web/src/cart.ts",
];

/// A session that ran in `folder` and read these files, each by its path on that machine or in the folder.
fn reading(sandbox: &Sandbox, session: &str, folder: &str, files: &[&str]) {
    let mut told = Transcript::new(sandbox, session);
    told.prompt("have a look");
    for file in files {
        let path = if file.starts_with('/') {
            (*file).to_owned()
        } else {
            format!("{folder}/{file}")
        };
        told.tool("Read", &json!({ "file_path": path }), "text", false);
    }
    keep(sandbox, session, folder, &told);
}

fn keep(sandbox: &Sandbox, session: &str, folder: &str, told: &Transcript) {
    let root = sandbox.project().canonicalize().expect("it is there");
    let text = told.text().replace(&root.display().to_string(), folder);
    sandbox.write(&format!("../transcripts/{session}.jsonl"), text);
}

/// The sessions that come of an import into a clone under this name, and what was told.
fn import_into(sandbox: &Sandbox, name: &str, more: &[&str]) -> (BTreeSet<String>, Value) {
    let clone = sandbox.root().join(name);
    let home = sandbox.root().join(format!("home-of-{name}"));
    if !clone.exists() {
        let to = clone.to_str().expect("a plain path");
        sandbox.git(&sandbox.project(), ["clone", "--quiet", ".", to]);
    }
    let run = |arguments: &[&str]| {
        let command = sandbox.oldhand(arguments).inside(&clone);
        let told = command.env("OLDHAND_HOME", &home).run();
        serde_json::from_str::<Value>(&told.stdout).expect("JSON")
    };
    let path = ["import", "transcripts", "--json", "../transcripts"];
    let told = run(&[&path[..], more].concat());
    let list = run(&["session", "list", "--json"]);
    let list = list["sessions"].as_array().expect("a list").iter();
    let names = list.map(|one| one["id"].as_str().expect("a name").to_owned());
    (names.collect(), told)
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_taken_from_a_folder_does_not_depend_on_what_the_clone_is_called() {
    let sandbox = ledger();
    reading(
        &sandbox,
        "clone",
        "/me/cli",
        &[&LEDGER[..], &["/me/.claude/plans/next.md"]].concat(),
    );
    // A file of the past, and one that was never kept.
    reading(
        &sandbox,
        "former",
        "/old/my-fork",
        &[
            "src/ledger/gone.rs",
            "src/ledger/post.rs",
            "src/ledger/round.rs",
            "src/ledger/never.rs",
        ],
    );
    reading(&sandbox, "tree", "/you/src/.worktrees/2", &LEDGER);
    let tree = "/you/src/.claude/worktrees/fix";
    let files = LEDGER.map(|file| format!("{tree}/{file}"));
    let files = files.each_ref().map(String::as_str);
    reading(&sandbox, "agents-tree", &format!("{tree}/src"), &files);
    reading(
        &sandbox,
        "kept-apart",
        "/you/.codex/worktrees/5b5f/any",
        &LEDGER,
    );
    reading(
        &sandbox,
        "part",
        "/we/all/packages/web",
        &["src/cart.ts", "src/till.ts", "/we/all/src/ledger/post.rs"],
    );
    // Others had these names, too; files that every project has are no sign.
    reading(
        &sandbox,
        "namesake",
        "/them/cli",
        &["src/main.rs", "src/args.rs", "src/shell/run.rs"],
    );
    reading(&sandbox, "other-fork", "/them/my-fork", &["lib/fork.py"]);
    reading(
        &sandbox,
        "other-x",
        "/them/x",
        &["src/ledger/tax.rs", "src/ledger/vat.rs"],
    );
    let expected = names(&[
        "agents-tree",
        "clone",
        "former",
        "kept-apart",
        "part",
        "tree",
    ]);
    for name in ["cli", "my-fork", "x"] {
        let (taken, told) = import_into(&sandbox, name, &[]);
        assert_eq!(taken, expected, "{name}: {told}");
        let skipped = told["skipped"].to_string();
        for folder in ["/them/cli", "/them/my-fork", "/them/x"] {
            let why = format!(
                "it ran in {folder}, which is another project; name the file itself to take it in, or `--ran-in {folder}` takes all"
            );
            assert!(skipped.contains(&why), "{name}: {skipped}");
        }
        let (taken, _) = import_into(&sandbox, name, &["--ran-in", "/them/x"]);
        assert!(taken.contains("other-x"), "{name}: {taken:?}");
    }
}

/// A session that ran in `folder` and edited these files.
fn editing(sandbox: &Sandbox, session: &str, folder: &str, files: &[&str]) {
    let mut told = Transcript::new(sandbox, session);
    told.prompt("mend it");
    for file in files {
        let path = format!("{folder}/{file}");
        let edit = json!({ "file_path": path, "old_string": "a", "new_string": "b" });
        told.tool("Edit", &edit, "updated", false);
    }
    keep(sandbox, session, folder, &told);
}

/// What a session edited, as it is known in `clone`.
fn edited(sandbox: &Sandbox, session: &str) -> Value {
    let home = sandbox.root().join("home-of-clone");
    let show = sandbox.oldhand(["session", "show", session, "--json"]);
    let shown = show.inside("../clone").env("OLDHAND_HOME", home).run();
    serde_json::from_str::<Value>(&shown.success()).expect("JSON")["body"]["edited"].clone()
}

#[test]
fn paths_of_a_session_in_a_part_or_a_worktree_are_those_of_the_project() {
    let sandbox = ledger();
    let part = "/we/all/packages/web";
    editing(&sandbox, "part", part, &["src/cart.ts"]);
    reading(
        &sandbox,
        "more",
        part,
        &["src/till.ts", "/we/all/src/ledger/post.rs"],
    );
    editing(&sandbox, "tree", "/me/.tool/worktrees/t1/any", &LEDGER);
    import_into(&sandbox, "clone", &[]);
    assert_eq!(
        edited(&sandbox, "part"),
        json!(["packages/web/src/cart.ts"])
    );
    assert_eq!(edited(&sandbox, "tree"), json!(LEDGER));
}

#[test]
fn a_session_that_is_known_keeps_the_root_it_was_taken_with() {
    let sandbox = ledger();
    let part = "/we/all/packages/web";
    editing(&sandbox, "part", part, &["index.ts", "src/cart.ts"]);
    reading(
        &sandbox,
        "more",
        part,
        &["src/till.ts", "/we/all/src/ledger/post.rs"],
    );
    import_into(&sandbox, "clone", &[]);
    let whole = json!(["packages/web/index.ts", "packages/web/src/cart.ts"]);
    assert_eq!(edited(&sandbox, "part"), whole);
    // A cut copy, alone: nothing beside it tells where it was.
    editing(&sandbox, "part", part, &["index.ts"]);
    let alone = sandbox.root().join("alone");
    std::fs::create_dir(&alone).expect("a folder can be made");
    let from = sandbox.root().join("transcripts/part.jsonl");
    std::fs::rename(from, alone.join("part.jsonl")).expect("it can be moved");
    std::fs::remove_file(sandbox.root().join("transcripts/more.jsonl")).expect("it is there");
    let (_, told) = import_into(&sandbox, "clone", &["../alone/part.jsonl"]);
    let skipped = told["skipped"].to_string();
    assert_eq!(told["taken"], 0, "{told}");
    assert!(skipped.contains("less"), "{told}");
    assert_eq!(edited(&sandbox, "part"), whole);
}

#[test]
fn one_folder_may_have_held_two_projects() {
    let sandbox = ledger();
    let theirs = ["lib/fork.py", "lib/spoon.py", "lib/knife.py"];
    reading(&sandbox, "ours", "/workspace", &LEDGER);
    for session in ["theirs", "theirs-too"] {
        reading(&sandbox, session, "/workspace", &theirs);
    }
    reading(&sandbox, "talk", "/workspace", &[]);
    let (taken, told) = import_into(&sandbox, "clone", &[]);
    assert_eq!(taken, names(&["ours"]), "{told}");
    let skipped = told["skipped"].to_string();
    let another = "it ran in /workspace, which is another project";
    assert_eq!(skipped.matches(another).count(), 2, "{skipped}");
    let untold = "it ran in /workspace, and no file or commit tells";
    assert_eq!(skipped.matches(untold).count(), 1, "{skipped}");
}

#[test]
fn one_session_nobody_here_knows_speaks_for_itself_alone_among_many_of_ours() {
    let theirs = ["lib/fork.py", "lib/spoon.py", "lib/knife.py"];
    for (ours, with_talk) in [(7, false), (8, true)] {
        let sandbox = ledger();
        for number in 0..ours {
            reading(&sandbox, &format!("ours-{number}"), "/me/any", &LEDGER);
        }
        reading(&sandbox, "theirs", "/me/any", &theirs);
        reading(&sandbox, "talk", "/me/any", &[]);
        let (taken, told) = import_into(&sandbox, "clone", &[]);
        assert_eq!(taken.contains("talk"), with_talk, "{ours}: {told}");
        assert!(!taken.contains("theirs"), "{ours}: {told}");
    }
}

#[test]
fn sessions_that_talk_for_long_before_they_open_a_file_are_known_by_it() {
    let sandbox = ledger();
    let page = "A page that a framework puts before every task. ".repeat(3_000);
    for number in 0..40 {
        let session = format!("long-{number}");
        let mut told = Transcript::new(&sandbox, &session);
        told.prompt(&page);
        for file in LEDGER {
            let path = json!({ "file_path": format!("/me/any/{file}") });
            told.tool("Read", &path, "text", false);
        }
        keep(&sandbox, &session, "/me/any", &told);
    }
    let (_, told) = import_into(&sandbox, "clone", &[]);
    assert_eq!(told["taken"], 40);
}

#[test]
fn work_on_a_branch_that_was_never_merged_is_this_projects() {
    let tried = [
        "src/tried/one.rs",
        "src/tried/two.rs",
        "src/tried/three.rs",
        "src/tried/four.rs",
    ];
    for is_kept in [true, false] {
        let sandbox = ledger();
        let top = sandbox.project();
        if is_kept {
            sandbox.git(&top, ["checkout", "--quiet", "-b", "tried"]);
            for file in tried {
                sandbox.write(file, "// tried\n");
            }
            sandbox.git(&top, ["add", "."]);
            sandbox.git(&top, ["commit", "--quiet", "-m", "try it"]);
            sandbox.git(&top, ["checkout", "--quiet", "-"]);
        }
        reading(&sandbox, "tried", "/me/any", &tried);
        let (taken, told) = import_into(&sandbox, "clone", &[]);
        assert_eq!(taken.contains("tried"), is_kept, "{told}");
    }
}

#[test]
fn a_session_of_opencode_is_known_by_its_files_too() {
    let sandbox = ledger();
    let part = |(number, file): (usize, &str)| {
        let input = json!({ "filePath": format!("/me/any/{file}") });
        let state = json!({ "status": "completed", "input": input, "output": "text" });
        json!({ "type": "tool", "callID": format!("call_{number}"), "tool": "read", "state": state })
    };
    let parts: Vec<Value> = LEDGER.into_iter().enumerate().map(part).collect();
    let time = json!({ "created": 1_780_000_000_000_i64 });
    let info = json!({ "id": "msg_1", "sessionID": "ses_any", "role": "assistant", "time": time });
    let session =
        json!({ "id": "ses_any", "projectID": "p", "directory": "/me/any", "time": time });
    let message = json!({ "info": info, "parts": parts });
    let export = json!({ "info": session, "messages": [message] });
    sandbox.write("../transcripts/ses_any.json", export.to_string());
    let (taken, told) = import_into(&sandbox, "clone", &[]);
    assert_eq!(taken, names(&["ses_any"]), "{told}");
}

#[test]
fn what_is_installed_in_two_projects_makes_them_no_one() {
    let sandbox = ledger();
    let installed = ["a", "b", "c", "d"].map(|name| format!("node_modules/{name}/core.js"));
    let clone = sandbox.root().join("clone");
    let to = clone.to_str().expect("a plain path");
    sandbox.git(&sandbox.project(), ["clone", "--quiet", ".", to]);
    for file in &installed {
        sandbox.write(&format!("../clone/{file}"), "core\n");
    }
    let mut files: Vec<&str> = installed.iter().map(String::as_str).collect();
    files.extend(["lib/fork.py", "lib/spoon.py", "lib/knife.py"]);
    reading(&sandbox, "theirs", "/them/any", &files);
    let (taken, told) = import_into(&sandbox, "clone", &[]);
    assert_eq!(taken, names(&[]), "{told}");
}

#[test]
fn two_files_alone_are_enough_where_nothing_else_is_beside_them() {
    let sandbox = ledger();
    reading(&sandbox, "small", "/me/small", &LEDGER[..2]);
    let (taken, told) = import_into(&sandbox, "clone", &[]);
    assert_eq!(taken, names(&["small"]), "{told}");
    reading(&sandbox, "other", "/them/other", &["lib/fork.py"]);
    let (taken, told) = import_into(&sandbox, "again", &[]);
    assert_eq!(taken, names(&[]), "{told}");
}

#[test]
fn a_file_that_an_earlier_session_made_is_not_missed_in_a_later_one() {
    let sandbox = ledger();
    let made = [
        "src/a/one.rs",
        "src/a/two.rs",
        "src/a/three.rs",
        "src/a/four.rs",
    ];
    let mut told = Transcript::new(&sandbox, "maker");
    told.prompt("make them");
    for file in made {
        let write = json!({ "file_path": format!("/me/any/{file}"), "content": "x" });
        told.tool("Write", &write, "created", false);
    }
    keep(&sandbox, "maker", "/me/any", &told);
    reading(&sandbox, "ours", "/me/any", &LEDGER);
    reading(&sandbox, "later", "/me/any", &made);
    reading(&sandbox, "other", "/them/other", &["lib/fork.py"]);
    let (taken, told) = import_into(&sandbox, "clone", &[]);
    assert_eq!(taken, names(&["maker", "ours", "later"]), "{told}");
}

#[test]
fn a_commit_that_is_here_tells_whose_a_folder_was() {
    let sandbox = ledger();
    let sha = sandbox.git(&sandbox.project(), ["rev-parse", "--short", "HEAD"]);
    let sha = sha.trim();
    for (session, sha, subject) in [
        ("ours", sha, "take it out"),
        ("theirs", "1a2b3c4", "take it out"),
        ("by-chance", sha, "lay the table"),
    ] {
        let mut told = Transcript::new(&sandbox, session);
        told.prompt("commit it");
        let read = json!({ "file_path": format!("/me/{session}/src/ledger/never.rs") });
        told.tool("Read", &read, "text", false);
        let made = format!("[main {sha}] {subject}");
        let commit = json!({ "command": "git commit -m 'take it out'" });
        told.tool("Bash", &commit, &made, false);
        keep(&sandbox, session, &format!("/me/{session}"), &told);
    }
    let (taken, told) = import_into(&sandbox, "clone", &[]);
    assert_eq!(taken, names(&["ours"]), "{told}");
}

#[test]
fn a_session_that_touched_nothing_is_taken_beside_our_own_unless_another_project_is_there() {
    let sandbox = ledger();
    reading(&sandbox, "clone", "/me/cli", &LEDGER);
    reading(&sandbox, "talk", "/me/talk", &[]);
    reading(&sandbox, "everyones", "/me/everyones", &["src/main.rs"]);
    let (taken, told) = import_into(&sandbox, "cli", &[]);
    assert_eq!(taken, names(&["clone", "talk", "everyones"]), "{told}");
    reading(&sandbox, "other", "/them/other", &["lib/fork.py"]);
    // What ran where the project was belongs to it in any case.
    reading(&sandbox, "talk-there", "/me/cli/src", &[]);
    let (taken, told) = import_into(&sandbox, "again", &[]);
    assert_eq!(taken, names(&["clone", "talk-there"]), "{told}");
    let skipped = told["skipped"].to_string();
    let why = "it ran in /me/talk, and no file or commit tells whether that was this project; \
        name the file itself to take it in, or `--ran-in /me/talk` takes all of that folder in";
    assert!(skipped.contains(why), "{skipped}");
    let (taken, _) = import_into(&sandbox, "again", &["../transcripts/talk.jsonl"]);
    assert_eq!(taken, names(&["clone", "talk", "talk-there"]));
}

#[test]
fn of_two_sessions_in_one_file_both_are_taken() {
    let sandbox = ledger();
    let files = [
        "src/ledger/post.rs",
        "src/ledger/round.rs",
        "packages/web/src/cart.ts",
    ];
    let folder = sandbox.root().join("transcripts");
    let mut whole = String::new();
    for session in ["one", "two"] {
        reading(&sandbox, session, "/me/books", &files);
        let file = folder.join(format!("{session}.jsonl"));
        whole += &std::fs::read_to_string(&file).expect("it was written");
        std::fs::remove_file(file).expect("it is there");
    }
    sandbox.write("../transcripts/both.jsonl", whole);
    let (taken, told) = import_into(&sandbox, "clone", &[]);
    assert_eq!(taken, names(&["one", "two"]), "{told}");
}

#[test]
fn the_usual_places_are_searched_by_folder_alone() {
    let sandbox = ledger();
    let clone = sandbox.root().join("cli");
    let to = clone.to_str().expect("a plain path").to_owned();
    sandbox.git(&sandbox.project(), ["clone", "--quiet", ".", &to]);
    let whole = clone.canonicalize().expect("it is there");
    let here = whole.display().to_string();
    reading(&sandbox, "here", &here, &["src/ledger/post.rs"]);
    reading(&sandbox, "namesake", "/gone/cli", &["src/main.rs"]);
    reading(&sandbox, "renamed", "/gone/any", &LEDGER);
    let place = sandbox.user_home().join(".claude/projects/-any");
    std::fs::create_dir_all(&place).expect("a folder can be made");
    for session in ["here", "namesake", "renamed"] {
        let name = format!("{session}.jsonl");
        let from = sandbox.root().join("transcripts").join(&name);
        std::fs::rename(from, place.join(&name)).expect("it can be moved");
    }
    let command = sandbox.oldhand(["import", "transcripts", "--json"]);
    let told = command.inside(&clone).run().success();
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["taken"], 1, "{told}");
    let former: Vec<&Value> = told["former"].as_array().expect("a list").iter().collect();
    assert_eq!(former.len(), 1, "{told}");
    assert_eq!(former[0]["folder"], "/gone/any", "{told}");
    let why = "what was worked on there is here";
    assert_eq!(former[0]["because"], why, "{told}");
}
