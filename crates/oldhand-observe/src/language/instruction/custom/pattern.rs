//! Short patterns of words, and where a sentence has them.

/// The words and marks of a sentence.
pub(super) struct Tokens<'a, 'l> {
    pub text: &'a str,
    /// Each in lower case, with where it begins.
    words: Vec<(usize, &'l str)>,
}

/// Where a pattern was found: from one token up to before another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    start: usize,
    pub end: usize,
    /// What stood in the place of `<name>` or `<base>`.
    pub name: String,
}

/// Small words between an order and its object, of `~`.
const SMALL: [&str; 24] = [
    "a",
    "an",
    "the",
    "this",
    "it",
    "to",
    "up",
    "out",
    "over",
    "our",
    "and",
    "+",
    "&",
    "then",
    "please",
    "new",
    "fresh",
    "another",
    "separate",
    "small",
    "one",
    "as",
    "appropriate",
    "back",
];
const SMALL_WORDS: usize = 5;
const ANY_WORDS: usize = 7;

/// Words before an order that it opens a clause with all the same.
const LEADS: [&str; 34] = [
    "ok",
    "okay",
    "yes",
    "yeah",
    "sure",
    "cool",
    "great",
    "no",
    "lets",
    "let's",
    "we",
    "you",
    "i",
    "think",
    "need",
    "to",
    "should",
    "have",
    "must",
    "please",
    "pls",
    "now",
    "first",
    "also",
    "just",
    "definitely",
    "next",
    "make",
    "remember",
    "dont",
    "don't",
    "not",
    "forget",
    "so",
];
/// They refuse, unless something is not to be forgotten.
const REFUSES: [&str; 3] = ["dont", "don't", "not"];
const JOINTS: [&str; 14] = [
    ",", ";", ":", "(", ")", "-", "–", "—", "+", "&", "and", "then", "but", "/",
];

impl<'a, 'l> Tokens<'a, 'l> {
    pub(super) fn of(text: &'a str, lower: &'l str) -> Self {
        let is_part =
            |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '_' | '.' | '#');
        let mut words = Vec::new();
        let mut at = 0;
        while let Some(first) = lower[at..].chars().next() {
            if first.is_whitespace() {
                at += first.len_utf8();
                continue;
            }
            let length = lower[at..]
                .find(|c: char| !is_part(c))
                .unwrap_or(lower.len() - at);
            let word = &lower[at..at + length];
            let bare = word.trim_end_matches(['.', '-']);
            let token = if bare.is_empty() {
                &lower[at..at + first.len_utf8()]
            } else {
                bare
            };
            words.push((at, token));
            at += token.len();
        }
        Self { text, words }
    }

    /// The word at a place, or nothing.
    pub(super) fn word_at(&self, at: usize) -> &'l str {
        self.words.get(at).map_or("", |(_, word)| word)
    }

    /// The text from where something was found, up to its end or that of a sentence of at most `most` words.
    pub(super) fn span(&self, found: &Found, most: usize) -> &'a str {
        let start = self.words[found.start].0;
        let whole = self.text[start..].trim_end_matches(['.', '!', ' ']);
        if whole.split_whitespace().count() <= most {
            return whole;
        }
        let end = found.end.checked_sub(1).and_then(|at| self.words.get(at));
        let end = end.map_or(self.text.len(), |(at, word)| at + word.len());
        &self.text[start..end]
    }

    /// Whether an order that begins here opens a clause.
    fn opens_clause(&self, at: usize) -> bool {
        let before = self.words[..at].iter().map(|(_, word)| *word);
        let lead: Vec<&str> = before
            .rev()
            .take_while(|word| !JOINTS.contains(word))
            .collect();
        lead.iter().all(|word| LEADS.contains(word))
            && (lead.contains(&"forget") || !lead.iter().any(|word| REFUSES.contains(word)))
            // Who tells what they do orders nothing.
            && (!lead.contains(&"i") || lead.contains(&"think"))
    }
}

/// Where a sentence orders what a pattern says.
pub(super) fn find_order(tokens: &Tokens<'_, '_>, pattern: &str, base: &str) -> Option<Found> {
    let mut found = all(tokens, pattern, base);
    found.find(|found| tokens.opens_clause(found.start))
}

/// Where a sentence has what a pattern says. A pattern begins with a word.
pub(super) fn find_anywhere(tokens: &Tokens<'_, '_>, pattern: &str, base: &str) -> Option<Found> {
    all(tokens, pattern, base).next()
}

fn all(tokens: &Tokens<'_, '_>, pattern: &str, base: &str) -> impl Iterator<Item = Found> {
    let parts: Vec<&str> = pattern.split(' ').collect();
    let begins: Vec<&str> = parts
        .iter()
        .take(1)
        .flat_map(|part| part.split('|'))
        .collect();
    let words = tokens.words.iter().enumerate();
    let starts = words.filter(move |(_, (_, word))| begins.contains(word));
    starts.filter_map(move |(start, _)| {
        let mut name = String::new();
        let end = matched(tokens, &parts, base, start, &mut name)?;
        Some(Found { start, end, name })
    })
}

/// Behind which token the parts of a pattern end that begin at `at`.
fn matched(
    tokens: &Tokens<'_, '_>,
    parts: &[&str],
    base: &str,
    at: usize,
    name: &mut String,
) -> Option<usize> {
    let Some((part, rest)) = parts.split_first() else {
        return Some(at);
    };
    let word = tokens.word_at(at);
    let mut gap = |most: usize, may: fn(&str) -> bool| {
        for length in 0..=most {
            if let Some(end) = matched(tokens, rest, base, at + length, name) {
                return Some(end);
            }
            let next = tokens.word_at(at + length);
            if next.is_empty() || !may(next) {
                return None;
            }
        }
        None
    };
    match *part {
        "~" => gap(SMALL_WORDS, |word| SMALL.contains(&word)),
        ".." => gap(ANY_WORDS, |word| word != ";"),
        _ if word.is_empty() => None,
        "<name>" | "<base>" => {
            if *part == "<base>" && !base.split('|').any(|one| one == word) {
                return None;
            }
            let start = tokens.words[at].0;
            tokens.text[start..start + word.len()].clone_into(name);
            matched(tokens, rest, base, at + 1, name)
        }
        words => words
            .split('|')
            .any(|one| one == word)
            .then(|| matched(tokens, rest, base, at + 1, name))?,
    }
}
