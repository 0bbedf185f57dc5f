//! Whether a text of the project says already what a person laid down, in nearly the same words.

use oldhand_domain::words;

use super::{is_concrete, places};
use crate::language::instruction::{reaches_elsewhere, without_reaching};
use crate::settle::oppose;

/// Words that say nothing of what a rule is about.
pub(super) const EMPTY: [&str; 100] = [
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

/// Whether a text says what a rule says: one of its clauses has all words that tell what the rule is about, and forbids where that
/// forbids.
pub fn states(text: &str, rule: &str) -> bool {
    let order = order_of(rule);
    clauses(text).any(|clause| {
        clause_states(clause, rule)
            || has_places(clause, rule)
            || order.is_some_and(|order| clause_states(clause, order))
    })
}

/// The order of a rule that stands under a heading or goes on about what it forbids: "Standing orders: never commit to main, code comes
/// to main by pull requests". Whoever says the order says the rule.
fn order_of(rule: &str) -> Option<&str> {
    let order = rule.split_once(": ").map_or(rule, |(_, order)| order);
    let Some((first, rest)) = order.split_once(", ") else {
        return (order.len() < rule.len()).then_some(order);
    };
    let (known, more) = (words_of(first), words_of(rest));
    let goes_on = known.iter().any(|word| tells(word) && more.contains(word));
    (forbids(first, &known) && goes_on && !is_concrete(rest)).then_some(first)
}

/// Whether a clause has all files and folders that a rule names, two or more, and one more word of what it tells.
fn has_places(clause: &str, rule: &str) -> bool {
    let named: Vec<&str> = places(rule).collect();
    if named.len() < 2 || !named.iter().all(|place| clause.contains(place)) {
        return false;
    }
    let rest: Vec<&str> = rule
        .split_whitespace()
        .filter(|word| !named.iter().any(|place| word.contains(place)))
        .collect();
    let (said, known) = (words_of(&rest.join(" ")), words_of(clause));
    said.iter().any(|word| tells(word) && known.contains(word))
        && forbids(rule, &said) == forbids(clause, &known)
}

/// The pieces of a text that each say one thing. A full stop inside of a name ends none.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let sentences = text.lines().flat_map(|line| line.split(". "));
    sentences.flat_map(|sentence| sentence.split([';', '!', '?', '。']))
}

fn clause_states(text: &str, rule: &str) -> bool {
    let dense = without_reaching(rule);
    let words = |text: &str| -> Vec<String> {
        if dense.is_none() {
            return words_of(text);
        }
        let words = words::split(text).into_iter();
        let telling = words.filter(|word| words::is_telling(word));
        telling.map(|word| root(&word).to_owned()).collect()
    };
    let (said, known) = (words(dense.as_deref().unwrap_or(rule)), words(text));
    let telling: Vec<&String> = said.iter().filter(|word| tells(word)).collect();
    telling.len() >= 2
        && telling.iter().all(|word| known.contains(word))
        && forbids(rule, &said) == forbids(text, &known)
        && oppose(text, rule).is_none()
}

/// The words of a text in lower case, of one or of many alike.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    words
        .filter(|word| !word.is_empty())
        .map(|word| word.trim_end_matches('s').to_owned())
        .collect()
}

/// Whether a word says what a rule is about.
pub(super) fn tells(word: &str) -> bool {
    let mut empty = EMPTY.iter().map(|empty| empty.trim_end_matches('s'));
    let says_nothing =
        empty.any(|empty| empty == word) || ASKING.contains(&word) || reaches_elsewhere(word);
    word.len() > 2 && !says_nothing
}

/// Whether a text forbids something.
pub(super) fn forbids(text: &str, words: &[String]) -> bool {
    let no = FORBIDDING.map(|word| word.trim_end_matches('s'));
    words.iter().any(|word| no.contains(&word.as_str()))
        || DENSELY_FORBIDDING.iter().any(|no| text.contains(no))
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
fn an_order_under_a_heading_that_a_file_states_is_known() {
    let stated = "Never commit to `main`. Nothing comes there but by pull request.";
    for (rule, expected) in [
        (
            "Standing orders: Never commit to main, code ends on main by PR",
            true,
        ),
        ("Standing orders: never commit to main", true),
        ("never commit to main, use a worktree", false),
        (
            "never commit to main, what is on main lies in `a/b.md`",
            false,
        ),
        ("Standing orders: always commit to main", false),
        ("always commit to main, main is where we work", false),
    ] {
        assert_eq!(states(stated, rule), expected, "{rule}");
    }
}

#[test]
fn two_files_of_a_rule_in_one_clause_of_a_file_say_it() {
    let stated = "The kit lives in `../kit`. When changing `kit.sh`, edit `../kit/src/*.sh` and push there; do not edit the copy.";
    for (rule, expected) in [
        (
            "when editing things in kit.sh always edit in the main copy (../kit)",
            true,
        ),
        ("never edit kit.sh in ../kit", false),
        ("always sign kit.sh with ../kit", false),
        ("always edit kit.sh beside ../other", false),
        ("always edit kit.sh first", false),
    ] {
        assert_eq!(states(stated, rule), expected, "{rule}");
    }
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
