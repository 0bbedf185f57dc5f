//! `oldhand init`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::session::work;
use crate::{assert_transcript, repository, sandbox, taught};

/// Every file below a folder, with its words.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                left.push(path);
            } else {
                let bytes = fs::read(&path).expect("a file can be read");
                found.insert(path, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    found
}

#[test]
fn a_new_project_is_made_known_and_shown() {
    let sandbox = repository();
    sandbox.write(
        "AGENTS.md",
        "- Never push to main.\n- Prefer small commits over large ones.\n",
    );
    assert_transcript!(sandbox.oldhand(["init"]));
    assert_transcript!(sandbox.oldhand(["init", "--yes", "--no-agents"]));
    assert_transcript!(sandbox.oldhand(["init", "--yes"]));
}

#[test]
fn as_json() {
    let sandbox = repository();
    sandbox.write("AGENTS.md", "- Never push to main.\n");
    assert_transcript!(sandbox.oldhand(["init", "--yes", "--no-agents", "--json"]));
}

#[test]
fn a_second_time_changes_nothing() {
    let sandbox = taught();
    let projects = || fs::read(sandbox.home().join("projects.toml")).unwrap();
    let before = projects();
    assert_transcript!(sandbox.oldhand(["init"]));
    assert_eq!(projects(), before);
}

#[test]
fn nothing_is_written_into_the_repository() {
    let sandbox = repository();
    sandbox.oldhand(["init", "--yes"]).run().success();
    sandbox
        .oldhand(["remember", "The cache is shared."])
        .run()
        .success();
    assert_eq!(
        sandbox.git(&sandbox.project(), ["status", "--porcelain", "--ignored"]),
        ""
    );
}

#[test]
fn being_the_same_as_an_unknown_project_is_refused() {
    assert_transcript!(sandbox().oldhand(["init", "--same-as", "api"]));
    assert_transcript!(taught().oldhand(["init", "--same-as", "api"]));
}

#[test]
fn agents_are_found_connected_and_left_as_they_were() {
    let sandbox = repository();
    let home = sandbox.user_home();
    for folder in [".claude", ".gemini"] {
        fs::create_dir_all(home.join(folder)).expect("a folder can be made");
    }
    let theirs = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
    fs::write(home.join(".claude/settings.json"), theirs).expect("a file can be written");
    let before = files(&home);
    let foreseen = sandbox.oldhand(["init", "--dry-run"]).run().success();
    assert!(foreseen.contains("claude-code not connected"), "{foreseen}");
    assert!(
        foreseen.contains(".claude.json: a new file of "),
        "{foreseen}"
    );
    assert!(
        foreseen.contains(".claude/settings.json: ") && !foreseen.contains(": 0 "),
        "{foreseen}"
    );
    assert!(
        !foreseen.contains("codex"),
        "it was never used here: {foreseen}"
    );
    assert_eq!(files(&home), before);
    assert_eq!(files(&sandbox.home()), BTreeMap::new());
    // Nobody is there to ask, and nobody said yes.
    sandbox.oldhand(["init"]).run().success();
    assert_eq!(files(&home), before);
    let states = |arguments: &[&str]| {
        let told = sandbox.oldhand(arguments).run().success();
        let told: Value = serde_json::from_str(&told).expect("it is JSON");
        let agents = told["agents"]
            .as_array()
            .expect("agents are listed")
            .clone();
        agents
            .iter()
            .map(|agent| format!("{} {}", agent["agent"], agent["state"]).replace('"', ""))
            .collect::<Vec<_>>()
    };
    assert_eq!(states(&["init", "--yes", "--no-agents", "--json"]), [""; 0]);
    let named = sandbox.oldhand(["init", "--yes"]).run().success();
    for file in [
        ".claude/settings.json",
        ".claude.json",
        ".gemini/settings.json",
    ] {
        let file = home.join(file).display().to_string();
        assert!(named.contains(&format!("{file}: ")), "{named}");
    }
    sandbox
        .oldhand(["uninstall", "--all", "--yes"])
        .run()
        .success();
    assert_eq!(files(&home), before);
    assert_eq!(
        states(&["init", "--yes", "--json"]),
        ["claude-code connected_now", "gemini connected_now"]
    );
    let connected = files(&home);
    assert_eq!(
        states(&["init", "--yes", "--json"]),
        ["claude-code connected", "gemini connected"]
    );
    assert_eq!(files(&home), connected, "twice is once");
    sandbox
        .oldhand(["uninstall", "--all", "--yes"])
        .run()
        .success();
    assert_eq!(files(&home), before);
}

#[test]
fn past_sessions_are_learned_from_and_what_is_known_names_its_evidence() {
    let sandbox = repository();
    let folder = sandbox.user_home().join(".claude/projects/here");
    fs::create_dir_all(&folder).expect("a folder can be made");
    for session in ["one", "two"] {
        let path = folder.join(format!("{session}.jsonl"));
        fs::write(path, work(&sandbox, session)).expect("a file can be written");
    }
    let asked = sandbox.oldhand(["init", "--no-agents"]).run().success();
    assert!(
        asked.contains("2 of claude-code: not learned from"),
        "{asked}"
    );
    assert!(asked.contains("oldhand import transcripts"), "{asked}");
    let learned = sandbox
        .oldhand(["init", "--yes", "--no-agents"])
        .run()
        .success();
    assert!(learned.contains("2 of claude-code: "), "{learned}");
    assert!(learned.contains(" learned\n"), "{learned}");
    let words = learned.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("(error_pattern, ") && words.contains(" session"),
        "evidence is named: {learned}"
    );
    let again = sandbox
        .oldhand(["init", "--yes", "--no-agents"])
        .run()
        .success();
    assert!(
        !again.contains("of claude-code"),
        "they are known by now: {again}"
    );
}

#[test]
fn what_a_person_took_out_is_connected_again_by_their_word_alone() {
    let sandbox = repository();
    let settings = sandbox.user_home().join(".cursor");
    fs::create_dir_all(&settings).expect("a folder can be made");
    let init = || {
        let told = sandbox.oldhand(["init", "--yes", "--json"]).run().success();
        let told: Value = serde_json::from_str(&told).expect("JSON");
        told["agents"][0]["state"].clone()
    };
    assert_eq!(init(), "connected_now");
    for (command, then) in [("uninstall", "taken_out"), ("install", "connected")] {
        sandbox
            .oldhand([command, "cursor", "--yes"])
            .run()
            .success();
        assert_eq!(init(), then);
    }
}

#[test]
fn what_keeps_an_agent_from_calling_is_told_at_the_end() {
    let sandbox = repository();
    let home = sandbox.user_home();
    fs::create_dir_all(home.join(".codex")).expect("a folder can be made");
    let init = sandbox.oldhand(["init", "--yes"]);
    let told = init.env("PATH", "/usr/bin:/bin").run();
    let words = told.words();
    assert!(words.contains("to do codex: "), "{told}");
    assert!(words.contains("not approved"), "{told}");
}
