//! Forgetting removes the bytes from every file of the store.

use std::collections::{BTreeSet, HashSet};

use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::memory::Memory;
use oldhand_domain::port::{MemoryReader, MemoryStore};
use oldhand_domain::session::{SessionRecord, SessionStore, Tombstone};
use oldhand_domain::text::{Content, Summary};
use oldhand_store::Pace;

use crate::fixture::{Home, Noise, day, everything, files_below, gotcha, ids, save};

/// A memory that has a word of its own in its text, its summary, its tag and its file.
fn canary(number: u32, word: &str) -> Memory {
    Memory {
        summary: Summary::new(&format!("In short: {word}")).unwrap(),
        tags: BTreeSet::from([format!("t-{word}").parse().unwrap()]),
        files: BTreeSet::from([format!("src/{word}.rs").parse().unwrap()]),
        ..gotcha(
            number,
            &format!("The word is {word}, and the rest is common to all."),
        )
    }
}

#[test]
fn a_thousand_erased_words_are_in_no_file() {
    let home = Home::new();
    let store = home.writer();
    let mut noise = Noise(7);
    let words: Vec<String> = (0..1_000).map(|_| noise.word()).collect();
    let memories: Vec<Memory> = (0..1_200)
        .map(|n| {
            let other = noise.word();
            let word = words.get(n as usize).unwrap_or(&other);
            canary(n, word)
        })
        .collect();
    for batch in memories.chunks(250) {
        save(&store, batch);
    }
    // Texts that were replaced must go as well.
    let (gone, kept) = memories.split_at(1_000);
    let replaced: Vec<Memory> = gone[..100]
        .iter()
        .map(|memory| Memory {
            content: Content::new("Another text by now.").unwrap(),
            ..memory.clone()
        })
        .collect();
    save(&store, &replaced);
    store.backup(day(0), Pace::AtOnce).unwrap().unwrap();
    assert!(!home.files_with(&words[500]).is_empty());

    assert_eq!(store.erase(&ids(gone)).unwrap(), 1_000);

    // The stemmer may have cut a word's end off, so its beginning is looked for.
    let beginnings: HashSet<&[u8]> = words.iter().map(|word| &word.as_bytes()[..8]).collect();
    let mut found = Vec::new();
    for file in files_below(home.folder()) {
        let bytes = std::fs::read(&file).unwrap();
        let left = bytes
            .windows(8)
            .filter(|window| window[0].is_ascii_lowercase() && beginnings.contains(window));
        found.extend(left.map(|word| (file.clone(), word.to_vec())));
    }
    assert_eq!(found, []);
    assert_eq!(store.pending_erasure().unwrap(), []);
    assert_eq!(everything(&store).len(), kept.len());
    assert_eq!(store.check().unwrap(), []);
    assert_eq!(store.backups().unwrap().len(), 1);
}

#[test]
fn a_reader_that_holds_the_log_only_delays_the_end_of_an_erasure() {
    let home = Home::new();
    let store = home.writer();
    let word = Noise(1).word();
    save(&store, &[canary(1, &word), gotcha(2, "Stays.")]);
    let reader = rusqlite::Connection::open(home.path()).unwrap();
    reader
        .execute_batch("begin; select count(*) from memory;")
        .unwrap();

    assert_eq!(store.erase(&[gotcha(1, "x").id]).unwrap(), 1);
    assert_eq!(store.pending_erasure().unwrap(), [gotcha(1, "x").id]);
    assert!(!home.files_with(&word).is_empty());

    reader.execute_batch("commit").unwrap();
    drop(store);
    // Whoever opens the database next goes on.
    let store = home.writer();
    assert_eq!(store.pending_erasure().unwrap(), []);
    assert_eq!(home.files_with(&word), [] as [std::path::PathBuf; 0]);
    drop(reader);
}

#[test]
fn what_was_erased_does_not_come_back_from_a_backup() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &[gotcha(1, "Goes for good."), gotcha(2, "Stays.")]);
    let backup = store.backup(day(0), Pace::AtOnce).unwrap().unwrap();
    store.erase(&[gotcha(1, "x").id]).unwrap();
    store.restore(&backup, day(1)).unwrap();
    assert_eq!(ids(&everything(&store)), [gotcha(2, "x").id]);
    let query = TextQuery {
        text: "good".to_owned(),
        filter: Filter::default(),
        limit: 10,
    };
    assert_eq!(store.search(&query).unwrap().hits, []);
}

#[test]
fn what_is_on_its_way_out_comes_back_neither_by_repair_nor_by_restoring() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &[gotcha(1, "Goes."), gotcha(2, "Stays.")]);
    let backup = store.backup(day(0), Pace::AtOnce).unwrap().unwrap();
    let reader = rusqlite::Connection::open(home.path()).unwrap();
    reader
        .execute_batch("begin; select count(*) from memory;")
        .unwrap();
    store.erase(&[gotcha(1, "x").id]).unwrap();
    assert_eq!(store.pending_erasure().unwrap(), [gotcha(1, "x").id]);
    drop(store);
    rusqlite::Connection::open(home.path())
        .unwrap()
        .execute_batch("update memory set content = 'Changed.' where key = 2")
        .unwrap();
    let report = oldhand_store::repair(&home.path(), day(1)).unwrap();
    assert!(!report.done.is_empty());
    reader.execute_batch("commit").unwrap();
    drop(reader);
    let store = home.writer();
    assert_eq!(ids(&everything(&store)), [gotcha(2, "x").id]);

    // The backup is scrubbed by now; one from elsewhere is not, and what was erased stays known.
    let tombstone = Tombstone::of_words("Goes.");
    store.bury(&[tombstone]).unwrap();
    store.restore(&backup, day(2)).unwrap();
    assert!(store.is_buried(&tombstone).unwrap());
    assert_eq!(ids(&everything(&store)), [gotcha(2, "x").id]);
}

#[test]
fn a_rewritten_session_leaves_its_old_words_in_no_file() {
    let home = Home::new();
    let store = home.writer();
    let word = Noise(3).word();
    let mut record = session_saying(&word);
    store.save_session(&record).unwrap();
    store.backup(day(0), Pace::AtOnce).unwrap().unwrap();
    record.body = "{}".to_owned();
    store.rewrite_session(&record).unwrap();
    assert_eq!(home.files_with(&word), [] as [std::path::PathBuf; 0]);
    assert_eq!(store.session(&record.id).unwrap(), Some(record));
}

pub(crate) fn session_saying(word: &str) -> SessionRecord {
    let at = day(0);
    SessionRecord {
        id: "s-1".parse().unwrap(),
        client: "codex".to_owned(),
        started_at: at,
        ended_at: at,
        finalized_at: at,
        digest: "d1".to_owned(),
        body: format!("{{\"said\":\"{word}\"}}"),
        report: "{}".to_owned(),
        errors: BTreeSet::from(["no such table".to_owned()]),
    }
}

#[test]
fn a_removed_session_is_in_no_file() {
    let home = Home::new();
    let store = home.writer();
    let word = Noise(2).word();
    let record = session_saying(&word);
    store.save_session(&record).unwrap();
    store.backup(day(0), Pace::AtOnce).unwrap().unwrap();
    assert!(home.files_with(&word).len() > 1);
    store.remove_session(&record.id).unwrap();
    assert_eq!(home.files_with(&word), [] as [std::path::PathBuf; 0]);
}

#[test]
fn what_a_killed_backup_left_behind_goes_with_the_next_erasure() {
    let home = Home::new();
    let store = home.writer();
    let word = Noise(4).word();
    save(&store, &[canary(1, &word)]);
    let backup = store.backup(day(0), Pace::AtOnce).unwrap().unwrap();
    let left = home
        .folder()
        .join("backups/memory-20270116T080000Z.db.partial");
    std::fs::copy(&backup.path, &left).unwrap();
    store.erase(&[gotcha(1, "x").id]).unwrap();
    assert_eq!(home.files_with(&word), [] as [std::path::PathBuf; 0]);
    assert!(!left.exists() && backup.path.exists());
}

#[test]
fn a_backup_that_is_being_made_is_waited_for() {
    let home = Home::new();
    let store = home.writer();
    let word = Noise(6).word();
    save(&store, &[canary(1, &word)]);
    let backup = store.backup(day(0), Pace::AtOnce).unwrap().unwrap();
    let late = home.folder().join("backups/memory-20270116T080000Z.db");
    let lock = std::fs::File::open(home.folder().join("backups/lock")).unwrap();
    lock.lock().unwrap();
    let eraser = std::thread::spawn(move || {
        store.erase(&[gotcha(1, "x").id]).unwrap();
        store
    });
    std::thread::sleep(std::time::Duration::from_millis(100));
    std::fs::copy(&backup.path, &late).unwrap();
    lock.unlock().unwrap();
    let store = eraser.join().unwrap();
    assert_eq!(home.files_with(&word), [] as [std::path::PathBuf; 0]);
    assert_eq!(store.backups().unwrap().len(), 2);
}
