//! The part of a text that a journal keeps: cleaned first, redacted next, cut last.
//!
//! In any other order half of a secret could stay: a key that is cut in two, or that a terminal's colours divide, looks like no key.

use std::borrow::Cow;

use oldhand_domain::event::{BoundedText, clean};
use oldhand_redact::redact;

/// How far past its part of a text redaction looks. Longer than any key, so that one on the edge is seen whole.
const MARGIN: usize = 8 * 1024;
/// Stands where the middle of a long text was.
const GAP: &str = "\n…\n";

/// The beginning of `text`.
pub(super) fn head(text: &str, limit: usize) -> BoundedText {
    BoundedText::head(&front(text, roomy(limit)), limit)
}

/// The beginning and the end of `text`: an error is named first, a result is told last.
pub(super) fn ends(text: &str, limit: usize) -> BoundedText {
    BoundedText::ends(&both(text, roomy(limit), roomy(limit)), limit)
}

/// The beginning of a word an agent typed: a pattern, a query, an address.
pub(super) fn word(text: &str, limit: usize) -> String {
    let mut word = front(text, limit);
    word.truncate(word.floor_char_boundary(limit));
    word
}

/// About `first` bytes of the beginning and `last` of the end of `text`.
pub(super) fn both(text: &str, first: usize, last: usize) -> String {
    if text.len() <= first + last + 2 * MARGIN {
        return safe(text);
    }
    format!("{}{GAP}{}", front(text, first), back(text, last))
}

/// Room for what cleaning takes out.
fn roomy(limit: usize) -> usize {
    limit.saturating_mul(2)
}

fn front(text: &str, length: usize) -> String {
    let end = text.floor_char_boundary(length.saturating_add(MARGIN));
    let mut seen = safe(&text[..end]);
    if end < text.len() {
        // What lies on the edge was not seen whole.
        seen.truncate(seen.floor_char_boundary(seen.len().saturating_sub(MARGIN)));
    }
    seen
}

fn back(text: &str, length: usize) -> String {
    let start = text.ceil_char_boundary(text.len().saturating_sub(length.saturating_add(MARGIN)));
    let seen = safe(&text[start..]);
    if start == 0 {
        return seen;
    }
    seen[seen.ceil_char_boundary(MARGIN.min(seen.len()))..].to_owned()
}

/// Without what a reader cannot see, then without secrets.
fn safe(text: &str) -> String {
    let cleaned = clean(text);
    match redact(&cleaned).text {
        Cow::Owned(redacted) => redacted,
        Cow::Borrowed(_) => cleaned.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key() -> String {
        ["AKIA", "Q3EGRIXVZ7BUJ2NW"].concat()
    }

    /// The longest piece of the key that is found in `text`.
    fn leaked(text: &str) -> usize {
        let key = key();
        let pieces = (0..key.len()).flat_map(|from| (from..=key.len()).map(move |to| (from, to)));
        pieces
            .filter(|(from, to)| text.contains(&key[*from..*to]))
            .map(|(from, to)| to - from)
            .max()
            .unwrap_or(0)
    }

    #[test]
    fn a_key_that_colours_divide_is_still_a_key() {
        let (one, two) = (&key()[..9], &key()[9..]);
        for text in [
            format!("id = {one}\u{1b}[0m\u{1b}[K{two} end"),
            format!("id = {one}\u{200b}{two} end"),
        ] {
            let kept = ends(&text, 400);
            assert!(kept.as_str().contains("[REDACTED:"), "{kept}");
        }
    }

    #[test]
    fn short_texts_stay_as_they_are() {
        assert_eq!(head("cargo test", 100).as_str(), "cargo test");
        assert_eq!(word("fn open", 200), "fn open");
        assert_eq!(both("first\nlast", 10, 10), "first\nlast");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn no_place_of_a_cut_leaves_a_part_of_a_key(
            before in 0_usize..30_000,
            after in 0_usize..30_000,
            limit in 40_usize..2000,
        ) {
            let text = format!("{}{} {}", "é, ".repeat(before / 4), key(), "ok ".repeat(after / 3));
            prop_assert!(leaked(head(&text, limit).as_str()) < 4);
            prop_assert!(leaked(ends(&text, limit).as_str()) < 4);
            prop_assert!(leaked(&word(&text, limit)) < 4);
            prop_assert!(leaked(&both(&text, limit * 9, limit * 7)) < 4);
        }
    }
}
