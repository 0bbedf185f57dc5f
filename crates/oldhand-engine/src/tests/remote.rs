//! A model that is nothing but texts in and vectors out, as one over HTTP would be, does all that the built-in one does.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;

use oldhand_domain::error::EmbedError;
use oldhand_domain::port::Embedder;
use oldhand_domain::words;
use oldhand_recall::candidate::{Judged, UNMEASURED};
use oldhand_recall::trust::TrustLevel;
use oldhand_store::meaning::{self, Meaning};
use oldhand_store::{Mode, SqliteStore};

use super::*;
use crate::code_search::{PieceOfCode, search_code};
use crate::context::{ContextRequest, Why};
use crate::silence::is_silent;

/// The words of a text by their hashes. What is asked is told from what is kept, as by the prefixes of real models.
#[derive(Default)]
struct Remote(Mutex<Vec<Call>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Texts(usize),
    Questions(usize),
}

const MODEL: &str = "remote-100";
const DIMENSIONS: usize = 100;

impl Remote {
    /// What it was asked since the last time.
    fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    fn answer(&self, call: Call, prefix: &str, texts: &[&str]) -> Vec<Vec<f32>> {
        self.0.lock().unwrap().push(call);
        let vector = |text: &&str| {
            let mut vector = vec![0.0_f32; DIMENSIONS];
            for word in words::split(&format!("{prefix} {text}")) {
                // It knows one thing that no letters say.
                let word = if word == "oven" { "stove" } else { &word };
                if words::is_telling(word) {
                    let letters = words::stem(word).bytes().map(usize::from);
                    let hash = letters.fold(7, |hash, letter| (hash * 31 + letter) % 100_003);
                    vector[hash % DIMENSIONS] += 1.0;
                }
            }
            let length = vector.iter().map(|number| number * number).sum::<f32>();
            vector.iter().map(|number| number / length.sqrt()).collect()
        };
        texts.iter().map(vector).collect()
    }
}

impl Embedder for Remote {
    fn model(&self) -> &str {
        MODEL
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn prefixes(&self) -> &[usize] {
        &[]
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(self.answer(Call::Texts(texts.len()), "passage", texts))
    }

    fn embed_questions(&self, questions: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(self.answer(Call::Questions(questions.len()), "query", questions))
    }
}

/// A real store with the files of its vectors.
struct Kept {
    store: SqliteStore,
    ids: Counting,
    folder: tempfile::TempDir,
}

impl Kept {
    /// Remembers what is taught by way of a model.
    fn taught(embedder: &dyn Embedder) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let kept = Self {
            store: SqliteStore::open(&folder.path().join("memory.db"), Mode::Write).unwrap(),
            ids: Counting(AtomicU64::new(0)),
            folder,
        };
        for content in MEMORIES {
            kept.remember(embedder, content);
        }
        kept
    }

    fn remember(&self, embedder: &dyn Embedder, content: &str) -> Written {
        let engine = Engine::new(&self.store, None, embedder, &self.ids);
        let receipt = engine.remember(Shelf::Project, gotcha(content), day(0));
        receipt.unwrap().outcome
    }

    fn vectors(&self) -> PathBuf {
        self.folder.path().join("vectors")
    }

    fn keep_up(&self, embedder: &dyn Embedder) -> Meaning {
        let meaning = Meaning::keep_up(&self.store, &self.vectors(), embedder);
        assert_eq!(meaning.lag, None);
        meaning
    }

    fn search(&self, embedder: &dyn Embedder, meaning: &Meaning, text: &str, weak: Weak) -> Answer {
        let engine = Engine::new(&self.store, None, embedder, &self.ids);
        let request = SearchRequest {
            text: text.to_owned(),
            filter: Filter::default(),
            shelf: None,
            stale: Stale::Hidden,
            near: BTreeSet::new(),
            recent: RecentWork::Ordinary,
            phase: None,
            reasons: Reasons::Read,
            weak,
            limit: 10,
        };
        let engine = engine.with_vectors(Shelf::Project, meaning);
        engine.search(&request, &|_| None, day(0)).unwrap()
    }
}

const MEMORIES: [&str; 3] = [
    "The stove needs ten minutes before the bread goes in",
    "Invoices are rounded to whole cents",
    "The parser keeps a stack of open brackets",
];

fn first(answer: &Answer) -> Option<&str> {
    let (_, candidate) = answer.results.first()?;
    Some(candidate.memory.content.as_str())
}

#[test]
fn what_is_remembered_is_compared_as_texts_and_confirmed_when_it_is_said_again() {
    let remote = Remote::default();
    let kept = Kept::taught(&remote);
    let again = kept.remember(&remote, MEMORIES[1]);
    assert!(matches!(again, Written::Merged { .. }), "{again:?}");
    let calls = remote.calls();
    let is_text = |call: &Call| matches!(call, Call::Texts(_));
    assert!(calls.iter().all(is_text), "{calls:?}");
}

#[test]
fn a_search_asks_once_and_shows_in_order_what_nobody_measured() {
    let remote = Remote::default();
    let kept = Kept::taught(&remote);
    remote.calls();
    let meaning = kept.keep_up(&remote);
    assert_eq!(remote.calls(), [Call::Texts(3)]);
    let answer = kept.search(&remote, &meaning, "how long before the bread", Weak::Hidden);
    assert_eq!(
        remote.calls(),
        [Call::Questions(1)],
        "and no word by itself"
    );
    assert_eq!(first(&answer), Some(MEMORIES[0]));
    for (_, candidate) in &answer.results {
        let because = &candidate.because;
        assert_eq!(because.judged, Judged::Unmeasured);
        assert!(because.to_string().starts_with(UNMEASURED), "{because}");
    }
    // Nobody can tell whether what shares no word is near: it is shown to whoever asks for guesses.
    let guessed = |weak| kept.search(&remote, &meaning, "preheat an oven", weak);
    assert_eq!(first(&guessed(Weak::Shown)), Some(MEMORIES[0]));
    let hidden = guessed(Weak::Hidden);
    assert_eq!((hidden.results.len(), hidden.weak), (0, 3));
}

#[test]
fn nothing_is_volunteered_and_it_is_said_why() {
    let remote = Remote::default();
    let kept = Kept::taught(&remote);
    let meaning = kept.keep_up(&remote);
    remote.calls();
    let task = "the stove needs ten minutes before the bread goes in";
    let gone = BTreeSet::new();
    assert!(is_silent(task, &remote, &meaning, 3, &gone, |_| {}));
    assert_eq!(remote.calls(), [], "a hook waits for no model");
    let engine = Engine::new(&kept.store, None, &remote, &kept.ids);
    let engine = engine.with_vectors(Shelf::Project, &meaning);
    let request = ContextRequest {
        task: task.to_owned(),
        phase: None,
        role: None,
        files: Vec::new(),
        budget: None,
        branch: None,
        level: TrustLevel::Standard,
    };
    let context = engine.context(&request, day(0)).unwrap();
    assert_eq!(context.text, "");
    let why: Vec<&Why> = context.left_out.iter().map(|left| &left.why).collect();
    assert_eq!(why, [&Why::Unmeasured; 3]);
}

#[test]
fn code_is_found_by_the_vectors_of_its_pieces() {
    let piece = |path, name, text| PieceOfCode {
        path,
        name,
        text,
        signatures: text,
        functions: &[],
        words: 1.0,
        is_aside: false,
        is_inert: false,
    };
    let pieces = [
        piece("src/draw.rs", "circle", "fn circle(canvas: Canvas)"),
        piece("src/heat.rs", "warm_stove", "fn warm_stove(degrees: u32)"),
        piece("src/bill.rs", "round", "fn round(cents: u64)"),
    ];
    let remote = Remote::default();
    let found = search_code(&remote, "warm the oven", &pieces, 10).unwrap();
    assert_eq!((found.len(), found[0].piece), (3, 1));
    assert!(found[0].near.name > found[1].near.name);
    assert_eq!(
        remote.calls(),
        [Call::Questions(1), Call::Texts(12)],
        "all pieces at once"
    );
    assert_eq!(search_code(&remote, "warm", &[], 10).unwrap(), []);
    assert_eq!(remote.calls(), []);
}

#[test]
fn vectors_of_two_models_stand_side_by_side_until_one_is_dropped() {
    let remote = Remote::default();
    let kept = Kept::taught(&StaticEmbedder);
    let question = "how long before the bread";
    let ask = |embedder: &dyn Embedder| {
        let meaning = kept.keep_up(embedder);
        first(&kept.search(embedder, &meaning, question, Weak::Hidden)).map(str::to_owned)
    };
    assert_eq!(ask(&StaticEmbedder).as_deref(), Some(MEMORIES[0]));
    assert_eq!(meaning::behind(&kept.store, &kept.vectors(), &remote), 3);
    assert_eq!(ask(&remote).as_deref(), Some(MEMORIES[0]));
    assert_eq!(remote.calls(), [Call::Texts(3), Call::Questions(1)]);
    // What is new is read by each of them, and what is known by neither again.
    kept.remember(&remote, "Flour is weighed, not measured");
    remote.calls();
    kept.keep_up(&StaticEmbedder);
    kept.keep_up(&remote);
    assert_eq!(remote.calls(), [Call::Texts(1)]);
    let count = |embedder: &dyn Embedder| meaning::count(&kept.vectors(), embedder);
    assert_eq!((count(&StaticEmbedder), count(&remote)), (4, 4));
    meaning::drop_vectors(&kept.vectors(), &remote);
    assert_eq!((count(&StaticEmbedder), count(&remote)), (4, 0));
    assert_eq!(ask(&StaticEmbedder).as_deref(), Some(MEMORIES[0]));
}
