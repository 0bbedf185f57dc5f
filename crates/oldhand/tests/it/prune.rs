//! `oldhand prune`.

use crate::{assert_transcript, taught};

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
