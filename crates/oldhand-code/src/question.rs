//! A question as it is looked for in code: of a long one, the words that say most.
//!
//! A pasted log is not a question. What is looked for costs by the word, in every name and in every piece, so that there is an end to it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use oldhand_domain::words;

use crate::concordance::Concordance;

/// A question of more words than these is looked for by as many of them: those that are in the fewest files, as they tell most. Of words that
/// are in as many files, and of those that are in none, the first are taken.
pub const MOST_WORDS: usize = 200;

/// What says no more than so many different things stays as it is written, names and all, up to so many bytes: what is longer is a log that says the
/// same again and again.
const LOG: usize = 8192;

/// What is looked for in code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question<'t> {
    text: Cow<'t, str>,
    left_out: usize,
}

impl<'t> Question<'t> {
    /// A text of at most [`MOST_WORDS`] that differ and say something as it is, unless it is a log. Without `concordance` nothing tells which words say most.
    pub fn of(text: &'t str, concordance: Option<&Concordance>) -> Self {
        let all = words::split(text);
        let as_it_is = Self {
            text: Cow::Borrowed(text),
            left_out: 0,
        };
        if all.len() <= MOST_WORDS {
            return as_it_is;
        }
        // Each with its place, once.
        let mut telling: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
        for (place, word) in all.iter().enumerate() {
            if words::is_telling(word) {
                telling.entry(words::stem(word)).or_insert((place, word));
            }
        }
        if telling.len() <= MOST_WORDS && text.len() <= LOG {
            return as_it_is;
        }
        let rarity = |stem: &str| concordance.map_or(0.0, |words| words.rarity(stem));
        let mut rated: Vec<(f64, (usize, &str))> = telling
            .into_iter()
            .map(|(stem, said)| (rarity(stem), said))
            .collect();
        rated.sort_by(|(a, said), (b, other)| b.total_cmp(a).then(said.cmp(other)));
        let left_out = rated.len().saturating_sub(MOST_WORDS);
        rated.truncate(MOST_WORDS);
        let mut kept: Vec<(usize, &str)> = rated.into_iter().map(|(_, said)| said).collect();
        kept.sort_unstable();
        let kept: Vec<&str> = kept.into_iter().map(|(_, word)| word).collect();
        Self {
            text: Cow::Owned(kept.join(" ")),
            left_out,
        }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How many words that say something are not looked for.
    pub fn left_out(&self) -> usize {
        self.left_out
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_question_of_usual_length_stays_as_it_is() {
        for text in [
            "",
            "where is `parseHeader`?",
            "the of and",
            "  Retry\tafter ",
        ] {
            let question = Question::of(text, None);
            assert_eq!((question.as_str(), question.left_out()), (text, 0));
        }
    }

    #[test]
    fn of_a_long_one_the_rarest_words_are_looked_for_in_their_order() {
        let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for number in 0..20 {
            // Each has all words up to its own: what is told late is rare.
            let said: Vec<String> = (0..=number * 20)
                .map(|word| format!("{}q", letters(word)))
                .collect();
            let path = root.path().join(format!("f{number}.txt"));
            fs::write(path, said.join(" ")).unwrap();
        }
        let (words, _) = Concordance::refresh(root.path(), &state.path().join("words"), 1).unwrap();
        let known = (0..=380).map(|word| format!("{}q", letters(word)));
        let unknown = (0..9_619).map(|word| format!("{}z", letters(word)));
        let text: Vec<String> = unknown.chain(known).collect();
        let log = text.join(" ");
        let question = Question::of(&log, Some(&words));
        let kept: Vec<&str> = question.as_str().split(' ').collect();
        assert_eq!(
            (kept.len(), question.left_out()),
            (MOST_WORDS, 10_000 - MOST_WORDS)
        );
        // The last 200 of those that are known are in the fewest files.
        assert_eq!(kept, text[10_000 - MOST_WORDS..]);
        // What is known nowhere is taken from the beginning.
        let first = Question::of(&log, None);
        assert_eq!(first.as_str(), text[..MOST_WORDS].join(" "));
    }

    #[test]
    fn names_of_several_words_keep_their_spelling() {
        let names: Vec<String> = (0..51)
            .map(|name| format!("parse_http_{}q", letters(name)))
            .collect();
        let text = names.join(", ");
        assert!(words::split(&text).len() > MOST_WORDS);
        let question = Question::of(&text, None);
        assert_eq!((question.as_str(), question.left_out()), (text.as_str(), 0));
    }

    #[test]
    fn words_that_come_again_and_those_that_say_nothing_take_no_place() {
        let question = Question::of(&"the retry of the upload ".repeat(2_000), None)
            .as_str()
            .to_owned();
        assert_eq!(question, "retry upload");
    }

    /// A word for each number that no ending is cut from.
    fn letters(number: usize) -> String {
        let letter = |power: u32| char::from(b'a' + (number / 20_usize.pow(power) % 20) as u8);
        (0..4).map(letter).collect()
    }
}
