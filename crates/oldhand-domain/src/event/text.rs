//! Text that is safe to keep: bounded, without escape sequences, binary or hidden characters.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::text::{is_hidden, seen_in};

/// Free text of bounded length. The limit is the caller's; nothing here ever grows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BoundedText(String);

/// Stands where text was left out.
const GAP: &str = " … ";

impl BoundedText {
    /// The beginning of `text`.
    pub fn head(text: &str, limit: usize) -> Self {
        Self::cut(text, limit, limit)
    }

    /// The end of `text`.
    pub fn tail(text: &str, limit: usize) -> Self {
        Self::cut(text, limit, 0)
    }

    /// The beginning and the end of `text`: an error is named first, a result is told last.
    pub fn ends(text: &str, limit: usize) -> Self {
        Self::cut(text, limit, limit * 2 / 5)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn shrink(&mut self, limit: usize) {
        if self.0.len() > limit {
            *self = Self::ends(&self.0, limit);
        }
    }

    pub(super) fn change(&mut self, change: &mut dyn FnMut(&mut String)) {
        change(&mut self.0);
    }

    fn cut(text: &str, limit: usize, front: usize) -> Self {
        // Cleaning megabytes to keep two kilobytes would be a waste: cut the raw text first, with
        // room for what cleaning removes.
        let roomy = limit.saturating_mul(2).saturating_add(64);
        let raw = if text.len() > roomy {
            take(text, roomy, front.saturating_mul(2))
        } else {
            Cow::Borrowed(text)
        };
        let cleaned = clean(&raw);
        let text = cleaned.trim();
        if text.len() <= limit {
            return Self(text.to_owned());
        }
        Self(take(text, limit, front).into_owned())
    }
}

impl std::fmt::Display for BoundedText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// At most `limit` bytes of `text`, `front` of them from its beginning.
fn take(text: &str, limit: usize, front: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    if limit <= GAP.len() {
        return Cow::Borrowed("");
    }
    let room = limit - GAP.len();
    let front = front.min(room);
    let head = text.floor_char_boundary(front);
    let tail = text.ceil_char_boundary(text.len() - (room - front));
    Cow::Owned(format!("{}{GAP}{}", &text[..head], &text[tail..]))
}

/// Removes what a reader cannot see: terminal escapes, control and hidden formatting characters.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            skip_escape(&mut rest);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(seen_in(&out, is_unseen).flatten().collect())
}

fn skip_escape(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match rest.next() {
        // A control sequence ends with a letter or one of @[\]^_`{|}~.
        Some('[') => {
            for c in rest.by_ref() {
                if ('\u{40}'..='\u{7e}').contains(&c) {
                    return;
                }
            }
        }
        // A title or link ends with a bell or another escape.
        Some(']') => {
            while let Some(c) = rest.next() {
                if c == '\u{7}' {
                    return;
                }
                if c == '\u{1b}' {
                    rest.next();
                    return;
                }
            }
        }
        _ => {}
    }
}

fn is_unseen(c: char) -> bool {
    !matches!(c, '\n' | '\t') && is_hidden(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_hidden_characters_go() {
        assert_eq!(clean("\u{1b}[31;1mred\u{1b}[0m"), "red");
        assert_eq!(clean("\u{1b}]0;title\u{7}after"), "after");
        assert_eq!(clean("a\u{200b}b\u{202e}c\0d\r\n"), "abcd\n");
        assert_eq!(clean("plain\ttext\n"), "plain\ttext\n");
    }

    #[test]
    fn both_ends_are_kept_within_the_limit() {
        let text = BoundedText::ends(&format!("first{}last", "é".repeat(4000)), 100);
        assert!(text.as_str().len() <= 100);
        assert!(text.as_str().starts_with("first") && text.as_str().ends_with("last"));
        assert!(
            BoundedText::head("abcdefghijk", 9)
                .as_str()
                .starts_with("abcd")
        );
        assert!(BoundedText::tail(&"x".repeat(50), 10).as_str().len() <= 10);
        assert_eq!(BoundedText::head("", 5).as_str(), "");
    }
}
