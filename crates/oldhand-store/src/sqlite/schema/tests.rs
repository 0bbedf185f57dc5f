//! Steps that succeed, steps that fail, steps that are killed half-way.

#![expect(
    clippy::disallowed_methods,
    reason = "a migration is killed in a process of its own: this one, started again"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

use oldhand_domain::error::StoreError;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::port::{MemoryReader, MemoryStore};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{STEPS, Steps};
use crate::sqlite::{BackupReason, Mode, SqliteStore, list_backups};

/// A next version as it might be: a column, a table, and work that takes a while.
const NEXT: &str = "
    alter table memory add column mood text;
    create table many (number integer primary key, text text not null) strict;
    with recursive numbers (n) as (values (1) union all select n + 1 from numbers where n < 60000)
    insert into many select n, 'the number ' || n from numbers;
    update memory set mood = 'calm';";
const BROKEN: &str = "alter table memory add column mood text; select no_such_column from memory;";
const DATABASE: &str = "OLDHAND_MIGRATED_DATABASE";

/// Today's steps and one more.
fn steps(next: &str) -> Vec<&str> {
    STEPS.iter().copied().chain([next]).collect()
}

/// A database of today's schema with two memories.
fn first(folder: &Path) -> PathBuf {
    let path = folder.join("memory.db");
    let store = SqliteStore::open(&path, Mode::Write).unwrap();
    let memories = [1, 2].map(|n| oldhand_testkit::memory(n, BuiltInType::Gotcha, "Kept."));
    store.change(&mut |_| Ok(memories.to_vec())).unwrap();
    path
}

fn open(path: &Path, steps: Steps<'_>) -> Result<SqliteStore, StoreError> {
    SqliteStore::open_with(path, Mode::Write, steps)
}

/// The version, how many memories are calm if there is a mood, how many numbers if there is a table.
fn state(path: &Path) -> (u32, Option<i64>, Option<i64>) {
    let connection = Connection::open(path).unwrap();
    let count = |sql| connection.query_row(sql, [], |row| row.get(0)).ok();
    (
        super::version(&connection).unwrap(),
        count("select count(*) from memory where mood = 'calm'"),
        count("select count(*) from many"),
    )
}

const TODAY: u32 = STEPS.len() as u32;
const OLD: (u32, Option<i64>, Option<i64>) = (TODAY, None, None);
const NEW: (u32, Option<i64>, Option<i64>) = (TODAY + 1, Some(2), Some(60_000));

#[test]
fn a_step_is_taken_once_and_leaves_a_backup_of_what_was_before() {
    let folder = TempDir::new().unwrap();
    let path = first(folder.path());
    assert_eq!(state(&path), OLD);
    for _ in 0..2 {
        let store = open(&path, &steps(NEXT)).unwrap();
        assert_eq!(
            store
                .list(&oldhand_domain::filter::Filter::default())
                .unwrap()
                .memories
                .len(),
            2
        );
    }
    assert_eq!(state(&path), NEW);
    let backups = list_backups(&path).unwrap();
    let reasons: Vec<BackupReason> = backups.iter().map(|backup| backup.reason).collect();
    assert_eq!(reasons, [BackupReason::Schema(TODAY)]);
    assert_eq!(state(&backups[0].path), OLD);
    let refused = SqliteStore::open(&path, Mode::Read).err();
    assert!(
        matches!(
            refused,
            Some(StoreError::NewerSchema { found, known, .. }) if (found, known) == (TODAY + 1, TODAY)
        ),
        "{refused:?}"
    );
}

#[test]
fn a_step_that_fails_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let path = first(folder.path());
    assert!(open(&path, &steps(BROKEN)).is_err());
    assert_eq!(state(&path), OLD);
    assert_eq!(open(&path, STEPS).unwrap().check().unwrap(), []);
}

#[test]
fn a_reader_brings_an_older_database_up_to_date_first() {
    let folder = TempDir::new().unwrap();
    let path = first(folder.path());
    let store = SqliteStore::open_with(&path, Mode::Read, &steps(NEXT)).unwrap();
    assert_eq!(store.counts().unwrap().live, [("gotcha".to_owned(), 2)]);
    drop(store);
    assert_eq!(state(&path), NEW);
}

/// What the process that is killed runs; by itself it migrates a database of its own.
#[test]
fn a_migration_runs_to_its_end_when_left_alone() {
    // A killed process cannot clean up, so it is not given anything to.
    let given = env::var_os(DATABASE).map(PathBuf::from);
    let own = given.is_none().then(|| TempDir::new().unwrap());
    let path = given
        .or(own.as_ref().map(|folder| first(folder.path())))
        .unwrap();
    drop(open(&path, &steps(NEXT)).unwrap());
    assert_eq!(state(&path), NEW);
}

#[test]
fn a_killed_migration_leaves_the_old_or_the_new_and_never_half() {
    let mut seen = Vec::new();
    for round in 0..12 {
        let folder = TempDir::new().unwrap();
        let path = first(folder.path());
        let mut child = Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "sqlite::schema::tests::a_migration_runs_to_its_end_when_left_alone",
            ])
            .env(DATABASE, &path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(10 + round * 20));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = state(&path);
        assert!([OLD, NEW].contains(&found), "{found:?}");
        seen.push(found.0);
        // Whoever comes next finishes it.
        drop(open(&path, &steps(NEXT)).unwrap());
        assert_eq!(state(&path), NEW);
        assert!(fs::read_dir(folder.path().join("backups")).unwrap().count() > 0);
    }
    assert!(seen.contains(&TODAY), "{seen:?}");
}
