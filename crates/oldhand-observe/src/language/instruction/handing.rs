//! How work is handed in, laid down without "always": what is run before a commit, and the form of commits and pull requests. It is
//! said of work to come, since the work at hand is one commit.

use super::cues::{SEEN, SHOWN};
use super::law::{has_word, names_tool};
use super::{opening, places_of};

/// How a person says what those who work are to do.
const WISHES: [&str; 6] = [
    "we should ",
    "you should ",
    "make sure to ",
    "make sure you ",
    "be sure to ",
    "remember to ",
];

/// What is done to see whether work is right.
const CHECKS: [&str; 5] = ["run ", "lint ", "format ", "test ", "typecheck "];

/// What is run on any work, and what runs it.
const RUN: [&str; 26] = [
    "test",
    "tests",
    "suite",
    "check",
    "checks",
    "lint",
    "linter",
    "linters",
    "linting",
    "format",
    "formatter",
    "formatters",
    "formatting",
    "typecheck",
    "build",
    "ci",
    "hooks",
    "review",
    "make",
    "just",
    "task",
    "rake",
    "tox",
    "nox",
    "gradle",
    "mvn",
];

/// With what work is handed in, as it is done and by its name.
pub(super) const DOING: [&str; 4] = ["committing", "pushing", "merging", "releasing"];
const HANDED: [&str; 6] = ["commit", "push", "pr", "pull", "merge", "release"];

/// How an order begins that says what something is to be like.
const SHAPING: [&str; 6] = ["use ", "keep ", "prefix ", "don't ", "dont ", "do not "];

/// Words before "commits" that point at those which are there.
const THERE: [&str; 19] = [
    "the", "these", "those", "our", "my", "your", "last", "previous", "right", "two", "three",
    "existing", "which", "both", "that", "all", "some", "more", "other",
];

/// Words behind "commits" that tell some from others.
const SOME: [&str; 14] = [
    "that", "which", "from", "of", "in", "on", "between", "since", "older", "newer", "longer",
    "shorter", "with", "is",
];

/// Words of the moment, and of what is asked for besides.
const NOW: [&str; 22] = [
    "while i",
    "while we",
    "before i",
    "after i",
    "i'm",
    "i am",
    "we're",
    "still",
    "then tell",
    "then show",
    "tell me",
    "to find",
    "to see",
    "tomorrow",
    "tonight",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "weekend",
    "week",
];

/// Languages in which people write.
const LANGUAGES: [&str; 8] = [
    "english",
    "german",
    "french",
    "spanish",
    "portuguese",
    "japanese",
    "korean",
    "chinese",
];

/// What nobody is to see, and how it would be seen.
const SECRETS: [&str; 7] = [
    "key",
    "keys",
    "secret",
    "secrets",
    "token",
    "password",
    "credentials",
];
const SHOWING: [&str; 5] = ["print", "expose", "log", "commit", "leak"];

/// What may follow a secret that is meant itself: a "token count" is none.
const BEHIND_SECRETS: [&str; 8] = ["of", "to", "into", "or", "and", "anywhere", "ever", "for"];

/// Whether what follows "don't" holds for all work: a branch that others share, a secret, or what is not to be done alone or by hand.
pub(super) fn is_never_to_be_done(refused: &str) -> bool {
    let words = words(refused);
    let first = words.first().copied().unwrap_or_default();
    let shared = words.windows(2).any(|said| {
        matches!(said[0], "to" | "against" | "on") && matches!(said[1], "main" | "master" | "trunk")
    });
    let is_secret = |at: usize| {
        let next = words.get(at + 1);
        // "api key" and "secret key" are named by two words.
        let is_meant =
            next.is_none_or(|next| BEHIND_SECRETS.contains(next) || SECRETS.contains(next));
        SECRETS.contains(&words[at]) && is_meant
    };
    let lasts = matches!(first, "push" | "commit" | "merge") && shared
        || SHOWING.contains(&first) && (0..words.len()).any(is_secret)
        || first != "do" && is_alone(refused);
    lasts && !is_of_product(refused) && !is_of_now(refused)
}

/// Whether something is done by hand, or without asking anybody: what is named with it is seen broken.
pub(super) fn is_alone(lower: &str) -> bool {
    lower.contains(" by hand") || lower.contains(" on your own")
}

/// Whether a sentence in lower case lays down how work is handed in.
pub(super) fn is_of_handing_in(lower: &str) -> bool {
    let opening = opening(lower);
    let wish = WISHES.iter().find_map(|wish| opening.strip_prefix(wish));
    let lays_down = is_check_before(wish.unwrap_or(opening))
        || shapes(opening)
        || opening.split([',', ';']).any(names_shape);
    lays_down && !is_of_product(lower) && !is_of_now(lower)
}

/// Whether a sentence names what users of a product look at, or how it is shown to them: commits and branches are seen there, too.
pub(super) fn is_of_product(lower: &str) -> bool {
    let words = words(lower);
    let shows = |word: &&&str| SEEN.contains(word) || SHOWN.contains(word);
    words.iter().any(|word| shows(&word))
}

fn is_of_now(lower: &str) -> bool {
    NOW.iter().any(|now| places_of(lower, now).next().is_some())
}

fn words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    words.filter(|word| !word.is_empty()).collect()
}

/// "Run `just ci` before committing", "run the tests after each commit".
fn is_check_before(order: &str) -> bool {
    let words = words(order);
    // "Before we merge the login fix" is said of that fix.
    let is_one = |at: usize| {
        let next = words.get(at + 1);
        next.is_some_and(|next| matches!(*next, "the" | "this" | "that" | "these" | "my"))
    };
    let is_handed =
        |at: usize| words.get(at).is_some_and(|word| HANDED.contains(word)) && !is_one(at);
    CHECKS.iter().any(|check| order.starts_with(check))
        && (!order.starts_with("run ") || is_run_for_any_work(order))
        && words.windows(2).enumerate().any(|(at, said)| match said {
            ["before", doing] if DOING.contains(doing) => !is_one(at + 1),
            ["before", "you" | "we" | "any"] | ["before" | "after", "each" | "every"] => {
                is_handed(at + 2)
            }
            _ => false,
        })
}

/// Whether what is run before something is a check that all work has, or a command: "run validation on the workflows" is of one change.
fn is_run_for_any_work(order: &str) -> bool {
    let what = order.split(" before ").next().unwrap_or(order);
    let every = order.contains(" each ") || order.contains(" every ");
    every || has_word(what, &RUN) || names_tool(what) || order.contains([':', '/', '`'])
}

/// "Use a prefix for commits", "don't put the ticket into PR titles". What is not to be allowed is what a program is to refuse.
fn shapes(order: &str) -> bool {
    let words = words(order);
    SHAPING.iter().any(|start| order.starts_with(start))
        && !matches!(
            words[..],
            ["don't" | "dont", "allow", ..] | ["do", "not", "allow", ..]
        )
        && !order.starts_with("keep in mind")
        && !words.contains(&"both")
        && (1..words.len()).any(|at| match words[at] {
            "commits" => !THERE.contains(&words[at - 1]) && !is_some(&words, at + 1),
            "commit" => words[at - 1] == "same" && !order.starts_with("use "),
            _ => {
                is_shape(&words, at) && !THERE.contains(&words[at - 1]) && !is_some(&words, at + 2)
            }
        })
}

/// Whether what stands at a place tells some commits from others: "that are signed", "for the parser".
fn is_some(words: &[&str], at: usize) -> bool {
    let next = |at: usize| words.get(at).copied().unwrap_or_default();
    SOME.contains(&next(at)) || next(at) == "for" && next(at + 1) == "the"
}

/// "So PR titles must follow the convention", "commit messages in English". One title alone is that of the work at hand.
fn names_shape(clause: &str) -> bool {
    let words = words(clause);
    let start = words
        .iter()
        .take_while(|word| matches!(**word, "so" | "and" | "the" | "all" | "our"))
        .count();
    let Some(at) = (start..start + 2).find(|at| is_shape(&words, *at)) else {
        return false;
    };
    let is_the = words[..start].contains(&"the");
    let is_many = words[at + 1].ends_with('s');
    is_many
        && match words[at + 2..] {
            ["must" | "follow", ..] => true,
            ["should", ..] => !is_the,
            ["in", language] | ["in", language, "please"] => LANGUAGES.contains(&language),
            _ => false,
        }
}

/// Whether the two words at a place name what every commit or pull request has: "PR title", "request titles", "commit messages".
fn is_shape(words: &[&str], at: usize) -> bool {
    let Some((of, what)) = words.get(at).zip(words.get(at + 1)) else {
        return false;
    };
    matches!(*of, "pr" | "request" | "commit" | "branch")
        && matches!(
            what.trim_end_matches('s'),
            "title" | "message" | "name" | "description" | "bodie" | "body"
        )
}
