//! The doors, tried from outside: real processes, real databases, real repositories, a clock and ids that stand still.

mod anchors;
mod backup;
mod bad_input;
mod bad_sessions;
mod cards;
mod config;
mod conflicts;
mod context;
mod crash;
mod crowd;
mod docs;
mod doctor;
mod errors;
mod exit_codes;
mod export;
mod find;
mod freshness;
mod graph;
mod histories;
mod hook;
mod import_clones;
mod import_doubts;
mod import_elsewhere;
mod import_json;
mod import_rules;
mod import_transcripts;
mod init;
mod install;
mod job;
mod keep;
mod latest;
mod long_questions;
mod mcp;
mod model;
mod modules;
mod newcomers;
mod outside;
mod places;
mod pointing;
mod projects;
mod promotion;
mod prune;
mod registers;
mod remember;
mod repairing;
mod retrieval;
mod review;
mod rules_unsaid;
mod session;
mod session_types;
mod several;
mod shell_folders;
mod slips;
mod status;
mod switch;
mod terminal;
mod threads;
mod transcribed;
mod up;
mod verdicts;
mod weighing;
mod witness;

use oldhand_testkit::Sandbox;

/// A sandbox whose project is a plain folder.
fn sandbox() -> Sandbox {
    Sandbox::with_folder(env!("CARGO_BIN_EXE_oldhand"))
}

/// A sandbox whose project is a repository.
fn repository() -> Sandbox {
    Sandbox::with_repository(env!("CARGO_BIN_EXE_oldhand"))
}

/// A sandbox that was taught three things, oldest first: a gotcha, a decision, and a preference of the person.
fn taught() -> Sandbox {
    let sandbox = sandbox();
    for arguments in [
        &[
            "remember",
            "Run migrations before the tests, or the schema is empty.",
            "--type",
            "gotcha",
            "--file",
            "src/db.rs",
            "--tag",
            "database",
        ][..],
        &[
            "remember",
            "We chose SQLite because it needs no server.",
            "--type",
            "decision",
        ],
        &["remember", "--personal", "I prefer small commits."],
    ] {
        sandbox.oldhand(arguments).run().success();
    }
    sandbox
}

/// The id of the newest memory that says `words`.
fn id_of(sandbox: &Sandbox, words: &str) -> String {
    let found = sandbox.oldhand(["search", words, "--json"]).run().success();
    let found: serde_json::Value = serde_json::from_str(&found).expect("search answers JSON");
    let id = found["results"][0]["id"].as_str();
    id.expect("the memory was just taught").to_owned()
}

/// What differs from one machine or release to the next has no place in a snapshot.
fn settings() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"\(\d[\d.]* (bytes|[KMGT]iB)\)", "([SIZE])");
    settings.add_filter(r#""bytes":\d+"#, r#""bytes":"[SIZE]""#);
    settings
}

/// The snapshot of a command's transcript.
macro_rules! assert_transcript {
    ($invocation:expr, @$expected:literal) => {
        crate::settings().bind(|| insta::assert_snapshot!($invocation.run(), @$expected))
    };
    ($invocation:expr) => {
        crate::settings().bind(|| insta::assert_snapshot!($invocation.run()))
    };
}
pub(crate) use assert_transcript;

#[test]
fn no_test_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let listed = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).expect("this file lies in that folder") {
        let name = entry.expect("the folder can be listed").file_name();
        let name = name.to_string_lossy().into_owned();
        if let Some(module) = name.strip_suffix(".rs")
            && module != "main"
        {
            let line = format!("mod {module};");
            assert!(
                listed.lines().any(|known| known == line),
                "{name} is not run"
            );
        }
    }
}

/// The database of the sandbox's one project.
fn database(sandbox: &Sandbox) -> std::path::PathBuf {
    let projects = std::fs::read_dir(sandbox.home().join("projects"));
    let mut projects = projects.expect("something was taught");
    let project = projects.next().expect("there is one project");
    project
        .expect("the folder can be listed")
        .path()
        .join("memory.db")
}
