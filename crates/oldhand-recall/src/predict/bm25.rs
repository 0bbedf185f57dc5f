//! BM25 for one question over a handful of texts that are already in memory.

use std::collections::BTreeMap;

use oldhand_domain::bm25::{Bm25 as Formula, rarity};
use rustc_hash::FxHashMap;

/// A question and the texts it is put to; its numbers are those of the usual formula.
pub struct Bm25<'q> {
    /// What each word of the question weighs, in the order of letters.
    weights: Vec<f64>,
    places: FxHashMap<&'q str, usize>,
    texts: Vec<Text>,
    /// How strongly long texts are held back.
    b: f64,
}

struct Text {
    /// The words of the question that it has, in their order, and how often.
    counts: Vec<(usize, f64)>,
    length: f64,
}

impl<'q> Bm25<'q> {
    pub fn new(question: &'q BTreeMap<String, f64>, b: f64) -> Self {
        let places = question.keys().enumerate();
        Self {
            weights: question.values().copied().collect(),
            places: places.map(|(at, word)| (word.as_str(), at)).collect(),
            texts: Vec::new(),
            b,
        }
    }

    /// The next text: `each` hands over its words, cut as those of the question are.
    pub fn read(&mut self, each: impl FnOnce(&mut dyn FnMut(&str))) {
        let (mut met, mut length) = (Vec::new(), 0.0);
        each(&mut |word| {
            length += 1.0;
            met.extend(self.places.get(word));
        });
        met.sort_unstable();
        let counts = met.chunk_by(|one, other| one == other);
        let counts = counts.map(|same| (same[0], same.len() as f64)).collect();
        self.texts.push(Text { counts, length });
    }

    /// The score of every text that shares a word with the question, by its place.
    pub fn score(&self) -> Vec<(usize, f64)> {
        let count = self.texts.len() as f64;
        let total: f64 = self.texts.iter().map(|text| text.length).sum();
        let mean = if total > 0.0 { total / count } else { 1.0 };
        let mut spread = vec![0.0; self.weights.len()];
        for (word, _) in self.texts.iter().flat_map(|text| &text.counts) {
            spread[*word] += 1.0;
        }
        let weights = self.weights.iter().zip(&spread);
        let weights: Vec<f64> = weights
            .map(|(weight, spread)| weight * rarity(count, *spread))
            .collect();
        let formula = Formula {
            b: self.b,
            ..Formula::USUAL
        };
        let score = |text: &Text| -> f64 {
            let length = text.length / mean;
            let of_word =
                |(word, times): &(usize, f64)| weights[*word] * formula.weigh(*times, length);
            text.counts.iter().map(of_word).sum()
        };
        let scored = self.texts.iter().map(score).enumerate();
        scored.filter(|(_, score)| *score > 0.0).collect()
    }
}
