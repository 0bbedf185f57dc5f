//! What kind of statement a sentence is, by its words and the heading above it.

mod opening;
mod program;
mod remedy;

use oldhand_domain::payload::BuiltInType as Type;

pub(super) use opening::opens_with_order;
pub(super) use program::{is_builder, is_command};
use remedy::mends_an_error;

use super::stance::{Stance, own_stance};

/// Words that decide, in the order they are asked. A phrase counts where it stands at word borders.
const BY_WORDS: &[(&[&str], Type)] = &[
    (
        &[
            "beware",
            "careful",
            "watch out",
            "gotcha",
            "caveat",
            "pitfall",
            "surprisingly",
            "silently",
            "note that",
            "will break",
            "known issue",
            "workaround",
            "anti-pattern",
            "anti-patterns",
            "antipatterns",
            "mistakes:",
        ],
        Type::Gotcha,
    ),
    (
        &["we decided", "we chose", "decision:", "was chosen", "adr"],
        Type::Decision,
    ),
    (
        &[
            "never",
            "must",
            "always",
            "required",
            "forbidden",
            "mandatory",
            "do not",
            "don't",
            "not allowed",
            "not to do:",
            "don'ts:",
            "don’t",
            "prohibited",
            "off-limits",
            "shall",
            "may not",
            "important:",
        ],
        Type::Requirement,
    ),
    (
        &["or else", ", otherwise", "; otherwise", "fails", "breaks"],
        Type::Gotcha,
    ),
    (
        &[
            "prefer",
            "favor",
            "favour",
            "avoid",
            "we like",
            "instead of",
            "rather than",
        ],
        Type::Preference,
    ),
];

/// So many of them go before an error with its remedy.
const FIRM: usize = 3;

/// Whether a text asks for something, warns of something or lays something down, rather than describing it.
pub(super) fn demands(text: &str) -> bool {
    let lower = text.to_lowercase();
    BY_WORDS
        .iter()
        .any(|(phrases, _)| phrases.iter().any(|phrase| holds(&lower, phrase)))
}

/// What a sentence that begins so is.
const BY_FIRST_WORD: &[(&[&str], Type)] = &[
    (
        &[
            "add",
            "answer",
            "apply",
            "be",
            "cite",
            "consider",
            "ensure",
            "favour",
            "focus",
            "follow",
            "give",
            "handle",
            "implement",
            "include",
            "keep",
            "limit",
            "make",
            "minimize",
            "name",
            "no",
            "optimize",
            "please",
            "provide",
            "respond",
            "split",
            "stick",
            "structure",
            "suggest",
            "think",
            "treat",
            "use",
            "value",
            "verify",
            "write",
        ],
        Type::Preference,
    ),
    (
        &[
            "run", "build", "test", "start", "install", "deploy", "execute",
        ],
        Type::Pattern,
    ),
];

const BY_HEADING: &[(&[&str], Type)] = &[
    (
        &[
            "gotcha",
            "pitfall",
            "caveat",
            "known issue",
            "troubleshoot",
            "warning",
        ],
        Type::Gotcha,
    ),
    (&["decision", "adr"], Type::Decision),
    (
        &["requirement", "security", "must", "never", "constraint"],
        Type::Requirement,
    ),
    (
        &[
            "style",
            "convention",
            "preference",
            "guideline",
            "practice",
            "naming",
        ],
        Type::Preference,
    ),
    (
        &[
            "command", "build", "test", "setup", "develop", "running", "workflow", "deploy",
        ],
        Type::Pattern,
    ),
];

/// The type of a statement that nobody gave one.
pub fn guess_type(text: &str) -> Type {
    guess_type_under(None, text)
}

pub(super) fn guess_type_under(heading: Option<&str>, text: &str) -> Type {
    let prose = without_names(&without_code(text)).to_lowercase();
    let heading = heading.unwrap_or_default().to_lowercase();
    // The heading may stand in front of a short statement; it has its own turn below.
    let prose = prose
        .strip_prefix(&format!("{heading}: "))
        .unwrap_or(&prose);
    if is_progress(&heading, prose) {
        return Type::ModuleInsight;
    }
    if heading.contains("gotcha") || heading.contains("pitfall") {
        return Type::Gotcha;
    }
    let said = without_states(prose);
    if !BY_WORDS[..FIRM].iter().any(|one| has_one(&said, one.0)) && mends_an_error(&said, text) {
        return Type::ErrorPattern;
    }
    let says = |phrases: &&(&[&str], Type)| phrases.0.iter().any(|phrase| holds(&said, phrase));
    if let Some((_, decided)) = BY_WORDS.iter().find(says) {
        return *decided;
    }
    if is_command(text) {
        return Type::Pattern;
    }
    let first = prose.split_whitespace().next().unwrap_or_default();
    let begins = |words: &&(&[&str], Type)| words.0.contains(&first);
    if let Some((_, decided)) = BY_FIRST_WORD.iter().find(begins) {
        return *decided;
    }
    let under = |words: &&(&[&str], Type)| words.0.iter().any(|word| heading.contains(word));
    let by_heading = BY_HEADING.iter().find(under);
    by_heading.map_or(Type::ModuleInsight, |(_, decided)| *decided)
}

/// The text without what says how things are and forbids nothing: "the tests do not need a server".
fn without_states(text: &str) -> String {
    const STATES: &[&str] = &[
        "affect", "appear", "exist", "matter", "mean", "need", "seem", "worry",
    ];
    let mut text = text.to_owned();
    for no in ["do not ", "don't ", "don’t "] {
        for state in STATES {
            let denied = format!("{no}{state}");
            let mut parts = text.split(denied.as_str());
            let first = parts.next().unwrap_or_default().to_owned();
            text = parts.fold(first, |before, after| {
                // "Do not needlessly clone" is a ban.
                let goes_on = after.starts_with(char::is_alphanumeric);
                before + if goes_on { &denied } else { state } + after
            });
        }
    }
    text
}

/// Names of what was done and how far it is, as headings and as labels of sentences.
const PROGRESS: &[&str] = &[
    "changelog",
    "current state",
    "current status",
    "progress",
    "recent changes",
    "release notes",
    "status",
];

/// Whether a sentence notes what was done, which asks for nothing whatever words it holds: `**Search done (2026-08-11)**: …`.
fn is_progress(heading: &str, prose: &str) -> bool {
    let label = match prose.strip_prefix("**") {
        Some(bold) => bold.split_once("**").map(|(label, _)| label),
        None => prose.split_once(": ").map(|(label, _)| label),
    };
    let is_dated = |label: &str| {
        let mut words = label.split(|c: char| !(c.is_alphanumeric() || c == '-'));
        words.any(is_date)
    };
    let is_note = |label: &str| {
        let is_done = ["done", "merged", "released"].map(|word| holds(label, word));
        is_dated(label) && is_done.contains(&true)
            || label.ends_with("current state")
            || label.ends_with("current status")
    };
    let is_below = PROGRESS.contains(&heading.trim());
    own_stance(prose) == Stance::Neither && (is_below || label.is_some_and(is_note))
}

/// `2026-08-11`
fn is_date(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    let digits = |part: &&str| part.chars().all(|c| c.is_ascii_digit());
    parts.iter().map(|part| part.len()).eq([4, 2, 2]) && parts.iter().all(digits)
}

fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The text without names of several words inside parentheses: a protocol may be called `(HTTP 402 Payment Required)` and ask for nothing.
fn without_names(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut is_inside = false;
    let mut is_name = false;
    for word in text.split_inclusive(char::is_whitespace) {
        let opens = word.contains('(');
        is_inside |= opens;
        let begins = word.trim_start_matches('(');
        let begins = begins.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
            && (opens || !is_stressed(word));
        if !(is_inside && is_name && begins) || opens {
            kept.push_str(word);
        }
        is_name = is_inside && begins;
        is_inside &= !word.contains(')');
    }
    kept
}

/// Whether a word is written in capitals, as "NEVER" is to be heard.
fn is_stressed(word: &str) -> bool {
    let letters = || word.chars().filter(|c| c.is_alphabetic());
    letters().count() > 1 && letters().all(char::is_uppercase)
}

fn has_one(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| holds(text, phrase))
}

fn holds(text: &str, phrase: &str) -> bool {
    places(text, phrase).next().is_some()
}

/// Where the text has the phrase at word borders.
fn places<'t>(text: &'t str, phrase: &'t str) -> impl Iterator<Item = usize> + 't {
    let found = text.match_indices(phrase).filter(move |(at, _)| {
        let at = *at;
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        let border = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        let starts = border(before) || !phrase.starts_with(char::is_alphanumeric);
        let ends = border(after) || !phrase.ends_with(char::is_alphanumeric);
        starts && ends
    });
    found.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_decide_the_type() {
        for (text, expected) in [
            ("Never push to main", Type::Requirement),
            ("Tests must run in UTC", Type::Requirement),
            ("The tests do not need a server", Type::ModuleInsight),
            ("Do not needlessly clone", Type::Requirement),
            ("Prefer small modules", Type::Preference),
            ("Use tabs", Type::Preference),
            ("Be terse unless otherwise told", Type::Preference),
            ("Commit first, otherwise the hook stops you", Type::Gotcha),
            ("`cargo test -p api` runs the fast tests", Type::Pattern),
            ("Careful: the cache is shared", Type::Gotcha),
            ("The build fails when the network is off", Type::Gotcha),
            ("We chose SQLite because it needs no server", Type::Decision),
            (
                "`make` fails with ENOSPC: clear the cache",
                Type::ErrorPattern,
            ),
            (
                "`parse` throws on an old file; rebuild the index first",
                Type::ErrorPattern,
            ),
            (
                "`make` fails with a timeout\n```\nmake -j1\n```",
                Type::ErrorPattern,
            ),
            ("`make` fails with ENOSPC", Type::Gotcha),
            ("`parse` throws on an empty name", Type::ModuleInsight),
            (
                "**Exception:** Tests that use the clock run alone",
                Type::ModuleInsight,
            ),
            (
                "**When to use `Silent`:** Use it when you print a message instead of the raw error:\n```\nSilent(x)\n```",
                Type::Preference,
            ),
            ("The worker lives beside the API", Type::ModuleInsight),
            ("`never_called` is dead code", Type::ModuleInsight),
            ("The mustache templates are old", Type::ModuleInsight),
            (
                "Key concepts: x402 (HTTP 402 Payment Required), wallets",
                Type::ModuleInsight,
            ),
            ("The token of the API (Required)", Type::Requirement),
            ("The seed (it must be a prime)", Type::Requirement),
            (
                "The deploy script (We NEVER run it by hand)",
                Type::Requirement,
            ),
        ] {
            assert_eq!(guess_type(text), expected, "{text}");
        }
    }

    #[test]
    fn a_note_of_what_was_done_asks_for_nothing() {
        let done = "**Search done (2026-08-11)**: all merged, the index must be rebuilt once";
        assert_eq!(guess_type(done), Type::ModuleInsight);
        let state = "**Corpus, current state** (after #287): every proof is required to pass";
        assert_eq!(guess_type(state), Type::ModuleInsight);
        let under = |text| guess_type_under(Some("Recent Changes"), text);
        assert_eq!(
            under("011-hooks: Added output that must be read"),
            Type::ModuleInsight
        );
        assert_eq!(under("Never push to main"), Type::Requirement);
        let rule = "Since 2026-08-11: every release must be signed";
        assert_eq!(guess_type(rule), Type::Requirement);
    }

    #[test]
    fn a_heading_decides_where_words_do_not() {
        let under = |heading| guess_type_under(Some(heading), "The cache is shared");
        assert_eq!(under("Gotchas"), Type::Gotcha);
        assert_eq!(under("Code style"), Type::Preference);
        assert_eq!(under("Overview"), Type::ModuleInsight);
    }
}
