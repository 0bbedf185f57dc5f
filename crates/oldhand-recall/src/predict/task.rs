//! A task as the lanes see it.

use std::collections::BTreeMap;

use oldhand_domain::words;

use crate::plan::{RecentWork, plan};

/// Longer prompts are plans with their own file lists; the beginning says what it is about.
const MOST_BYTES: usize = 4000;
/// Names of files are looked for this far.
const MOST_NAMES: usize = 64 * 1024;
/// Most messages of commits have fewer different words, most reports of a problem more.
const MESSAGE_WORDS: f64 = 30.0;
/// Most of what is said to an agent has fewer different words, half of the reports of a problem more.
const REPORT_WORDS: f64 = 90.0;

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

    /// The same task on a branch, whose name says something of it too.
    #[must_use]
    pub fn on_branch(mut self, branch: Option<&str>) -> Self {
        for word in branch.map(branch_words).into_iter().flatten() {
            self.words.entry(word).or_insert(1.0);
        }
        self
    }

    /// Near 1 for "continue", near 0 for a page of text: a short prompt says little, so that what
    /// happened lately says more.
    pub fn shortness(&self) -> f64 {
        1.0 / (1.0 + self.distinct as f64 / 10.0)
    }

    /// Whether it says more than to go on: two words of its own, or something that is done to the whole project.
    pub(super) fn says_what(&self) -> bool {
        self.words.len() >= 2 || !plan(&self.text, RecentWork::Ordinary).acts.is_empty()
    }

    /// Whether it is about what the project depends on, or in which versions.
    pub(super) fn speaks_of_dependencies(&self) -> bool {
        let words = words::split(&self.text);
        words
            .iter()
            .any(|word| DEPENDENCIES.contains(&word.as_str()))
    }

    /// Whether it asks what something is, and for no work.
    pub fn asks_what_is(&self) -> bool {
        let words = words::split(&self.text);
        let is = |at: usize, known: &[&str]| {
            words
                .get(at)
                .is_some_and(|word| known.contains(&word.as_str()))
        };
        is(0, &["what", "when", "where", "which", "who"])
            && is(1, &["are", "is", "s", "was", "were", "will"])
    }

    /// Whether it asks for nothing: thanks and praise. Who consents asks for what was proposed.
    pub fn asks_nothing(&self) -> bool {
        let words = words::split(&self.text);
        let is_kind = |word: &String| COURTESIES.contains(&word.as_str());
        words.iter().any(is_kind) && words.iter().all(|word| is_kind(word) || is_filler(word))
    }

    /// Near 1 for a sentence or two, as messages of commits are; half at `MESSAGE_WORDS`; near 0 for a report.
    pub fn likeness_to_message(&self) -> f64 {
        1.0 / (1.0 + (self.distinct as f64 / MESSAGE_WORDS).powi(4))
    }

    /// Near 0 for what is said to an agent, half at `REPORT_WORDS`, near 1 for a long report of a problem.
    pub fn likeness_to_report(&self) -> f64 {
        1.0 - 1.0 / (1.0 + (self.distinct as f64 / REPORT_WORDS).powi(8))
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

/// The words of an earlier session: of what was asked first, and of what its branch was called.
pub fn session_words(prompt: &str, branch: Option<&str>) -> Vec<String> {
    let mut words = task_words(prompt);
    words.extend(branch.map(branch_words).into_iter().flatten());
    words
}

fn branch_words(branch: &str) -> Vec<String> {
    task_words(&said_by_branch(branch))
}

/// What a branch is called, as words: without whose it is or what kind it is of. Empty for branches that are there for everything.
pub fn said_by_branch(branch: &str) -> String {
    const FOR_EVERYTHING: [&str; 6] = ["HEAD", "dev", "develop", "main", "master", "trunk"];
    if FOR_EVERYTHING.contains(&branch) {
        return String::new();
    }
    let name = branch.split_once('/').map_or(branch, |(_, name)| name);
    name.replace(['-', '_', '/'], " ")
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

/// What people say of the packages that a project is built with.
const DEPENDENCIES: &[&str] = &[
    "bump",
    "dependencies",
    "dependency",
    "deps",
    "downgrade",
    "lockfile",
    "packages",
    "upgrade",
    "upgrades",
];

/// What people say of work that is done.
pub(crate) const COURTESIES: &[&str] = &[
    "amazing",
    "awesome",
    "cool",
    "excellent",
    "fantastic",
    "fine",
    "good",
    "great",
    "job",
    "lgtm",
    "looks",
    "love",
    "lot",
    "lovely",
    "much",
    "nice",
    "perfect",
    "thank",
    "thanks",
    "thx",
    "very",
    "well",
    "wonderful",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thanks_ask_for_nothing() {
        for said in [
            "thanks, looks good",
            "Great job, thank you very much!",
            "lgtm",
        ] {
            assert!(Task::new(said).asks_nothing(), "{said}");
        }
        for asked in [
            "looks good, now fix the login",
            "yes, do it",
            "ok, please do that",
            "sounds good, do that now",
            "make it work well",
            "fix it",
            "the colours look nice on main",
        ] {
            assert!(!Task::new(asked).asks_nothing(), "{asked}");
        }
    }

    #[test]
    fn what_is_asked_for_is_no_work() {
        assert!(Task::new("What's the weather in Paris?").asks_what_is());
        assert!(Task::new("who is the mayor").asks_what_is());
        assert!(!Task::new("say what is wrong with the login").asks_what_is());
        assert!(!Task::new("what if the login fails").asks_what_is());
    }

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
    fn a_branch_says_what_the_task_is_about() {
        assert_eq!(
            said_by_branch("someone/fix-invoice_rounding"),
            "fix invoice rounding"
        );
        assert_eq!(said_by_branch("main"), "");
        let task = Task::new("continue").on_branch(Some("someone/invoice-rounding"));
        let words: Vec<&str> = task.words().map(|(word, _)| word).collect();
        assert_eq!(words, ["continu", "invoic", "round"]);
        assert_eq!(
            session_words("continue", Some("someone/invoice-rounding")),
            ["continu", "invoic", "round"]
        );
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
