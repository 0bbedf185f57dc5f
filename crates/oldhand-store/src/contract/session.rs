//! What a store of finished sessions must do.

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::id::SessionId;
use oldhand_domain::memory::{Memory, Usage};
use oldhand_domain::port::MemoryStore;
use oldhand_domain::session::{Finished, SessionRecord, SessionStore, Tombstone};

use super::fixture::{id, minute, plain, save, session};

pub fn sessions_are_replaced_found_and_removed(store: &impl SessionStore) {
    let record = |id: &str, started: i64, digest: &str| SessionRecord {
        id: SessionId::new(id).expect("a plain id"),
        client: "claude-code".to_owned(),
        started_at: Timestamp::from_second(started).expect("a time in range"),
        ended_at: Timestamp::from_second(started + 60).expect("a time in range"),
        finalized_at: Timestamp::from_second(started + 90).expect("a time in range"),
        digest: digest.to_owned(),
        body: "{\"edited\":[\"src/a.rs\"]}".to_owned(),
        report: "{}".to_owned(),
        errors: BTreeSet::from([digest.to_owned(), "no such table".to_owned()]),
    };
    let (early, late) = (record("aa:1", 100, "x"), record("ab-2", 50_000, "y"));
    store.save_session(&late).expect("save");
    store.save_session(&early).expect("save");
    assert_eq!(store.session(&early.id).expect("read"), Some(early.clone()));
    assert_eq!(
        store.sessions().expect("list"),
        [early.clone(), late.clone()]
    );
    assert_eq!(
        store.find_sessions("ab").expect("find"),
        std::slice::from_ref(&late.id)
    );
    assert_eq!(store.find_sessions("a").expect("find").len(), 2);
    let with_error = |error: &str, limit| store.sessions_with_error(error, limit).expect("find");
    assert_eq!(with_error("x", 5), std::slice::from_ref(&early));
    assert_eq!(
        with_error("no such table", 5),
        [late.clone(), early.clone()]
    );
    assert_eq!(with_error("no such table", 1).len(), 1);
    let again = record("aa:1", 100, "z");
    store.save_session(&again).expect("save");
    assert_eq!(
        store.sessions().expect("list"),
        [again.clone(), late.clone()]
    );
    assert_eq!(with_error("x", 5), [], "an error of the record it replaced");
    store.rewrite_session(&again).expect("rewrite");
    assert_eq!(store.session(&again.id).expect("read"), Some(again.clone()));
    store.remove_session(&again.id).expect("remove");
    store
        .remove_session(&again.id)
        .expect("remove what is gone");
    assert_eq!(store.session(&again.id).expect("read"), None);
    assert_eq!(store.sessions().expect("list"), std::slice::from_ref(&late));
    assert_eq!(with_error("no such table", 5), [late]);
}

pub fn a_session_counts_what_it_used(store: &(impl MemoryStore + SessionStore)) {
    let memory = plain(1, "Run migrations first.");
    save(store, std::slice::from_ref(&memory));
    let at = minute(7);
    let record = SessionRecord {
        id: session("s-1"),
        client: "claude-code".to_owned(),
        started_at: at,
        ended_at: at,
        finalized_at: at,
        digest: "x".to_owned(),
        body: "{}".to_owned(),
        report: "{}".to_owned(),
        errors: BTreeSet::new(),
    };
    let finish = |broken: Option<StoreError>| {
        let mut broken = broken;
        store.finish_session(&mut |_| {
            broken.take().map_or(Ok(()), Err)?;
            Ok(Finished {
                record: record.clone(),
                memories: Vec::new(),
                used: vec![(id(1), at), (id(9), at)],
            })
        })
    };
    assert!(finish(Some(StoreError::DiskFull { doing: "save" })).is_err());
    assert_eq!(store.get(id(1)).unwrap_or(None), Some(memory.clone()));
    finish(None).expect("finish");
    let usage = Usage {
        last_accessed_at: at,
        access_count: memory.usage.access_count + 1,
    };
    let expected = Memory { usage, ..memory };
    assert_eq!(store.get(id(1)).unwrap_or(None), Some(expected));
}

pub fn what_was_erased_is_recognised(store: &impl SessionStore) {
    let (said, again) = (
        Tombstone::of_words("Never  retry"),
        Tombstone::of_words("never retry"),
    );
    assert!(!store.is_buried(&said).expect("look"));
    store.bury(&[said]).expect("bury");
    store.bury(&[again]).expect("bury what is buried");
    assert!(store.is_buried(&again).expect("look"));
    let key = Tombstone::of_key("never retry");
    assert!(
        !store.is_buried(&key).expect("look"),
        "a key is no statement"
    );
}
