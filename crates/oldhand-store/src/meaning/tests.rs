//! Vectors are kept up with their store, whatever comes in between.

use std::sync::atomic::{AtomicUsize, Ordering};

use oldhand_domain::error::EmbedError;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::port::MemoryStore;
use oldhand_embed::{MODELS, StaticEmbedder};

use super::*;
use crate::Mode;

struct House {
    folder: tempfile::TempDir,
    store: SqliteStore,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("memory.db"), Mode::Write).unwrap();
        Self { folder, store }
    }

    fn save(&self, number: u32, content: &str) -> MemoryId {
        let memory = oldhand_testkit::memory(number, BuiltInType::Gotcha, content);
        self.store
            .change(&mut |_| Ok(vec![memory.clone()]))
            .unwrap();
        memory.id
    }

    fn vectors(&self) -> PathBuf {
        self.folder.path().join("vectors")
    }

    fn keep_up(&self) -> (Meaning, usize) {
        let meaning = Meaning::keep_up(&self.store, &self.vectors(), &StaticEmbedder);
        assert_eq!(meaning.lag, None);
        let embedded = meaning.embedded;
        (meaning, embedded)
    }
}

fn nearest(meaning: &Meaning, question: &str) -> Option<MemoryId> {
    meaning
        .nearest(&StaticEmbedder.embed(question), 1, None)
        .first()
        .map(|(id, _)| *id)
}

#[test]
fn vectors_follow_the_store_change_by_change() {
    let house = House::new();
    let parser = house.save(1, "The parser keeps a stack of open brackets");
    let build = house.save(2, "The build needs protoc installed");
    let (meaning, embedded) = house.keep_up();
    assert_eq!(embedded, 2);
    assert_eq!(nearest(&meaning, "parsing brackets"), Some(parser));
    assert_eq!(house.keep_up().1, 0);
    house.save(1, "Deploys happen on Mondays");
    let (meaning, embedded) = house.keep_up();
    assert_eq!(embedded, 1);
    assert_eq!(nearest(&meaning, "when do we deploy"), Some(parser));
    assert_eq!(nearest(&meaning, "what the build needs"), Some(build));
}

#[test]
fn erased_memories_lose_their_vector() {
    let house = House::new();
    let parser = house.save(1, "The parser keeps a stack of open brackets");
    house.save(2, "The build needs protoc installed");
    house.keep_up();
    house.store.erase(&[parser]).unwrap();
    forget(&house.vectors(), &StaticEmbedder, &[parser]).unwrap();
    let (meaning, _) = house.keep_up();
    assert_ne!(nearest(&meaning, "parsing brackets"), Some(parser));
    assert!(meaning.vectors(&[parser]).is_empty());
}

#[test]
fn a_vector_that_could_not_be_overwritten_goes_when_they_are_next_kept_up() {
    let house = House::new();
    let parser = house.save(1, "The parser keeps a stack of open brackets");
    let build = house.save(2, "The build needs protoc installed");
    house.keep_up();
    let files = Files::new(&house.vectors(), &StaticEmbedder);
    let is_kept = || {
        let bytes = fs::read(&files.vectors).unwrap();
        let key = Key::from(parser).bytes();
        bytes.windows(key.len()).any(|window| window == key)
    };
    let other = Writer::open(
        &files.vectors,
        Embedder::model(&StaticEmbedder),
        Embedder::dimensions(&StaticEmbedder),
    )
    .unwrap();
    house.store.erase(&[parser]).unwrap();
    assert!(forget(&house.vectors(), &StaticEmbedder, &[parser]).is_err());
    drop(other);
    assert!(is_kept());
    let (meaning, embedded) = house.keep_up();
    assert!(!is_kept());
    assert!(embedded <= 1, "the others are not read again");
    assert_eq!(nearest(&meaning, "what the build needs"), Some(build));
    assert!(!files.owes.exists());
}

#[test]
fn vectors_with_damaged_rows_are_made_anew_after_the_search_that_met_them() {
    let asks: [fn(&Meaning, &str) -> bool; 2] = [
        |meaning, text| nearest(meaning, text).is_some(),
        |meaning, text| meaning.how_near(&StaticEmbedder.embed(text)).is_some(),
    ];
    for is_found in asks {
        made_anew_after(is_found);
    }
}

fn made_anew_after(is_found: fn(&Meaning, &str) -> bool) {
    let house = House::new();
    let parser = house.save(1, "The parser keeps a stack of open brackets");
    house.save(2, "The build needs protoc installed");
    house.keep_up();
    assert_eq!(count_damaged(&house.vectors(), &StaticEmbedder), 0);
    let file = Files::new(&house.vectors(), &StaticEmbedder).vectors;
    let mut bytes = fs::read(&file).unwrap();
    let (middle, noise) = (bytes.len() / 8, 0x5a);
    bytes[middle..].iter_mut().for_each(|byte| *byte ^= noise);
    fs::write(&file, bytes).unwrap();
    assert_eq!(count_damaged(&house.vectors(), &StaticEmbedder), 2);
    let (meaning, embedded) = house.keep_up();
    assert_eq!(embedded, 0, "nobody has looked at the rows yet");
    assert!(!is_found(&meaning, "parsing brackets"));
    let (meaning, embedded) = house.keep_up();
    assert_eq!(embedded, 2);
    assert!(is_found(&meaning, "parsing brackets"));
    assert_eq!(nearest(&meaning, "parsing brackets"), Some(parser));
}

#[test]
fn missing_or_damaged_vectors_come_back_by_themselves() {
    let house = House::new();
    let parser = house.save(1, "The parser keeps a stack of open brackets");
    house.keep_up();
    for file in fs::read_dir(house.vectors()).unwrap() {
        let file = file.unwrap().path();
        let whole = fs::read(&file).unwrap();
        for damage in [
            None,
            Some(b"nonsense".to_vec()),
            Some(whole[..whole.len() / 2].to_vec()),
        ] {
            match damage {
                None => fs::remove_file(&file).unwrap(),
                Some(bytes) => fs::write(&file, bytes).unwrap(),
            }
            assert_eq!(
                nearest(&house.keep_up().0, "parsing brackets"),
                Some(parser),
                "{}",
                file.display()
            );
        }
    }
}

/// Stops whoever asks it after so many answers, as a kill would.
struct Stopping {
    after: usize,
    asked: AtomicUsize,
}

impl Stopping {
    fn after(after: usize) -> Self {
        let asked = AtomicUsize::new(0);
        Self { after, asked }
    }
}

impl Embedder for Stopping {
    fn model(&self) -> &str {
        Embedder::model(&StaticEmbedder)
    }

    fn dimensions(&self) -> usize {
        Embedder::dimensions(&StaticEmbedder)
    }

    fn prefixes(&self) -> &[usize] {
        &[]
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if self.asked.fetch_add(1, Ordering::Relaxed) < self.after {
            return Embedder::embed(&StaticEmbedder, texts);
        }
        Err(EmbedError::Unavailable {
            model: self.model().to_owned(),
            source: "stopped".into(),
        })
    }
}

#[test]
fn vectors_that_were_stopped_while_they_started_over_come_back() {
    let house = House::new();
    let parser = house.save(1, "The parser keeps a stack of open brackets");
    house.keep_up();
    let files = Files::new(&house.vectors(), &StaticEmbedder);
    let behind = || behind(&house.store, &house.vectors(), &StaticEmbedder);
    assert_eq!(behind(), 0);
    fs::write(&files.vectors, "nonsense").unwrap();
    assert_eq!(behind(), 1, "they cannot be read");
    let stopped = Meaning::keep_up(&house.store, &house.vectors(), &Stopping::after(0));
    assert!(stopped.lag.is_some());
    assert_eq!(behind(), 1, "they are empty");
    let (meaning, _) = house.keep_up();
    assert_eq!(nearest(&meaning, "parsing brackets"), Some(parser));
}

#[test]
fn vectors_that_were_stopped_while_they_were_compared_are_compared_again() {
    let house = House::new();
    let parser = house.save(1, "The parser keeps a stack of open brackets");
    house.keep_up();
    forget(&house.vectors(), &StaticEmbedder, &[parser]).unwrap();
    house.save(2, "The build needs protoc installed");
    let stopped = Meaning::keep_up(&house.store, &house.vectors(), &Stopping::after(1));
    assert!(stopped.lag.is_some());
    let (meaning, _) = house.keep_up();
    assert_eq!(nearest(&meaning, "parsing brackets"), Some(parser));
}

#[test]
fn lost_vectors_come_back_together() {
    let house = House::new();
    let lost: Vec<MemoryId> = (1..=20)
        .map(|number| house.save(number, &format!("Service {number} listens on a port")))
        .collect();
    house.keep_up();
    forget(&house.vectors(), &StaticEmbedder, &lost).unwrap();
    house.save(21, "The build needs protoc installed");
    let embedder = Stopping::after(usize::MAX);
    Meaning::keep_up(&house.store, &house.vectors(), &embedder);
    assert_eq!(embedder.asked.into_inner(), 2, "once for what is new");
    assert_eq!(count(&house.vectors(), &StaticEmbedder), 21);
}

#[test]
fn the_model_that_misses_the_least_answers() {
    let house = House::new();
    let fullest = |chosen: &'static dyn Embedder| {
        let models = std::iter::once(chosen).chain(MODELS);
        find_fullest(&house.store, &house.vectors(), models).map(Embedder::model)
    };
    let [old, new] = MODELS;
    house.save(1, "The parser keeps a stack of open brackets");
    assert_eq!(fullest(new), None);
    house.keep_up();
    let empty = Files::new(&house.vectors(), new).vectors;
    rebuild(&empty, new.model(), new.dimensions(), std::iter::empty()).unwrap();
    assert_eq!(fullest(new), Some(old.model()), "it has none yet");
    Meaning::keep_up(&house.store, &house.vectors(), new);
    assert_eq!(fullest(new), Some(new.model()));
    assert_eq!(fullest(old), Some(old.model()));
}

#[test]
fn vectors_of_models_that_nobody_knows_any_more_go() {
    let house = House::new();
    house.save(1, "The parser keeps a stack of open brackets");
    house.keep_up();
    let old = house.vectors().join("static-384-0.vec");
    fs::write(&old, "vectors").unwrap();
    drop_unknown(&house.vectors(), &MODELS);
    assert!(!old.exists());
    assert_eq!(house.keep_up().1, 0, "the known ones stay");
}

#[test]
fn a_lost_vector_comes_back_with_the_next_change() {
    let house = House::new();
    let parser = house.save(1, "The parser keeps a stack of open brackets");
    house.keep_up();
    forget(&house.vectors(), &StaticEmbedder, &[parser]).unwrap();
    house.save(2, "The build needs protoc installed");
    assert_eq!(
        nearest(&house.keep_up().0, "parsing brackets"),
        Some(parser)
    );
    start_over(&house.vectors()).unwrap();
    start_over(&house.vectors()).unwrap();
    assert_eq!(house.keep_up().1, 2);
}

#[test]
fn an_empty_store_has_no_neighbours() {
    let house = House::new();
    assert_eq!(nearest(&house.keep_up().0, "anything"), None);
}

#[test]
fn who_asks_the_same_meanwhile_waits_for_what_is_found_and_nobody_else_does() {
    let house = House::new();
    house.save(1, "The parser keeps a stack of open brackets");
    let (meaning, _) = house.keep_up();
    let question = StaticEmbedder.embed("parsing brackets");
    let searching = meaning.asked(&question, 1);
    assert!(Arc::ptr_eq(&searching, &meaning.asked(&question, 1)));
    assert!(!Arc::ptr_eq(&searching, &meaning.asked(&question, 2)));
    let other = StaticEmbedder.embed("when do we deploy");
    assert!(!Arc::ptr_eq(&searching, &meaning.asked(&other, 1)));
    assert!(meaning.is_asked(&other, 1));
    assert!(!meaning.is_asked(&question, 1));
}

#[test]
fn vectors_that_are_kept_open_are_opened_again_when_something_is_learned_or_erased() {
    keep_open();
    let house = House::new();
    let parser = house.save(1, "The parser keeps a stack of open brackets");
    house.keep_up();
    let open = || {
        let newest = house.store.newest_change().unwrap();
        Meaning::following(&house.vectors(), &StaticEmbedder, newest).unwrap()
    };
    let first = open();
    for _ in 0..3 {
        let again = open();
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(nearest(&again, "parsing brackets"), Some(parser));
        // Another question, so that the one before is not answered from memory.
        assert_eq!(nearest(&again, "stacks"), Some(parser));
    }
    let build = house.save(2, "The build needs protoc installed");
    house.keep_up();
    assert_eq!(nearest(&open(), "what the build needs"), Some(build));
    house.store.erase(&[build]).unwrap();
    forget(&house.vectors(), &StaticEmbedder, &[build]).unwrap();
    house.keep_up();
    assert_eq!(nearest(&open(), "what the build needs"), Some(parser));
    assert!(open().vectors(&[build]).is_empty());
}
