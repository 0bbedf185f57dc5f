//! BM25 over a handful of texts that are already in memory.

use std::collections::BTreeMap;

use oldhand_domain::bm25::{Bm25 as Formula, rarity};

/// A collection to ask; its numbers are those of the usual formula.
pub struct Bm25<'a> {
    /// How often each word is in each text, and how long the text is.
    texts: Vec<(BTreeMap<&'a str, f64>, f64)>,
    /// In how many texts each word is.
    spread: BTreeMap<&'a str, f64>,
    mean_length: f64,
    /// How strongly long texts are held back.
    b: f64,
}

impl<'a> Bm25<'a> {
    /// `texts` are lists of words, already cut as the queries will be.
    pub fn new<W: AsRef<str> + 'a>(texts: impl IntoIterator<Item = &'a [W]>, b: f64) -> Self {
        let mut collection = Self {
            texts: Vec::new(),
            spread: BTreeMap::new(),
            mean_length: 1.0,
            b,
        };
        for words in texts {
            let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
            for word in words {
                *counts.entry(word.as_ref()).or_default() += 1.0;
            }
            for word in counts.keys() {
                *collection.spread.entry(word).or_default() += 1.0;
            }
            collection.texts.push((counts, words.len() as f64));
        }
        let total: f64 = collection.texts.iter().map(|(_, length)| length).sum();
        if total > 0.0 {
            collection.mean_length = total / collection.texts.len() as f64;
        }
        collection
    }

    /// The score of every text that shares a word with the query, by its place in the collection.
    pub fn score(&self, query: &BTreeMap<String, f64>) -> Vec<(usize, f64)> {
        let count = self.texts.len() as f64;
        let rare = query.iter().filter_map(|(word, weight)| {
            let spread = self.spread.get(word.as_str())?;
            Some((word.as_str(), weight * rarity(count, *spread)))
        });
        let rare: Vec<(&str, f64)> = rare.collect();
        let scored = self.texts.iter().enumerate().map(|(at, (counts, length))| {
            let formula = Formula {
                b: self.b,
                ..Formula::USUAL
            };
            let length = length / self.mean_length;
            let of_word = |(word, weight): &(&str, f64)| {
                counts
                    .get(word)
                    .map_or(0.0, |times| weight * formula.weigh(*times, length))
            };
            (at, rare.iter().map(of_word).sum::<f64>())
        });
        scored.filter(|(_, score)| *score > 0.0).collect()
    }
}
