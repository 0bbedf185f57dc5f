//! What a person laid down while working with an agent, kept in their own words.

use std::collections::BTreeMap;

use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::Digest;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::{OutsideText, Taint};
use oldhand_domain::words;

use super::claim::is_file;
use super::phrase::{clip, is_concrete, shortened};
use super::wording::Wording;
use super::{Candidate, Origin};
use crate::fold::SessionAnalytics;
use crate::language::instruction::{
    Reach, instructions, is_of_handing_alone, is_of_other_language, is_of_work,
    names_something_elsewhere, reaches_elsewhere, without_reaching,
};
use crate::promote::Dropped;
use crate::settle::oppose;

mod again;
#[cfg(test)]
mod measure;
#[cfg(test)]
mod tongues;

pub(crate) use again::{SURE as SAID_AGAIN_SURE, refused, said_again};

/// How the key of a person's own rule begins.
pub const SAID: &str = "said:";
/// How it begins where the rule is one by the words of another language.
const SAID_ELSEWHERE: &str = "said:elsewhere:";
/// How it begins where the rule has no word that reaches further than the task.
const SAID_OF_HANDING: &str = "said:handing:";
/// What a person's own rule is worth.
pub(crate) const WORTH: f64 = 0.85;
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

/// Words that forbid.
const FORBIDDING: [&str; 19] = [
    "never", "not", "don't", "dont", "no", "avoid", "without", "cannot", "nie", "niemals", "nicht",
    "kein", "keine", "jamais", "pas", "nunca", "jamás", "não", "sin",
];
/// What forbids where words are not written apart, or with all that belongs to them.
const DENSELY_FORBIDDING: [&str; 12] = [
    "ない", "禁止", "지 마", "지마", "지 말", "금지", "않", "不要", "不得", "别", "別", "勿",
];

/// What Korean ends a request with, without what is joined to it.
const ASKING: [&str; 8] = ["주세", "해줘", "해주", "줘", "마", "마세", "마라", "말아"];

/// Rules, conventions and prohibitions from the prompts of a session, each once; also those that come to nothing, with the reason.
pub(crate) fn from_prompts(session: &SessionAnalytics) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for prompt in session.typed() {
        for (sentence, reach) in instructions(&prompt.text) {
            let said = if is_of_other_language(sentence) {
                SAID_ELSEWHERE
            } else if is_of_handing_alone(sentence) {
                SAID_OF_HANDING
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

/// The keys of the rules that a session's prompts lay down, with the marks of what was pasted, for those who count in how many sessions they were said. Those of other
/// languages, and those of how work is handed in that have no word which reaches further, are not counted: however often they are said, a
/// person reviews them.
pub(crate) fn keys(laid_down: &[Candidate]) -> BTreeMap<String, Taint> {
    let fit = laid_down.iter().filter(|candidate| candidate.is_fit());
    let keys = fit.map(|candidate| (candidate.key.clone(), candidate.taint.clone()));
    let is_doubtful =
        |key: &String| key.starts_with(SAID_ELSEWHERE) || key.starts_with(SAID_OF_HANDING);
    keys.filter(|(key, _)| !is_doubtful(key)).collect()
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
    let is_elsewhere = is_of_other_language(sentence);
    let is_place = |word: &str| {
        let word = word.trim_matches(|c: char| "()[],;:!\"'@".contains(c));
        let word = word.trim_end_matches('.');
        // "/api/users" is where a product answers.
        let is_root = word.starts_with('/') && !is_elsewhere;
        word.contains('/') && (is_root || word.starts_with(['.', '~']) || word.ends_with('/'))
            || is_file(word)
    };
    let names_place = sentence.split_whitespace().any(is_place);
    if is_elsewhere {
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
    let dense = without_reaching(rule);
    let words = |text: &str| -> Vec<String> {
        if dense.is_some() {
            let words = words::split(text).into_iter();
            let telling = words.filter(|word| words::is_telling(word));
            return telling.map(|word| root(&word).to_owned()).collect();
        }
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\''));
        words
            .filter(|word| !word.is_empty())
            .map(|word| word.trim_end_matches('s').to_owned())
            .collect()
    };
    let forbids = |text: &str, words: &[String]| {
        let no = FORBIDDING.map(|word| word.trim_end_matches('s'));
        words.iter().any(|word| no.contains(&word.as_str()))
            || DENSELY_FORBIDDING.iter().any(|no| text.contains(no))
    };
    let (said, known) = (words(dense.as_deref().unwrap_or(rule)), words(text));
    let says_nothing = |word: &str| {
        let mut empty = EMPTY.iter().map(|empty| empty.trim_end_matches('s'));
        empty.any(|empty| empty == word) || ASKING.contains(&word) || reaches_elsewhere(word)
    };
    let telling: Vec<&String> = said
        .iter()
        .filter(|word| word.len() > 2 && !says_nothing(word))
        .collect();
    telling.len() >= 2
        && telling.iter().all(|word| known.contains(word))
        && forbids(rule, &said) == forbids(text, &known)
        && oppose(text, rule).is_none()
}

/// A Korean word without what is joined to it, roughly: its first two letters, or what stands before the first of them.
fn root(word: &str) -> &str {
    let is_hangul = |c: char| matches!(c, '\u{ac00}'..='\u{d7a3}');
    match word.find(is_hangul) {
        Some(0) => {
            let end = word.char_indices().nth(2).map_or(word.len(), |(at, _)| at);
            &word[..end]
        }
        Some(end) => &word[..end],
        None => word,
    }
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

#[test]
fn a_rule_of_another_language_that_a_file_states_already_is_known() {
    let stated = "パッケージはpnpmを使う。mainには直接pushしない。コミットの前にlintを実行する。";
    for rule in [
        "今後はpnpmを使ってください",
        "絶対にmainにpushしないで",
        "コミット前に必ずlintを実行すること",
    ] {
        assert!(states(stated, rule), "{rule}");
    }
    assert!(!states(stated, "今後はyarnを使ってください"));
    assert!(!states(stated, "今後はmainにpushしてください"));
    let stated = "pnpm으로 사용한다. main에는 push하지 말 것. 커밋 메시지는 영어로 쓴다.";
    assert!(states(stated, "앞으로는 pnpm을 사용해 주세요"));
    assert!(states(stated, "절대 main에 push하지 마"));
    assert!(!states(stated, "앞으로는 main에 push해 주세요"));
    assert!(states("提交前运行测试。", "提交前务必运行测试"));
    assert!(!states("不要在提交前运行测试。", "提交前务必运行测试"));
    assert!(states(
        "Commits auf Englisch schreiben.",
        "Commits immer auf Englisch schreiben"
    ));
    assert!(!states("Nicht auf main pushen.", "Immer auf main pushen"));
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
