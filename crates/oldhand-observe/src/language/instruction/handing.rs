//! How work is handed in, laid down without "always": what is run before a commit, and the form of commits and pull requests. It is
//! said of work to come, since the work at hand is one commit.

use super::opening;

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

/// With what work is handed in, as it is done and by its name.
pub(super) const DOING: [&str; 4] = ["committing", "pushing", "merging", "releasing"];
const HANDED: [&str; 6] = ["commit", "push", "pr", "pull", "merge", "release"];

/// How an order begins that says what something is to be like.
const SHAPING: [&str; 6] = ["use ", "keep ", "prefix ", "don't ", "dont ", "do not "];

/// Words before "commits" that point at those which are there.
const THERE: [&str; 12] = [
    "the", "these", "those", "our", "my", "your", "last", "previous", "right", "two", "three",
    "existing",
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

/// Whether what follows "don't" holds for all work: a branch that others share, a secret, or what is not to be done alone or by hand.
pub(super) fn is_never_to_be_done(refused: &str) -> bool {
    let words = words(refused);
    let first = words.first().copied().unwrap_or_default();
    let shared = words.windows(2).any(|said| {
        matches!(said[0], "to" | "against" | "on") && matches!(said[1], "main" | "master" | "trunk")
    });
    matches!(first, "push" | "commit" | "merge") && shared
        || SHOWING.contains(&first) && words.iter().any(|word| SECRETS.contains(word))
        || is_alone(refused)
}

/// Whether something is done by hand, or without asking anybody: what is named with it is seen broken.
pub(super) fn is_alone(lower: &str) -> bool {
    lower.contains(" by hand") || lower.contains(" on your own")
}

/// Whether a sentence in lower case lays down how work is handed in.
pub(super) fn is_of_handing_in(lower: &str) -> bool {
    let opening = opening(lower);
    let wish = WISHES.iter().find_map(|wish| opening.strip_prefix(wish));
    is_check_before(wish.unwrap_or(opening))
        || shapes(opening)
        || opening.split([',', ';']).any(names_shape)
}

fn words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    words.filter(|word| !word.is_empty()).collect()
}

/// "Run `just ci` before committing", "run the tests after each commit".
fn is_check_before(order: &str) -> bool {
    let words = words(order);
    let is_handed = |at: usize| words.get(at).is_some_and(|word| HANDED.contains(word));
    CHECKS.iter().any(|check| order.starts_with(check))
        && words.windows(2).enumerate().any(|(at, said)| match said {
            ["before", doing] if DOING.contains(doing) => true,
            ["before", "you" | "we" | "any"] | ["before" | "after", "each" | "every"] => {
                is_handed(at + 2)
            }
            _ => false,
        })
}

/// "Use a prefix for commits", "don't put the ticket into PR titles".
fn shapes(order: &str) -> bool {
    let words = words(order);
    SHAPING.iter().any(|start| order.starts_with(start))
        && !order.starts_with("keep in mind")
        && (1..words.len()).any(|at| match words[at] {
            "commits" => !THERE.contains(&words[at - 1]),
            "commit" => words[at - 1] == "same",
            _ => is_shape(&words, at) && !THERE.contains(&words[at - 1]),
        })
}

/// "So PR titles must follow the convention", "commit messages in English".
fn names_shape(clause: &str) -> bool {
    let words = words(clause);
    let start = words
        .iter()
        .take_while(|word| matches!(**word, "so" | "and" | "the" | "all" | "our"))
        .count();
    let named = (start..start + 2).find(|at| is_shape(&words, *at));
    let next = named.and_then(|at| words.get(at + 2));
    next.is_some_and(|next| matches!(*next, "must" | "should" | "in" | "follow" | "have"))
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
