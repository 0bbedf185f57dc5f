//! A glance beside the same questions to SQLite.

use std::collections::BTreeSet;
use std::fs::File;
use std::time::Duration;

use jiff::Timestamp;
use oldhand_domain::filter::TextQuery;
use oldhand_domain::memory::Memory;
use oldhand_domain::port::{MemoryReader, MemoryStore};
use oldhand_domain::session::SessionStore;
use oldhand_testkit::Dice;
use tempfile::TempDir;

use super::super::{Mode, SqliteStore};
use super::*;
use crate::contract::fixture::{full, id, plain};

const DOCUMENT_NAME: &str = "modules";

/// A store with memories of all kinds, with sessions and a document, closed and handed out.
fn filled() -> (TempDir, Vec<Memory>) {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(&folder.path().join("memory.db"), Mode::Write).unwrap();
    let mut memories = vec![full(1), full(2)];
    for number in 3..400 {
        let long = "long words ".repeat(if number % 50 == 0 { 170 } else { 1 });
        memories.push(plain(number, &format!("Service {number} listens. {long}")));
    }
    memories[7].files = (0..300)
        .map(|number| format!("src/folder/file-{number}.rs").parse().unwrap())
        .collect();
    memories[9].branch = Some("long".repeat(4_000));
    memories[8].confidence = oldhand_domain::confidence::Confidence::clamped(1.0);
    store.change(&mut |_| Ok(memories.clone())).unwrap();
    store
        .touch(&[id(4)], Timestamp::from_second(9_000_000).unwrap())
        .unwrap();
    store
        .put_document(DOCUMENT_NAME, &"a map ".repeat(4_000))
        .unwrap();
    for number in 0..30_i64 {
        let second = |more| Timestamp::from_second(90_000 - number * 600 + more).unwrap();
        let record = SessionRecord {
            id: SessionId::new(format!("session-{number}")).unwrap(),
            client: "codex".to_owned(),
            started_at: second(0),
            ended_at: second(60),
            finalized_at: second(90),
            digest: "x".to_owned(),
            body: "{}".repeat(1 + 3_000 * (number as usize % 3)),
            report: "{}".to_owned(),
            errors: BTreeSet::from(["no such table".to_owned(), format!("error {number}")]),
        };
        store.save_session(&record).unwrap();
    }
    store
        .hand_out(&[], str::to_owned, |_| Ok(Vec::new()))
        .unwrap();
    drop(store);
    settle(&folder);
    (folder, memories)
}

/// Lets the file be older than what a look without locks may trust.
fn settle(folder: &TempDir) {
    let path = folder.path().join("memory.db");
    let file = File::options().write(true).open(path).unwrap();
    let written = file.metadata().unwrap().modified().unwrap();
    file.set_modified(written - Duration::from_secs(9)).unwrap();
}

fn open(folder: &TempDir, mode: Mode) -> SqliteStore {
    SqliteStore::open(&folder.path().join("memory.db"), mode).unwrap()
}

#[test]
fn a_glance_answers_as_sqlite_does_and_does_not_need_it() {
    let (folder, memories) = filled();
    let glance = open(&folder, Mode::Once);
    let truth = open(&folder, Mode::Read);
    for memory in &memories {
        let told = glance.get(memory.id).unwrap();
        assert_eq!(told, truth.get(memory.id).unwrap());
        assert!(told.is_some());
    }
    let ids: Vec<MemoryId> = [3, 1, 350].map(id).to_vec();
    let filter = Filter::default();
    let told = MemoryReader::read(&glance, &ids, &filter).unwrap();
    assert_eq!(told, MemoryReader::read(&truth, &ids, &filter).unwrap());
    assert_eq!(glance.sessions().unwrap(), truth.sessions().unwrap());
    assert_eq!(glance.sessions().unwrap().len(), 30);
    for name in ["session-7", "session-70"] {
        let session = SessionId::new(name).unwrap();
        assert_eq!(
            glance.session(&session).unwrap(),
            truth.session(&session).unwrap()
        );
    }
    for name in [DOCUMENT_NAME, "none"] {
        assert_eq!(
            glance.document(name).unwrap(),
            truth.document(name).unwrap()
        );
    }
    assert_eq!(
        glance.newest_change().unwrap(),
        truth.newest_change().unwrap()
    );
    for text in ["service 7", "listens", "long words", "nowhere", ""] {
        let query = TextQuery {
            text: text.to_owned(),
            filter: Filter::default(),
            limit: 20,
        };
        assert_eq!(
            glance.matches(&query).unwrap(),
            truth.matches(&query).unwrap(),
            "{text}"
        );
    }
    assert!(glance.connection.get().is_none(), "pages told all of that");
    let query = TextQuery {
        text: "日".to_owned(),
        filter: Filter::default(),
        limit: 20,
    };
    assert_eq!(
        glance.matches(&query).unwrap(),
        truth.matches(&query).unwrap()
    );
    let ids: Vec<MemoryId> = [3, 9_999, 1].map(id).to_vec();
    let told = MemoryReader::read(&glance, &ids, &filter).unwrap();
    assert_eq!(told, MemoryReader::read(&truth, &ids, &filter).unwrap());
    assert_eq!(glance.get(id(4_000)).unwrap(), None);
    let listed = glance.list(&filter).unwrap();
    assert_eq!(listed, truth.list(&filter).unwrap());
    assert!(glance.connection.get().is_some(), "only SQLite tells that");
}

#[test]
fn an_empty_store_has_nothing() {
    let folder = TempDir::new().unwrap();
    drop(open(&folder, Mode::Write));
    settle(&folder);
    let glance = open(&folder, Mode::Once);
    assert_eq!(glance.newest_change().unwrap(), 0);
    assert_eq!(glance.sessions().unwrap(), []);
    assert!(glance.connection.get().is_none());
}

#[test]
fn whatever_happened_to_a_file_no_glance_tells_what_was_never_written() {
    let (folder, memories) = filled();
    let path = folder.path().join("memory.db");
    let sound = std::fs::read(&path).unwrap();
    let mut dice = Dice::new(5);
    let (mut lost, mut glances) = (0, 0);
    for _ in 0..60 {
        let mut bytes = sound.clone();
        for _ in 0..200 {
            let at = dice.below(bytes.len() as u64) as usize;
            bytes[at] = dice.below(256) as u8;
        }
        std::fs::write(&path, bytes).unwrap();
        settle(&folder);
        let Ok(glance) = SqliteStore::open(&path, Mode::Once) else {
            continue;
        };
        glances += usize::from(glance.glance.is_some());
        for memory in &memories {
            match glance.get(memory.id) {
                Ok(Some(mut told)) => {
                    // Counters are not sealed.
                    told.usage = memory.usage;
                    told.revision = memory.revision;
                    assert_eq!(&told, memory);
                }
                Ok(None) | Err(_) => lost += 1,
            }
        }
        let _ = glance.sessions();
        let _ = glance.document(DOCUMENT_NAME);
    }
    assert!(lost > 0, "nothing was damaged");
    assert!(glances > 20, "all but {glances} of 60 were read by SQLite");
}

#[test]
fn a_column_that_was_added_later_is_empty_in_older_rows() {
    for step in schema::STEPS {
        let added = step.split("add column").skip(1);
        let mut added = added.filter_map(|rest| rest.split(';').next());
        assert!(added.all(|column| !column.contains("default")), "{step}");
    }
}
