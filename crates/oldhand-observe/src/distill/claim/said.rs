//! Whether a document or a comment of the project says already what somebody found out: then it needs no memory.
//!
//! A passage says it that has everything the statement puts between backticks and most of its other words, near each other, all words of its
//! first clause in one, and denies and limits as the statement does. One that only names the thing, asks, or says the opposite does not.

use std::collections::BTreeSet;

use oldhand_domain::words;

use super::is_file;
use crate::paths;

mod passages;

use passages::{Passage, comments, paragraphs};

/// Words further apart than this are about different things, however long the paragraph is.
const NEAR: usize = 60;
/// Of the words of a statement so many thirds have to be there.
const MOST: usize = 2;
/// A part of a name that is shorter stands for nothing by itself.
const TELLING: usize = 5;

/// What denies: two of them in one clause take each other back.
const DENIES: [&str; 24] = [
    "cannot",
    "disallow",
    "disallows",
    "fail",
    "fails",
    "forbid",
    "forbids",
    "ignore",
    "ignored",
    "ignores",
    "lacks",
    "never",
    "no",
    "none",
    "nor",
    "not",
    "nothing",
    "prevents",
    "refuse",
    "refuses",
    "reject",
    "rejects",
    "unsupported",
    "without",
];

/// What limits a statement to a part, or says that the rest is left as it is.
const LIMITS: [&str; 11] = [
    "alone",
    "exclusively",
    "just",
    "merely",
    "only",
    "purely",
    "remain",
    "remains",
    "solely",
    "stay",
    "stays",
];

/// Words that join others, besides those that say nothing anywhere.
const JOINS: [&str; 28] = [
    "affect", "affects", "applies", "apply", "all", "also", "always", "because", "both", "each",
    "even", "every", "into", "itself", "like", "more", "much", "one", "other", "over", "per",
    "same", "such", "than", "too", "via", "whether", "while",
];

/// Words that turn a statement around where another one stands in their place.
const TURNS: [&str; 24] = [
    "after", "allow", "before", "deny", "disable", "enable", "except", "exclude", "false", "first",
    "include", "last", "less", "maximum", "minimum", "newer", "off", "older", "optional",
    "required", "true", "under", "unless", "until",
];

/// Stands for what is between backticks: no letter and no mark.
const MASK: char = '\u{e000}';

/// What somebody found out, ready to be looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What stands between backticks.
    names: Vec<String>,
    /// What else it speaks of, by the stems.
    words: BTreeSet<String>,
    /// Numbers outside of the backticks.
    numbers: BTreeSet<String>,
    main: Clause,
    limits: bool,
}

/// What a statement says first of what it names: what denies there has to deny in a passage.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Clause {
    names: Vec<String>,
    words: BTreeSet<String>,
    denies: bool,
}

impl Statement {
    /// The statement of a memory; nothing where it names nothing or says nothing about what it names.
    pub fn of(content: &str) -> Option<Self> {
        let told = bare(content);
        let code = |at: usize| at % 2 == 1;
        let pieces: Vec<&str> = told.split('`').collect();
        let name_at = |at: usize| pieces[at].trim().trim_end_matches("()").to_owned();
        let names: Vec<String> = (0..pieces.len())
            .filter(|at| code(*at))
            .map(name_at)
            .collect();
        let names: Vec<String> = names.into_iter().filter(|name| !name.is_empty()).collect();
        // What is between backticks may have any mark in it.
        let masked = pieces.iter().enumerate().map(|(at, piece)| {
            if code(at) {
                format!("{MASK}{at}{MASK}")
            } else {
                (*piece).to_owned()
            }
        });
        let masked: String = masked.collect();
        let plain: String = (pieces.iter().step_by(2).copied().collect::<Vec<_>>()).join(" ");
        let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
        let numbers: BTreeSet<String> = split(&plain).filter(is_number).collect();
        let words = subjects(&plain);
        let limits = split(&plain).any(|word| LIMITS.contains(&word.as_str()));
        let first = clauses(&masked).find(|clause| clause.contains(MASK));
        let first = first.unwrap_or(&masked);
        let is_in_first = |at: &usize| {
            let mask = format!("{MASK}{at}{MASK}");
            code(*at) && first.contains(&mask)
        };
        let main = Clause {
            names: (0..pieces.len()).filter(is_in_first).map(name_at).collect(),
            words: subjects(first).intersection(&words).cloned().collect(),
            denies: denies(first),
        };
        (!names.is_empty() && !words.is_empty()).then_some(Self {
            names,
            words,
            numbers,
            main,
            limits,
        })
    }

    /// What a text must have in it to say the statement: the least of each name. A file need not name itself.
    pub fn needles(&self) -> Vec<&str> {
        let others = self.names.iter().filter(|name| !is_file(name));
        let others: Vec<&str> = others.map(|name| last_part(name)).collect();
        if others.is_empty() {
            self.names.iter().map(String::as_str).collect()
        } else {
            others
        }
    }

    /// The line of a text at which the statement is made.
    pub fn place_in(&self, file: &str, text: &str) -> Option<usize> {
        let found = if paths::is_prose(file) {
            paragraphs(text)
        } else {
            let all = comments(file, text);
            let names: Vec<&str> = self.names.iter().map(|name| code_of(name)).collect();
            let is_beside = |passage: &Passage| passage.is_beside(text, &names);
            all.into_iter().filter(is_beside).collect()
        };
        let mut said = found.iter().filter(|passage| {
            let near = windows(passage.says());
            near.iter().any(|near| self.is_said_by(near, file))
        });
        said.next().map(|passage| passage.line)
    }

    fn is_said_by(&self, passage: &str, file: &str) -> bool {
        let mut names = self.names.iter().filter(|name| !is_of(name, file));
        if !names.all(|name| has(passage, name)) {
            return false;
        }
        let others: BTreeSet<String> = split(passage).collect();
        let told = subjects(passage);
        let covered = self.words.intersection(&told).count();
        let mut turning = self.words.iter().filter(|word| turns(word));
        let is_limited = || others.iter().any(|word| LIMITS.contains(&word.as_str()));
        3 * covered >= MOST * self.words.len()
            && turning.all(|word| told.contains(word))
            && self.numbers.is_subset(&others)
            && (!self.limits || is_limited())
            && self.is_told_alike(passage, file)
    }

    /// Whether the clause of a passage that has most of the first one of the statement says the same: it has all its words and nothing that
    /// turns it around, denies where that does, and names the same things in the same order. One thing alone may be named beside it, with
    /// a word of it.
    fn is_told_alike(&self, passage: &str, file: &str) -> bool {
        let Clause { names, words, .. } = &self.main;
        let names: Vec<&String> = names.iter().filter(|name| !is_of(name, file)).collect();
        let shared = |clause: &str| words.intersection(&subjects(clause)).count();
        let named = |clause: &str| names.iter().filter(|name| has(clause, name)).count();
        let all: Vec<&str> = clauses(passage).collect();
        let hits = |clause: &str| named(clause) + shared(clause);
        let most = all.iter().map(|clause| hits(clause)).max().unwrap_or(0);
        let is_beside = || {
            let mut others = all.iter();
            names.len() == 1 && others.any(|clause| named(clause) == 1 && shared(clause) > 0)
        };
        let mut nearest = all.iter().filter(|clause| hits(clause) == most);
        nearest.any(|clause| {
            let places: Vec<usize> = names.iter().filter_map(|name| find(clause, name)).collect();
            shared(clause) == words.len()
                && denies(clause) == self.main.denies
                && (places.len() == names.len() && places.is_sorted() || is_beside())
                && !self.is_turned_by(led(passage, clause))
        })
    }

    /// Whether a clause, with what leads to it, speaks of another time, case or version than the statement, or of what somebody says: "it is a myth that".
    fn is_turned_by(&self, clause: &str) -> bool {
        let told: Vec<String> = split(clause).collect();
        let known: BTreeSet<String> = self.names.iter().flat_map(|name| split(name)).collect();
        let is_other = |word: &String| {
            let is_number = word.starts_with(|c: char| c.is_ascii_digit());
            let is_turn =
                subject(word).is_some_and(|stem| turns(&stem) && !self.words.contains(&stem));
            is_turn || is_number && !self.numbers.contains(word) && !known.contains(word)
        };
        let first = self.main.names.iter().filter_map(|name| find(clause, name));
        let before: Vec<String> = split(&clause[..first.min().unwrap_or(0)]).collect();
        let reports = |pair: &[String]| pair[1] == "that" && pair[0] != "note";
        told.iter().any(is_other) || before.windows(2).any(reports)
    }
}

/// Whether a file may say how things are today: not what a program writes, nor a list of what changed.
pub fn may_say(file: &str) -> bool {
    const CHANGES: [&str; 7] = [
        "changelog",
        "changes",
        "changeset",
        "history",
        "news",
        "release",
        "whatsnew",
    ];
    let tells_changes = |step: &str| {
        let step = step.trim_start_matches(['.', '_']).to_ascii_lowercase();
        CHANGES.iter().any(|word| step.starts_with(word))
    };
    let is_changes = paths::is_prose(file) && file.split('/').any(tells_changes);
    !is_changes && !paths::is_generated(file)
}

/// The statement without what is put around it in a memory.
fn bare(content: &str) -> &str {
    let cause = content.split_once("The cause: ").map(|(_, cause)| cause);
    let told = cause.map(|cause| {
        cause
            .rsplit_once(" Mended in ")
            .map_or(cause, |(told, _)| told)
    });
    let told = told.unwrap_or(content);
    let told = told.strip_prefix("Easily got wrong: ").unwrap_or(told);
    // The file that a setting stands in is put behind it.
    let behind = told.trim_end_matches('.').strip_suffix("`)");
    let behind = behind.and_then(|told| told.rsplit_once(" (`"));
    behind
        .filter(|(_, file)| is_file(file))
        .map_or(told, |(told, _)| told)
}

/// Whether a name is that of the file itself.
fn is_of(name: &str, file: &str) -> bool {
    let before = file.strip_suffix(name);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// `UploadPack` of `transport.UploadPack`.
fn last_part(name: &str) -> &str {
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    let is_telling = last.len() >= TELLING && last.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_telling && !is_file(name) {
        last
    } else {
        name
    }
}

/// What stands for a name in code: an option is declared without its dashes and its value.
fn code_of(name: &str) -> &str {
    let first = name.split([' ', '=']).next().unwrap_or(name);
    match first.strip_prefix("--") {
        Some(option) => option,
        None => last_part(name),
    }
}

/// Where a text has a name first, to its ends.
fn find(text: &str, name: &str) -> Option<usize> {
    let whole = |name: &str| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let mut places = text.match_indices(name).map(|(at, _)| at);
        places.find(|at| {
            let before = text[..*at].chars().next_back();
            let after = text[*at + name.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
    };
    whole(name).or_else(|| whole(last_part(name)))
}

fn has(text: &str, name: &str) -> bool {
    find(text, name).is_some()
}

/// The words of a text in small letters, as people write them.
fn split(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’'));
    let words = words.map(|word| word.trim_matches(['\'', '’']).to_lowercase());
    words.filter(|word| !word.is_empty())
}

/// What a text speaks of.
fn subjects(text: &str) -> BTreeSet<String> {
    split(text).filter_map(|word| subject(&word)).collect()
}

/// The stem of a word that says something: "settable" is of "set".
fn subject(word: &str) -> Option<String> {
    let word = word.trim_end_matches("'s").trim_end_matches("’s");
    let says_nothing = !words::is_telling(word)
        || word.starts_with(|c: char| c.is_ascii_digit())
        || word.contains(['\'', '’'])
        || [&DENIES[..], &LIMITS, &JOINS]
            .iter()
            .any(|list| list.contains(&word));
    if says_nothing {
        return None;
    }
    let able = ["able", "ible"]
        .iter()
        .find_map(|end| word.strip_suffix(end));
    let root = able
        .filter(|root| root.len() >= 3 && *root != "dis")
        .map(|root| {
            let mut ends = root.chars().rev();
            let is_double = ends.next() == ends.next();
            let single = root.get(..root.len() - 1).filter(|_| is_double);
            single.unwrap_or(root)
        });
    Some(words::stem(root.unwrap_or(word)).to_owned())
}

/// Whether a stem is that of a word that turns a statement around.
fn turns(stem: &str) -> bool {
    TURNS.iter().any(|word| words::stem(word) == stem)
}

/// The clauses of a text: what denies in one says nothing of the others.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    sentences(text)
        .flat_map(|sentence| sentence.split([';', ',', '—']))
        .filter(|clause| !clause.trim().is_empty())
}

/// A clause of a text with what stands before it in its sentence.
fn led<'t>(text: &'t str, clause: &'t str) -> &'t str {
    let mut leads = sentences(text).filter_map(|sentence| {
        let at = sentence.find(clause)?;
        Some(&sentence[..at + clause.len()])
    });
    leads.next().unwrap_or(clause)
}

/// Whether a clause denies, and does not take that back.
fn denies(clause: &str) -> bool {
    let is_denial = |word: &String| {
        let word = word.replace('’', "'");
        word.ends_with("n't") || DENIES.contains(&word.as_str())
    };
    split(clause).filter(is_denial).count() % 2 == 1
}

/// The sentences of a text, each with its end.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut mark = ' ';
    text.split_inclusive(move |c: char| {
        let is_end = c == ' ' && matches!(mark, '.' | '?' | '!');
        mark = c;
        is_end
    })
}

/// The sentences of a passage that stand near each other, from each of them on; one that asks says nothing.
fn windows(passage: &str) -> Vec<String> {
    let asks = |sentence: &str| {
        let is_around = |c: char| !c.is_alphanumeric() && c != '?';
        sentence.trim_end_matches(is_around).ends_with('?')
    };
    let sentences: Vec<&str> = sentences(passage).filter(|it| !asks(it)).collect();
    let mut found = Vec::new();
    for from in 0..sentences.len() {
        let mut window = String::new();
        let mut length = 0;
        for (at, sentence) in sentences.iter().enumerate().skip(from) {
            length += sentence.split_whitespace().count();
            if length > NEAR && at > from {
                break;
            }
            window.push_str(sentence);
        }
        found.push(window);
    }
    found
}

#[cfg(test)]
mod tests;
