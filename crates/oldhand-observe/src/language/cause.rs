//! The agent says what was behind a failure, or how something behaves.
//!
//! A guess sounds like a finding, so whatever is hedged, asked or meant for the next step is none. What is kept is the statement
//! without the words that lead to it, and only where it names something in the code and says how that works. Words of discovery
//! ("root cause", "found it", "turns out") lead to a statement; one without any says how something behaves, in the present.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};

use super::{Prose, SUPPOSING, is_quoted};

mod behaviour;
mod words;

use words::{
    DISCOVERED, HERALDS, JOINTS, LEADS, MECHANISM, NOT_FOUND, OF_THE_MOMENT, POINTS_BACK, SO,
    SYMPTOMS, WENT_WRONG,
};

/// The longest sentence that only announces the next one, and the longest opening of one, in bytes.
const HERALD: usize = 60;
/// A cause so short is told with the sentence after it, in bytes.
const SHORT: usize = 90;
/// The shortest and the longest statement, in bytes.
const LENGTH: std::ops::RangeInclusive<usize> = 30..=300;

/// So many sentences open a message.
const OPENING: usize = 2;

/// What an agent says that it found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    pub statement: String,
    pub mark: Mark,
}

/// What says that it was found out, and not only thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Words that lead to it, or a failure that it is the reason for.
    Discovery,
    /// Nothing but that it says how something behaves: only what happened before bears it out.
    Behaviour,
}

/// The leads come first, so that a phrase's number is that of its rule.
static PHRASES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let rules = LEADS.iter().chain(JOINTS).map(|rule| rule.phrase);
    let words = [SO, BECAUSE].into_iter().chain(HERALDS.iter().copied());
    AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .build(
            rules
                .chain(words)
                .chain(DISCOVERED.iter().copied())
                .chain(behaviour::WORDS.iter().copied()),
        )
        .expect("some hundred short phrases fit any automaton")
});

/// What a text states to have been found out, in order.
pub fn causes(text: &str) -> Vec<Stated> {
    // Most texts hold no phrase at all, and one pass over the bytes says so.
    if !text.contains('`') || !PHRASES.is_match(text) {
        return Vec::new();
    }
    let text = without_links(&text.replace("**", "").replace('’', "'"));
    // A heading may say that what follows is the cause.
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.trim_start_matches(['#', ' ']))
        .collect();
    let text = lines.join("\n");
    let prose = Prose::of(&text);
    let mut found = Vec::new();
    let mut heralded = false;
    for (at, &sentence) in prose.sentences.iter().enumerate() {
        let lower = sentence.to_ascii_lowercase();
        let cause = after_lead(sentence, &lower).or_else(|| {
            let is_found = heralded && !is_guess(&lower);
            is_found.then_some(sentence)
        });
        let next = prose.sentences.get(at + 1).copied();
        let is_kept = !next.is_some_and(takes_back);
        heralded = sentence.len() <= HERALD && HERALDS.iter().any(|herald| lower.contains(herald));
        let Some(cause) = cause else {
            // What opens a message is said of what was just seen; further down stand plans and reports.
            let is_stated = at < OPENING && is_kept && behaviour::is_stated(sentence, &lower);
            let behaviour = is_stated.then(|| statement(sentence));
            found.extend(behaviour.flatten().map(|statement| Stated {
                statement,
                mark: Mark::Behaviour,
            }));
            continue;
        };
        if !is_kept {
            continue;
        }
        let next = next.filter(|next| cause.len() < SHORT && cause.ends_with('.') && goes_on(next));
        let whole = next.and_then(|next| statement(&format!("{cause} {next}")));
        let told = whole.or_else(|| statement(cause));
        found.extend(told.map(|statement| Stated {
            statement,
            mark: Mark::Discovery,
        }));
    }
    found
}

/// Whether a sentence is a guess, a plan, or talk with somebody.
fn is_guess(lower: &str) -> bool {
    NOT_FOUND.iter().any(|word| lower.contains(word)) || is_talk(lower)
}

/// Whether a sentence speaks to the one who reads it; "where you invoke it" means anybody.
fn is_talk(lower: &str) -> bool {
    const ANYBODY: [&str; 12] = [
        "where", "wherever", "when", "whenever", "if", "unless", "how", "once", "until", "what",
        "whether", "before",
    ];
    let mut before = "";
    for word in lower.split(|c: char| c.is_whitespace() || "(),.;:\"".contains(c)) {
        let is_you = matches!(
            word,
            "you" | "your" | "you're" | "you've" | "you'll" | "you'd"
        );
        if is_you && !(word == "you" && ANYBODY.contains(&before)) {
            return true;
        }
        before = word;
    }
    false
}

/// Whether a sentence begins by thinking again of what was just said.
fn takes_back(sentence: &str) -> bool {
    const AGAIN: [&str; 9] = [
        "actually,",
        "actually ",
        "wait,",
        "wait ",
        "wait -",
        "hmm",
        "no, ",
        "scratch that",
        "on second thought",
    ];
    let lower = sentence.to_lowercase();
    AGAIN.iter().any(|start| lower.starts_with(start))
}

/// Whether a sentence says more of what the one before it is about.
fn goes_on(sentence: &str) -> bool {
    let lower = sentence.to_ascii_lowercase();
    let first = lower.split(' ').next().unwrap_or_default();
    let is_plan = ["the fix", "now ", "also", "fix:", "proposed"]
        .iter()
        .any(|start| lower.starts_with(start))
        || first.ends_with("ing");
    !is_guess(&lower) && !is_plan && !sentence.ends_with([':', '?']) && !begins_back(&lower)
}

/// What follows the words that lead to a cause.
fn after_lead<'a>(sentence: &'a str, lower: &str) -> Option<&'a str> {
    if sentence.ends_with('?') || is_guess(lower) {
        return None;
    }
    let supposes = |words: &str| SUPPOSING.iter().any(|word| words.contains(word));
    // What is supposed behind the lead is when it happens: "it kills the child if the mount is not ready".
    if let Some(rest) = after_opening(sentence, lower) {
        return (!supposes(&lower[..lower.len() - rest.len()])).then_some(rest);
    }
    let wrong = lower
        .split_once(SO)
        .is_some_and(|(_, after)| WENT_WRONG.iter().any(|word| after.contains(word)));
    if wrong {
        return (!supposes(lower)).then_some(sentence);
    }
    // One pass finds all of them, each where it stands first.
    let mut seen = Vec::new();
    let leads = PHRASES.find_overlapping_iter(lower).filter_map(|hit| {
        let id = hit.pattern().as_usize();
        let joint = || JOINTS.get(id.checked_sub(LEADS.len())?);
        let rule = LEADS.get(id).or_else(joint)?;
        if seen.contains(&id) {
            return None;
        }
        seen.push(id);
        let holds = !is_quoted(lower, hit.start()) && rule.holds(lower, hit.start());
        holds.then_some((hit.start(), hit.end()))
    });
    // The longest of those that begin first: `issue is` begins where `issue is that` does.
    let lead = leads.min_by_key(|(from, until)| (*from, std::cmp::Reverse(*until)));
    match lead {
        Some((_, until)) => (!supposes(&lower[..until])).then(|| &sentence[until..]),
        None => after_symptom(sentence, lower).filter(|_| !supposes(lower)),
    }
}

/// What follows a short opening that says that something was found: `Key finding: …`, `Type error — …`.
fn after_opening<'a>(sentence: &'a str, lower: &str) -> Option<&'a str> {
    let ends = [" — ", ": ", " - "]
        .iter()
        .filter_map(|mark| Some((lower.find(mark)?, mark.len())));
    let (at, width) = ends.min()?;
    let opening = &lower[..at];
    let says = DISCOVERED.iter().any(|words| has_word(opening, words));
    (at <= HERALD && says && !opening.contains('`')).then(|| &sentence[at + width..])
}

/// The reason for something that does not work; the whole sentence where the reason alone names nothing.
fn after_symptom<'a>(sentence: &'a str, lower: &str) -> Option<&'a str> {
    let at = lower.find(BECAUSE).filter(|at| !is_quoted(lower, *at))?;
    let (symptom, reason) = (&lower[..at], &sentence[at + BECAUSE.len()..]);
    if !SYMPTOMS.iter().any(|words| has_word(symptom, words)) {
        return None;
    }
    let is_named = reason.split('`').skip(1).step_by(2).any(is_name);
    if is_named && statement(reason).is_some() {
        Some(reason)
    } else {
        Some(sentence)
    }
}

const BECAUSE: &str = " because ";

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
    let is_named = rest.split('`').skip(1).step_by(2).any(is_name) || is_of_release(rest);
    let stated = LENGTH.contains(&rest.len())
        && is_named
        && rest.matches('`').count() % 2 == 0
        && !rest.ends_with(['(', ',', '…', '?'])
        && ![" and it", " but it", " which"]
            .iter()
            .any(|half| words.ends_with(half))
        && rest.matches('(').count() == rest.matches(')').count()
        && !begins_back(&words)
        && !says(OF_THE_MOMENT)
        && (says(MECHANISM) || says(behaviour::WORDS));
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

/// Whether a statement begins with a release of something: `heron 1.3.0's mount …`.
fn is_of_release(statement: &str) -> bool {
    let mut words = statement.split_whitespace();
    let is_thing = words.next().is_some_and(|word| {
        word.len() >= 4 && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    });
    let version = words.next().unwrap_or_default().trim_end_matches("'s");
    let is_version = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'x' | 'v');
    is_thing
        && version.contains('.')
        && version.contains(|c: char| c.is_ascii_digit())
        && version.chars().all(is_version)
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

    fn told(text: &str) -> Vec<String> {
        causes(text)
            .into_iter()
            .map(|stated| stated.statement)
            .collect()
    }

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
            assert_eq!(told(text), [expected], "{text}");
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
            "The problem is that `rill` is not on the path of this shell, so `make lint` cannot run it.",
            "The issue is that your `settings.json` has no `hooks`, so the client never calls the program.",
            "The failures are pre-existing: the issue is that `a.ts` imports what `b.ts` does not export.",
            // Announced, and then something else.
            "Found it. Let me write the `engine` so that it is made when the first connection is asked for.",
            "Found it, in a file that nobody had looked at for as long as the project exists, I think. The `engine` is only made when asked.",
            // Quoted and shown.
            "> The issue is that `sync` only installs what the root package depends on, not the rest.",
            "```\nThe issue is that `sync` only installs what the root package depends on, not the rest.\n```",
        ] {
            assert_eq!(told(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_finding_is_told_without_its_mark() {
        for (text, expected) in [
            (
                "Key finding: `fmt` isn't there because rill installs the `small` profile by default.",
                "`fmt` isn't there because rill installs the `small` profile by default.",
            ),
            (
                "Type error — Heron 2.x brings Larch 5 but `@larch/plugin@^6` requires Larch 8, so their types clash.",
                "Heron 2.x brings Larch 5 but `@larch/plugin@^6` requires Larch 8, so their types clash.",
            ),
            (
                "The totals are zero because the newer log of Relay doesn't emit `token_count` any longer.",
                "The newer log of Relay doesn't emit `token_count` any longer.",
            ),
            (
                "## Root cause\n\nThe stub must `use Post.Adapter` before it is handed to the worker.",
                "The stub must `use Post.Adapter` before it is handed to the worker.",
            ),
            (
                "Found it. `rill run` needs an explicit `--env` to read `.env`. Correcting the `settings.toml` of the server.",
                "`rill run` needs an explicit `--env` to read `.env`.",
            ),
            (
                "It turns out that `expect_mail` takes a letter out of the box when it finds one.",
                "`expect_mail` takes a letter out of the box when it finds one.",
            ),
        ] {
            let found = causes(text);
            assert_eq!(told(text), [expected], "{text}");
            assert_eq!(found[0].mark, Mark::Discovery, "{text}");
        }
    }

    #[test]
    fn how_something_behaves_is_stated_in_the_opening_only() {
        let behaviour = "Heron runs `beforeBuild` from the folder of the manifest regardless of where you call it.";
        let found = causes(behaviour);
        assert_eq!(found[0].statement, behaviour);
        assert_eq!(found[0].mark, Mark::Behaviour);
        let report = format!("All is done. The tests pass. {behaviour}");
        for text in [
            report.as_str(),
            // A plan, a report, an order, talk, what points back.
            "The plan: Heron will run `beforeBuild` regardless of where it is called from.",
            "Added `beforeBuild` so that Heron runs it regardless of the folder it is called from.",
            "Running `beforeBuild` by default is what the task asks for in its second part.",
            "Your `beforeBuild` runs regardless of where Heron is called from on this kind of machine.",
            "It runs `beforeBuild` from the folder of the manifest regardless of where it is called.",
            "Heron was running `beforeBuild` from the folder of the manifest regardless of the call.",
            "Does Heron run `beforeBuild` regardless of where it is called?",
            // Nothing that one would not think of it.
            "Heron runs `beforeBuild` from the folder of the manifest and writes a file there.",
        ] {
            assert_eq!(told(text), Vec::<String>::new(), "{text}");
        }
    }
}
