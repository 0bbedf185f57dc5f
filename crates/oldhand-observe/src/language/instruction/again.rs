//! Short refusals, however they are meant: whoever says the same one in session after session lays it down.

use super::law::{has_word, is_order};
use super::standing::AT_HAND;
use super::{clause, is_in_quotation, is_of_a_program, is_passing, is_supposed, plain, plan};
use crate::language::{Prose, is_quoted, opens_clause};

/// Longer prompts are pages, plans and reports, which come again by themselves.
const TEXT_LIMIT: usize = 600;
/// A refusal of more words is of one case.
const MOST_WORDS: usize = 10;

/// One refusal of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal<'a> {
    /// As it was typed.
    pub words: &'a str,
    /// What is not to be done, in lower case.
    pub deed: String,
    /// What it is not to be done with, in lower case.
    pub rest: Vec<String>,
}

/// The refusals of a prompt that are of no moment, in order: "do not ask me for a choice".
pub fn refusals(prompt: &str) -> Vec<Refusal<'_>> {
    if plan::is_of_one_run(prompt) {
        return Vec::new();
    }
    let sentences = told(prompt).into_iter();
    let lasting = sentences.filter(|sentence| !is_passing(&plain(sentence)));
    lasting.flat_map(of_sentence).collect()
}

/// The sentences of a short prompt that a person typed, without questions and quotations.
pub fn told(prompt: &str) -> Vec<&str> {
    let opening = prompt.trim_start();
    let is_page = opening.starts_with(['<', '/', '#', '*', '-'])
        || plain(opening).starts_with("you are ")
        || is_of_a_program(opening)
        // A talk that was written down.
        || opening.contains("] user: ");
    if prompt.len() > TEXT_LIMIT || is_page {
        return Vec::new();
    }
    let mut sentences = Prose::of(prompt).sentences;
    sentences.retain(|sentence| {
        !sentence.ends_with(['?', ':'])
            && !is_supposed(prompt, sentence)
            && !is_in_quotation(prompt, sentence)
    });
    sentences
}

fn of_sentence(sentence: &str) -> Vec<Refusal<'_>> {
    const NO: [&str; 6] = ["don't ", "don’t ", "dont ", "do not ", "never ", "stop "];
    let lower = sentence.to_ascii_lowercase();
    let mut found = Vec::new();
    for no in NO {
        for (at, _) in lower.match_indices(no) {
            let is_ordered = opens_clause(&lower[..at]) && !is_quoted(&lower, at);
            if is_ordered && (no != "never " || is_order(&lower, no)) {
                let words = &sentence[at..at + length(&lower[at..])];
                found.extend(refusal(words, no));
            }
        }
    }
    found
}

/// How far a clause goes.
fn length(lower: &str) -> usize {
    const ENDS: [&str; 14] = [
        ",", ";", ":", "(", ". ", "! ", " - ", " – ", " — ", " and ", " but ", " so ", " then ",
        " just ",
    ];
    let ends = ENDS.iter().filter_map(|end| lower.find(end));
    ends.min().unwrap_or(lower.len())
}

fn refusal<'a>(words: &'a str, no: &str) -> Option<Refusal<'a>> {
    let words = words.trim_end_matches(['.', '!', ' ']);
    let lower = plain(words);
    if words.split_whitespace().count() > MOST_WORDS
        || clause::points(&lower)
        || has_word(&lower, &AT_HAND)
    {
        return None;
    }
    let after = lower.get(plain(no).len()..)?;
    let mut named = after
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-' | '_' | '.')))
        .map(|word| word.trim_matches(['.', '\'', '-']))
        .filter(|word| !word.is_empty());
    let deed = named.next()?.to_owned();
    // "Stop the server" is a task.
    if no == "stop " && !deed.ends_with("ing") {
        return None;
    }
    let rest = named.map(str::to_owned).collect();
    Some(Refusal { words, deed, rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(prompt: &str) -> Vec<&str> {
        refusals(prompt).iter().map(|told| told.words).collect()
    }

    #[test]
    fn a_short_refusal_is_heard_wherever_it_stands() {
        for (prompt, expected) in [
            ("Don't ask me for a choice", "Don't ask me for a choice"),
            (
                "sure, and do not ask me for choices!",
                "do not ask me for choices",
            ),
            (
                "take the second one and don't quote the spec and run it again",
                "don't quote the spec",
            ),
            ("Stop adding emojis. Thanks", "Stop adding emojis"),
            ("never rename columns", "never rename columns"),
        ] {
            assert_eq!(heard(prompt), [expected], "{prompt}");
        }
    }

    #[test]
    fn what_is_of_the_moment_or_of_a_page_is_none() {
        let page = format!(
            "Do not ask the user for a choice.\n{}",
            "A step. ".repeat(90)
        );
        for prompt in [
            "don't change anything",
            "don't do that",
            "do not start yet",
            "stop the server",
            "I do not see the header",
            "why do not the tests run?",
            "it says \"do not ask me for a choice\"",
            "You are a planner. Do not ask the user for a choice.",
            "/plan do not ask me for a choice",
            "<command-name>plan</command-name> do not ask me for a choice",
            "# Steps\n\nDo not ask the user for a choice.",
            &page,
        ] {
            assert_eq!(heard(prompt), Vec::<&str>::new(), "{prompt}");
        }
    }
}
