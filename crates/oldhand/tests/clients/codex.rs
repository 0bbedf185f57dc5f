//! Codex CLI.

use oldhand_testkit::Client;

use crate::promise;

#[test]
fn uninstalling_leaves_no_trace() {
    promise::uninstalling_leaves_no_trace(Client::Codex);
}
