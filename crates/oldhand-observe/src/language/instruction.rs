//! What a person lays down for more than the task at hand: a rule, a convention, a thing not to do.
//!
//! Most of what people type is about the moment, and a rule that lasts is rare. A sentence counts only if it is a law (`law.rs`), asks
//! for nothing to be made now, and is understood alone. What has the shape of a law and is of the moment is told apart, so that a person can
//! see what was passed over.

use super::Prose;

mod again;
mod clause;
mod cues;
mod custom;
mod handing;
mod law;
mod objection;
mod pace;
mod plan;
mod printed;
mod standing;
mod surroundings;
mod tongues;
mod upkeep;
mod wrap;

pub use again::{Refusal, refusals, told};
use cues::{DEEDS, FROM_NOW, OF_WORK, PASSING};
pub use custom::{CUSTOMS, Custom, Stance, wishes};
use law::{binds_who_works, has_word, is_law, names_tool};
pub use objection::objection;
pub use pace::{Pace, paces};
pub use upkeep::upkeeps;

/// How far a sentence with the shape of a rule reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Further than the task at hand.
    Lasting,
    /// It has words of the moment beside those of a rule.
    Moment,
}

/// Longer texts are plans, reports and pasted reviews: what they say belongs to one task, but for what needs the leave of the person.
const TEXT_LIMIT: usize = 1500;
/// Nobody lays anything down in what is longer still.
const LONG_LIMIT: usize = 20_000;
const SENTENCE_LIMIT: usize = 240;
/// Fewer words lay nothing down.
const FEWEST_WORDS: usize = 4;

/// The sentences of a prompt that have the shape of a rule, in order.
pub fn instructions(prompt: &str) -> Vec<(&str, Reach)> {
    let opening = prompt.trim_start();
    if prompt.len() > LONG_LIMIT
        || opening.starts_with('<')
        || opening.starts_with("Implement the following")
        || is_of_a_program(opening)
    {
        return Vec::new();
    }
    // What an editor wrapped is one sentence; it is told as it stands in the text.
    let text = &wrap::joined(prompt);
    let as_typed = |part: &str| {
        let at = part.as_ptr() as usize - text.as_ptr() as usize;
        &prompt[at..at + part.len()]
    };
    let prose = Prose::of(text);
    let may_count = |sentence: &str| {
        sentence.len() <= TEXT_LIMIT / 4
            && (prompt.len() <= TEXT_LIMIT || standing::needs_leave(&plain(sentence)))
    };
    let has_plan = plan::hands_over_plan(prompt);
    let sentences = prose.sentences.iter().enumerate();
    let told = sentences.filter_map(|(at, &sentence)| {
        if !may_count(sentence)
            || is_supposed(text, sentence)
            || is_in_quotation(text, sentence)
            || printed::is_printed(text, sentence)
        {
            return None;
        }
        if let Some(fact) = surroundings::said_again(sentence)
            && !sentence.ends_with('?')
        {
            return Some((as_typed(fact), Reach::Lasting));
        }
        let rule = clause::rule_of(sentence);
        let reach = reach(rule)?;
        // What was said before the rule may say that it is meant for the moment.
        let is_passing = is_passing(&sentence.to_ascii_lowercase());
        let of_one_plan =
            clause::is_step(text, sentence) || has_plan && law::is_of_course(&plain(rule));
        let last = at.checked_sub(1).map(|at| prose.sentences[at]);
        let of_one_deed = clause::is_of_deed(sentence, rule)
            || last.is_some_and(|last| clause::goes_on(text, last, rule));
        let explains = clause::is_aside(text, sentence) && law::is_custom_alone(&plain(rule));
        let reach = if is_passing || of_one_plan || of_one_deed || explains {
            Reach::Moment
        } else {
            reach
        };
        Some((as_typed(rule), reach))
    });
    told.collect()
}

/// A sentence in lower case, with straight quotes.
fn plain(sentence: &str) -> String {
    sentence.to_ascii_lowercase().replace('’', "'")
}

/// Whether a sentence has words of the moment; what is quoted is somebody else's.
fn is_passing(lower: &str) -> bool {
    PASSING.iter().any(|passing| {
        let mut places = places_of(lower, passing);
        places.any(|at| !super::is_quoted(lower, at) && !is_refused_until(lower, at))
    })
}

/// Whether "until" stands at this place behind a refusal, with what has to be so before: "never push to main until the tests pass". A
/// time alone, as in "until tomorrow", passes.
fn is_refused_until(lower: &str, at: usize) -> bool {
    let refuses = ["never ", "don't ", "dont ", "do not "];
    let mut awaited = match lower[at..].strip_prefix("until ") {
        Some(after) => after.split_whitespace(),
        None => return false,
    };
    let is_time = matches!(awaited.next(), Some("next" | "further") | None);
    !is_time && awaited.next().is_some() && refuses.iter().any(|no| lower[..at].contains(no))
}

/// How a program tells what it wants back.
const ANSWERED: &[&str] = &[
    "respond with",
    "respond only",
    "reply with",
    "reply only",
    "return only",
    "return just",
    "only return",
    "output only",
    "only output",
    "nothing else",
    "no other text",
    "no explanation",
    "no quotes",
];

/// Whether a prompt is a client's own, which asks a model for a title or a summary: nobody tells an agent at work what it is. A
/// person may want a title made, too, and does not say how to answer.
fn is_of_a_program(opening: &str) -> bool {
    let whole = opening.to_ascii_lowercase();
    let lower: String = whole.chars().take(200).collect();
    let opens = |with: &[&str]| with.iter().any(|words| lower.starts_with(words));
    let is_told = opens(&["you are a ", "you are an ", "you generate "]);
    let is_asked = opens(&["generate a ", "your task is to generate "])
        && ANSWERED.iter().any(|how| whole.contains(how));
    (is_told || is_asked)
        && ["title", "summar", "generator"]
            .iter()
            .any(|asked| lower.contains(asked))
}

/// Whether a sentence belongs to a text that the person only quotes: a story, the words of a page. It begins between marks that were
/// opened in a sentence before it, or stands in a quoted block.
fn is_in_quotation(text: &str, sentence: &str) -> bool {
    let Some(at) = text.find(sentence) else {
        return false;
    };
    let before = &text[..at];
    let line = before.rsplit('\n').next().unwrap_or_default();
    let paragraph = before.rsplit("\n\n").next().unwrap_or_default();
    line.trim_start().starts_with('>') || super::is_quoted(paragraph, paragraph.len())
}

/// Whether a sentence stands in a list of what would be so: "what could we do if:" opens one.
fn is_supposed(text: &str, sentence: &str) -> bool {
    let is_item =
        |line: &str| line.starts_with(['-', '*', '•']) || line.starts_with(char::is_numeric);
    let Some(at) = text.find(sentence) else {
        return false;
    };
    let mut lines = text[..at]
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .rev();
    let begun = text[..at].rsplit('\n').next().unwrap_or_default().trim();
    if begun.is_empty() || !is_item(begun) {
        return false;
    }
    let opening = lines
        .find(|line| !is_item(line))
        .unwrap_or_default()
        .to_ascii_lowercase();
    opening.ends_with(':')
        && [" if", "could ", "would "]
            .iter()
            .any(|word| opening.contains(word))
}

/// Whether a sentence lays something down that lasts, in the running conversation.
#[cfg(test)]
pub fn is_lasting(sentence: &str) -> bool {
    reach(sentence) == Some(Reach::Lasting)
}

fn reach(sentence: &str) -> Option<Reach> {
    let is_open = sentence.ends_with(['?', ':', ',', '？', '：']);
    if sentence.len() > SENTENCE_LIMIT || is_open || words_in(sentence) < FEWEST_WORDS {
        return None;
    }
    let lower = plain(sentence);
    let elsewhere = tongues::lays_down(sentence);
    if is_half(&lower) || !is_law(&lower) && elsewhere.is_none() {
        return None;
    }
    let of_the_moment = is_passing(&lower)
        || is_deed(&lower)
        || is_ticked(&lower)
        || clause::points(&lower)
        || clause::counts_the_prompt(&lower)
        || clause::is_of_a_change(&lower)
        || elsewhere == Some(false);
    Some(if of_the_moment {
        Reach::Moment
    } else {
        Reach::Lasting
    })
}

/// Whether a rule is one only by the words of another language: a short table of those is a weak witness.
pub fn is_of_other_language(sentence: &str) -> bool {
    let lower = plain(sentence);
    !is_law(&lower) && tongues::lays_down(sentence).is_some()
}

/// Whether a rule is one only for what it says of how work is handed in: people say the same of the work at hand.
pub fn is_of_handing_alone(sentence: &str) -> bool {
    law::is_of_handing_alone(&plain(sentence))
}

/// Whether a rule refuses what the person allows from time to time.
pub fn needs_leave(rule: &str) -> bool {
    standing::needs_leave(&plain(rule))
}

/// How many words a sentence has; where they are not written apart, or with all that belongs to them, two letters are about one.
fn words_in(sentence: &str) -> usize {
    let dense = sentence.chars().filter(|c| tongues::is_dense(*c)).count();
    sentence.split_whitespace().count() + dense / 2
}

/// A text in Japanese, Korean or Chinese without the words that say that something lasts; nothing of another.
pub fn without_reaching(text: &str) -> Option<String> {
    let is_dense = text.contains(tongues::is_dense);
    is_dense.then(|| tongues::without_reaching(text))
}

/// Whether a word of another language says that something lasts and nothing of what it is about.
pub fn reaches_elsewhere(word: &str) -> bool {
    tongues::reaches(word)
}

/// Whether a rule of another language says what one could see it broken by: a thing of work, or code where it holds from now on.
pub fn names_something_elsewhere(rule: &str, is_concrete: bool) -> bool {
    tongues::names_work(rule) || is_concrete && tongues::is_from_now(rule)
}

/// Whether a sentence was cut off amid of it.
fn is_half(lower: &str) -> bool {
    const GO_ON: [&str; 9] = [
        "and", "or", "the", "a", "an", "of", "unless", "because", "if",
    ];
    let last = lower.rsplit(' ').next().unwrap_or_default();
    GO_ON.contains(&last)
}

/// Whether a sentence is an item that somebody ticks off: it tells how far the work is.
fn is_ticked(lower: &str) -> bool {
    const TICKS: [&str; 8] = ["[ ]", "[x]", "✅", "☑", "✓", "✔", "❌", "⏳"];
    TICKS.iter().any(|tick| lower.starts_with(tick))
}

/// A sentence without what joins it to the one before.
fn opening(lower: &str) -> &str {
    const JOINTS: [&str; 10] = [
        "please ", "and ", "also ", "also, ", "but ", "so ", "ok ", "ok, ", "no ", "no, ",
    ];
    let mut rest = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    while let Some(after) = JOINTS.iter().find_map(|joint| rest.strip_prefix(joint)) {
        rest = after;
    }
    rest
}

/// What a sentence proposes.
fn proposed(lower: &str) -> Option<&str> {
    ["let's ", "lets ", "let us "]
        .iter()
        .find_map(|words| opening(lower).strip_prefix(words))
}

/// Whether a sentence orders something that is done once and then over.
fn is_deed(lower: &str) -> bool {
    let opening = opening(lower);
    let outlasts = FROM_NOW.iter().any(|words| opening.starts_with(words))
        || standing::is_of_all_to_come(lower);
    !outlasts && DEEDS.iter().any(|deed| opening.starts_with(deed))
}

/// Whether a rule is about the work: it says whom it binds, or names a program that people choose or a thing that all work
/// has, or stands by itself.
pub fn is_of_work(rule: &str) -> bool {
    let lower = plain(rule);
    binds_who_works(&lower)
        || names_tool(&lower)
        || has_word(&lower, &OF_WORK)
        || handing::is_alone(&lower)
        || standing::says_enough(&lower)
        || surroundings::is_lack(&lower)
}

/// Where `phrase` stands in a text, not as a part of a longer word.
fn places_of<'a>(lower: &'a str, phrase: &'a str) -> impl Iterator<Item = usize> + 'a {
    let places = lower.match_indices(phrase).map(|(at, _)| at);
    places.filter(move |&at| {
        let before = phrase.starts_with(|c: char| !c.is_alphanumeric())
            || !lower[..at].ends_with(|c: char| c.is_alphanumeric());
        let after = phrase.ends_with(|c: char| !c.is_alphanumeric())
            || !lower[at + phrase.len()..].starts_with(|c: char| c.is_alphanumeric());
        before && after
    })
}

#[cfg(test)]
mod tests;
