//! Opening: who may read the files, what is refused, what is noticed.

use std::fs;

use oldhand_domain::error::StoreError;
use oldhand_domain::port::MemoryReader;
use oldhand_store::{Finding, Mode, Pace, SqliteStore};

use crate::fixture::{Home, day, everything, gotcha, save};

#[cfg(unix)]
#[test]
fn nobody_but_the_owner_can_read_any_file() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let path = home.folder().join("home/projects/a/memory.db");
    let store = SqliteStore::open(&path, Mode::Write).unwrap();
    save(&store, &[gotcha(1, "Private.")]);
    store.backup(day(0), Pace::AtOnce).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let files = crate::fixture::files_below(home.folder());
    assert!(files.len() >= 6, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    for folder in [
        "home",
        "home/projects",
        "home/projects/a",
        "home/projects/a/backups",
    ] {
        assert_eq!(mode(&home.folder().join(folder)), 0o700, "{folder}");
    }
}

#[test]
fn a_reader_makes_nothing_and_needs_a_database() {
    let home = Home::new();
    assert!(SqliteStore::open(&home.path(), Mode::Read).is_err());
    assert_eq!(crate::fixture::files_below(home.folder()).len(), 0);
}

#[test]
fn files_of_others_are_left_alone() {
    let home = Home::new();
    fs::write(
        home.path(),
        "This is a letter, and a long one at that.".repeat(100),
    )
    .unwrap();
    for mode in [Mode::Read, Mode::Write] {
        let refused = SqliteStore::open(&home.path(), mode).err().unwrap();
        assert!(
            matches!(refused, StoreError::DamagedDatabase { .. }),
            "{refused:?}"
        );
    }
    fs::remove_file(home.path()).unwrap();
    let other = rusqlite::Connection::open(home.path()).unwrap();
    other.execute_batch("create table letter (text)").unwrap();
    drop(other);
    let refused = SqliteStore::open(&home.path(), Mode::Write).err().unwrap();
    assert!(
        refused
            .to_string()
            .ends_with("it is not a database of Oldhand"),
        "{refused}"
    );
}

#[test]
fn a_newer_schema_is_refused_by_readers_writers_and_whoever_has_it_open() {
    let home = Home::new();
    let open = home.writer();
    save(&open, &[gotcha(1, "Old.")]);
    let newer = rusqlite::Connection::open(home.path()).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    for mode in [Mode::Read, Mode::Write] {
        let refused = SqliteStore::open(&home.path(), mode).err().unwrap();
        assert!(
            matches!(
                refused,
                StoreError::NewerSchema {
                    found: 99,
                    known: 5,
                    ..
                }
            ),
            "{refused:?}"
        );
    }
    let refused =
        oldhand_domain::port::MemoryStore::change(&open, &mut |_| Ok(vec![gotcha(2, "New.")]));
    assert!(
        matches!(refused, Err(StoreError::NewerSchema { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_clean_end_is_not_checked_and_an_unclean_one_is() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &[gotcha(1, "The words of this memory are here.")]);
    drop(store);
    let damage = rusqlite::Connection::open(home.path()).unwrap();
    damage
        .execute("update memory set summary = 'Other words.'", [])
        .unwrap();
    drop(damage);
    assert_eq!(home.writer().found_at_open(), []);
    // What a killed writer leaves behind.
    fs::write(home.folder().join("memory.db-lock"), "clean 0\n+").unwrap();
    let found = home.writer().found_at_open().to_vec();
    let id = Some(gotcha(1, "x").id);
    assert_eq!(found, [Finding::Memory { key: 1, id }]);
    assert_eq!(home.writer().found_at_open(), []);
}

#[test]
fn a_log_left_by_a_power_cut_is_noticed() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &[gotcha(1, "In the log.")]);
    // The farewell of the time before is still there, the log is not what it says.
    let copy = Home::new();
    for name in ["memory.db", "memory.db-wal"] {
        fs::copy(home.folder().join(name), copy.folder().join(name)).unwrap();
    }
    fs::write(copy.folder().join("memory.db-lock"), "clean 0\n").unwrap();
    let damage = rusqlite::Connection::open(copy.path()).unwrap();
    damage
        .execute("update memory set summary = 'Other words.'", [])
        .unwrap();
    std::mem::forget(damage);
    assert_eq!(copy.writer().found_at_open().len(), 1);
}

#[test]
fn documents_and_facts_are_kept_by_name() {
    let home = Home::new();
    let store = home.writer();
    assert_eq!(store.document("module_map").unwrap(), None);
    for body in ["{}", "{\"modules\": []}"] {
        store.put_document("module_map", body).unwrap();
        assert_eq!(
            home.reader().document("module_map").unwrap().as_deref(),
            Some(body)
        );
    }
    store.put_fact("project", "root:abc").unwrap();
    assert_eq!(
        home.reader().fact("project").unwrap().as_deref(),
        Some("root:abc")
    );
    let damage = rusqlite::Connection::open(home.path()).unwrap();
    damage
        .execute("update document set body = '{} '", [])
        .unwrap();
    let refused = store.document("module_map");
    assert!(
        matches!(refused, Err(StoreError::DamagedDatabase { .. })),
        "{refused:?}"
    );
    assert_eq!(
        store.check().unwrap(),
        [Finding::Document("module_map".to_owned())]
    );
}

#[test]
fn a_row_changed_behind_our_back_is_never_handed_out() {
    let home = Home::new();
    let store = home.writer();
    save(
        &store,
        &[
            gotcha(1, "The cache is cold."),
            gotcha(2, "The cache is warm."),
        ],
    );
    let damage = rusqlite::Connection::open(home.path()).unwrap();
    damage
        .execute(
            "update memory set content = 'The cache is hot.' where key = 1",
            [],
        )
        .unwrap();
    let id = gotcha(1, "x").id;
    assert!(matches!(store.get(id), Err(StoreError::DamagedMemory(damaged)) if damaged == id));
    let listing = store
        .list(&oldhand_domain::filter::Filter::default())
        .unwrap();
    assert_eq!(listing.damaged, [id]);
    assert_eq!(listing.memories.len(), 1);
    damage
        .execute("insert into memory_file values (2, 'src/other.rs')", [])
        .unwrap();
    assert!(store.get(gotcha(2, "x").id).is_err());
    damage.execute("delete from memory_file", []).unwrap();
    assert!(store.get(gotcha(2, "x").id).is_ok());
}

#[test]
fn an_index_cut_by_another_version_is_built_anew() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &[gotcha(1, "The cache is cold.")]);
    drop(store);
    let other = rusqlite::Connection::open(home.path()).unwrap();
    other
        .execute_batch(
            "update meta set value = '0' where name = 'words_version';
            delete from memory_words;",
        )
        .unwrap();
    drop(other);
    let store = home.writer();
    let query = oldhand_domain::filter::TextQuery {
        text: "cache".to_owned(),
        filter: oldhand_domain::filter::Filter::default(),
        limit: 5,
    };
    assert_eq!(store.search(&query).unwrap().hits.len(), 1);
    assert_eq!(store.check().unwrap(), []);
    assert_eq!(everything(&store).len(), 1);
}

#[test]
fn a_glance_sees_what_was_committed_and_leaves_nothing_behind() {
    let home = Home::new();
    let store = SqliteStore::open(&home.path(), Mode::Write).unwrap();
    save(&store, &[gotcha(1, "First.")]);
    let seen = || {
        let seen = [Mode::Glance, Mode::Once].map(|mode| {
            let store = SqliteStore::open(&home.path(), mode).unwrap();
            everything(&store).len()
        });
        assert_eq!(seen[0], seen[1]);
        seen[0]
    };
    assert_eq!(seen(), 1, "while a writer is there, its log is read");
    save(&store, &[gotcha(2, "Second.")]);
    assert_eq!(seen(), 2);
    drop(store);
    home.settle();
    let before = crate::fixture::files_below(home.folder());
    assert_eq!(seen(), 2);
    assert_eq!(crate::fixture::files_below(home.folder()), before);
}

#[test]
fn a_glance_tells_whether_somebody_wrote_meanwhile() {
    let home = Home::new();
    let store = SqliteStore::open(&home.path(), Mode::Write).unwrap();
    save(&store, &[gotcha(1, "First.")]);
    drop(store);
    home.settle();
    let glance = SqliteStore::open(&home.path(), Mode::Once).unwrap();
    assert_eq!(everything(&glance).len(), 1);
    assert!(glance.is_as_it_was());
    let store = SqliteStore::open(&home.path(), Mode::Write).unwrap();
    save(&store, &[gotcha(2, "Second.")]);
    assert!(!glance.is_as_it_was(), "what was written is in the log");
    drop(store);
    assert!(!glance.is_as_it_was(), "what was written is in the file");
}

/// Where a handle of a file is closed, the system takes away every lock that the process has on it.
#[test]
#[cfg(target_os = "linux")]
fn a_glance_of_a_process_that_goes_on_takes_no_lock_away() {
    let home = Home::new();
    let store = SqliteStore::open(&home.path(), Mode::Write).unwrap();
    save(&store, &[gotcha(1, "First.")]);
    drop(store);
    home.settle();
    let writer = SqliteStore::open(&home.path(), Mode::Write).unwrap();
    let locks = || oldhand_testkit::locks_on(&home.path());
    let before = locks();
    // Over some file systems nobody can tell.
    assert_ne!(before, Some(0));
    let glance = SqliteStore::open(&home.path(), Mode::Glance).unwrap();
    assert!(glance.is_a_glance(), "the log is empty");
    assert_eq!(everything(&glance).len(), 1);
    drop(glance);
    assert_eq!(locks(), before);
    drop(writer);
}
