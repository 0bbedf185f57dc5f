//! The words of a question that are worth looking up.

use std::collections::BTreeSet;

use oldhand_domain::words::{self, is_telling};

/// So many are looked up.
const MOST_WORDS: usize = 64;
/// A text of more bytes is a pasted log and not a question: its first words say what it is about, and its last how it ended.
const LOG: usize = 4096;
/// So many of its first words are looked up, and so many of its last: together no more than a store looks for, which takes the first of a long list.
const OF_LOG: usize = 16;

/// The words worth looking up: without the ones every sentence has, unless nothing else is said.
pub(super) fn telling_words(question: &str) -> Vec<String> {
    if question.len() <= LOG {
        return first_telling(all_words(question), MOST_WORDS);
    }
    let (begins, ends) = (
        question.floor_char_boundary(LOG / 2),
        question.ceil_char_boundary(question.len() - LOG / 2),
    );
    let mut last = all_words(&question[ends..]);
    last.reverse();
    let mut last = first_telling(last, OF_LOG);
    last.reverse();
    let mut kept = first_telling(all_words(&question[..begins]), OF_LOG);
    last.retain(|word| !kept.contains(word));
    kept.extend(last);
    kept
}

fn all_words(text: &str) -> Vec<String> {
    words::without_contractions(text)
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .flat_map(|name| {
            let mut parts = words::split(name);
            // A letter of `e2e` or `v2` says nothing beside the whole.
            if parts.len() > 1 {
                parts.retain(|part| part.len() > 1 || !part.is_ascii());
            }
            parts
        })
        .collect()
}

/// Each once.
fn first_telling(mut all: Vec<String>, most: usize) -> Vec<String> {
    let mut seen = BTreeSet::new();
    all.retain(|word| seen.insert(word.clone()));
    let telling = |word: &&String| is_telling(word);
    let mut kept: Vec<String> = all.iter().filter(telling).cloned().collect();
    if kept.is_empty() {
        kept = all;
    }
    kept.truncate(most);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_pasted_log_the_beginning_and_the_end_are_looked_up() {
        let words: Vec<String> = (0..10_000).map(letters).collect();
        let log = format!(
            "{}\nerror: the socket {} is gone",
            words.join(" "),
            words[0]
        );
        let kept = telling_words(&log);
        assert_eq!(kept.len(), 2 * OF_LOG - 1, "the first counts once");
        assert_eq!(kept[..OF_LOG], words[..OF_LOG]);
        assert_eq!(kept[kept.len() - 3..], ["error", "socket", "gone"]);
    }

    #[test]
    fn of_a_long_question_the_first_words_are_looked_up() {
        let words: Vec<String> = (0..300).map(letters).collect();
        assert_eq!(telling_words(&words.join(" ")), words[..MOST_WORDS]);
    }

    fn letters(number: usize) -> String {
        let letter = |power: u32| char::from(b'a' + (number / 20_usize.pow(power) % 20) as u8);
        (0..4).map(letter).collect::<String>() + "q"
    }

    #[test]
    fn signs_of_several_bytes_are_not_cut_apart() {
        for text in ["字".repeat(9_000), "é".repeat(9_001), "🦀".repeat(4_097)] {
            assert!(telling_words(&text).len() <= MOST_WORDS);
        }
    }
}
