//! What a person lays down for more than the task at hand: a rule, a convention, a thing not to do.
//!
//! Most of what people type is about the moment. A sentence counts only if its own words reach further ("always",
//! "everywhere", "we use", "unless I ask"), or if it says why a call was just refused. What has the shape of a rule and is none is
//! told apart from what has not, so that a person can see what was passed over.

use super::{Prose, Rule};

mod clause;
mod cues;
mod tongues;
mod wrap;

use cues::{
    AT_HAND, BOTH_WAYS, CHOSEN_OVER, CONDITIONED, DEEDS, PASSING, PASSING_PLACES, POINTING,
    REACHING, REFUSAL, STOP, TALK, TELLING, TOOLS, WANTED,
};

/// Where a sentence stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// In the running conversation.
    Talk,
    /// Said while refusing what the agent was about to do.
    Refusal,
}

/// How far a sentence with the shape of a rule reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Further than the task at hand.
    Lasting,
    /// It has words of the moment beside those of a rule.
    Moment,
}

/// Longer texts are plans, reports and pasted reviews: what they say belongs to one task.
const TEXT_LIMIT: usize = 1500;
const SENTENCE_LIMIT: usize = 240;
/// Fewer words lay nothing down.
const FEWEST_WORDS: usize = 4;

/// The sentences of a prompt that have the shape of a rule, in order.
pub fn instructions(prompt: &str, occasion: Occasion) -> Vec<(&str, Reach)> {
    let opening = prompt.trim_start();
    if prompt.len() > TEXT_LIMIT
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
    let told = prose
        .sentences
        .iter()
        .enumerate()
        .filter_map(|(at, sentence)| {
            if is_supposed(text, sentence) || is_in_quotation(text, sentence) {
                return None;
            }
            let rule = clause::rule_of(text, &prose.sentences, at);
            let reach = reach(rule, occasion)?;
            // What was said before the rule may say that it is meant for the moment.
            let is_passing = is_passing(&sentence.to_ascii_lowercase());
            let of_one_plan = occasion == Occasion::Talk && clause::is_step(text, sentence);
            let of_one_deed = occasion == Occasion::Talk && clause::is_of_deed(sentence, rule);
            let reach = if is_passing || of_one_plan || of_one_deed {
                Reach::Moment
            } else {
                reach
            };
            Some((as_typed(rule), reach))
        });
    told.collect()
}

/// Whether a sentence has words of the moment; what is quoted is somebody else's.
fn is_passing(lower: &str) -> bool {
    PASSING
        .iter()
        .any(|passing| places_of(lower, passing).any(|at| !super::is_quoted(lower, at)))
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
pub fn is_lasting(sentence: &str) -> bool {
    reach(sentence, Occasion::Talk) == Some(Reach::Lasting)
}

fn reach(sentence: &str, occasion: Occasion) -> Option<Reach> {
    let words = words_in(sentence);
    let fewest = match occasion {
        Occasion::Talk => FEWEST_WORDS,
        Occasion::Refusal => 2,
    };
    let is_open = sentence.ends_with(['?', ':', ',', '？', '：']);
    if sentence.len() > SENTENCE_LIMIT || is_open || words < fewest {
        return None;
    }
    let lower = sentence.to_ascii_lowercase().replace('’', "'");
    if is_half(&lower) {
        return None;
    }
    let refuses = occasion == Occasion::Refusal
        && REFUSAL.iter().any(|rule| holds(rule, &lower))
        && !points(&lower);
    let elsewhere = tongues::lays_down(sentence);
    if !refuses && !has_shape(&lower) && elsewhere.is_none() {
        return None;
    }
    let at_hand = occasion == Occasion::Talk
        && (is_deed(&lower)
            || is_of_thing_at_hand(&lower)
            || is_ticked(&lower)
            || clause::counts_the_prompt(&lower)
            || clause::is_of_the_talk(&lower)
            || clause::is_to_be_written(opening(&lower)));
    Some(
        if is_passing(&lower) || is_proposal(&lower) || at_hand || elsewhere == Some(false) {
            Reach::Moment
        } else {
            Reach::Lasting
        },
    )
}

/// Whether a rule is one only by the words of another language: a short table of those is a weak witness.
pub fn is_of_other_language(sentence: &str) -> bool {
    let lower = sentence.to_ascii_lowercase().replace('’', "'");
    !has_shape(&lower) && tongues::lays_down(sentence).is_some()
}

/// How many words a sentence has; where they are not written apart two letters are about one.
fn words_in(sentence: &str) -> usize {
    sentence.split_whitespace().count() + unspaced(sentence) / 2
}

/// How many letters of a text are of a script that writes no spaces: Chinese and Japanese.
pub fn unspaced(text: &str) -> usize {
    let is_one = |c: &char| matches!(c, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    text.chars().filter(is_one).count()
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
    let lower = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    ["please ", "and ", "also ", "also, ", "so ", "ok, "]
        .iter()
        .fold(lower, |rest, joint| {
            rest.strip_prefix(joint).unwrap_or(rest)
        })
}

/// Whether a sentence proposes what to do next ("let's cut a branch first"). It lasts only where one of its words reaches further, or
/// where it chooses between programs ("let's use pnpm instead of npm").
fn is_proposal(lower: &str) -> bool {
    let reaching = ["always ", "never ", "from now on", "going forward"];
    let mut reaching = reaching.iter().chain(&REACHING);
    proposed(lower).is_some_and(|what| !chooses_tool(what))
        && !reaching.any(|words| lower.contains(words))
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
    let outlasts = ["from now on", "going forward"]
        .iter()
        .any(|words| lower.contains(words));
    !outlasts && DEEDS.iter().any(|deed| opening.starts_with(deed))
}

/// Whether a sentence is about a thing that only the conversation points at: "the function should …", "make sure this works".
fn is_of_thing_at_hand(lower: &str) -> bool {
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let is_verb = |word: &str| {
        matches!(
            word,
            "should" | "must" | "needs" | "need" | "is" | "works" | "work" | "has" | "from" | "of"
        )
    };
    // "For this feature" is of the task, and of files there are many; "in this service" lasts.
    let is_passing = |place: &str| {
        PASSING_PLACES.contains(&place) || AT_HAND.contains(&place) && place != "code"
    };
    let is_placed = |trio: &[&str]| {
        matches!(trio[0], "for" | "in" | "on" | "of" | "from" | "to" | "with")
            && trio[1] == "this"
            && is_passing(trio[2])
    };
    words.windows(3).any(|trio| {
        is_placed(trio)
            || matches!(trio[0], "the" | "this" | "that")
                && AT_HAND.contains(&trio[1])
                && is_verb(trio[2])
    }) || words
        .windows(2)
        .any(|pair| pair == ["this", "works"] || pair == ["it", "works"])
        || words.contains(&"these")
}

/// Whether a sentence in lower case has the shape of a rule.
fn has_shape(lower: &str) -> bool {
    let any = |rules: &[Rule]| rules.iter().any(|rule| holds(rule, lower));
    any(TALK)
        || any(CONDITIONED)
        || any(STOP)
        || is_order(lower, "always ")
        || is_order(lower, "never ")
        || chooses_tool(proposed(lower).unwrap_or(lower))
        || does_it_themselves(lower)
        || clause::is_standing(lower)
        || (REACHING.iter().any(|reach| lower.contains(reach))
            && WANTED.iter().any(|wish| lower.contains(wish)))
}

fn holds(rule: &Rule, lower: &str) -> bool {
    lower
        .match_indices(rule.phrase)
        .any(|(at, _)| !super::is_quoted(lower, at) && rule.holds(lower, at))
}

/// Whether `word` ("always ", "never ") opens an order: at the start of a clause, before what is to be done.
fn is_order(lower: &str, word: &str) -> bool {
    lower.match_indices(word).any(|(at, _)| {
        let next = lower[at + word.len()..]
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .trim_end_matches(|c: char| !c.is_alphanumeric());
        // "never gets", "always listed" and "never the" tell what happens.
        let tells = (next.ends_with('s') && !next.ends_with("ss"))
            || next.ends_with("ed")
            || TELLING.contains(&next)
            || (BOTH_WAYS.contains(&next)
                && [" is ", " are ", " was "]
                    .iter()
                    .any(|verb| lower[..at].contains(verb)));
        let whole = !lower[..at].ends_with(|c: char| c.is_alphanumeric());
        let asked = lower[..at].ends_with("to ") && !is_seeming(&lower[..at]);
        whole
            && !tells
            && !super::is_quoted(lower, at)
            && (asked || super::opens_clause(&lower[..at]))
    })
}

/// "It seems to always …" asks for nothing.
fn is_seeming(before: &str) -> bool {
    ["seem", "appear", "tend", "going", "have", "used"]
        .iter()
        .any(|verb| before.trim_end_matches("to ").trim_end().ends_with(verb))
        || before.contains("seems to ")
        || before.contains("appears to ")
        || before.contains("tends to ")
}

/// "Use pnpm, not npm."
fn chooses_tool(lower: &str) -> bool {
    let Some(at) = lower
        .match_indices("use ")
        .map(|(at, _)| at)
        .find(|&at| super::opens_clause(&lower[..at]))
    else {
        return false;
    };
    let chosen = &lower[at..];
    names_tool(chosen) && CHOSEN_OVER.iter().any(|over| chosen.contains(over))
}

/// Whether a text in lower case names a program that people choose or refuse.
pub fn names_tool(lower: &str) -> bool {
    lower
        .split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .any(|word| TOOLS.contains(&word))
}

/// "I'll run the app myself."
fn does_it_themselves(lower: &str) -> bool {
    ["i'll ", "i will ", "i run ", "i do ", "i commit "]
        .iter()
        .any(|own| lower.contains(own))
        && lower.contains(" myself")
        && [
            "always",
            "whenever",
            "every",
            "when needed",
            "i run ",
            "i commit ",
            "i do ",
        ]
        .iter()
        .any(|reach| lower.contains(reach))
}

/// "Don't run that" is about that call alone, unless it says why.
fn points(lower: &str) -> bool {
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let at = words
        .iter()
        .position(|word| ["don't", "dont"].contains(word))
        .or_else(|| {
            words
                .windows(2)
                .position(|pair| pair == ["do", "not"])
                .map(|at| at + 1)
        });
    let Some(at) = at else { return false };
    // What comes after the verb: nothing at all, or only a word that points.
    let object = &words[(at + 2).min(words.len())..];
    object.is_empty() || (object.len() <= 2 && POINTING.contains(&object[0]))
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
