//! BM25 as FTS5 computes it, in memory.

use std::collections::{BTreeMap, HashMap};

use oldhand_domain::bm25::Bm25 as Formula;
use oldhand_domain::words;

use crate::porter::stem;

pub(crate) struct Bm25 {
    postings: HashMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    mean: f64,
}

impl Bm25 {
    pub(crate) fn new(documents: &[String]) -> Self {
        let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = Vec::with_capacity(documents.len());
        for (number, document) in documents.iter().enumerate() {
            let mut counts: BTreeMap<String, f64> = BTreeMap::new();
            for word in words::split(document) {
                *counts.entry(stem(&word)).or_default() += 1.0;
            }
            lengths.push(counts.values().sum());
            for (word, count) in counts {
                postings.entry(word).or_default().push((number, count));
            }
        }
        let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Self {
            postings,
            lengths,
            mean,
        }
    }

    /// The score of every document that has one of the words.
    pub(crate) fn search(&self, words: &[String]) -> Vec<(usize, f64)> {
        let mut stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
        stems.sort();
        stems.dedup();
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for posting in stems.iter().filter_map(|word| self.postings.get(word)) {
            let (all, with) = (self.lengths.len() as f64, posting.len() as f64);
            // FTS5 keeps words that most documents have from counting against them.
            let rarity = ((all - with + 0.5) / (with + 0.5)).ln().max(1e-6);
            for &(document, count) in posting {
                let length = self.lengths[document] / self.mean;
                *scores.entry(document).or_default() +=
                    rarity * Formula::USUAL.weigh(count, length);
            }
        }
        let mut found: Vec<(usize, f64)> = scores.into_iter().collect();
        found.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        found
    }

    /// In how many documents a word is.
    pub(crate) fn spread(&self, word: &str) -> usize {
        self.postings.get(&stem(word)).map_or(0, Vec::len)
    }
}
