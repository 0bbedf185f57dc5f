//! `oldhand doctor`.

use std::fs;

use crate::{assert_transcript, sandbox, taught};

#[test]
fn a_sound_house_in_words_and_as_json() {
    let sandbox = taught();
    assert_transcript!(sandbox.oldhand(["doctor"]));
    assert_transcript!(sandbox.oldhand(["doctor", "--json"]));
}

#[test]
fn an_empty_house_is_sound() {
    assert_transcript!(sandbox().oldhand(["doctor"]));
}

#[test]
fn what_is_broken_is_told_with_what_to_do() {
    let sandbox = taught();
    fs::write(sandbox.home().join("config.toml"), "[search]\nlimt = 3\n").unwrap();
    fs::create_dir(sandbox.home().join("projects/stray-1")).unwrap();
    let outcome = sandbox.oldhand(["doctor"]).env("OLDHAND_COLOUR", "1");
    assert_transcript!(outcome);
}

#[test]
fn a_damaged_database_is_told_and_a_backup_brings_it_back() {
    let sandbox = taught();
    sandbox.oldhand(["backup"]).run().success();
    let database = crate::database(&sandbox);
    let size = fs::metadata(&database).unwrap().len() as usize;
    fs::write(&database, vec![7; size]).unwrap();
    let outcome = sandbox.oldhand(["doctor"]).run();
    assert_eq!(outcome.code, Some(2), "{outcome}");
    assert!(outcome.stdout.contains("bad  database"), "{outcome}");
    let restore = ["backup", "restore", "latest", "--yes"];
    sandbox.oldhand(restore).run().success();
    assert_eq!(
        sandbox.oldhand(["search", "migrations"]).run().code,
        Some(0)
    );
    assert_eq!(sandbox.oldhand(["doctor"]).run().code, Some(0));
}
