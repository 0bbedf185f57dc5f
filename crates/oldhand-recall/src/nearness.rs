//! What texts share with a question, word by word; compared one by one as they come.
//!
//! A close reading ([`crate::reread`]) takes as long as reading what it reads. Whoever has a second pair of hands gives it each text as soon as it is
//! there; what was not met so, the close reading compares itself.

use std::collections::BTreeSet;

use oldhand_domain::words::{self, is_telling, stem};
use rustc_hash::FxHashMap;

use crate::plan::Plan;
use crate::reread::dot;

/// A unit vector for each word: the embedded model's `embed_batch` will do.
pub type Embed<'a> = dyn Fn(&[&str]) -> Vec<Vec<f32>> + 'a;

/// How many words of each text are compared.
const LONGEST: usize = 128;

/// The texts that were met, and all their words, each looked at once however often it is said.
pub struct Nearness {
    question: Question,
    /// The vectors of the question's words, as soon as something was compared with them.
    asked: Option<Vec<Vec<f32>>>,
    numbers: FxHashMap<String, usize>,
    words: Vec<Word>,
    /// How near the words that were compared are to each word of the question.
    near: Vec<f64>,
    texts: FxHashMap<String, Text>,
}

struct Word {
    is_telling: bool,
    /// Its place in the question.
    place: Option<usize>,
    /// The number of the last text that has it.
    met_in: usize,
    /// Where in the list of what was compared it begins.
    near: Option<usize>,
}

/// What a text has of the question, and its words.
struct Text {
    /// The numbers of its words, each once.
    words: Vec<usize>,
    /// For each word of the question, whether the text has it.
    has: Vec<bool>,
    /// How many neighbouring words of the question are neighbours here.
    shared_pairs: usize,
    length: usize,
}

/// What a text shares with the question.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shared {
    /// For each word of the question, whether the text has it.
    pub(crate) has: Vec<bool>,
    /// For each word of the question, how near the nearest word of the text is; nothing where the text has all of them.
    pub(crate) nearest: Vec<f64>,
    /// The share of the question's neighbouring words that are neighbours here.
    pub(crate) together: f64,
    /// How many telling words the text has.
    pub(crate) length: usize,
}

impl Shared {
    /// The same of a text about a file that the question calls `name`: the words of the name are met by what it is about.
    pub(crate) fn with_name(mut self, name: &str, stems: &[String]) -> Self {
        let name: Vec<String> = words::split(name);
        let is_of_name = |asked: &String| name.iter().any(|word| stem(word) == asked);
        for (has, asked) in self.has.iter_mut().zip(stems) {
            *has |= is_of_name(asked);
        }
        let pairs = stems.windows(2);
        let named = pairs.clone().filter(|pair| pair.iter().all(is_of_name));
        let together = named.count() as f64 / pairs.len().max(1) as f64;
        self.together = self.together.max(together);
        self
    }
}

impl Nearness {
    pub fn to(plan: &Plan) -> Self {
        Self {
            question: Question::of(plan),
            asked: None,
            numbers: FxHashMap::default(),
            words: Vec::new(),
            near: Vec::new(),
            texts: FxHashMap::default(),
        }
    }

    /// Looks at a text, and compares those of its words that were not compared yet. Without vectors of words only those in common count.
    pub fn meet(&mut self, text: &str, embed: Option<&Embed<'_>>) {
        if self.question.stems.is_empty() || self.has_met(text) {
            return;
        }
        let words = words::split(text);
        let all: Vec<usize> = words.iter().map(|word| self.number(word)).collect();
        // The number of each telling word and its place in the text.
        let mut telling: Vec<(usize, usize)> = all.into_iter().zip(0..).collect();
        telling.retain(|(number, _)| self.words[*number].is_telling);
        let places: Vec<Option<usize>> = telling
            .iter()
            .map(|(number, _)| self.words[*number].place)
            .collect();
        let (has, shared_pairs) = self.question.look(&places);
        let length = telling.len();
        let this = self.texts.len() + 1;
        telling
            .retain(|(number, _)| std::mem::replace(&mut self.words[*number].met_in, this) != this);
        telling.truncate(LONGEST);
        // A text that has all words of the question needs no comparison.
        if let Some(embed) = embed
            && has.contains(&false)
        {
            let is_new = |(number, _): &&(usize, usize)| self.words[*number].near.is_none();
            let new = telling.iter().filter(is_new);
            let new: Vec<(usize, &str)> = new
                .map(|(number, at)| (*number, words[*at].as_str()))
                .collect();
            self.compare(&new, embed);
        }
        let met = Text {
            words: telling.into_iter().map(|(number, _)| number).collect(),
            has,
            shared_pairs,
            length,
        };
        self.texts.insert(text.to_owned(), met);
    }

    fn number(&mut self, word: &str) -> usize {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = self.words.len();
        self.words.push(Word {
            is_telling: is_telling(word),
            place: self.question.place(word),
            met_in: 0,
            near: None,
        });
        self.numbers.insert(word.to_owned(), number);
        number
    }

    fn compare(&mut self, words: &[(usize, &str)], embed: &Embed<'_>) {
        if words.is_empty() {
            return;
        }
        let question = &self.question.words;
        let asked = self.asked.get_or_insert_with(|| {
            let question: Vec<&str> = question.iter().map(String::as_str).collect();
            embed(&question)
        });
        let letters: Vec<&str> = words.iter().map(|(_, letters)| *letters).collect();
        for ((number, _), vector) in words.iter().zip(embed(&letters)) {
            self.words[*number].near = Some(self.near.len());
            self.near
                .extend(asked.iter().map(|asked| dot(asked, &vector)));
        }
    }

    pub(crate) fn has_met(&self, text: &str) -> bool {
        self.texts.contains_key(text)
    }

    /// What a text that was met shares with the question.
    pub(crate) fn shared(&self, text: &str) -> Option<Shared> {
        let text = self.texts.get(text)?;
        let Question { stems, pairs, .. } = &self.question;
        let mut nearest = vec![0.0_f64; stems.len()];
        if text.has.contains(&false) {
            // A model that could not read the question's words compared nothing with them.
            let asked = self.asked.as_ref().map_or(0, Vec::len);
            let compared = text
                .words
                .iter()
                .filter_map(|number| self.words[*number].near);
            for begin in compared {
                let near = &self.near[begin..begin + asked];
                for (nearest, near) in nearest.iter_mut().zip(near) {
                    *nearest = nearest.max(*near);
                }
            }
        }
        Some(Shared {
            has: text.has.clone(),
            nearest,
            together: text.shared_pairs as f64 / pairs.len().max(1) as f64,
            length: text.length,
        })
    }
}

/// The stems of the question's words.
pub(crate) fn stems(plan: &Plan) -> Vec<String> {
    let words = plan.words.iter();
    words.map(|word| stem(word).to_owned()).collect()
}

/// What a text is compared with.
struct Question {
    words: Vec<String>,
    stems: Vec<String>,
    /// Neighbouring words, each pair once.
    pairs: Vec<(usize, usize)>,
}

impl Question {
    fn of(plan: &Plan) -> Self {
        let stems = stems(plan);
        let first = |at: usize| stems.iter().position(|stem| *stem == stems[at]);
        let pairs = (1..stems.len()).filter_map(|at| Some((first(at - 1)?, first(at)?)));
        let pairs: BTreeSet<(usize, usize)> = pairs.collect();
        Self {
            words: plan.words.clone(),
            pairs: pairs.into_iter().collect(),
            stems,
        }
    }

    /// The first place of a word's stem among those of the question. Endings may go, the first letter never does.
    fn place(&self, word: &str) -> Option<usize> {
        let letter = word.as_bytes().first();
        let mut stems = self.stems.iter();
        if !stems.any(|stem| stem.as_bytes().first() == letter) {
            return None;
        }
        let word = stem(word);
        self.stems.iter().position(|stem| *stem == word)
    }

    /// For each word of the question, whether it is in a text whose words have these places, and how many of its neighbours are neighbours there.
    fn look(&self, places: &[Option<usize>]) -> (Vec<bool>, usize) {
        let has = self.stems.iter().map(|stem| {
            let mut found = places.iter().flatten();
            found.any(|place| self.stems[*place] == *stem)
        });
        let is_shared = |(left, right): &&(usize, usize)| {
            let mut neighbours = places.windows(2);
            neighbours.any(|pair| pair == [Some(*left), Some(*right)])
        };
        (has.collect(), self.pairs.iter().filter(is_shared).count())
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
        let read = |ahead: &[Nearness]| {
            let mut all = candidates(&[0.1; TEXTS.len()]);
            for (candidate, text) in all.iter_mut().zip(TEXTS) {
                candidate.memory.content = Content::new(text).unwrap();
            }
            let reader = Reader {
                embed: Some(&embed),
                spread: None,
                ahead,
            };
            reread(&mut all, &plan, reader);
            all
        };
        let itself = read(&[]);
        let met = |texts: &[&str]| {
            let mut nearness = Nearness::to(&plan);
            for text in texts {
                nearness.meet(text, Some(&embed));
            }
            nearness
        };
        // Nobody, some and all of them were met, by one or by two.
        for (first, second) in [(0, 0), (0, 2), (1, 3), (4, 4), (0, TEXTS.len())] {
            let both = [met(&TEXTS[..first]), met(&TEXTS[first..second])];
            assert_eq!(read(&both), itself, "{first} {second}");
            assert_eq!(read(&both[1..]), itself, "{first} {second}");
        }
    }

    #[test]
    fn a_model_that_cannot_tell_leaves_the_words_in_common() {
        let plan = plan("when did she buy the car", RecentWork::Ordinary);
        let fails: &Embed<'_> = &|_| Vec::new();
        for embed in [None, Some(fails)] {
            let mut nearness = Nearness::to(&plan);
            nearness.meet(TEXTS[2], embed);
            let shared = nearness.shared(TEXTS[2]).unwrap();
            assert!(shared.has.contains(&true) && shared.has.contains(&false));
            assert!(shared.nearest.iter().all(|near| *near == 0.0));
            assert_eq!(nearness.shared(TEXTS[0]), None, "it was not met");
        }
    }
}
