//! How near the words of texts are to those of a question, compared while other texts are still being read.
//!
//! A close reading ([`crate::reread`]) takes as long as reading what it reads. Whoever has a second pair of hands gives it the texts one by one as
//! they come; what was not met here the close reading compares itself.

use std::collections::{HashMap, HashSet};

use oldhand_domain::words::{self, is_telling};

use crate::plan::Plan;
use crate::reread::{LONGEST, dot};

/// Vectors for words, as they are given to [`crate::reread::Reader`].
pub type Embed<'a> = dyn Fn(&[&str]) -> Vec<Vec<f32>> + Sync + 'a;

pub struct Nearness<'a> {
    embed: &'a Embed<'a>,
    /// The vectors of the question's words.
    asked: Vec<Vec<f32>>,
    /// How near each word is to each word of the question.
    words: HashMap<String, Vec<f64>>,
    /// The words of each text, in its order.
    texts: HashMap<String, Vec<String>>,
}

impl<'a> Nearness<'a> {
    pub fn to(plan: &Plan, embed: &'a Embed<'a>) -> Self {
        let asked: Vec<&str> = plan.words.iter().map(String::as_str).collect();
        Self {
            embed,
            asked: embed(&asked),
            words: HashMap::new(),
            texts: HashMap::new(),
        }
    }

    /// Compares the words of a text that are not known yet.
    pub fn meet(&mut self, text: String) {
        let words = words::split(&text);
        let mut met = HashSet::new();
        let telling = words
            .iter()
            .map(String::as_str)
            .filter(|word| is_telling(word) && met.insert(*word))
            .take(LONGEST);
        let new: Vec<&str> = telling
            .filter(|word| !self.words.contains_key(*word))
            .collect();
        for (word, vector) in new.iter().zip((self.embed)(&new)) {
            let near = self.asked.iter().map(|asked| dot(asked, &vector));
            self.words.insert((*word).to_owned(), near.collect());
        }
        self.texts.insert(text, words);
    }

    /// The words of a text that was met.
    pub(crate) fn words_of(&self, text: &str) -> Option<&[String]> {
        self.texts.get(text).map(Vec::as_slice)
    }

    /// How near a word that was met is to each word of the question.
    pub(crate) fn of(&self, word: &str) -> Option<&[f64]> {
        self.words.get(word).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use oldhand_domain::text::Content;
    use oldhand_embed::StaticEmbedder;

    use super::*;
    use crate::candidate::tests::candidates;
    use crate::plan::{RecentWork, plan};
    use crate::reread::{Reader, reread};

    const TEXTS: [&str; 4] = [
        "She purchased a vehicle in May, a red vehicle.",
        "He sold an old bicycle.",
        "The car she bought was old.",
        "The weather was fine today.",
    ];

    #[test]
    fn what_was_compared_beforehand_is_read_as_what_was_not() {
        let plan = plan("when did she buy the car", RecentWork::Ordinary);
        let embed = |words: &[&str]| StaticEmbedder.embed_batch(words);
        let read = |ahead: Option<&Nearness<'_>>| {
            let mut all = candidates(&[0.1; TEXTS.len()]);
            for (candidate, text) in all.iter_mut().zip(TEXTS) {
                candidate.memory.content = Content::new(text).unwrap();
            }
            let reader = Reader {
                embed: &embed,
                spread: None,
                ahead,
            };
            reread(&mut all, &plan, reader);
            all
        };
        let itself = read(None);
        // Nobody, some and all of them were met.
        for met in [0, 2, TEXTS.len()] {
            let mut nearness = Nearness::to(&plan, &embed);
            for text in &TEXTS[..met] {
                nearness.meet((*text).to_owned());
            }
            assert_eq!(read(Some(&nearness)), itself, "{met}");
        }
    }

    #[test]
    fn a_model_that_cannot_tell_leaves_all_to_the_close_reading() {
        let plan = plan("when did she buy the car", RecentWork::Ordinary);
        let mute = |_: &[&str]| Vec::new();
        let mut nearness = Nearness::to(&plan, &mute);
        nearness.meet(TEXTS[0].to_owned());
        assert_eq!(nearness.of("vehicle"), None);
    }
}
