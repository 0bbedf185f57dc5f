//! What a person laid down while working with an agent, kept in their own words.

use std::collections::BTreeSet;

use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::Digest;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::OutsideText;

use super::claim::is_file;
use super::phrase::{clip, is_concrete, shortened};
use super::wording::Wording;
use super::{Candidate, Origin};
use crate::fold::SessionAnalytics;
use crate::language::instruction::{
    Reach, instructions, is_of_other_language, is_of_work, names_something_elsewhere,
};
use crate::promote::Dropped;
use crate::settle::oppose;

#[cfg(test)]
mod measure;
#[cfg(test)]
mod tongues;

/// How the key of a person's own rule begins.
pub const SAID: &str = "said:";
/// How it begins where the rule is one by the words of another language.
const SAID_ELSEWHERE: &str = "said:elsewhere:";
/// What a person's own rule is worth.
const WORTH: f64 = 0.85;
/// How sure one is that a sentence was meant for more than the moment.
const SURE: f64 = 0.7;

/// Words that say nothing of what a rule is about.
const EMPTY: [&str; 100] = [
    "about",
    "add",
    "again",
    "all",
    "also",
    "always",
    "and",
    "another",
    "any",
    "anything",
    "appropriate",
    "are",
    "ask",
    "asked",
    "before",
    "but",
    "can",
    "continue",
    "could",
    "did",
    "does",
    "doing",
    "don't",
    "done",
    "dont",
    "each",
    "ever",
    "every",
    "everything",
    "existing",
    "for",
    "forget",
    "forward",
    "from",
    "going",
    "good",
    "has",
    "have",
    "how",
    "i'll",
    "into",
    "it's",
    "just",
    "keep",
    "let's",
    "like",
    "make",
    "must",
    "necessary",
    "need",
    "needed",
    "never",
    "new",
    "next",
    "not",
    "now",
    "okay",
    "one",
    "only",
    "our",
    "out",
    "possible",
    "please",
    "properly",
    "really",
    "remember",
    "rule",
    "same",
    "see",
    "should",
    "something",
    "stuff",
    "such",
    "sure",
    "test",
    "tests",
    "that",
    "that's",
    "the",
    "them",
    "then",
    "these",
    "thing",
    "things",
    "this",
    "those",
    "time",
    "too",
    "update",
    "use",
    "using",
    "very",
    "want",
    "way",
    "when",
    "where",
    "wherever",
    "with",
    "you",
    "your",
];

/// Rules, conventions and prohibitions from the prompts of a session, each once; also those that come to nothing, with the reason.
pub(super) fn from_prompts(session: &SessionAnalytics) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for prompt in &session.prompts {
        for (sentence, reach) in instructions(&prompt.text) {
            let said = if is_of_other_language(sentence) {
                SAID_ELSEWHERE
            } else {
                SAID
            };
            let key = format!("{said}{}", Digest::of(&plain(without_joint(sentence))));
            if found.iter().any(|known| known.key == key) {
                continue;
            }
            let Some(mut candidate) = Candidate::new(key, Origin::Person, word(sentence)) else {
                continue;
            };
            candidate.unfit = unfit(reach, sentence);
            candidate.confidence = Confidence::clamped(SURE);
            candidate.priority = WORTH;
            candidate.urgency = WORTH;
            // A person's words are their own, whatever the agent had read before; what they paste is not.
            if prompt.pasted {
                candidate.taint = [OutsideText::Pasted].into_iter().collect();
            }
            candidate.evidence = vec![prompt.step];
            found.push(candidate.about(files_named(session, sentence)));
        }
    }
    found
}

/// The keys of the rules that a session's prompts lay down, for those who count in how many sessions they were said. Those of other
/// languages are not counted: however often they are said, a person reviews them.
pub(crate) fn keys(session: &SessionAnalytics) -> BTreeSet<String> {
    let fit = from_prompts(session).into_iter().filter(Candidate::is_fit);
    let keys = fit.map(|candidate| candidate.key);
    keys.filter(|key| !key.starts_with(SAID_ELSEWHERE))
        .collect()
}

/// A sentence without the small words that join it to what was said before.
fn without_joint(sentence: &str) -> &str {
    const JOINTS: [&str; 19] = [
        "and ", "but ", "so ", "also ", "also, ", "no, ", "yes, ", "ok, ", "ok so ", "erm, ",
        "erm ", "um, ", "uh, ", "hmm, ", "hm, ", "well, ", "right, ", "btw, ", "oh, ",
    ];
    let mut rest = sentence.trim_start();
    while let Some(joint) = JOINTS.iter().find(|joint| {
        rest.get(..joint.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(joint))
    }) {
        rest = rest[joint.len()..].trim_start();
    }
    rest
}

/// Why words with the shape of a rule come to nothing.
fn unfit(reach: Reach, sentence: &str) -> Option<Dropped> {
    match reach {
        Reach::Moment => Some(Dropped::OfTheMoment),
        Reach::Lasting => (!names_something(sentence)).then_some(Dropped::NamesNothing),
    }
}

fn word(sentence: &str) -> Wording {
    let said: Vec<&str> = without_joint(sentence).split_whitespace().collect();
    let said = said.join(" ");
    let said = clip(said.trim_end_matches(['.', '!', '。', '！']), 240);
    Wording::plain(
        BuiltInType::Preference,
        format!("The user laid this down while working with an agent: \"{said}\"."),
        // What is written without spaces has more tokens for its length.
        shortened([120, 90, 60].map(|limit| format!("User's rule: {}", clip(&said, limit)))),
    )
}

/// Whether a sentence says what one could see it broken by: code, a file, a program, or what those who work do.
fn names_something(sentence: &str) -> bool {
    let is_place = |word: &str| {
        let word = word.trim_matches(|c: char| "()[],;:!\"'@".contains(c));
        let word = word.trim_end_matches('.');
        word.contains('/') && (word.starts_with(['/', '.', '~']) || word.ends_with('/'))
            || is_file(word)
    };
    let names_place = sentence.split_whitespace().any(is_place);
    if is_of_other_language(sentence) {
        return names_place || names_something_elsewhere(sentence, is_concrete(sentence));
    }
    names_place || is_concrete(sentence) || is_of_work(sentence)
}

/// Whether a text says what a rule says: one of its clauses has all words that tell what the rule is about, and forbids where that
/// forbids.
pub fn states(text: &str, rule: &str) -> bool {
    clauses(text).any(|clause| clause_states(clause, rule))
}

/// The pieces of a text that each say one thing. A full stop inside of a name ends none.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let sentences = text.lines().flat_map(|line| line.split(". "));
    sentences.flat_map(|sentence| sentence.split([';', '!', '?', '。']))
}

fn clause_states(text: &str, rule: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let lower = text.to_ascii_lowercase();
        let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\''));
        words
            .filter(|word| !word.is_empty())
            .map(|word| word.trim_end_matches('s').to_owned())
            .collect()
    };
    let forbids = |words: &[String]| {
        let no = [
            "never", "not", "don't", "dont", "no", "avoid", "without", "cannot",
        ];
        words.iter().any(|word| no.contains(&word.as_str()))
    };
    let (said, known) = (words(rule), words(text));
    let telling: Vec<&String> = said
        .iter()
        .filter(|word| {
            word.len() > 2
                && !EMPTY
                    .iter()
                    .any(|empty| empty.trim_end_matches('s') == word.as_str())
        })
        .collect();
    telling.len() >= 2
        && telling.iter().all(|word| known.contains(word))
        && forbids(&said) == forbids(&known)
        && oppose(text, rule).is_none()
}

#[test]
fn a_rule_that_a_file_states_already_is_known() {
    let stated = "All pull requests target `main`; never open PRs against `release` or its tags.";
    assert!(states(stated, "never open prs against release"));
    assert!(!states(stated, "always open prs against release"));
    assert!(!states(stated, "never open prs against develop"));
    assert!(!states(stated, "never open it"));
    let stated = "Run tests with `bun test` and keep fixtures small; do not use jest here.";
    assert!(!states(stated, "from now on don't run tests with bun"));
    assert!(states(stated, "always run tests with bun"));
    let scattered = "Run the ledger at night.\nTests of it are slow.\nWe like bun.";
    assert!(!states(scattered, "always run tests with bun"));
    assert!(!states("Use spaces, not tabs.", "use tabs, not spaces"));
}

/// The files of the session that a sentence names.
fn files_named(session: &SessionAnalytics, sentence: &str) -> Vec<ProjectPath> {
    let named = session.files.iter().filter(|(_, file)| {
        let name = crate::paths::file_name(file.path.as_str());
        name.len() > 4 && name.contains('.') && sentence.contains(name)
    });
    named.map(|(_, file)| file.path.clone()).take(3).collect()
}

/// The same words in another spelling are the same rule.
fn plain(sentence: &str) -> String {
    let letters = sentence
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' });
    let spaced: String = letters.collect();
    spaced
        .to_lowercase()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
