//! Gemini CLI.

use oldhand_testkit::Client;

use crate::{promise, trouble};

#[test]
fn the_fix_of_one_session_reaches_the_next_at_the_same_error_and_nothing_else_does() {
    promise::the_fix_reaches_the_next_session(Client::Gemini);
}

#[test]
fn each_thing_is_said_at_its_moment() {
    promise::each_thing_is_said_at_its_moment(Client::Gemini);
}

#[test]
fn words_between_calls_are_learned() {
    promise::words_between_calls_are_learned(Client::Gemini);
}

#[test]
fn uninstalling_leaves_no_trace() {
    promise::uninstalling_leaves_no_trace(Client::Gemini);
}

#[test]
fn parallel_tools_are_told_once() {
    trouble::parallel_tools_are_told_once(Client::Gemini);
}

#[test]
fn a_subagent_is_told_itself() {
    trouble::a_subagent_is_told_itself(Client::Gemini);
}

#[test]
fn a_resumed_session_is_not_told_again() {
    trouble::a_resumed_session_is_not_told_again(Client::Gemini, &["--resume", "latest"]);
}

#[test]
#[cfg(unix)]
fn a_killed_client_leaves_nothing_behind() {
    trouble::a_killed_client_leaves_nothing_behind(Client::Gemini);
}

#[test]
#[cfg(unix)]
fn a_hook_that_hangs_is_given_up() {
    trouble::a_hook_that_hangs_is_given_up(Client::Gemini, "AfterTool", &[]);
}

#[test]
fn other_hooks_print_garbage_beside_ours() {
    trouble::other_hooks_print_garbage_beside_ours(Client::Gemini, "AfterTool", &[]);
}

#[test]
fn a_first_run_shows_no_warning() {
    trouble::a_first_run_shows_no_warning(Client::Gemini);
}

#[test]
fn the_server_answers() {
    trouble::the_server_answers(Client::Gemini);
}
