//! Which comment documents what.

use rustc_hash::FxHashMap;

use super::gather::{Gathered, Span};
use super::prose::plain_comment;
use crate::facts::Definition;

/// Comments and attributes by the row on which they end.
pub(super) struct Docs<'a> {
    text: &'a str,
    by_last_row: FxHashMap<u32, Span>,
    attributes: FxHashMap<u32, Span>,
    /// The comments that open the file, one directly below the other.
    opening: Option<(Span, Span)>,
}

impl<'a> Docs<'a> {
    /// The comments of `gathered` are in the order of their first byte.
    pub(super) fn new(gathered: &Gathered, text: &'a str) -> Self {
        let leads = |span: &&Span| {
            let before = &text[..span.start as usize];
            let line = memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |end| end + 1);
            before[line..].trim().is_empty()
        };
        let outer = |span: &&Span| !is_inner(&text[span.bytes()]);
        let comments = gathered.comments.iter().filter(leads).filter(outer);
        let attributes = gathered.attributes.iter().filter(leads);
        Self {
            text,
            by_last_row: comments.map(|span| (span.last_row, *span)).collect(),
            attributes: attributes.map(|span| (span.last_row, *span)).collect(),
            opening: opening(gathered, text),
        }
    }

    /// The comment that ends on the row above `span`, or above its attributes.
    pub(super) fn above(&self, span: &Span) -> Option<String> {
        let mut row = span.first_row;
        while let Some(attribute) = row
            .checked_sub(1)
            .and_then(|above| self.attributes.get(&above))
        {
            row = attribute.first_row;
        }
        let last = self.by_last_row.get(&row.checked_sub(1)?)?;
        Some(plain_comment(self.between(&self.run_up(last), last)))
    }

    /// The first of the comments that stand directly above one another, down to `last`.
    fn run_up(&self, last: &Span) -> Span {
        let mut first = *last;
        while let Some(above) = first
            .first_row
            .checked_sub(1)
            .and_then(|row| self.by_last_row.get(&row))
        {
            first = *above;
        }
        first
    }

    fn between(&self, first: &Span, last: &Span) -> &'a str {
        &self.text[first.start as usize..last.end as usize]
    }

    /// The comment that opens the file, unless it belongs to the first definition.
    pub(super) fn of_file(&self, definitions: &[Definition]) -> Option<String> {
        let (first, last) = self.opening?;
        let whole = self.between(&first, &last);
        let next = definitions
            .first()
            .map_or(u32::MAX, |definition| definition.first_line);
        let text = plain_comment(whole);
        ((is_inner(whole) || last.last_row + 2 != next) && !text.is_empty()).then_some(text)
    }
}

fn opening(gathered: &Gathered, text: &str) -> Option<(Span, Span)> {
    let mut comments = gathered
        .comments
        .iter()
        .skip_while(|span| text[span.bytes()].starts_with("#!"));
    let first = *comments.next()?;
    let before = text[..first.start as usize].trim_start();
    if !before.is_empty() && !before.starts_with("#!") {
        return None;
    }
    let mut last = first;
    for next in comments {
        let follows = next.first_row == last.last_row + 1;
        if !follows || is_inner(&text[first.bytes()]) != is_inner(&text[next.bytes()]) {
            break;
        }
        last = *next;
    }
    Some((first, last))
}

/// A docstring, or a comment that speaks of what is around it: never of the definition below.
fn is_inner(comment: &str) -> bool {
    comment.starts_with("//!")
        || comment.starts_with("/*!")
        || comment.starts_with(['"', '\'', 'r'])
}
