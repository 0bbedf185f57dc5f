//! What a person laid down while working with an agent, kept in their own words.

use std::collections::BTreeSet;

use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::Digest;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::OutsideText;

use super::phrase::{clip, is_concrete, without_plumbing};
use super::wording::Wording;
use super::{Candidate, Origin};
use crate::fold::{Refused, SessionAnalytics};
use crate::language::instruction::{
    Occasion, Reach, instructions, is_lasting, is_of_other_language, names_tool, unspaced,
};
use crate::promote::Dropped;
use crate::settle::oppose;

#[cfg(test)]
mod measure;

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
        let occasion = if prompt.refused.is_some() {
            Occasion::Refusal
        } else {
            Occasion::Talk
        };
        for (sentence, reach) in instructions(&prompt.text, occasion) {
            let refused = prompt.refused.as_ref().filter(|_| !is_lasting(sentence));
            let said = if is_of_other_language(sentence) {
                SAID_ELSEWHERE
            } else {
                SAID
            };
            let key = format!("{said}{}", Digest::of(&plain(without_joint(sentence))));
            if found.iter().any(|known| known.key == key) {
                continue;
            }
            let wording = word(session, refused, sentence);
            let Some(mut candidate) = Candidate::new(key, Origin::Person, wording) else {
                continue;
            };
            candidate.unfit = unfit(reach, refused, sentence);
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
fn unfit(reach: Reach, refused: Option<&Refused>, sentence: &str) -> Option<Dropped> {
    let shown = matches!(refused, Some(Refused::Command(_) | Refused::Edit(_)));
    match reach {
        Reach::Moment => Some(Dropped::OfTheMoment),
        // Without a call to point to, the words must name what they are about.
        Reach::Lasting => (!shown && !names_something(sentence)).then_some(Dropped::NamesNothing),
    }
}

/// Words that reach further stand by themselves; other words need the call that they stopped.
fn word(session: &SessionAnalytics, refused: Option<&Refused>, sentence: &str) -> Wording {
    let said: Vec<&str> = without_joint(sentence).split_whitespace().collect();
    let said = clip(said.join(" ").trim_end_matches(['.', '!']), 240);
    let (content, summary) = match refused {
        Some(Refused::Command(command)) => {
            let command = clip(
                without_plumbing(command.lines().next().unwrap_or_default()),
                60,
            );
            (
                format!(
                    "The user stopped an agent that was about to run `{command}`, with the words: \"{said}\"."
                ),
                format!("User, stopping `{command}`: {}", clip(&said, 90)),
            )
        }
        Some(Refused::Edit(file)) => {
            let branch = session
                .start
                .as_ref()
                .and_then(|start| start.branch.as_deref());
            // Only the branch that everybody shares makes a difference.
            let shared =
                branch.filter(|name| matches!(*name, "main" | "master" | "develop" | "trunk"));
            let on = shared
                .map(|branch| format!(" on branch `{branch}`"))
                .unwrap_or_default();
            (
                format!(
                    "The user stopped an agent that was about to edit `{file}`{on}, with the words: \"{said}\"."
                ),
                format!("User, stopping an edit{on}: {}", clip(&said, 90)),
            )
        }
        Some(Refused::Other) | None => (
            format!("The user laid this down while working with an agent: \"{said}\"."),
            format!("User's rule: {}", clip(&said, 120)),
        ),
    };
    Wording::plain(BuiltInType::Preference, content, summary)
}

/// Whether a sentence says what it is about: code, a program, or at least two words that are neither small nor those of rules.
fn names_something(sentence: &str) -> bool {
    let lower = sentence.to_ascii_lowercase();
    let telling = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| word.len() > 2 && !EMPTY.contains(word))
        .count();
    // Where words are not written apart, a sentence of some length is about something.
    telling >= 2 || unspaced(sentence) >= 8 || is_concrete(sentence) || names_tool(&lower)
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
