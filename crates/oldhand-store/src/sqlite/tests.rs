//! The contract of stores, and what is SQLite's own.

use std::ops::Deref;

use oldhand_domain::payload::BuiltInType;
use tempfile::TempDir;

use super::*;

/// A store in a folder that is removed with it.
struct Temporary {
    store: SqliteStore,
    _folder: TempDir,
}

impl Temporary {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("projects/a/memory.db");
        Self {
            store: SqliteStore::open(&path, Mode::Write).unwrap(),
            _folder: folder,
        }
    }
}

impl Deref for Temporary {
    type Target = SqliteStore;

    fn deref(&self) -> &SqliteStore {
        &self.store
    }
}

crate::contract!(Temporary::new());

#[test]
fn a_database_of_a_newer_oldhand_is_not_handed_out() {
    let store = Temporary::new();
    let hand_out = || store.hand_out(&[], str::to_owned, |_| Ok(Vec::new()));
    hand_out().unwrap();
    handout::withdraw(store.path()).unwrap();
    let newer = Connection::open(store.path()).unwrap();
    let version = schema::STEPS.len() as u32 + 1;
    newer.pragma_update(None, "user_version", version).unwrap();
    assert!(matches!(hand_out(), Err(StoreError::NewerSchema { .. })));
    assert!(!handout::is_there(store.path()));
}

#[test]
fn an_index_that_is_put_together_answers_as_before() {
    let store = Temporary::new();
    let never = "insert into memory_words (memory_words, rank) values ('automerge', 0)";
    store.lock().unwrap().execute(never, []).unwrap();
    for number in 0..12 {
        let content = format!("Service {number} listens on a port of its own");
        let one = oldhand_testkit::memory(number, BuiltInType::Gotcha, &content);
        store.change(&mut |_| Ok(vec![one.clone()])).unwrap();
    }
    let hand_out = || store.hand_out(&[], str::to_owned, |_| Ok(Vec::new()));
    hand_out().unwrap();
    let matches = || {
        let query = TextQuery {
            text: "service 7 port".to_owned(),
            filter: Filter::default(),
            limit: 20,
        };
        store.matches(&query).unwrap()
    };
    let before = matches();
    assert!(index::is_scattered(&store.lock().unwrap()).unwrap());
    store.put_words_together().unwrap();
    assert!(!index::is_scattered(&store.lock().unwrap()).unwrap());
    assert_eq!(matches(), before);
    assert_eq!(before.hits.len(), 12);
    assert!(handout::is_there(store.path()), "no memory changed");
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]
    #[test]
    fn any_text_at_all_can_be_searched(text in "(\\PC|[\"*^():+-]|AND|OR|NOT|NEAR){0,40}") {
        let store = Temporary::new();
        let query = TextQuery { text, filter: Filter::default(), limit: 3 };
        proptest::prop_assert!(store.search(&query).is_ok());
    }
}
