//! Damage of every kind, put right with a report.

use std::fs;
use std::path::Path;

use oldhand_domain::error::StoreError;
use oldhand_domain::memory::Memory;
use oldhand_domain::port::{MemoryReader, MemoryStore};
use oldhand_domain::session::{SessionRecord, SessionStore, Tombstone};
use oldhand_store::{Finding, Mode, Pace, Repair, SqliteStore, refill, repair};

use crate::erasing::session_saying;
use crate::fixture::{Home, day, everything, gotcha, ids, save};

fn many(count: u32) -> Vec<Memory> {
    let text = "These are the words of one memory among many, long enough to fill some pages.";
    (1..=count)
        .map(|n| gotcha(n, &format!("{text} Number {n}.")))
        .collect()
}

fn damage(home: &Home, sql: &str) {
    let connection = rusqlite::Connection::open(home.path()).unwrap();
    connection.execute_batch(sql).unwrap();
}

#[test]
fn a_sound_database_is_left_alone() {
    let home = Home::new();
    save(&home.writer(), &many(3));
    let report = repair(&home.path(), day(0)).unwrap();
    assert_eq!((report.findings, report.done), (vec![], vec![]));
    assert_eq!(everything(&home.writer()).len(), 3);
}

#[test]
fn damaged_rows_go_into_quarantine_and_come_back_from_the_backup() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &many(2));
    store.put_document("module_map", "{}").unwrap();
    let backup = store.backup(day(0), Pace::Daily).unwrap().unwrap().path;
    save(&store, &many(3));
    drop(store);
    damage(
        &home,
        "update memory set content = 'Changed.' where key in (1, 3);
        update document set body = '[]';",
    );

    let report = repair(&home.path(), day(1)).unwrap();
    let [first, _, third] = [1, 2, 3].map(|n| gotcha(n, "x").id);
    assert_eq!(
        report.findings,
        [
            Finding::Memory {
                key: 1,
                id: Some(first)
            },
            Finding::Memory {
                key: 3,
                id: Some(third)
            },
            Finding::Document("module_map".to_owned()),
        ]
    );
    assert_eq!(
        report.done,
        [
            Repair::Quarantined {
                key: 1,
                id: Some(first)
            },
            Repair::Quarantined {
                key: 3,
                id: Some(third)
            },
            Repair::DocumentQuarantined("module_map".to_owned()),
            Repair::IndexRebuilt(1),
            Repair::FromBackup {
                id: first,
                backup: backup.clone()
            },
            Repair::DocumentFromBackup {
                name: "module_map".to_owned(),
                backup
            },
        ]
    );
    let store = home.writer();
    assert_eq!(ids(&everything(&store)), ids(&many(2)));
    let kept = store.quarantined().unwrap();
    assert_eq!(kept.len(), 3);
    assert!(
        kept[0].row.contains("\"content\":\"Changed.\""),
        "{}",
        kept[0].row
    );
    assert_eq!(store.document("module_map").unwrap().as_deref(), Some("{}"));
    assert_eq!(store.check().unwrap(), []);
}

#[test]
fn a_damaged_index_is_built_anew() {
    let home = Home::new();
    save(&home.writer(), &many(5));
    damage(&home, "delete from memory_words_docsize where id = 2");
    let report = repair(&home.path(), day(1)).unwrap();
    assert!(
        matches!(report.findings[..], [Finding::Index(_)]),
        "{report:?}"
    );
    assert_eq!(report.done, [Repair::IndexRebuilt(5)]);
    assert_eq!(home.writer().check().unwrap(), []);
}

#[test]
fn a_torn_file_is_kept_aside_and_every_page_that_is_left_is_used() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &many(400));
    store.backup(day(0), Pace::Daily).unwrap().unwrap();
    let written = many(600);
    let (older, newer) = written.split_at(400);
    save(&store, newer);
    drop(store);
    // Some pages in the middle are overwritten with noise.
    let mut bytes = fs::read(home.path()).unwrap();
    let pages = bytes.len() / 4096;
    for page in [pages / 5, pages / 3, pages / 2] {
        bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
    }
    fs::write(home.path(), &bytes).unwrap();
    fs::write(home.folder().join("memory.db-lock"), "clean 0\n+").unwrap();
    let refused = SqliteStore::open(&home.path(), Mode::Write).err();
    assert!(
        matches!(refused, Some(StoreError::DamagedDatabase { .. })),
        "{refused:?}"
    );

    let report = repair(&home.path(), day(1)).unwrap();
    let Repair::KeptAside(aside) = &report.done[0] else {
        panic!("{:?}", report.done);
    };
    assert_eq!(fs::read(aside).unwrap(), bytes);
    let store = home.writer();
    assert_eq!(store.check().unwrap(), []);
    let found = everything(&store);
    let lost = |memory: &&Memory| !found.iter().any(|found| found.id == memory.id);
    // All that the backup has is there; of the newer ones, what is lost was said to be unreadable.
    assert!(!older.iter().any(|memory| lost(&memory)));
    let lost = newer.iter().filter(lost).count();
    let said =
        |step: &&Repair| matches!(step, Repair::Unreadable { .. } | Repair::Quarantined { .. });
    assert!(
        lost <= report.done.iter().filter(said).count(),
        "{lost} lost, {:?}",
        report.done
    );
    assert!(lost < 150, "{lost}");
    for memory in found {
        let words = written.iter().find(|written| written.id == memory.id);
        assert_eq!(Some(&memory.content), words.map(|written| &written.content));
    }
}

#[test]
fn a_file_of_which_every_memory_can_be_read_has_lost_nothing() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &many(30));
    drop(store);
    let connection = rusqlite::Connection::open(home.path()).unwrap();
    let index = "select rootpage from sqlite_schema where name = 'memory_pinned'";
    let page: u32 = connection.query_row(index, [], |row| row.get(0)).unwrap();
    let page = page as usize;
    drop(connection);
    let mut bytes = fs::read(home.path()).unwrap();
    bytes[(page - 1) * 4096..page * 4096].fill(0xa5);
    fs::write(home.path(), &bytes).unwrap();
    let report = repair(&home.path(), day(1)).unwrap();
    let is_new = matches!(report.done[0], Repair::KeptAside(_));
    assert!(
        is_new && report.done.contains(&Repair::CarriedOver(30)),
        "{:?}",
        report.done
    );
    let may_lack = |step: &Repair| matches!(step, Repair::Incomplete { .. });
    assert!(!report.done.iter().any(may_lack), "{:?}", report.done);
}

#[test]
fn a_file_without_a_head_comes_back_from_the_backup() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &many(3));
    store.backup(day(0), Pace::Daily).unwrap().unwrap();
    drop(store);
    fs::write(home.path(), "nothing like a database ".repeat(500)).unwrap();
    for mode in [Mode::Read, Mode::Write] {
        let refused = SqliteStore::open(&home.path(), mode).err();
        assert!(
            matches!(refused, Some(StoreError::DamagedDatabase { .. })),
            "{refused:?}"
        );
    }
    let report = repair(&home.path(), day(1)).unwrap();
    assert!(
        matches!(report.findings[..], [Finding::Structure(_)]),
        "{report:?}"
    );
    let since = |step: &Repair| matches!(step, Repair::Incomplete { since: Some((_, at)) } if *at == day(0));
    assert!(report.done.iter().any(since), "{report:?}");
    assert_eq!(everything(&home.writer()).len(), 3);
    assert!(home.reader().get(gotcha(2, "x").id).unwrap().is_some());
}

#[test]
fn a_file_kept_aside_does_not_outlive_an_erasure() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &many(3));
    drop(store);
    let mut bytes = fs::read(home.path()).unwrap();
    bytes[100..200].fill(0xff);
    fs::write(home.path(), bytes).unwrap();
    repair(&home.path(), day(0)).unwrap();
    assert!(!home.files_with("Number 2").is_empty());
    home.writer().erase(&[gotcha(2, "x").id]).unwrap();
    assert_eq!(home.files_with("Number 2"), [] as [std::path::PathBuf; 0]);
}

#[test]
fn a_backup_of_an_older_schema_is_still_good_to_repair_and_to_erase_from() {
    let home = Home::new();
    let frozen = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen/schema-1.db");
    let folder = home.folder().join("backups");
    fs::create_dir_all(&folder).unwrap();
    let backup = folder.join("memory-20270115T080000Z.db");
    fs::copy(frozen, &backup).unwrap();
    fs::write(home.path(), "nothing like a database ".repeat(500)).unwrap();

    let report = repair(&home.path(), day(1)).unwrap();
    let back = |step: &&Repair| matches!(step, Repair::FromBackup { .. });
    assert_eq!(report.done.iter().filter(back).count(), 5);
    let store = home.writer();
    assert_eq!(everything(&store).len(), 5);
    store.erase(&[gotcha(1, "x").id]).unwrap();
    assert!(backup.exists());
    let left = home.files_with("Run migrations first");
    assert_eq!(left, [] as [std::path::PathBuf; 0]);
    store.restore(&store.backups().unwrap()[0], day(2)).unwrap();
    assert_eq!(everything(&store).len(), 4);
    assert_eq!(store.check().unwrap(), []);
}

fn sessions(count: usize) -> Vec<SessionRecord> {
    let session = |n: usize| SessionRecord {
        id: format!("s-{n:04}").parse().unwrap(),
        body: format!("{{\"said\":\"{}\"}}", "long ".repeat(200)),
        ..session_saying("")
    };
    (1..=count).map(session).collect()
}

fn put_sessions(store: &SqliteStore, sessions: &[SessionRecord]) {
    for session in sessions {
        store.save_session(session).unwrap();
    }
}

fn from_backup(done: &[Repair]) -> usize {
    let count = |step: &Repair| match step {
        Repair::SessionsFromBackup { count, .. } => *count,
        _ => 0,
    };
    done.iter().map(count).sum()
}

#[test]
fn sessions_come_back_from_the_backup_and_those_removed_do_not() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &many(3));
    let known = sessions(4);
    put_sessions(&store, &known);
    let words = Tombstone::of_words("Goes.");
    store.bury(&[words]).unwrap();
    store.backup(day(0), Pace::Daily).unwrap().unwrap();
    store.remove_session(&known[1].id).unwrap();
    drop(store);
    fs::write(home.path(), "nothing like a database ".repeat(500)).unwrap();

    let report = repair(&home.path(), day(1)).unwrap();
    assert_eq!(from_backup(&report.done), 3);
    let store = home.writer();
    let left = [&known[0], &known[2], &known[3]];
    assert!(store.sessions().unwrap().iter().eq(left));
    assert!(store.is_buried(&words).unwrap());
}

#[test]
fn a_record_that_does_not_match_its_seal_comes_back_as_the_backup_has_it() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &many(2));
    let known = sessions(2);
    put_sessions(&store, &known);
    store.backup(day(0), Pace::Daily).unwrap().unwrap();
    drop(store);
    damage(
        &home,
        "update memory set content = 'Changed.' where key = 1;
        update session set body = '{}' where id = 's-0002';",
    );
    let report = repair(&home.path(), day(1)).unwrap();
    assert_eq!(from_backup(&report.done), 1);
    assert_eq!(home.writer().sessions().unwrap(), known);
}

#[test]
fn a_torn_table_of_sessions_costs_only_what_stood_on_the_torn_page() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &many(3));
    put_sessions(&store, &sessions(200));
    drop(store);
    let connection = rusqlite::Connection::open(home.path()).unwrap();
    connection
        .execute_batch("pragma wal_checkpoint(truncate)")
        .unwrap();
    drop(connection);
    let mut bytes = fs::read(home.path()).unwrap();
    let holds =
        |page: &[u8], words: &str| page.windows(words.len()).any(|at| at == words.as_bytes());
    let torn = bytes
        .chunks(4096)
        .position(|page| holds(page, "s-0003codex"))
        .unwrap();
    bytes[torn * 4096..(torn + 1) * 4096].fill(0xa5);
    fs::write(home.path(), &bytes).unwrap();
    fs::write(home.folder().join("memory.db-lock"), "clean 0\n+").unwrap();
    repair(&home.path(), day(1)).unwrap();
    let left = home.writer().sessions().unwrap().len();
    assert!((180..200).contains(&left), "{left}");
}

#[test]
fn a_file_that_is_gone_comes_back_from_the_backup() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &many(3));
    store.backup(day(0), Pace::Daily).unwrap().unwrap();
    drop(store);
    fs::remove_file(home.path()).unwrap();
    let report = refill(&home.path()).unwrap().unwrap();
    assert!(
        matches!(report.done[..], [Repair::Restored { .. }]),
        "{report:?}"
    );
    assert_eq!(everything(&home.writer()).len(), 3);
}
