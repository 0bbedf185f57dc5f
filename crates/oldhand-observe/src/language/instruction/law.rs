//! Whether a sentence is a law: an order, or what "we" do, that holds always, never, whenever or from now on.

use super::cues::{
    AGAIN, BOTH_WAYS, BOUND, CHOSEN_OVER, EVERY_TIME, FROM_NOW, SHOWN, TELLING, TELLS_HOW, TOOLS,
    UNLESS, WANTED, WE, WORKED,
};
use super::handing::{is_never_to_be_done, is_of_handing_in, is_of_product};
use super::opening;
use super::standing::{is_standing, is_unwanted_anyway};
use crate::language::{is_quoted, opens_clause};
use crate::orders::CLIENTS;

/// Whether a sentence in lower case is one.
pub(super) fn is_law(lower: &str) -> bool {
    reaches(lower) || is_of_handing_in(lower) || never_does(lower) || is_standing(lower)
}

/// Whether it is one only for what it says of handing work in, without a word that reaches further than the task.
pub(super) fn is_of_handing_alone(lower: &str) -> bool {
    !reaches(lower) && is_law(lower)
}

/// Whether it is one only for what it says of the course of work: a plan that is handed over with it ends it, and the person's leave does not.
pub(super) fn is_of_course(lower: &str) -> bool {
    is_of_handing_alone(lower) && !never_does(lower) && !is_standing(lower)
}

/// Whether it is one only for telling what "we" do: it orders nothing.
pub(super) fn is_custom_alone(lower: &str) -> bool {
    let lower = opening(lower);
    let orders = is_order(lower, "always ")
        || is_order(lower, "never ")
        || is_from_now(lower)
        || is_of_every_time(lower)
        || refuses(lower)
        || binds(lower)
        || chooses_tool(lower);
    is_custom(lower)
        && !orders
        && !is_of_handing_in(lower)
        && !never_does(lower)
        && !is_standing(lower)
}

fn reaches(lower: &str) -> bool {
    is_order(lower, "always ")
        || is_order(lower, "never ")
        || is_from_now(lower)
        || is_of_every_time(lower)
        || refuses(lower)
        || is_custom(lower)
        || binds(lower)
        || chooses_tool(lower)
}

/// Whether `word` ("always ", "never ") opens an order: at the start of a clause, or behind a condition, before what is to be done.
pub(super) fn is_order(lower: &str, word: &str) -> bool {
    lower.match_indices(word).any(|(at, _)| {
        let before = &lower[..at];
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
                    .any(|verb| before.contains(verb)));
        // "The parser must take it and always return a list" goes on about the parser.
        let goes_on = [" must ", " should "]
            .iter()
            .any(|verb| before.contains(verb));
        let whole = !before.ends_with(|c: char| c.is_alphanumeric());
        let asked = ["sure to ", "sure you ", "sure we ", "remember to "]
            .iter()
            .any(|asking| before.ends_with(asking));
        whole
            && !goes_on
            && !tells
            && !is_quoted(lower, at)
            && (asked
                || opens_clause(before)
                || before.trim_end().ends_with(')')
                || is_condition(before))
    })
}

/// "When editing the schema": said of those who work, and an order may follow without any mark.
pub(super) fn is_condition(before: &str) -> bool {
    let mut words = opening(before).split_whitespace();
    matches!(words.next(), Some("when" | "whenever"))
        && words
            .next()
            .is_some_and(|who| who.ends_with("ing") || matches!(who, "you" | "we"))
}

/// Whether a law says itself whom it binds: "we never …", "you must always …", "when you commit, always …". It is then about the work,
/// whatever else it names.
pub(super) fn binds_who_works(lower: &str) -> bool {
    let opening = opening(lower);
    let is_ordered = ["always ", "never "]
        .iter()
        .any(|word| opening.contains(word));
    is_custom(opening) && !opening.starts_with("prefer ")
        || is_bound(opening, |_, _| false)
        || is_ordered && is_condition(opening)
}

pub(super) fn is_from_now(lower: &str) -> bool {
    let bare = lower.trim_end_matches(['.', '!']);
    FROM_NOW
        .iter()
        .any(|words| opening(lower).starts_with(words))
        || FROM_NOW[..2].iter().any(|words| bare.ends_with(words))
}

/// "Run the linter before every commit", "every handler must …".
fn is_of_every_time(lower: &str) -> bool {
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let again = words
        .windows(2)
        .any(|pair| matches!(pair[0], "every" | "each") && AGAIN.contains(&pair[1]));
    let wanted = || WANTED.iter().any(|wish| lower.contains(wish));
    let all = opening(lower).starts_with("every ")
        && [" should ", " must ", " needs "]
            .iter()
            .any(|verb| lower.contains(verb));
    all || (again || EVERY_TIME.iter().any(|time| lower.contains(time))) && wanted()
}

/// "Don't push without asking", "not unless I say so".
fn refuses(lower: &str) -> bool {
    let conditions = |after: &str| after.contains(" without ") || after.contains(" unless ");
    refused(lower).any(conditions) || UNLESS.iter().any(|unless| lower.contains(unless))
}

/// "Don't push to main".
fn never_does(lower: &str) -> bool {
    refused(lower).any(is_never_to_be_done)
}

/// What follows each "don't" of a sentence that orders.
pub(super) fn refused(lower: &str) -> impl Iterator<Item = &str> {
    ["don't ", "dont ", "do not "].iter().flat_map(move |no| {
        let places = lower.match_indices(no);
        let opens = |before: &str| opens_clause(before) || is_announced(before);
        let orders = places.filter(move |(at, _)| opens(&lower[..*at]) && !is_quoted(lower, *at));
        orders.map(|(at, no)| &lower[at + no.len()..])
    })
}

/// "Note that do not …", "from now on don't …": an order with words before it that say it is one to keep.
fn is_announced(before: &str) -> bool {
    const ANNOUNCES: [&str; 3] = ["note that", "remember that", "keep in mind that"];
    let before = before.trim_end();
    let mut announces = ANNOUNCES.iter().chain(&FROM_NOW);
    announces.any(|words| before.ends_with(words))
}

/// "We never …", "in this repo we only …", "our convention is …", "prefer tabs over spaces".
fn is_custom(lower: &str) -> bool {
    let opening = opening(lower);
    let starts = |words: &[&str]| words.iter().any(|start| opening.starts_with(start));
    if starts(&["our convention is", "the convention is"])
        || starts(&["prefer "]) && opening.contains(" over ")
    {
        return true;
    }
    let of_place = opening
        .strip_prefix("in this ")
        .and_then(|rest| rest.split_once(' '))
        .map_or(opening, |(_, rest)| rest);
    // "Don't bother with Windows, we only support Linux": what is refused has its reason.
    let explained = ["don't ", "dont ", "do not "]
        .iter()
        .any(|no| of_place.starts_with(no))
        && of_place.contains(", we only ");
    if !of_place.starts_with("we ") && !explained {
        return false;
    }
    let first = |text: &str, list: &[&str]| list.contains(&text.split(' ').next().unwrap_or(""));
    let clauses = of_place.split([',', ';']).map(str::trim_start);
    if is_unwanted_anyway(of_place) {
        return false;
    }
    let mut said = clauses.filter_map(|text| text.strip_prefix("we "));
    said.any(|rest| {
        let custom = WE.iter().find_map(|word| rest.strip_prefix(word));
        let tells = |after: &str| first(after, &TELLS_HOW) || first(after, &SHOWN);
        custom.is_some_and(|after| !tells(after)) || first(rest, &["use", "follow"])
    })
}

/// "You should never …", "worktrees must always be used": what a thing of the product should always do is asked of the work at hand.
fn binds(lower: &str) -> bool {
    is_bound(lower, |words, at| {
        words.get(at + 2) == Some(&"be") && words.get(at + 3).is_some_and(|w| WORKED.contains(w))
    })
}

/// Whether those who work should or must do something always or never, or what else `may` be bound so.
fn is_bound(lower: &str, may: impl Fn(&[&str], usize) -> bool) -> bool {
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.windows(2).enumerate().any(|(at, pair)| {
        matches!(pair[0], "should" | "must")
            && matches!(pair[1], "always" | "never")
            && (at > 0 && is_worker(words[at - 1]) || may(&words, at))
            && !is_of_product(lower)
            && !is_unwanted_anyway(opening(lower))
    })
}

fn is_worker(word: &str) -> bool {
    BOUND.contains(&word) || CLIENTS.contains(&word)
}

/// "Use pnpm, not npm", "don't use npm, use pnpm".
fn chooses_tool(lower: &str) -> bool {
    let lower = super::proposed(lower).unwrap_or(lower);
    let refused = ["don't use ", "dont use ", "do not use "]
        .iter()
        .find_map(|no| opening(lower).strip_prefix(no));
    if let Some((refused, _)) = refused.and_then(|rest| rest.split_once(" use ")) {
        return names_tool(refused);
    }
    let mut uses = lower.match_indices("use ").map(|(at, _)| at);
    let Some(at) = uses.find(|&at| opens_clause(&lower[..at])) else {
        return false;
    };
    let chosen = &lower[at..];
    names_tool(chosen) && CHOSEN_OVER.iter().any(|over| chosen.contains(over))
}

/// Whether a text in lower case names a program that people choose or refuse.
pub(super) fn names_tool(lower: &str) -> bool {
    has_word(lower, &TOOLS)
}

pub(super) fn has_word(lower: &str, list: &[&str]) -> bool {
    lower
        .split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .any(|word| list.contains(&word))
}
