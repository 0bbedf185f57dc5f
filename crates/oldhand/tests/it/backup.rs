//! `oldhand backup`.

use crate::{assert_transcript, sandbox, taught};

#[test]
fn a_backup_is_made_and_listed() {
    let sandbox = taught();
    assert_transcript!(sandbox.oldhand(["backup"]));
    assert_transcript!(sandbox.oldhand(["backup", "list"]));
    assert_transcript!(sandbox.oldhand(["backup", "list", "--json"]));
    assert_transcript!(sandbox.oldhand(["backup", "now", "--json"]));
}

#[test]
fn going_back_restores_what_was_and_keeps_what_is() {
    let sandbox = taught();
    sandbox.oldhand(["backup"]).run().success();
    sandbox
        .oldhand(["remember", "Port 8080 is taken by the proxy."])
        .run()
        .success();
    assert_transcript!(sandbox.oldhand(["backup", "restore", "latest", "--yes"]));
    assert_eq!(sandbox.oldhand(["search", "proxy"]).run().code, Some(1));
    assert_eq!(
        sandbox.oldhand(["search", "migrations"]).run().code,
        Some(0)
    );
    let listed = sandbox.oldhand(["backup", "list"]).run().success();
    assert!(listed.contains("before a backup was restored"), "{listed}");
}

#[test]
fn restoring_as_json() {
    let sandbox = taught();
    sandbox.oldhand(["backup"]).run().success();
    assert_transcript!(sandbox.oldhand(["backup", "restore", "latest", "--yes", "--json"]));
}

#[test]
fn going_back_needs_a_yes_and_a_backup() {
    let sandbox = taught();
    assert_transcript!(sandbox.oldhand(["backup", "restore", "latest"]));
    assert_transcript!(sandbox.oldhand(["backup", "restore", "yesterday", "--yes"]));
}

#[test]
fn without_memories_there_is_nothing_to_back_up() {
    assert_transcript!(sandbox().oldhand(["backup"]));
}

#[test]
fn the_first_change_of_a_day_makes_a_backup_by_itself() {
    let sandbox = taught();
    let backups = || {
        sandbox
            .oldhand(["backup", "list"])
            .run()
            .stdout
            .lines()
            .count()
    };
    assert_eq!(backups(), 1);
    let tomorrow = "2026-01-17T09:00:00Z";
    sandbox
        .oldhand(["remember", "Port 8080 is taken."])
        .at(tomorrow)
        .run()
        .success();
    assert_eq!(backups(), 2);
}
