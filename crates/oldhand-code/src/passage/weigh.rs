//! How well the words of a piece fit a question: BM25 over its body, its name and its path.
//!
//! Code shortens what prose writes out (`dict`, `env`, `val`) and prose bends what code names, so that words that begin alike count a
//! little, too.

use std::array;
use std::collections::BTreeMap;

use oldhand_domain::bm25::Bm25;
use oldhand_domain::words;
use rustc_hash::FxHashMap;

use crate::chunk::Chunk;
use crate::concordance::Concordance;

/// About how many words a piece, its name and its path have.
pub(super) const USUAL_LENGTH: f64 = 120.0;
const USUAL_NAME: f64 = 3.0;
const USUAL_PATH: f64 = 5.0;

/// How much a word counts in a piece's name and path, against its body. By words alone and among 2 500 functions, first sentences of their
/// documentation had a mean reciprocal rank of .44 with the body and of .49 with all three.
const NAME: f64 = 6.0;
const PATH: f64 = 1.0;
/// Names and paths are all short, so that their length tells little.
const SHORT: f64 = 0.3;

/// How much a word counts that only begins alike; anything from .1 to .25 is as good.
const ALIKE: f64 = 0.2;
/// Words that begin alike have so many letters in common.
const COMMON: usize = 3;
/// A word of the question that others may shorten has at least so many letters,
const LEAST: usize = 4;
/// and one of the code that goes on has at most so many more.
const MORE: usize = 4;

/// The words of a question, cut to compare.
pub(super) struct Asked {
    words: BTreeMap<String, Worth>,
    /// Those that others may be like, by their first letters.
    begin: FxHashMap<[u8; COMMON], Vec<String>>,
    first: FirstLetters,
}

/// The first letters of words, a bit for each three, some of which share one: most words of a text need no closer look. No ending that is cut
/// takes one of them away, and words that begin alike have them in common.
struct FirstLetters(Box<[u64]>);

impl FirstLetters {
    /// Five bits of each letter.
    const BITS: usize = 5 * COMMON;

    fn new() -> Self {
        Self(vec![0; (1 << Self::BITS) / 64].into())
    }

    fn place(letters: [u8; COMMON]) -> usize {
        let add = |place, letter| place << 5 | usize::from(letter & 31);
        letters.into_iter().fold(0, add)
    }

    /// Behind a word that is shorter anything may stand.
    fn add(&mut self, word: &str) {
        let missing = 5 * COMMON.saturating_sub(word.len());
        let from = Self::place(first_letters(word));
        for place in from..from + (1 << missing) {
            self.0[place / 64] |= 1 << (place % 64);
        }
    }

    fn may_have(&self, letters: [u8; COMMON]) -> bool {
        let place = Self::place(letters);
        self.0[place / 64] & 1 << (place % 64) != 0
    }
}

fn first_letters(word: &str) -> [u8; COMMON] {
    let letter = |at: usize| word.as_bytes().get(at).copied().unwrap_or_default();
    array::from_fn(letter)
}

/// How much a word says by its rarity, and what share of it counts: less, where it is looked for in the place of another.
struct Worth {
    rarity: f64,
    share: f64,
}

/// How well a piece fits, and by which words.
pub(super) struct Weighed<'a> {
    pub(super) score: f64,
    pub(super) words: Vec<&'a str>,
}

impl Asked {
    /// `rarity` tells how much each word says; `instead` has words of the code that are looked for in the place of one that no file has.
    pub(super) fn new(rarity: BTreeMap<String, f64>, instead: BTreeMap<String, f64>) -> Self {
        let mut begin: FxHashMap<[u8; COMMON], Vec<String>> = FxHashMap::default();
        for word in rarity.keys().filter(|word| word.len() >= LEAST) {
            if let Some(letters) = word.as_bytes().first_chunk() {
                begin.entry(*letters).or_default().push(word.clone());
            }
        }
        let worth = |share| move |(word, rarity)| (word, Worth { rarity, share });
        let mut words: BTreeMap<String, Worth> = instead.into_iter().map(worth(ALIKE)).collect();
        words.extend(rarity.into_iter().map(worth(1.0)));
        let mut first = FirstLetters::new();
        for word in words.keys() {
            first.add(word);
        }
        Self {
            words,
            begin,
            first,
        }
    }

    /// Each word, and what share of it counts.
    pub(super) fn words(&self) -> impl Iterator<Item = (&str, f64)> {
        let words = self.words.iter();
        words.map(|(word, worth)| (word.as_str(), worth.share))
    }

    /// What the path of a file adds to each of its pieces.
    pub(super) fn read_path(&self, path: &str) -> Vec<(&str, f64)> {
        self.read(path, PATH, SHORT, USUAL_PATH)
    }

    /// Each word counts by where it is, once it is known how often. `path` is what the path adds.
    pub(super) fn weigh<'s>(&'s self, chunk: &Chunk, path: &[(&'s str, f64)]) -> Weighed<'s> {
        let text = self.read(&chunk.text, 1.0, Bm25::USUAL.b, USUAL_LENGTH);
        let name = self.read(&chunk.name, NAME, SHORT, USUAL_NAME);
        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        for (word, part) in text.iter().chain(&name).chain(path) {
            *counts.entry(word).or_default() += part;
        }
        Weighed {
            words: counts.keys().copied().collect(),
            score: counts
                .into_iter()
                .map(|(word, times)| {
                    let Worth { rarity, share } = self.words[word];
                    rarity * share * Bm25::USUAL.weigh(times, 1.0)
                })
                .sum(),
        }
    }

    /// The words of the question that a text has, each as often as it is met, with what it counts.
    fn read(&self, text: &str, weight: f64, b: f64, usual: f64) -> Vec<(&str, f64)> {
        let mut met: Vec<(&str, f64)> = Vec::new();
        let may_begin = |letters| self.first.may_have(letters);
        let sifted = words::sift(text, may_begin, &mut |word| {
            self.meet(words::stem(word), &mut met);
        });
        let length = sifted.unwrap_or_else(|| {
            met.clear();
            let mut length = 0;
            words::each(text, &mut |word| {
                length += 1;
                if may_begin(first_letters(word)) {
                    self.meet(words::stem(word), &mut met);
                }
            });
            length
        });
        let share = weight / (1.0 - b + b * length as f64 / usual);
        for (_, part) in &mut met {
            *part *= share;
        }
        met
    }

    /// Adds the words of the question that a word of the code stands for, and how much of each.
    fn meet<'s>(&'s self, stem: &str, met: &mut Vec<(&'s str, f64)>) {
        // What is asked for itself is not short for another word of the question.
        if let Some((known, _)) = self.words.get_key_value(stem) {
            met.push((known, 1.0));
        } else {
            met.extend(self.alike(stem).map(|alike| (alike, ALIKE)));
        }
    }

    /// The words of the question that a word of the code shortens, or that it only adds an ending to.
    fn alike<'s, 'w>(&'s self, stem: &'w str) -> impl Iterator<Item = &'s str> + use<'s, 'w> {
        let letters = stem.as_bytes().first_chunk::<COMMON>();
        let begun = letters.and_then(|letters| self.begin.get(letters));
        let begun = begun.into_iter().flatten().map(String::as_str);
        begun.filter(move |asked| is_alike(asked, stem))
    }
}

/// The words of the code that are looked for in the place of `word`, which no file has: those that shorten it or only add an ending.
pub(super) fn instead_of<'c>(concordance: &'c Concordance, word: &str) -> Vec<&'c str> {
    let letters = word.get(..COMMON).filter(|_| word.len() >= LEAST);
    let begun = letters.map(|letters| concordance.beginning(letters));
    let begun = begun.into_iter().flatten();
    begun.filter(|stem| is_alike(word, stem)).collect()
}

/// Whether a word of the code shortens one that is asked for, or only adds an ending to it. They have their first letters in common.
fn is_alike(asked: &str, stem: &str) -> bool {
    let goes_on = stem.len() <= asked.len() + MORE && stem.starts_with(asked);
    stem.len() != asked.len()
        && (asked.starts_with(stem) || goes_on)
        && stem.bytes().all(|byte| byte.is_ascii_alphabetic())
        && words::is_telling(stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkKind;

    #[test]
    fn what_code_shortens_counts_less_than_the_word_and_more_than_nothing() {
        let asked = Asked::new([("dictionar".to_owned(), 1.0)].into(), BTreeMap::new());
        let score = |text: &str| asked.weigh(&piece(text), &[]).score;
        assert!(score("merge a dictionary") > score("merge a dict"));
        assert!(score("merge a dict") > 0.0);
        assert!(score("merge a direction") <= 0.0);
    }

    #[test]
    fn what_is_asked_for_itself_counts_for_no_other_word() {
        let rarity = ["val", "valu"].map(|word| (word.to_owned(), 1.0));
        let asked = Asked::new(rarity.into(), BTreeMap::new());
        assert_eq!(asked.weigh(&piece("give a val"), &[]).words, ["val"]);
        assert_eq!(asked.weigh(&piece("give a valuename"), &[]).words, ["valu"]);
    }

    #[test]
    fn what_is_looked_for_instead_counts_less_and_stands_for_nothing_else() {
        let instead = [("dict".to_owned(), 1.0), ("merg".to_owned(), 1.0)];
        let asked = Asked::new([("merg".to_owned(), 1.0)].into(), instead.into());
        let score = |text: &str| asked.weigh(&piece(text), &[]).score;
        assert!(score("dict") > 0.0 && score("dict") < score("merge"));
        assert!(score("dictaphone") <= 0.0);
    }

    #[test]
    fn words_are_alike_by_how_they_begin() {
        let rarity = ["value", "setting", "int", "format"].map(|word| (word.to_owned(), 1.0));
        let asked = Asked::new(rarity.into(), BTreeMap::new());
        let alike = |stem| asked.alike(stem).collect::<Vec<_>>();
        assert_eq!(alike("val"), ["value"]);
        assert_eq!(alike("valuename"), ["value"]);
        assert_eq!(alike("set"), ["setting"]);
        // What goes on for long is another word, `for` says nothing, and a short word is not shortened further.
        for other in ["valuesofall", "va", "value", "for", "integer", "se7"] {
            assert!(alike(other).is_empty(), "{other}");
        }
    }

    fn piece(text: &str) -> Chunk {
        Chunk {
            path: String::new(),
            kind: ChunkKind::Lines,
            name: String::new(),
            first_line: 1,
            last_line: 1,
            text: text.to_owned(),
        }
    }
}
