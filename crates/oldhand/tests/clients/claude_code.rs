//! Claude Code.

use oldhand_testkit::{Client, Script, Turn};

use crate::scene::{PROMPT, TRAP, bare, known, oldhand, teach_the_trap, told, warned};
use crate::{promise, trouble};

#[test]
fn the_fix_of_one_session_reaches_the_next_at_the_same_error_and_nothing_else_does() {
    promise::the_fix_reaches_the_next_session(Client::ClaudeCode);
}

#[test]
fn each_thing_is_said_at_its_moment() {
    promise::each_thing_is_said_at_its_moment(Client::ClaudeCode);
}

#[test]
fn words_between_calls_are_learned() {
    promise::words_between_calls_are_learned(Client::ClaudeCode);
}

#[test]
fn uninstalling_leaves_no_trace() {
    promise::uninstalling_leaves_no_trace(Client::ClaudeCode);
}

#[test]
fn parallel_tools_are_told_once() {
    trouble::parallel_tools_are_told_once(Client::ClaudeCode);
}

#[test]
fn a_subagent_is_told_itself() {
    trouble::a_subagent_is_told_itself(Client::ClaudeCode);
}

#[test]
fn a_brief_survives_compaction() {
    trouble::a_brief_survives_compaction(Client::ClaudeCode, "Respond with TEXT ONLY");
}

#[test]
fn a_resumed_session_is_not_told_again() {
    trouble::a_resumed_session_is_not_told_again(Client::ClaudeCode, &["--continue"]);
}

#[test]
#[cfg(unix)]
fn a_killed_client_leaves_nothing_behind() {
    trouble::a_killed_client_leaves_nothing_behind(Client::ClaudeCode);
}

#[test]
#[cfg(unix)]
fn a_hook_that_hangs_is_given_up() {
    trouble::a_hook_that_hangs_is_given_up(Client::ClaudeCode, "PostToolUse", &[]);
}

#[test]
fn other_hooks_print_garbage_beside_ours() {
    trouble::other_hooks_print_garbage_beside_ours(Client::ClaudeCode, "PostToolUse", &[]);
}

#[test]
fn a_first_run_shows_no_warning() {
    trouble::a_first_run_shows_no_warning(Client::ClaudeCode);
}

#[test]
fn the_server_answers() {
    trouble::the_server_answers(Client::ClaudeCode);
}

/// The only client that tells when all calls of a step are back.
#[test]
fn between_steps_it_hears_of_a_file_that_a_search_led_to() {
    let stage = warned(Client::ClaudeCode);
    let look = || Turn::call(stage.read("config.json"));
    let turns = [
        look(),
        look(),
        look(),
        look(),
        look(),
        Turn::call(stage.shell("grep -rl total src")),
        Turn::say("Seen."),
    ];
    stage.model.play(Script::new(turns));
    let outcome = stage.run(PROMPT, &[]);
    assert_eq!(outcome.code, Some(0), "{outcome}");
    let told = told(&stage);
    let [(when, words)] = &told[..] else {
        panic!("it is told one thing, not {told:#?}\n{}", known(&stage));
    };
    assert_eq!(*when, 6, "before the model is asked again");
    assert!(words.contains(TRAP), "{words}");
}

#[test]
fn a_plugin_directory_does_what_the_settings_do() {
    let stage = bare(Client::ClaudeCode);
    let plugin = stage.sandbox.root().join("plugin");
    let plugin = plugin
        .to_str()
        .expect("a temporary folder has a plain name");
    oldhand(&stage.sandbox, &["init", "--yes"]);
    let install = ["install", "claude-code", "--plugin", plugin, "--yes"];
    oldhand(&stage.sandbox, &install);
    teach_the_trap(&stage);
    let turns = [Turn::call(stage.read("src/total.js")), Turn::say("Seen.")];
    stage.model.play(Script::new(turns));
    let outcome = stage.run(PROMPT, &["--plugin-dir", plugin]);
    assert_eq!(outcome.to_string(), "exit 0\n--- stdout\nSeen.");
    let told = told(&stage);
    assert!(told.len() == 1 && told[0].1.contains(TRAP), "{told:#?}");
}
