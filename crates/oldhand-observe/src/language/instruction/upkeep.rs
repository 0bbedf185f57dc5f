//! A document that somebody wants to be kept up to date when work is handed in: "commit and update the changelog". Said once it is a
//! task; whoever has to say it again and again means all work.

use super::again::told;
use super::{is_passing, plain};
use crate::language::{is_quoted, opens_clause};

/// One order to bring a document up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upkeep<'a> {
    /// The name of the file in lower case, without its folder and ending.
    pub file: String,
    /// The sentence, as it was typed.
    pub words: &'a str,
}

const VERBS: [&str; 4] = ["update ", "adapt ", "bump ", "extend "];

/// Words before the name of the file.
const ARTICLES: [&str; 5] = ["the", "our", "also", "file", "its"];

/// Files that are called so without an ending; others might be anything.
const BARE: [&str; 5] = ["changelog", "readme", "roadmap", "contributing", "version"];

const ENDINGS: [&str; 5] = [".md", ".mdx", ".rst", ".txt", ".adoc"];

/// With what work is handed in.
const HANDING: [&str; 14] = [
    "commit",
    "commiting",
    "committing",
    "push",
    "pushing",
    "pr",
    "release",
    "pull request",
    "when done",
    "when you're done",
    "once done",
    "once you're done",
    "as well",
    "too",
];

/// What may follow the name of the file: anything else says what is to be written this time.
const BEHIND: [&str; 14] = [
    "as well",
    "too",
    "also",
    "accordingly",
    "please",
    "pls",
    "first",
    "before",
    "when",
    "once",
    "with this",
    "with these",
    "if need",
    "if necessary",
];

/// A sentence of as few words only says how work is handed in.
const ASIDE: usize = 4;
/// More words tell of a task.
const MOST_WORDS: usize = 16;

/// The documents that a prompt orders to be brought up to date with work that is handed in.
pub fn upkeeps(prompt: &str) -> Vec<Upkeep<'_>> {
    let sentences: Vec<&str> = told(prompt);
    let count = |sentence: &str| sentence.split_whitespace().count();
    let mut aside = sentences.iter();
    let is_aside = aside.any(|other| count(other) <= ASIDE && hands_in(&other.to_lowercase()));
    let said = sentences.iter().filter_map(|sentence| {
        let lower = sentence.to_ascii_lowercase();
        let is_joined = hands_in(&lower) || is_aside;
        if !is_joined || count(sentence) > MOST_WORDS || is_passing(&plain(sentence)) {
            return None;
        }
        let mut orders = VERBS.iter().flat_map(|verb| lower.match_indices(verb));
        let file = orders.find_map(|(at, verb)| {
            let is_ordered = opens_clause(&lower[..at]) && !is_quoted(&lower, at);
            is_ordered.then(|| file_of(&lower[at + verb.len()..]))?
        })?;
        let words = sentence.trim_end_matches(['.', '!', ' ']);
        Some(Upkeep { file, words })
    });
    said.collect()
}

/// Whether a sentence in lower case speaks of handing work in.
fn hands_in(lower: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | '@');
    HANDING.iter().any(|word| {
        lower.match_indices(word).any(|(at, _)| {
            let (before, after) = (&lower[..at], &lower[at + word.len()..]);
            let mut after = after.chars();
            // A full stop may end the sentence.
            let ends = match after.next() {
                Some('.') => !after.next().is_some_and(is_part),
                next => !next.is_some_and(is_part),
            };
            ends && !before.ends_with(is_part)
        })
    })
}

/// The one document that a clause orders to be brought up to date.
fn file_of(object: &str) -> Option<String> {
    let mut words = object.split_whitespace();
    let name = words.find(|word| !ARTICLES.contains(word))?;
    let is_last = name.ends_with([',', ';', '.', '!', ')']);
    let stem = stem(name)?;
    let mut rest: Vec<&str> = words.collect();
    if rest
        .first()
        .is_some_and(|word| word.trim_end_matches(',') == "file")
    {
        rest.remove(0);
    }
    let then = rest.first().copied().unwrap_or_default();
    let joins = matches!(then, "and" | "&" | "then" | "or" | "plus");
    // A second file makes it a list.
    let next = if joins {
        rest.get(1).copied()
    } else {
        Some(then)
    };
    let next = next.filter(|_| joins || is_last);
    if next.is_some_and(is_file) || matches!(then, "or") {
        return None;
    }
    let rest = rest.join(" ");
    let is_whole = is_last || joins || rest.is_empty();
    let goes_on = BEHIND.iter().any(|words| rest.starts_with(words));
    (is_whole || goes_on).then_some(stem)
}

fn is_file(word: &str) -> bool {
    let word = bare(word);
    stem(word).is_some() || word.starts_with('@') || word.contains('.') || word.contains('/')
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| "`'\"(),;!:".contains(c))
        .trim_end_matches('.')
}

/// What a word names a document by.
fn stem(word: &str) -> Option<String> {
    let word = bare(word);
    let (path, is_marked) = match word.strip_prefix('@') {
        Some(path) => (path, true),
        None => (word, false),
    };
    let name = path.rsplit('/').next()?;
    let ending = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    let stem = match ending {
        Some(stem) => stem,
        None if BARE.contains(&name) && (is_marked || path == name) => name,
        None => return None,
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (stem.len() > 2 && stem.len() <= 60 && stem.chars().all(is_name)).then(|| stem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(prompt: &str) -> Vec<(String, &str)> {
        let told = upkeeps(prompt).into_iter();
        told.map(|told| (told.file, told.words)).collect()
    }

    #[test]
    fn a_document_that_goes_with_a_commit_is_heard() {
        for (prompt, file, words) in [
            (
                "commit and update changelog",
                "changelog",
                "commit and update changelog",
            ),
            (
                "commit this and update @CHANGELOG.md",
                "changelog",
                "commit this and update @CHANGELOG.md",
            ),
            (
                "then commit, and update the changelog.",
                "changelog",
                "then commit, and update the changelog",
            ),
            (
                "update changelog.md as well",
                "changelog",
                "update changelog.md as well",
            ),
            (
                "fix the two findings. Update `docs/usage.md` too!",
                "usage",
                "Update `docs/usage.md` too",
            ),
            (
                "please update README.md before you push",
                "readme",
                "please update README.md before you push",
            ),
            (
                "Update the changelog. Then commit and push.",
                "changelog",
                "Update the changelog",
            ),
            (
                "bump VERSION and open a PR",
                "version",
                "bump VERSION and open a PR",
            ),
        ] {
            assert_eq!(heard(prompt), [(file.to_owned(), words)], "{prompt}");
        }
    }

    #[test]
    fn tasks_and_other_files_are_not_heard() {
        let page = format!("commit and update changelog\n{}", "A step. ".repeat(90));
        for prompt in [
            "update the changelog",
            "commit and push",
            "commit and update the tests",
            "update the parser and commit",
            "update src/parser.rs and commit",
            "update package.json and commit",
            "commit and update readme to explain the new flag",
            "update README.md with the last commit",
            "update the readme for people who release it, it is wrong",
            "update package.json and changelog.md before you push",
            "update readme and changelog and commit",
            "update readme, changelog and commit",
            "commit, but don't update the changelog",
            "never update the changelog with a commit",
            "should I update the changelog when I commit?",
            "I update the changelog and commit",
            "it says \"commit and update changelog\"",
            "for now, commit and update changelog",
            "so test the release/0.4.1 branch, and update the changelog",
            "# Steps\n\ncommit and update changelog",
            "/release commit and update changelog",
            "You are a writer. Commit and update the changelog.",
            "in the app the user can commit and update changelog entries",
            &page,
        ] {
            assert_eq!(heard(prompt), [], "{prompt}");
        }
    }
}
