//! Lists tell what the index would, or nothing.

use std::path::PathBuf;

use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_testkit::{Dice, memory_id};
use tempfile::TempDir;

use super::super::rate::teach;
use super::super::search::best_keys;
use super::*;
use crate::handout::{NEWEST_CHANGE, put};

const ROWS: i64 = 21_000;

struct Filled {
    folder: TempDir,
    connection: Connection,
}

impl Filled {
    /// Made-up prose of which some words are in all rows, some in half of them and most in few, handed out; some rows are gone.
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let connection = Connection::open(folder.path().join("memory.db")).unwrap();
        let tables = "create table memory (
                key integer primary key, id text, deleted_since text, deprecated_since text);
            create table memory_change (number integer primary key autoincrement);
            insert into memory_change default values;
            create virtual table memory_words using fts5 (
                content, summary, tags, files, tokenize = 'porter unicode61 remove_diacritics 2');
            insert into memory_words (memory_words, rank) values ('secure-delete', 1);";
        connection.execute_batch(tables).unwrap();
        teach(&connection).unwrap();
        let mut dice = Dice::new(3);
        let transaction = connection.unchecked_transaction().unwrap();
        for key in 1..=ROWS {
            let often = if key % 2 == 0 { "often café" } else { "" };
            let parsed = ["parse", "parsing", "parses", ""][key as usize % 4];
            let content = format!("everywhere {} {often} {parsed}", dice.prose(4));
            let rest = [dice.prose(key as usize % 3), dice.prose(1), String::new()];
            let words = "insert into memory_words (rowid, content, summary, tags, files)
                values (?1, ?2, ?3, ?4, ?5)";
            let columns = (key, content, &rest[0], &rest[1], &rest[2]);
            let mut statement = transaction.prepare_cached(words).unwrap();
            statement.execute(columns).unwrap();
            let memory = "insert into memory (key, id, deleted_since, deprecated_since)
                values (?1, ?2, iif(?1 % 10 = 3, 'now', null), iif(?1 % 10 = 4, 'now', null))";
            let mut statement = transaction.prepare_cached(memory).unwrap();
            let id = memory_id(key as u32).to_string();
            statement.execute((key, id)).unwrap();
        }
        let gone = "delete from memory_words where rowid % 97 = 5";
        transaction.execute(gone, []).unwrap();
        transaction.commit().unwrap();
        let filled = Self { folder, connection };
        filled.hand_out(write(&filled.connection).unwrap());
        filled
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("memory.db")
    }

    fn hand_out(&self, mut answers: Vec<(String, Vec<u8>)>) {
        answers.push((NEWEST_CHANGE.to_owned(), b"1".to_vec()));
        put(&self.path(), &answers).unwrap();
    }

    fn read(&self, words: &[&str]) -> Option<Lists> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Lists::read(Ground::Database(&self.connection), &self.path(), &words)
    }
}

#[test]
fn lists_answer_as_the_index_does() {
    let filled = Filled::new();
    let mut dice = Dice::new(4);
    let mut questions: Vec<String> = (0..120).map(|at| dice.prose(1 + at % 6)).collect();
    let own = [
        "everywhere",
        "often",
        "often everywhere",
        "parsed",
        "parsing often",
        "parse parses",
        "nowhere",
        "nowhere often",
        "café",
        "often ba",
        "everywhere ba ce di",
    ];
    questions.extend(own.map(str::to_owned));
    let mut told = 0;
    for text in &questions {
        let query = TextQuery {
            text: text.clone(),
            filter: Filter::default(),
            limit: 100,
        };
        let path = filled.path();
        let listed = best_keys(&filled.connection, Some(&path), &query);
        assert_eq!(
            listed,
            best_keys(&filled.connection, None, &query),
            "{text}"
        );
        told += listed.0.len();
    }
    assert!(told > 5_000, "{told}");
}

#[test]
fn what_only_the_index_can_tell_is_not_told() {
    let filled = Filled::new();
    assert!(filled.read(&["often", "nowhere"]).is_some());
    assert!(filled.read(&["café"]).is_none(), "it may be several words");
    let lists = filled.read(&["everywhere"]).unwrap();
    assert!(
        lists.rate(&[("everywhere", None)], true).is_none(),
        "too long a list"
    );
    let change = "insert into memory_change default values";
    filled.connection.execute(change, []).unwrap();
    assert!(filled.read(&["often"]).is_none(), "something changed since");
}

#[test]
fn a_list_that_was_never_written_is_damage() {
    let filled = Filled::new();
    let mut answers = write(&filled.connection).unwrap();
    // One of many rows and one of few.
    let terms = ["ce", "bace"];
    for (key, bytes) in &mut answers {
        let is_of = |term: &&str| *key == word_key(term) || *key == list_key(term);
        if terms.iter().any(is_of) {
            let half = bytes.len() / 2;
            bytes[half..].fill(0);
        }
    }
    filled.hand_out(answers);
    for term in terms {
        let rate = |lists: Lists| lists.rate(&[(term, None)], false);
        assert!(filled.read(&[term]).and_then(rate).is_none(), "{term}");
    }
    assert!(filled.read(&["often"]).is_some());
}

#[test]
fn lists_know_the_ids_of_what_lives() {
    let filled = Filled::new();
    let lists = filled.read(&["often"]).unwrap();
    for row in [1, 2, 3, 4, 5, 13, 14, 1_000, ROWS] {
        let lives = !matches!(row % 10, 3 | 4);
        let id = lives.then(|| memory_id(row as u32));
        assert!(lists.id(row).is_ok_and(|told| told == id), "{row}");
    }
    for row in [-1, 0, ROWS + 1, i64::MAX] {
        assert!(lists.id(row).is_err(), "{row}");
    }
}

#[test]
fn ids_that_were_never_written_are_damage() {
    let filled = Filled::new();
    let mut answers = write(&filled.connection).unwrap();
    for (_, bytes) in answers.iter_mut().filter(|(key, _)| key == IDS) {
        let half = bytes.len() / 2;
        bytes[half..].fill(0);
    }
    filled.hand_out(answers);
    let lists = filled.read(&["often"]).unwrap();
    assert!(lists.id(1).is_ok());
    assert!(lists.id(ROWS - 5).is_err());
}

#[test]
fn numbers_of_any_size_are_read_back_and_none_has_a_zero() {
    for number in [1, 127, 128, 129, 16_384, u64::from(u32::MAX), 1 << 40] {
        let mut bytes = Vec::new();
        push(&mut bytes, number);
        assert!(!bytes.contains(&0), "{number}");
        assert_eq!(take(&mut bytes.as_slice()), Some(number));
    }
    assert_eq!(take(&mut [0].as_slice()), None);
    assert_eq!(take(&mut [0x81].as_slice()), None);
}

#[test]
fn rows_beyond_all_numbers_are_damage() {
    let most = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    let bytes: Vec<u8> = [most.as_slice(), &[2, 3], &most, &[2, 3]].concat();
    assert!(rows_of(&bytes[..11], 1).is_none(), "the end of all numbers");
    assert!(rows_of(&bytes, 2).is_none());
    assert_eq!(rows_of(&[7, 2, 3, 1, 2, 3], 2), Some(vec![7, 8]));
    assert!(
        rows_of(&[7, 2, 3, 1, 2, 3], 1).is_none(),
        "more than it says"
    );
    assert!(rows_of(&[7, 2, 3], 2).is_none(), "less than it says");
}
