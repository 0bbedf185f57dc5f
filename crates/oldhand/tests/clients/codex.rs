//! Codex CLI.

use oldhand_testkit::Client;

use crate::promise;

#[test]
fn the_fix_of_earlier_sessions_reaches_the_next_at_the_same_error_and_nothing_else_does() {
    promise::the_fix_reaches_the_next_session(Client::Codex);
}

#[test]
fn uninstalling_leaves_no_trace() {
    promise::uninstalling_leaves_no_trace(Client::Codex);
}
