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

#[test]
fn a_database_that_is_gone_or_emptied_is_an_error_until_it_is_restored() {
    type Harm = fn(&std::path::Path);
    let remove: Harm = |database| {
        for end in ["", "-wal", "-shm"] {
            let mut file = database.as_os_str().to_owned();
            file.push(end);
            // The log is not there after a clean end.
            let _ = std::fs::remove_file(file);
        }
    };
    let empty: Harm = |database| std::fs::write(database, "").unwrap();
    for harm in [remove, empty] {
        let sandbox = taught();
        harm(&crate::database(&sandbox));
        for command in [
            &["list"][..],
            &["status"],
            &["remember", "Port 8080 is taken."],
            &["init"],
            &["backup"],
            &["forget", "12345678"],
        ] {
            let outcome = sandbox.oldhand(command).run();
            assert_eq!(outcome.code, Some(2), "{outcome}");
            let said = "the database of project is gone, 1 backup is here";
            assert!(outcome.stderr.contains(said), "{outcome}");
            let hint = "`oldhand backup restore latest`";
            assert!(outcome.stderr.contains(hint), "{outcome}");
        }
        let outcome = sandbox.oldhand(["doctor"]).run();
        assert_eq!(outcome.code, Some(2), "{outcome}");
        assert!(outcome.stdout.contains("is gone"), "{outcome}");
        let restore = ["backup", "restore", "latest", "--yes"];
        let restored = sandbox.oldhand(restore).run();
        assert_eq!(restored.code, Some(0), "{restored}");
        assert_eq!(restored.stderr, "", "nothing was there before");
        assert_eq!(
            sandbox.oldhand(["search", "migrations"]).run().code,
            Some(0)
        );
        assert_eq!(sandbox.oldhand(["doctor"]).run().code, Some(0));
    }
}

#[test]
fn the_personal_database_is_missed_too() {
    let sandbox = taught();
    let backups = sandbox.home().join("backups");
    let personal = sandbox.home().join("user.db");
    assert!(backups.is_dir() && personal.is_file());
    std::fs::write(&personal, "").unwrap();
    let outcome = sandbox.oldhand(["list"]).run();
    assert_eq!(outcome.code, Some(2), "{outcome}");
    let hint = "`oldhand backup restore latest --personal`";
    assert!(outcome.stderr.contains(hint), "{outcome}");
    sandbox
        .oldhand(["backup", "restore", "latest", "--personal", "--yes"])
        .run()
        .success();
    sandbox.oldhand(["search", "commits"]).run().success();
}

#[test]
fn after_the_clock_went_back_the_latest_is_the_one_made_last() {
    let sandbox = taught();
    for day in 1..=3 {
        let later = format!("2026-03-0{day}T09:00:00Z");
        sandbox.oldhand(["backup"]).at(&later).run().success();
    }
    sandbox
        .oldhand(["remember", "Port 8080 is taken by the proxy."])
        .run()
        .success();
    sandbox.oldhand(["backup"]).run().success();
    sandbox
        .oldhand(["backup", "restore", "latest", "--yes"])
        .run()
        .success();
    assert_eq!(sandbox.oldhand(["search", "proxy"]).run().code, Some(0));
}

#[test]
fn going_back_twice_loses_nothing_of_what_was_there_at_first() {
    let sandbox = sandbox();
    sandbox
        .oldhand(["remember", "The first one."])
        .run()
        .success();
    sandbox.oldhand(["backup"]).run().success();
    sandbox
        .oldhand(["remember", "Only in the live database."])
        .run()
        .success();
    let restore = || {
        let restore = ["backup", "restore", "latest", "--yes", "--json"];
        let told = sandbox.oldhand(restore).run().success();
        serde_json::from_str::<serde_json::Value>(&told).expect("JSON")
    };
    let first = restore();
    restore();
    let listed = sandbox
        .oldhand(["backup", "list", "--json"])
        .run()
        .success();
    let kept = first["aside"].as_str().expect("it was put aside");
    assert!(listed.contains(kept), "{first} {listed}");
}
