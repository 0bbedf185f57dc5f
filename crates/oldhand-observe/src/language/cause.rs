//! The agent says what was behind a failure.
//!
//! A guess sounds like a finding, so whatever is hedged, asked or meant for the next step is none. What is kept is the statement
//! without the words that lead to it, and only where it names something in the code and says how that works.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};

use super::{Prose, SUPPOSING, is_quoted};

mod words;

use words::{
    HERALDS, JOINTS, LEADS, MECHANISM, NOT_FOUND, OF_THE_MOMENT, POINTS_BACK, SO, WENT_WRONG,
};

/// The longest sentence that only announces the next one, in bytes.
const HERALD: usize = 60;
/// A cause so short is told with the sentence after it, in bytes.
const SHORT: usize = 90;
/// The shortest and the longest statement, in bytes.
const LENGTH: std::ops::RangeInclusive<usize> = 70..=300;

static PHRASES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let rules = LEADS.iter().chain(JOINTS).map(|rule| rule.phrase);
    AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .build(rules.chain([SO]).chain(HERALDS.iter().copied()))
        .expect("a few dozen short phrases fit any automaton")
});

/// The causes that a text states, in order.
pub fn causes(text: &str) -> Vec<String> {
    // Most texts hold no phrase at all, and one pass over the bytes says so.
    if !PHRASES.is_match(text) {
        return Vec::new();
    }
    let text = without_links(&text.replace("**", "").replace('’', "'"));
    let prose = Prose::of(&text);
    let mut found = Vec::new();
    let mut heralded = false;
    for (at, &sentence) in prose.sentences.iter().enumerate() {
        let lower = sentence.to_ascii_lowercase();
        let cause = after_lead(sentence, &lower).or_else(|| {
            let is_found = heralded && !NOT_FOUND.iter().any(|word| lower.contains(word));
            is_found.then_some(sentence)
        });
        heralded = sentence.len() <= HERALD && HERALDS.iter().any(|herald| lower.contains(herald));
        let Some(cause) = cause else { continue };
        let next = prose.sentences.get(at + 1);
        let next = next.filter(|next| cause.len() < SHORT && cause.ends_with('.') && goes_on(next));
        let whole = next.and_then(|next| statement(&format!("{cause} {next}")));
        found.extend(whole.or_else(|| statement(cause)));
    }
    found
}

/// Whether a sentence says more of what the one before it is about.
fn goes_on(sentence: &str) -> bool {
    let lower = sentence.to_ascii_lowercase();
    let is_guess = NOT_FOUND.iter().any(|word| lower.contains(word));
    let is_plan = lower.starts_with("the fix") || lower.starts_with("now ");
    !is_guess && !is_plan && !sentence.ends_with([':', '?']) && !begins_back(&lower)
}

/// What follows the words that lead to a cause.
fn after_lead<'a>(sentence: &'a str, lower: &str) -> Option<&'a str> {
    if sentence.ends_with('?') || SUPPOSING.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let wrong = lower
        .split_once(SO)
        .is_some_and(|(_, after)| WENT_WRONG.iter().any(|word| after.contains(word)));
    if wrong && !NOT_FOUND.iter().any(|word| lower.contains(word)) {
        return Some(sentence);
    }
    let leads = LEADS.iter().chain(JOINTS).filter_map(|rule| {
        let at = lower.find(rule.phrase)?;
        let holds = !is_quoted(lower, at) && rule.holds(lower, at);
        holds.then_some((at, at + rule.phrase.len()))
    });
    // The longest of those that begin first: `issue is` begins where `issue is that` does.
    let (_, until) = leads.min_by_key(|(from, until)| (*from, std::cmp::Reverse(*until)))?;
    Some(&sentence[until..])
}

/// What a cause says, if it says so much that somebody else understands it.
fn statement(words: &str) -> Option<String> {
    let rest = words.trim_start_matches([':', '—', '-', ' ', ',']);
    let rest = rest.strip_prefix("that ").unwrap_or(rest);
    let rest = without_lines(rest);
    let rest = rest.trim_end_matches(['.', ' ', '!', ':']);
    // A place behind a dash says where, not what.
    let rest = match rest.rsplit_once(" — ") {
        Some((before, place)) if !place.contains(' ') => before,
        _ => rest,
    };
    let words = rest.to_ascii_lowercase();
    let says = |list: &[&str]| list.iter().any(|word| has_word(&words, word));
    let is_named = rest.split('`').skip(1).step_by(2).any(is_name);
    let stated = LENGTH.contains(&rest.len())
        && is_named
        && rest.matches('`').count() % 2 == 0
        && !rest.ends_with(['(', ',', '…', '?'])
        && rest.matches('(').count() == rest.matches(')').count()
        && !begins_back(&words)
        && !says(OF_THE_MOMENT)
        && says(MECHANISM);
    let mut letters = rest.chars();
    let first = letters.next().filter(|_| stated)?;
    Some(format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

fn begins_back(lower: &str) -> bool {
    let first = lower.split([' ', ':', ',']).next().unwrap_or("");
    POINTS_BACK.contains(&first)
}

/// Whether something between backticks is the name of a thing, not a number, a version or a mark.
fn is_name(name: &str) -> bool {
    let version = name
        .trim_start_matches('v')
        .starts_with(|c: char| c.is_ascii_digit());
    !version && name.chars().filter(|c| c.is_alphabetic()).count() >= 3
}

/// A text with links told by their words.
fn without_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let Some((words, tail)) = before
            .rsplit_once('[')
            .zip(after.split_once(')').map(|(_, tail)| tail))
        else {
            break;
        };
        out.push_str(words.0);
        out.push_str(words.1);
        rest = tail;
    }
    out.push_str(rest);
    out
}

fn has_word(words: &str, word: &str) -> bool {
    words.match_indices(word).any(|(at, _)| {
        let before = words[..at]
            .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '`' | '.' | '/' | '-'));
        let after = words[at + word.len()..]
            .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '(' | '`' | '.' | '-'));
        !before && !after
    })
}

/// A statement without the numbers of lines behind files: `a.rs:40` is elsewhere tomorrow.
fn without_lines(text: &str) -> String {
    let text = match text.split_once(" (line") {
        Some((before, rest)) => match rest.split_once(')') {
            Some((number, after)) if number.len() < 12 => format!("{before}{after}"),
            _ => text.to_owned(),
        },
        None => text.to_owned(),
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(':') {
        let (before, after) = rest.split_at(at);
        let digits = after[1..].len()
            - after[1..]
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == '-')
                .len();
        let is_file = before
            .rsplit(['`', ' ', '(', '/'])
            .next()
            .is_some_and(|word| word.contains('.'));
        out.push_str(before);
        if digits > 0 && is_file {
            rest = &after[1 + digits..];
        } else {
            out.push(':');
            rest = &after[1..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_without_the_words_that_lead_to_it() {
        let cases = [
            (
                "Root cause**: `load_env` reads `.env` from the current folder, not from the one of the script.",
                "`load_env` reads `.env` from the current folder, not from the one of the script.",
            ),
            (
                "Found it — `RLIMIT_AS` isn't settable on this kind of system, so `preexec_fn` raises in every child.",
                "`RLIMIT_AS` isn't settable on this kind of system, so `preexec_fn` raises in every child.",
            ),
            (
                "The issue is that `sync` (without `--all`) only installs what the root package depends on.",
                "`sync` (without `--all`) only installs what the root package depends on.",
            ),
            (
                "The build fails because the feature `native_tls` does not switch on `TlsConnector::new` any more.",
                "The feature `native_tls` does not switch on `TlsConnector::new` any more.",
            ),
            (
                "Found it. In `a/pool.py:41` the `engine` is made when the module is imported (line 41) and never disposed of.",
                "In `a/pool.py` the `engine` is made when the module is imported and never disposed of.",
            ),
            (
                "Found it! The `limit` of a page starts at 0, which means all rows. The `next()` call waits until they are read.",
                "The `limit` of a page starts at 0, which means all rows. The `next()` call waits until they are read.",
            ),
            (
                "The parser doesn't pass `strict` on to nested lists, so entries such as `a: b: c` were wrongly accepted.",
                "The parser doesn't pass `strict` on to nested lists, so entries such as `a: b: c` were wrongly accepted.",
            ),
            (
                "The problem is that [store.rs](src/store.rs) keeps `Rows` open, so a second `begin()` waits until the first ends.",
                "Store.rs keeps `Rows` open, so a second `begin()` waits until the first ends.",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(causes(text), [expected], "{text}");
        }
    }

    #[test]
    fn guesses_symptoms_and_the_moment_are_no_causes() {
        for text in [
            // A guess, a question, a plan, a supposition.
            "The issue is likely that `sync` only installs what the root package depends on, not the rest.",
            "Maybe the problem is that `sync` only installs what the root package depends on, not the rest.",
            "Is the problem that `sync` only installs what the root package depends on, not the rest?",
            "Let me check if the issue is that `sync` only installs what the root package depends on.",
            "If the tests hang, the problem is that `sync` only installs what the root package depends on.",
            // Nothing is named, or nothing is said about it.
            "The issue is that the tests were written for another version, so they do not pass any longer.",
            "The issue is `MediaOptimizer`, the actor in the folder of the importer, as in the last report of it.",
            "The problem is that `x` is wrong.",
            // It points back, or it is of this moment, this machine or this talk.
            "The test failed because it was looking for `div[role]` and the wrapper renders something else now.",
            "The push failed because SSH to `github.com` timed out, so `bd dolt push` could not run afterwards.",
            "The problem is that `app.ts` on this branch has a merge conflict, so the build does not pass.",
            "The issue is that your `settings.json` has no `hooks`, so the client never calls the program.",
            "The failures are pre-existing: the issue is that `a.ts` imports what `b.ts` does not export.",
            // Announced, and then something else.
            "Found it. Let me write the `engine` so that it is made when the first connection is asked for.",
            "Found it, in a file that nobody had looked at for as long as the project exists, I think. The `engine` is only made when asked.",
            // Quoted and shown.
            "> The issue is that `sync` only installs what the root package depends on, not the rest.",
            "```\nThe issue is that `sync` only installs what the root package depends on, not the rest.\n```",
        ] {
            assert_eq!(causes(text), Vec::<String>::new(), "{text}");
        }
    }
}
