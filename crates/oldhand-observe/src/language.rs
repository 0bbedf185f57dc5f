//! What an agent's own words admit: that it was wrong, or that it gives an approach up.
//!
//! Words are cheap and agents think aloud, so a phrase alone proves nothing: a bare "Actually," or
//! "Wait," is not a correction. Each rule names a phrase, what must stand beside it in the same
//! sentence, and what makes it mean something else. Measured in `docs/benchmarks/learning.md`.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

mod abandonment;
pub mod cause;
mod correction;
pub mod instruction;
#[cfg(test)]
mod measure;

/// What a sentence admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Admission {
    /// Something the agent had believed or said was wrong.
    Correction,
    /// The approach the agent was on is given up.
    Abandonment,
    /// What was behind a failure: [`cause`] reads it.
    Cause,
    /// How something behaves, said beside the work.
    Behaviour,
}

/// A sentence that admits something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admitted<'a> {
    pub admission: Admission,
    /// The sentence itself, as written.
    pub sentence: &'a str,
    /// The sentence after it, which often tells what is right instead.
    pub next: Option<&'a str>,
}

/// One way of admitting something.
struct Rule {
    /// Lower case, with straight quotes.
    phrase: &'static str,
    at: Position,
    /// At least one of these must stand after the phrase in the sentence; empty asks for nothing.
    beside: &'static [&'static str],
    /// And at least one of these.
    too: &'static [&'static str],
    /// None of these may stand anywhere in the sentence.
    never: &'static [&'static str],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Anywhere,
    /// The sentence begins with it, small words aside.
    Start,
}

const fn says(phrase: &'static str) -> Rule {
    Rule {
        phrase,
        at: Position::Anywhere,
        beside: &[],
        too: &[],
        never: &[],
    }
}

impl Rule {
    const fn beside(mut self, words: &'static [&'static str]) -> Self {
        self.beside = words;
        self
    }

    const fn too(mut self, words: &'static [&'static str]) -> Self {
        self.too = words;
        self
    }

    const fn never(mut self, words: &'static [&'static str]) -> Self {
        self.never = words;
        self
    }

    const fn first(mut self) -> Self {
        self.at = Position::Start;
        self
    }

    fn holds(&self, sentence: &str, at: usize) -> bool {
        let after = &sentence[at + self.phrase.len()..];
        let starts_word = !sentence[..at].ends_with(|c: char| c.is_alphanumeric());
        let ends_word = !self.phrase.ends_with(char::is_alphanumeric)
            || !after.starts_with(char::is_alphanumeric);
        starts_word
            && ends_word
            && match self.at {
                Position::Anywhere => true,
                Position::Start => is_opening(&sentence[..at]),
            }
            && [self.beside, self.too]
                .iter()
                .all(|words| words.is_empty() || words.iter().any(|word| after.contains(word)))
            && !self.never.iter().any(|word| sentence.contains(word))
    }
}

/// Sentences that only suppose, ask or quote admit nothing.
const SUPPOSING: [&str; 14] = [
    "if i ",
    "if my ",
    "if this ",
    "if that ",
    "if the ",
    "whether ",
    "might have been",
    "may have been",
    "in case ",
    "would be wrong",
    "unless ",
    "could have been",
    "when an agent",
    "e.g.",
];

/// Longer stretches without an end are not sentences: lists, tables, code.
const SENTENCE_LIMIT: usize = 600;

struct Matcher {
    phrases: AhoCorasick,
    rules: Vec<(&'static Rule, Admission)>,
}

static MATCHER: LazyLock<Matcher> = LazyLock::new(|| {
    let corrections = correction::RULES
        .iter()
        .map(|rule| (rule, Admission::Correction));
    let abandonments = abandonment::RULES
        .iter()
        .map(|rule| (rule, Admission::Abandonment));
    let rules: Vec<_> = corrections.chain(abandonments).collect();
    let phrases = AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .build(rules.iter().map(|(rule, _)| rule.phrase))
        .expect("a few dozen short phrases fit any automaton");
    Matcher { phrases, rules }
});

/// Everything `text` admits, at most once per sentence and kind, in order.
pub fn admissions(text: &str) -> Vec<Admitted<'_>> {
    // Most texts hold no phrase at all, and one pass over the bytes says so. Curly quotes hide
    // phrases from that pass, so such texts are read sentence by sentence.
    if !text.contains('’') && !MATCHER.phrases.is_match(text) {
        return Vec::new();
    }
    let prose = Prose::of(text);
    let mut found: Vec<Admitted<'_>> = Vec::new();
    for (index, &sentence) in prose.sentences.iter().enumerate() {
        let Some(first) = admission_of(sentence) else {
            continue;
        };
        // What was had wrong in an item of a list, or was only said besides, is not what stands behind it.
        let is_apart =
            first == Admission::Correction && (prose.items.contains(&index) || is_aside(sentence));
        let next = prose.sentences.get(index + 1).filter(|_| !is_apart);
        let next = next.copied();
        found.push(Admitted {
            admission: first,
            sentence,
            next,
        });
    }
    found
}

/// Whether a sentence admits something in brackets at its end: "… (which I wrongly left out)".
fn is_aside(sentence: &str) -> bool {
    let sentence = sentence.trim_end_matches(['.', ' ', '*']);
    let Some((before, aside)) = sentence
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once('('))
    else {
        return false;
    };
    admission_of(before).is_none() && admission_of(aside).is_some()
}

/// What one sentence admits.
fn admission_of(sentence: &str) -> Option<Admission> {
    if sentence.len() > SENTENCE_LIMIT || sentence.ends_with('?') {
        return None;
    }
    let lower = sentence.to_ascii_lowercase().replace('’', "'");
    let hits: Vec<_> = MATCHER.phrases.find_overlapping_iter(&lower).collect();
    if hits.is_empty() || SUPPOSING.iter().any(|word| lower.contains(word)) {
        return None;
    }
    hits.iter().find_map(|hit| {
        let (rule, admission) = MATCHER.rules[hit.pattern().as_usize()];
        (!is_quoted(&lower, hit.start()) && rule.holds(&lower, hit.start())).then_some(admission)
    })
}

/// Whether a place in a sentence lies inside quotation marks or backticks.
fn is_quoted(sentence: &str, at: usize) -> bool {
    let before = &sentence[..at];
    before.matches('"').count() % 2 == 1
        || before.matches('`').count() % 2 == 1
        || [('“', '”'), ('「', '」'), ('『', '』')]
            .iter()
            .any(|(open, close)| before.matches(*open).count() > before.matches(*close).count())
}

/// Whether only small words and marks stand before the phrase.
fn is_opening(before: &str) -> bool {
    const SMALL: [&str; 14] = [
        "wait", "oh", "hmm", "ah", "but", "so", "and", "actually", "ok", "okay", "no", "well",
        "sorry", "good",
    ];
    before
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .all(|word| SMALL.contains(&word))
}

/// Whether a part of a sentence begins after `before`: at its start, after a mark, or after a word that joins.
fn opens_clause(before: &str) -> bool {
    const JOINING: [&str; 14] = [
        "but", "and", "so", "please", "then", "also", "just", "anyway", "because", "since", "as",
        "or", "yes", "rather",
    ];
    if is_opening(before) {
        return true;
    }
    let before = before.trim_end();
    before.ends_with([',', ';', ':', '(', '—', '–', '-'])
        || before
            .rsplit(|c: char| !c.is_alphanumeric())
            .next()
            .is_some_and(|word| JOINING.contains(&word))
}

/// A text cut into sentences, with code blocks, tables, quotes and headings left out.
struct Prose<'a> {
    sentences: Vec<&'a str>,
    /// Which of them end an item of a list: what comes next is about something else.
    items: Vec<usize>,
}

impl<'a> Prose<'a> {
    fn of(text: &'a str) -> Self {
        let mut sentences: Vec<&str> = Vec::new();
        let mut items = Vec::new();
        let mut in_code = false;
        for line in text.lines() {
            let line = line.trim();
            if line.starts_with("```") || line.starts_with("~~~") {
                in_code = !in_code;
                continue;
            }
            if in_code || line.is_empty() || line.starts_with(['>', '|', '#', '+', '"', '/']) {
                continue;
            }
            let before = sentences.len();
            cut(
                line.trim_start_matches(['-', '*', '•', ' ']),
                &mut sentences,
            );
            if is_item(line) && sentences.len() > before {
                items.push(sentences.len() - 1);
            }
        }
        Self { sentences, items }
    }
}

/// Whether a line is an item of a list: `- so it is`, `2. so it is`.
fn is_item(line: &str) -> bool {
    let marked = ["- ", "* ", "• "].iter().any(|mark| line.starts_with(mark));
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    marked || rest.len() < line.len() && rest.starts_with(['.', ')'])
}

fn cut<'a>(line: &'a str, sentences: &mut Vec<&'a str>) {
    let bytes = line.as_bytes();
    let mut start = 0;
    let mut code = false;
    for (at, mark) in line.char_indices() {
        let end = at + mark.len_utf8();
        let ends = match mark {
            '`' => {
                code = !code;
                false
            }
            '.' | '!' | '?' if !code => {
                let is_apart = bytes.get(end).is_none_or(|next| {
                    next.is_ascii_whitespace() || next.is_ascii_uppercase() && mark != '.'
                });
                let is_short = ["e.g", "i.e", " vs"]
                    .iter()
                    .any(|short| line[start..at].ends_with(short));
                is_apart && !is_short
            }
            // What closes a sentence where no space follows.
            '。' | '！' | '？' => !code,
            _ => false,
        };
        if ends {
            push(&line[start..end], sentences);
            start = end;
        }
    }
    push(&line[start..], sentences);
}

fn push<'a>(sentence: &'a str, sentences: &mut Vec<&'a str>) {
    let sentence = sentence.trim();
    if sentence.len() >= 8 {
        sentences.push(sentence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<(Admission, &str)> {
        admissions(text)
            .into_iter()
            .map(|found| (found.admission, found.sentence))
            .collect()
    }

    #[test]
    fn thinking_aloud_is_no_correction() {
        for text in [
            "Wait, that's only 16ms?",
            "Actually, let me look at this more carefully.",
            "But wait - `Enqueue` is actually a non-blocking operation.",
            "Actually, looking at the code:",
            "You're right to question that.",
            "If I was wrong about this, the test would fail.",
            "The docs say \"I was wrong about X\" is a correction.",
            "```\nI was wrong about the port\n```",
            "> I was wrong about the port",
            "Was I wrong about the port?",
            "The user thinks the value is wrong.",
        ] {
            assert_eq!(told(text), [], "{text}");
        }
    }

    #[test]
    fn what_is_denied_of_a_name_and_what_is_so_instead_is_a_correction() {
        for (text, is_one) in [
            (
                "Actually, `retryLimit` is not global, it is counted per request.",
                true,
            ),
            (
                "Actually `retryLimit` isn't per session — it is counted per request.",
                true,
            ),
            (
                "Actually, `retryLimit` is per request, not per session.",
                true,
            ),
            (
                "Actually, the limit lives in `src/pool.ts`, not in `src/server.ts`.",
                true,
            ),
            ("Actually, `retryLimit` is not used here.", false),
            (
                "Actually, `retryLimit` is slow, it is from the cache.",
                false,
            ),
            (
                "Actually, `retryLimit` is for all requests, not just for one.",
                false,
            ),
            (
                "Actually, `retryLimit` could be per request, not per session.",
                false,
            ),
        ] {
            assert_eq!(!told(text).is_empty(), is_one, "{text}");
        }
    }

    #[test]
    fn admissions_come_with_what_follows() {
        let text = "Tests run.\nI was wrong about the channel name. It is `github:issues:fetch`, not `github:fetch`.";
        let found = admissions(text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].admission, Admission::Correction);
        assert_eq!(
            found[0].next,
            Some("It is `github:issues:fetch`, not `github:fetch`.")
        );
    }

    #[test]
    fn what_follows_an_item_or_an_aside_is_about_something_else() {
        for (text, next) in [
            (
                "- I was wrong about the walk.\n\nThe `walk` is shared by both.",
                None,
            ),
            (
                "2. **The filter** skips what both have (which I incorrectly removed)\n\nThe `walk` is shared by both.",
                None,
            ),
            (
                "The filter is back (which I incorrectly removed). The `walk` is shared by both.",
                None,
            ),
            (
                "- I was wrong about the walk. It is shared by both.\n- Done.",
                Some("It is shared by both."),
            ),
            (
                "I was wrong (again).\n\nThe `walk` is shared by both.",
                Some("The `walk` is shared by both."),
            ),
            // Why an approach was given up may stand behind the list.
            (
                "- This approach won't work.\n\nThe `walk` is shared by both.",
                Some("The `walk` is shared by both."),
            ),
        ] {
            let found = admissions(text);
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].next, next, "{text}");
        }
    }

    #[test]
    fn sentences_end_where_they_end() {
        let prose =
            Prose::of("See `a.b.c` first. Then e.g. this.\n# Heading\n- An item! All is done.");
        assert_eq!(
            prose.sentences,
            [
                "See `a.b.c` first.",
                "Then e.g. this.",
                "An item!",
                "All is done."
            ]
        );
    }
}
