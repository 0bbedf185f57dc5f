//! OpenCode.

use std::fs;

use oldhand_testkit::{Client, Script, Stage, Turn};

use crate::scene::{PROMPT, oldhand, settings, told, warned};
use crate::{promise, trouble};

#[test]
fn the_fix_of_one_session_reaches_the_next_at_the_same_error_and_nothing_else_does() {
    promise::the_fix_reaches_the_next_session(Client::OpenCode);
}

#[test]
fn each_thing_is_said_at_its_moment() {
    promise::each_thing_is_said_at_its_moment(Client::OpenCode);
}

#[test]
fn words_between_calls_are_learned() {
    promise::words_between_calls_are_learned(Client::OpenCode);
}

#[test]
fn uninstalling_leaves_no_trace() {
    promise::uninstalling_leaves_no_trace(Client::OpenCode);
}

#[test]
fn parallel_tools_are_told_once() {
    trouble::parallel_tools_are_told_once(Client::OpenCode);
}

#[test]
fn a_subagent_is_told_itself() {
    trouble::a_subagent_is_told_itself(Client::OpenCode);
}

#[test]
fn a_brief_survives_compaction() {
    trouble::a_brief_survives_compaction(Client::OpenCode, "anchored summary");
}

#[test]
fn a_resumed_session_is_not_told_again() {
    trouble::a_resumed_session_is_not_told_again(Client::OpenCode, &["--continue"]);
}

#[test]
#[cfg(unix)]
fn a_killed_client_leaves_nothing_behind() {
    trouble::a_killed_client_leaves_nothing_behind(Client::OpenCode);
}

#[test]
fn a_first_run_shows_no_warning() {
    trouble::a_first_run_shows_no_warning(Client::OpenCode);
}

#[test]
fn the_server_answers() {
    trouble::the_server_answers(Client::OpenCode);
}

/// Runs a session that would be told something, with the plugin changed.
#[cfg(unix)]
fn run_with(stage: &Stage, change: impl Fn(&str) -> String) -> Vec<(usize, String)> {
    let (path, text) = settings(stage).swap_remove(0);
    let text = text.expect("the plugin is written");
    let changed = change(&text);
    assert_ne!(changed, text);
    fs::write(path, changed).expect("a file can be written");
    let turns = [Turn::call(stage.read("src/total.js")), Turn::say("Seen.")];
    stage.model.play(Script::new(turns));
    let outcome = stage.run(PROMPT, &[]);
    assert_eq!(outcome.code, Some(0), "{outcome}");
    assert!(outcome.stdout.contains("Seen."), "{outcome}");
    told(stage)
}

#[test]
#[cfg(unix)]
fn a_plugin_whose_binary_is_gone_is_not_noticed() {
    let stage = warned(Client::OpenCode);
    let told = run_with(&stage, |text| {
        text.replace(env!("CARGO_BIN_EXE_oldhand"), "/gone/oldhand")
    });
    assert_eq!(told, []);
}

#[test]
#[cfg(unix)]
fn a_plugin_whose_binary_hangs_is_given_up() {
    use std::os::unix::fs::PermissionsExt as _;
    let stage = warned(Client::OpenCode);
    let hangs = stage.sandbox.root().join("hangs");
    fs::write(&hangs, "#!/bin/sh\nexec sleep 100\n").expect("a file can be written");
    fs::set_permissions(&hangs, fs::Permissions::from_mode(0o755)).expect("it may run");
    let told = run_with(&stage, |text| {
        text.replace(env!("CARGO_BIN_EXE_oldhand"), &hangs.to_string_lossy())
    });
    assert_eq!(told, []);
    #[cfg(target_os = "linux")]
    assert_eq!(crate::scene::processes_left(&stage), [""; 0]);
}

#[test]
fn a_plugin_of_the_user_and_one_of_the_repository_are_one() {
    let stage = warned(Client::OpenCode);
    oldhand(
        &stage.sandbox,
        &["install", "opencode", "--project", "--yes"],
    );
    let turns = [Turn::call(stage.read("src/total.js")), Turn::say("Seen.")];
    stage.model.play(Script::new(turns));
    let outcome = stage.run(PROMPT, &[]);
    assert_eq!(outcome.code, Some(0), "{outcome}");
    assert_eq!(told(&stage).len(), 1);
    let session = crate::scene::sessions(&stage)[0]["id"].clone();
    let journal = crate::scene::journal(&stage, session.as_str().expect("an id"));
    let prompts = journal
        .iter()
        .filter(|one| one["event"].get("prompt").is_some());
    assert_eq!(prompts.count(), 1, "each thing is written down once");
}
