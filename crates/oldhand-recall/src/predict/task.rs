//! A task as the lanes see it.

use std::collections::BTreeMap;

use oldhand_domain::words;

/// Longer prompts are plans with their own file lists; the beginning says what it is about.
const MOST_BYTES: usize = 4000;
/// Names of files are looked for this far.
const MOST_NAMES: usize = 64 * 1024;
/// Most messages of commits have fewer different words, most reports of a problem more.
const MESSAGE_WORDS: f64 = 30.0;

/// What someone is about to do, in their own words.
#[derive(Clone, Debug)]
pub struct Task {
    pub(super) text: String,
    /// Each word with its weight: the square root of how often it is said, three times at most.
    pub(super) words: BTreeMap<String, f64>,
    distinct: usize,
}

impl Task {
    pub fn new(whole: &str) -> Self {
        let text = beginning(whole);
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for word in task_words(text) {
            *counts.entry(word).or_default() += 1;
        }
        let distinct = words::split(text)
            .into_iter()
            .filter(|word| !is_number(word))
            .collect::<std::collections::BTreeSet<_>>()
            .len();
        let words = counts
            .into_iter()
            .map(|(word, count)| (word, f64::from(count.min(3)).sqrt()))
            .collect();
        Self {
            text: whole[..whole.floor_char_boundary(MOST_NAMES)].to_owned(),
            words,
            distinct,
        }
    }

    /// Near 1 for "continue", near 0 for a page of text: a short prompt says little, so that what
    /// happened lately says more.
    pub fn shortness(&self) -> f64 {
        1.0 / (1.0 + self.distinct as f64 / 10.0)
    }

    /// Near 1 for a sentence or two, as messages of commits are; half at `MESSAGE_WORDS`; near 0 for a report.
    pub fn likeness_to_message(&self) -> f64 {
        1.0 / (1.0 + (self.distinct as f64 / MESSAGE_WORDS).powi(4))
    }

    /// The words to look for in contents, with their weights.
    pub fn words(&self) -> impl Iterator<Item = (&str, f64)> {
        self.words
            .iter()
            .map(|(word, weight)| (word.as_str(), *weight))
    }
}

/// The words of a text that carry meaning, cut to their stems, in order and with repetitions.
pub fn task_words(text: &str) -> Vec<String> {
    let words = words::split(beginning(text));
    words
        .into_iter()
        .filter(|word| !is_filler(word))
        .map(|word| words::stem(&word).to_owned())
        .filter(|word| !is_number(word))
        .collect()
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(MOST_BYTES)]
}

/// Numbers and single letters are choices ("8", "q") and counts: they are everywhere in code and say nothing about it.
fn is_number(word: &str) -> bool {
    let mut bytes = word.bytes();
    word.len() == 1 || bytes.all(|byte| byte.is_ascii_digit())
}

fn is_filler(word: &str) -> bool {
    FILLERS.binary_search(&word).is_ok()
}

/// Words that tasks say whatever they are about. Sorted.
const FILLERS: &[&str] = &[
    "a", "add", "all", "also", "an", "and", "any", "are", "as", "at", "be", "by", "can", "change",
    "code", "could", "do", "does", "file", "files", "fix", "for", "from", "has", "have", "here",
    "how", "i", "if", "in", "is", "it", "just", "let", "make", "me", "my", "need", "new", "not",
    "now", "of", "on", "one", "or", "our", "please", "should", "so", "some", "that", "the", "then",
    "there", "this", "to", "update", "use", "want", "was", "we", "were", "what", "when", "why",
    "will", "with", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fillers_are_sorted_for_the_search() {
        assert!(FILLERS.is_sorted());
    }

    #[test]
    fn tasks_are_cut_to_what_they_are_about() {
        assert_eq!(
            task_words("Please fix the parsing of getUserById"),
            ["pars", "get", "user", "id", "getuserbyid"]
        );
        assert_eq!(task_words("ok, 8 and 12 of b"), ["ok"]);
        assert!(Task::new("continue").shortness() > 0.9);
        assert!(Task::new(&"many different words in here ".repeat(3)).shortness() < 0.8);
    }

    #[test]
    fn a_sentence_is_like_a_message_and_a_report_is_not() {
        let of = |count: usize| {
            let words: Vec<String> = ('a'..='z')
                .flat_map(|one| ('a'..='z').map(move |two| format!("x{one}{two}")))
                .take(count)
                .collect();
            Task::new(&words.join(" ")).likeness_to_message()
        };
        assert!(of(8) > 0.95, "{}", of(8));
        assert!(of(62) < 0.1, "{}", of(62));
        assert!(of(20) > of(30) && of(30) > of(40));
    }

    #[test]
    fn a_long_task_is_cut_between_characters() {
        Task::new(&"é".repeat(5000));
    }
}
