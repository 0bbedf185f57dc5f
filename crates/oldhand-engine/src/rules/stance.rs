//! Whether a heading forbids what stands below it: "Do not", "Things that should never happen", "Anti-patterns", "❌ Bad".
//!
//! Below such a heading a sentence says the opposite of what is meant, so it is never told without it. A heading for the right
//! way ("✅ Good", "Do") ends it. What forbids is in the words of the heading alone; how long the sentences are decides nothing.

use std::sync::LazyLock;

/// What a heading says about the statements below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stance {
    Forbids,
    Commends,
    Neither,
}

/// Phrases that forbid wherever they stand in a heading.
const FORBIDDING: &[&str] = &[
    "never",
    "nevers",
    "do not",
    "do nots",
    "don't",
    "dont",
    "don'ts",
    "donts",
    "must not",
    "mustn't",
    "should not",
    "shouldn't",
    "may not",
    "not to",
    "not allowed",
    "not permitted",
    "not acceptable",
    "unacceptable",
    "to avoid",
    "anti-pattern",
    "anti-patterns",
    "antipattern",
    "antipatterns",
    "anti pattern",
    "anti patterns",
    "forbidden",
    "prohibited",
    "prohibitions",
    "disallowed",
    "banned",
    "off limits",
    "off-limits",
    "no-go",
    "no-gos",
    "no-nos",
    "non-goal",
    "non-goals",
    "out of scope",
];
/// The same, cut into words.
static PHRASES: LazyLock<Vec<Vec<&str>>> =
    LazyLock::new(|| FORBIDDING.iter().map(|phrase| words_of(phrase)).collect());
/// Words that forbid at the beginning of a heading: "Avoid", and not "What went wrong".
const FORBIDDING_FIRST: &[&str] = &["avoid", "bad", "incorrect", "wrong"];
/// Words that forbid at the end of one: "Common mistakes", and not "Mistakes and how to mend them".
const FORBIDDING_LAST: &[&str] = &["avoid", "mistakes"];
const FORBIDDING_MARKS: &[char] = &['❌', '🚫', '⛔', '👎', '✗', '✘'];

const COMMENDING: &[&str] = &[
    "always",
    "better",
    "correct",
    "do",
    "do's",
    "dos",
    "good",
    "instead",
    "preferred",
    "recommended",
    "right",
];
const COMMENDING_MARKS: &[char] = &['✅', '☑', '✔', '👍'];
/// A heading of the right way has no more words than these.
const LONGEST_COMMENDING: usize = 4;

/// A part of a heading that begins so tells when or why, or ways out: "If tests do not pass", "How to avoid conflicts".
const CONDITIONS: &[&str] = &[
    "because", "how", "if", "since", "so", "tips", "unless", "until", "ways", "when", "where",
    "whether", "while", "why",
];
/// Who cannot or need not do something is not forbidden to: "What you don't need".
const NO_ORDERS: &[&str] = &[
    "exist", "have", "know", "match", "need", "pass", "work", "worry",
];
/// Words beside which a phrase that forbids is still the whole of what a part says: "Never do this".
const FILLERS: &[&str] = &[
    "a",
    "ever",
    "do",
    "examples",
    "following",
    "list",
    "patterns",
    "please",
    "the",
    "these",
    "things",
    "this",
    "you",
];

pub(super) fn stance_of(heading: &str) -> Stance {
    let heading = plain(heading);
    let forbids = {
        let mut parts = heading.split(is_cut).filter(|part| !part.trim().is_empty());
        // "Do not skip: setup steps" is about the steps; "Anti-patterns: React" is about what to avoid.
        let last = parts.next_back();
        last.is_some_and(|part| forbids_all(part) != Ban::None)
            || parts.any(|part| forbids_all(part) == Ban::Bare)
            || heading.contains(FORBIDDING_MARKS)
    };
    let words = words_of(&heading);
    let commends = {
        let is_short = words.len() <= LONGEST_COMMENDING;
        let commending = |word: &&str| COMMENDING.contains(word);
        heading.contains(COMMENDING_MARKS) || is_short && !forbids && words.iter().any(commending)
    };
    match (forbids, commends) {
        (true, false) if !is_of_both(&words) => Stance::Forbids,
        (false, true) => Stance::Commends,
        _ => Stance::Neither,
    }
}

/// Whether a heading or a line says what a project leaves out, and not what anybody may do wrong.
pub(super) fn cuts_scope(text: &str) -> bool {
    let text = plain(text);
    ["out of scope", "out-of-scope", "non-goal"]
        .iter()
        .any(|words| text.contains(words))
}

/// Whether a heading or a line forbids whatever follows, and names nothing itself: "Never do the following."
pub(super) fn is_bare_ban(text: &str) -> bool {
    forbids_all(&plain(text)) == Ban::Bare
}

/// The statement as it holds below a heading that forbids it.
pub(super) fn forbid(heading: &str, content: &str) -> String {
    let bare = heading.trim_matches(|c: char| !c.is_alphanumeric());
    let (first, rest) = content.split_at(content.find(' ').unwrap_or(content.len()));
    let joins = JOINING.contains(&plain(bare).as_str()) && VERBS.contains(&plain(first).as_str());
    if joins {
        format!("{bare} {}{rest}", first.to_lowercase())
    } else {
        format!("{heading}: {content}")
    }
}

/// Headings that a verb goes on from: "Do not" and "Commit to main" are one sentence.
const JOINING: &[&str] = &[
    "do not",
    "don't",
    "dont",
    "never",
    "must not",
    "should not",
    "you must never",
    "you must not",
];
/// What rules forbid, as the first word of a sentence.
pub(super) const VERBS: &[&str] = &[
    "access",
    "add",
    "allow",
    "assume",
    "break",
    "bypass",
    "call",
    "change",
    "commit",
    "copy",
    "create",
    "delete",
    "deploy",
    "disable",
    "duplicate",
    "edit",
    "expose",
    "force",
    "guess",
    "hardcode",
    "ignore",
    "import",
    "include",
    "install",
    "introduce",
    "leave",
    "log",
    "make",
    "merge",
    "mix",
    "mock",
    "modify",
    "mutate",
    "omit",
    "open",
    "overwrite",
    "print",
    "publish",
    "push",
    "put",
    "read",
    "rely",
    "remove",
    "rename",
    "return",
    "rewrite",
    "run",
    "send",
    "share",
    "skip",
    "store",
    "suppress",
    "swallow",
    "touch",
    "update",
    "use",
    "write",
];

/// What a statement says of itself by how it begins, whatever stands above it.
pub(super) fn own_stance(content: &str) -> Stance {
    const FORBIDDING: &[&str] = &[
        "avoid ",
        "do not ",
        "don't ",
        "must not ",
        "never ",
        "❌",
        "🚫",
    ];
    const COMMENDING: &[&str] = &["always ", "✅", "✔", "instead:"];
    let content = plain(content.lines().next().unwrap_or_default());
    let content = content.replace("**", "");
    let begins = |openings: &[&str]| openings.iter().any(|opening| content.starts_with(opening));
    if begins(FORBIDDING) {
        Stance::Forbids
    } else if begins(COMMENDING) {
        Stance::Commends
    } else {
        Stance::Neither
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ban {
    None,
    /// Of something: "Never commit".
    Something,
    /// Of whatever follows: "Never do this".
    Bare,
}

fn forbids_all(part: &str) -> Ban {
    let words = words_of(part);
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return Ban::None;
    };
    if CONDITIONS.contains(first) {
        return Ban::None;
    }
    let phrase = PHRASES.iter().find_map(|phrase| {
        let at = words
            .windows(phrase.len())
            .position(|window| window == phrase)?;
        let next = words.get(at + phrase.len());
        let is_order = next.is_none_or(|next| !NO_ORDERS.contains(next));
        is_order.then_some(at..at + phrase.len())
    });
    let first = FORBIDDING_FIRST.contains(first).then_some(0..1);
    let last = FORBIDDING_LAST.contains(last);
    let last = last.then_some(words.len() - 1..words.len());
    let Some(ban) = phrase.or(first).or(last) else {
        return Ban::None;
    };
    let mut beside = words[..ban.start].iter().chain(&words[ban.end..]);
    if beside.all(|word| FILLERS.contains(word)) {
        Ban::Bare
    } else {
        Ban::Something
    }
}

/// "Do's and don'ts": what stands below says itself which it is.
fn is_of_both(words: &[&str]) -> bool {
    const BETWEEN: &[&str] = &["and", "or", "vs", "versus"];
    let beside = words.iter().position(|word| BETWEEN.contains(word));
    let is_commending = |words: &[&str]| matches!(words, [word] if COMMENDING.contains(word));
    match (beside, words) {
        (Some(at), _) => is_commending(&words[..at]) || is_commending(&words[at + 1..]),
        // "Do / Don't"
        (None, [first, second]) => {
            *first == "do" && ["don't", "dont"].contains(second) || *first == "do's"
        }
        _ => false,
    }
}

fn is_cut(c: char) -> bool {
    matches!(c, ':' | ',' | '(' | '—' | '–')
}

fn words_of(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-' | '_')))
        .map(|word| word.trim_matches(['\'', '-', '_']))
        .filter(|word| !word.is_empty())
        .collect()
}

/// In small letters, with one kind of apostrophe.
fn plain(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_forbid_by_their_words() {
        for heading in [
            "Never",
            "NEVER DO THIS",
            "Never commit",
            "Never do",
            "Things to never do",
            "Things that should never happen",
            "Things you must not do",
            "Do not",
            "DO NOT:",
            "Don't",
            "Don’t",
            "Don'ts",
            "Avoid",
            "Avoid in tests",
            "What to avoid when testing",
            "Patterns to avoid",
            "Anti-patterns",
            "Anti-Patterns: React",
            "Common anti patterns",
            "Forbidden",
            "Forbidden (no exceptions)",
            "Not allowed",
            "What is not allowed here",
            "What not to do",
            "❌ Bad",
            "❌ Imports",
            "🚫 Boundaries",
            "Wrong",
            "Common mistakes",
            "Security: never do this",
            "When testing, do not",
            "Off-limits",
            "Non-goals",
        ] {
            assert_eq!(stance_of(heading), Stance::Forbids, "{heading}");
        }
    }

    #[test]
    fn headings_commend_by_their_words() {
        for heading in [
            "✅ Good:",
            "Do",
            "Do:",
            "Do this instead",
            "Good",
            "Dos",
            "Correct",
        ] {
            assert_eq!(stance_of(heading), Stance::Commends, "{heading}");
        }
    }

    #[test]
    fn headings_that_only_hold_such_a_word_forbid_nothing() {
        for heading in [
            "Do not skip: setup steps",
            "Avoid surprises: how we work",
            "How to avoid merge conflicts",
            "Ways to avoid flaky tests",
            "Avoiding flaky tests",
            "If the tests do not pass",
            "Why we don't use an ORM",
            "When something should never happen",
            "What you don't need to know",
            "Do's and Don'ts",
            "Dos and don'ts",
            "Do / Don't",
            "Good and bad examples",
            "Never-ending streams",
            "What went wrong",
            "Mistakes and how to mend them",
            "Testing",
            "What to do before a release",
        ] {
            assert_ne!(stance_of(heading), Stance::Forbids, "{heading}");
        }
    }

    #[test]
    fn what_is_forbidden_reads_as_a_sentence_or_behind_its_heading() {
        for (heading, content, expected) in [
            (
                "Do not",
                "Use console.log in production.",
                "Do not use console.log in production.",
            ),
            ("Never", "Push to main", "Never push to main"),
            (
                "Don't",
                "`npm install` in scripts",
                "Don't: `npm install` in scripts",
            ),
            (
                "Things that should never happen",
                "A commit on `main` that went through no PR.",
                "Things that should never happen: A commit on `main` that went through no PR.",
            ),
            (
                "Anti-patterns",
                "No tests at all",
                "Anti-patterns: No tests at all",
            ),
        ] {
            assert_eq!(forbid(heading, content), expected);
        }
    }
}
