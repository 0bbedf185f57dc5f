//! Copies to go back to.

use std::fs;

use oldhand_domain::error::StoreError;
use oldhand_domain::port::MemoryReader;
use oldhand_store::{BackupReason, Mode, Pace, SqliteStore, list_backups, replace};

use crate::fixture::{Home, day, everything, gotcha, ids, save};

#[test]
fn three_backups_roll_and_at_most_one_a_day_is_made() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &[gotcha(1, "First.")]);
    for today in 0..5 {
        assert!(store.backup(day(today), Pace::Daily).unwrap().is_some());
        assert!(store.backup(day(today), Pace::Daily).unwrap().is_none());
    }
    let reasons: Vec<BackupReason> = list_backups(&home.path())
        .unwrap()
        .iter()
        .map(|backup| backup.reason)
        .collect();
    assert_eq!(
        reasons,
        [4, 3, 2].map(|today| BackupReason::Rolling(day(today)))
    );
}

#[test]
fn a_restored_backup_is_what_every_open_reader_sees() {
    let home = Home::new();
    let store = home.writer();
    let reader = home.reader();
    save(&store, &[gotcha(1, "First.")]);
    let before = everything(&store);
    let backup = store.backup(day(0), Pace::Daily).unwrap().unwrap();
    save(&store, &[gotcha(1, "Changed."), gotcha(2, "Second.")]);
    assert_eq!(everything(&reader).len(), 2);
    let after = everything(&store);

    let aside = store.restore(&backup, day(1)).unwrap();
    assert_eq!(everything(&store), before);
    assert_eq!(everything(&reader), before);
    assert_eq!(everything(&home.reader()), before);
    assert_eq!(store.check().unwrap(), []);

    store.restore(&aside, day(2)).unwrap();
    assert_eq!(everything(&reader), after);
    save(&store, &[gotcha(3, "Life goes on.")]);
    assert_eq!(
        ids(&everything(&reader)),
        [1, 2, 3].map(|n| gotcha(n, "x").id)
    );
}

#[test]
fn a_damaged_backup_is_not_restored() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &[gotcha(1, "The words of this memory are here.")]);
    let backup = store.backup(day(0), Pace::Daily).unwrap().unwrap();
    let mut bytes = fs::read(&backup.path).unwrap();
    let at = bytes
        .windows(9)
        .position(|text| text == b"The words")
        .unwrap();
    bytes[at] ^= 1;
    fs::write(&backup.path, bytes).unwrap();
    let refused = store.restore(&backup, day(1));
    assert!(
        matches!(refused, Err(StoreError::DamagedDatabase { .. })),
        "{refused:?}"
    );
    assert!(store.get(gotcha(1, "x").id).unwrap().is_some());
}

#[test]
fn a_damaged_memory_does_not_push_out_good_backups() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &[gotcha(1, "The words of this memory are here.")]);
    let good = store.backup(day(0), Pace::Daily).unwrap().unwrap();
    rusqlite::Connection::open(home.path())
        .unwrap()
        .execute("update memory set content = 'Other words.'", [])
        .unwrap();
    for today in 1..5 {
        let refused = store.backup(day(today), Pace::Daily);
        assert!(
            matches!(refused, Err(StoreError::DamagedDatabase { .. })),
            "{refused:?}"
        );
    }
    assert_eq!(store.backups().unwrap(), [good]);
}

#[test]
fn a_backup_is_one_private_file_that_holds_what_the_log_held() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &[gotcha(1, "Still in the log.")]);
    let backup = store.backup(day(0), Pace::Daily).unwrap().unwrap();
    let copy = rusqlite::Connection::open(&backup.path).unwrap();
    let text: String = copy
        .query_row("select content from memory", [], |row| row.get(0))
        .unwrap();
    assert_eq!(text, "Still in the log.");
    let names: Vec<_> = crate::fixture::files_below(&home.folder().join("backups"))
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(
        names.contains(&"lock".to_owned())
            && names.contains(&"memory-20270115T080000Z.db".to_owned()),
        "{names:?}"
    );
}

#[test]
fn a_backup_takes_the_place_of_a_database_that_cannot_be_opened() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &[gotcha(1, "First.")]);
    let before = everything(&store);
    let backup = store.backup(day(0), Pace::Daily).unwrap().unwrap();
    drop(store);
    let rubbish = "nothing like a database ".repeat(500);
    fs::write(home.path(), &rubbish).unwrap();
    let aside = replace(&home.path(), &backup).unwrap();
    assert_eq!(fs::read_to_string(aside).unwrap(), rubbish);
    assert_eq!(everything(&home.reader()), before);
    let store = home.writer();
    assert_eq!(store.found_at_open(), []);
    save(&store, &[gotcha(2, "Life goes on.")]);
}

#[test]
fn after_the_clock_went_back_the_new_backup_stays_and_the_oldest_made_goes() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &[gotcha(1, "First.")]);
    for today in [100, 101, 102, 1, 3] {
        let backup = store.backup(day(today), Pace::AtOnce).unwrap().unwrap();
        assert!(backup.path.is_file());
    }
    let reasons = list_backups(&home.path()).unwrap();
    let reasons: Vec<BackupReason> = reasons.iter().map(|backup| backup.reason).collect();
    assert_eq!(
        reasons,
        [102, 3, 1].map(|today| BackupReason::Rolling(day(today)))
    );
}

#[test]
fn an_empty_database_pushes_out_no_backup_that_holds_memories() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &[gotcha(1, "First.")]);
    for today in 0..3 {
        store.backup(day(today), Pace::AtOnce).unwrap();
    }
    drop(store);
    for end in ["memory.db", "memory.db-wal", "memory.db-shm"] {
        // The log is not there after a clean end.
        let _ = fs::remove_file(home.folder().join(end));
    }
    let store = home.writer();
    assert!(everything(&store).is_empty());
    assert_eq!(store.backup(day(10), Pace::Daily).unwrap(), None);
    for today in 11..20 {
        store.backup(day(today), Pace::AtOnce).unwrap();
    }
    let backups = list_backups(&home.path()).unwrap();
    let dated = |today| {
        let reason = BackupReason::Rolling(day(today));
        backups.iter().find(|backup| backup.reason == reason)
    };
    for today in 0..3 {
        assert!(dated(today).is_some(), "{backups:?}");
    }
    assert!(backups.len() <= 6, "{backups:?}");
    store.restore(dated(2).unwrap(), day(20)).unwrap();
    assert_eq!(ids(&everything(&store)), [gotcha(1, "x").id]);
}

#[test]
fn a_reader_does_not_make_anew_what_was_emptied() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &[gotcha(1, "First.")]);
    store.backup(day(0), Pace::Daily).unwrap();
    drop(store);
    fs::write(home.path(), "").unwrap();
    let opened = SqliteStore::open(&home.path(), Mode::Read);
    assert!(matches!(opened, Err(StoreError::DamagedDatabase { .. })));
    assert_eq!(fs::metadata(home.path()).unwrap().len(), 0);
}
