//! A sentence that says how something behaves, without any word of discovery before it.

use super::{begins_back, has_word, is_guess, is_name};
use crate::language::SUPPOSING;

/// Words of what something does against what one would think, or asks for.
pub(super) const WORDS: &[&str] = &[
    "regardless",
    "silently",
    "by default",
    "unless",
    "even when",
    "even if",
    "even though",
    "only when",
    "only if",
    "only works",
    "requires",
    "require",
    "expects",
    "refuses",
    "rejects",
    "ignores",
    "consumes",
    "swallows",
    "strips",
    "drops",
    "masks",
    "hides",
    "shadows",
    "overrides",
    "treats",
    "conflicts with",
    "doesn't support",
    "does not support",
    "don't support",
    "doesn't accept",
    "does not accept",
    "doesn't honor",
    "does not honor",
];

/// Words that say that it is told of the work: what was, is being or will be done.
const OF_THE_WORK: &[&str] = &[
    "now",
    "already",
    "will",
    "i'll",
    "we'll",
    "was",
    "were",
    "had",
    "has been",
    "have been",
    "added",
    "fixed",
    "updated",
    "changed",
    "should",
    "has never",
    "have never",
    "next",
    "first",
    "so far",
    "plan",
    "task",
    "todo",
    "option",
    "recommend",
    "let",
    "please",
];

/// Whether a sentence says how something behaves, today and tomorrow.
pub(super) fn is_stated(sentence: &str, lower: &str) -> bool {
    let says = |list: &[&str]| list.iter().any(|word| has_word(lower, word));
    let named = sentence.split('`').skip(1).step_by(2).any(is_name);
    named
        && says(WORDS)
        && !says(OF_THE_WORK)
        && !sentence.ends_with(['?', ':'])
        && !is_guess(lower)
        && !begins_back(lower)
        && !SUPPOSING.iter().any(|word| lower.contains(word))
        && has_subject(lower)
}

/// Whether it begins with what it is about, not with an order or with what was done.
fn has_subject(lower: &str) -> bool {
    let first = lower.split([' ', ',']).next().unwrap_or("");
    !(first.ends_with("ing") || first.ends_with("ed") && first != "embed")
}
