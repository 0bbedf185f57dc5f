//! Pieces of code that share a question's words, read where they lie.
//!
//! Files are found by the concordance and by the names in the graph; the likeliest are cut into pieces as they are now. Nothing is
//! kept for it, so that nothing can be out of date.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::bm25::Bm25;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::words;
use rustc_hash::FxHashMap;

use crate::chunk::Chunk;
use crate::concordance::Concordance;
use crate::index::Index;
use crate::snapshot::NodeId;

/// A piece of code, and how well its words fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    pub chunk: Chunk,
    /// BM25; comparable within one answer only.
    pub score: f64,
}

/// How many files are read.
const READ: usize = 40;
/// How many files names may bring.
const NAMED: usize = 30;
/// About how many words a piece has.
const USUAL_LENGTH: f64 = 120.0;

/// The `limit` pieces that fit `question`'s words best, best first; only of files at or below one of `within`, unless it is empty.
pub fn passages(
    index: &Index,
    concordance: &Concordance,
    question: &str,
    within: &[ProjectPath],
    limit: usize,
) -> Vec<Passage> {
    let asked: BTreeSet<String> = words::split(question)
        .iter()
        .map(|word| words::stem(word).to_owned())
        .collect();
    let rarity: BTreeMap<String, f64> = asked
        .into_iter()
        .map(|word| {
            let rarity = concordance.rarity(&word);
            (word, rarity)
        })
        .filter(|(_, rarity)| *rarity > 0.0)
        .collect();
    let snapshot = index.snapshot();
    let named = index.find(question, NAMED).into_iter();
    let deep = if within.is_empty() { READ } else { usize::MAX };
    let said = concordance.search(rarity.keys().map(|word| (word.as_str(), 1.0)), deep);
    let is_asked = |path: &str| {
        let path = ProjectPath::new(path);
        within.is_empty()
            || path.is_ok_and(|path| within.iter().any(|place| path.is_at_or_below(place)))
    };
    let said = said.iter().filter(|(path, _)| is_asked(path));
    let files: BTreeSet<NodeId> = named
        .map(|found| snapshot.file_of(found.node))
        .filter(|file| is_asked(snapshot.path(*file)))
        .chain(
            said.filter_map(|(path, _)| snapshot.find_file(path))
                .take(READ),
        )
        .collect();
    let mut passages: Vec<Passage> = files
        .into_iter()
        .flat_map(|file| index.chunks_of(file))
        .map(|chunk| {
            let counted = Counted::of(&chunk, |word| rarity.contains_key(word));
            Passage {
                score: counted.weigh(|word| rarity.get(word).copied().unwrap_or_default()),
                chunk,
            }
        })
        .filter(|passage| passage.score > 0.0)
        .collect();
    passages.sort_by(|a, b| {
        let place = |passage: &Passage| (passage.chunk.path.clone(), passage.chunk.first_line);
        b.score
            .total_cmp(&a.score)
            .then_with(|| place(a).cmp(&place(b)))
    });
    passages.truncate(limit);
    passages
}

/// How often the words that matter are in a piece.
pub(crate) struct Counted {
    counts: FxHashMap<String, f64>,
    length: f64,
}

impl Counted {
    /// A piece's own name counts twice more: it says what the piece is for.
    pub(crate) fn of(chunk: &Chunk, matters: impl Fn(&str) -> bool) -> Self {
        let mut counted = Self {
            counts: FxHashMap::default(),
            length: 0.0,
        };
        for (text, times) in [(&chunk.text, 1.0), (&chunk.name, 2.0)] {
            for word in words::split(text) {
                counted.length += 1.0;
                let stem = words::stem(&word);
                if matters(stem) {
                    *counted.counts.entry(stem.to_owned()).or_default() += times;
                }
            }
        }
        counted
    }

    /// BM25, with what each word is worth.
    pub(crate) fn weigh(&self, worth: impl Fn(&str) -> f64) -> f64 {
        let length = self.length / USUAL_LENGTH;
        let words = self.counts.iter();
        words
            .map(|(word, times)| worth(word) * Bm25::USUAL.weigh(*times, length))
            .sum()
    }
}
