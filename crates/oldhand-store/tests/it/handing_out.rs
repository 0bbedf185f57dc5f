//! What is handed out is what the database holds, or it is not there.

use std::cell::Cell;

use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::memory::Memory;
use oldhand_domain::port::{MemoryReader, MemoryStore};
use oldhand_domain::session::SessionStore;
use oldhand_store::handout::{Handout, document_key, is_there};
use oldhand_store::{Pace, SqliteStore, repair};
use oldhand_testkit::Dice;

use crate::erasing::session_saying;
use crate::fixture::{Home, day, gotcha, ids, save};

/// How many memories there are, by the key `count`.
fn count(reader: &dyn MemoryReader) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
    let memories = reader.ids(&Filter::default())?;
    Ok(vec![("count".to_owned(), vec![memories.len() as u8])])
}

fn hand_out(store: &SqliteStore) {
    let met = |message: &str| format!("met:{message}");
    store.hand_out(&["trust"], met, count).unwrap();
}

#[test]
fn others_may_write_while_it_is_made_and_what_they_wrote_is_in_it() {
    let home = Home::new();
    let (store, other) = (home.writer(), home.writer());
    save(&store, &[gotcha(1, "Run migrations first.")]);
    let tries = Cell::new(0);
    let count_slowly = |reader: &dyn MemoryReader| {
        let counted = count(reader);
        tries.set(tries.get() + 1);
        // Only the first is too slow.
        if tries.get() == 1 {
            save(&other, &[gotcha(2, "Use tabs.")]);
        }
        counted
    };
    store.hand_out(&[], str::to_owned, count_slowly).unwrap();
    let handout = Handout::open(&home.path()).unwrap();
    assert_eq!(handout.answer("count").unwrap(), Some(vec![2]));
    assert_eq!(tries.get(), 2);
}

#[test]
fn every_change_takes_the_handout_away_and_counting_a_use_does_not() {
    let home = Home::new();
    let store = home.writer();
    let memories = [gotcha(1, "Run migrations first."), gotcha(2, "Use tabs.")];
    let changes: [(&str, &dyn Fn()); 6] = [
        ("saving", &|| save(&store, &memories)),
        ("a document", &|| {
            store.put_document("trust", "confident").unwrap();
        }),
        ("a session", &|| {
            store.save_session(&session_saying("zebra")).unwrap();
        }),
        ("erasing", &|| {
            store.erase(&ids(&memories[..1])).unwrap();
        }),
        ("a fact", &|| store.put_fact("origin", "here").unwrap()),
        ("restoring", &|| {
            let backup = store.backup(day(0), Pace::AtOnce).unwrap().unwrap();
            assert!(is_there(&home.path()), "a backup changes nothing");
            store.restore(&backup, day(0)).unwrap();
        }),
    ];
    for (name, change) in changes {
        hand_out(&store);
        change();
        assert!(!is_there(&home.path()), "{name}");
    }
    hand_out(&store);
    store.touch(&ids(&memories[1..]), day(1)).unwrap();
    let handout = Handout::open(&home.path()).unwrap();
    let answer = |key: &str| handout.answer(key).unwrap();
    assert_eq!(answer("count"), Some(vec![1]));
    assert_eq!(answer(&document_key("trust")), Some(b"confident".to_vec()));
    assert_eq!(answer("met:no such table"), Some(Vec::new()));
    assert_eq!(answer("met:another"), None);
    drop(store);
    repair(&home.path(), day(1)).unwrap();
    assert!(!is_there(&home.path()), "repairing");
}

#[test]
fn words_match_with_a_handout_as_without_one() {
    let home = Home::new();
    let store = home.writer();
    let mut dice = Dice::new(9);
    let mut memories: Vec<Memory> = (1..=300)
        .map(|number| gotcha(number, &dice.prose(12)))
        .collect();
    memories.push(gotcha(301, "getUserById parses the Größe of a café"));
    save(&store, &memories);
    let mut questions: Vec<String> = (0..40).map(|at| dice.prose(1 + at % 5)).collect();
    questions.extend(["get user", "parsing", "größe", "café", "nowhere", ""].map(str::to_owned));
    let ask = || -> Vec<_> {
        let matches = questions.iter().map(|text| {
            let query = TextQuery {
                text: text.clone(),
                filter: Filter::default(),
                limit: 100,
            };
            store.matches(&query).unwrap()
        });
        matches.collect()
    };
    for round in 0..3 {
        let told = ask();
        assert!(!is_there(&home.path()));
        hand_out(&store);
        assert_eq!(ask(), told, "{round}");
        // One is deleted, one says something else.
        memories[round].deleted_since = Some(day(1));
        memories[10 + round] = gotcha(11 + round as u32, &dice.prose(12));
        save(&store, &memories);
    }
}
