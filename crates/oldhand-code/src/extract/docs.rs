//! Which comment documents what.

use rustc_hash::FxHashMap;

use super::gather::{Gathered, Span};
use super::prose::plain_comment;
use crate::facts::Definition;

/// Comments and attributes by the row on which they end.
pub(super) struct Docs<'a> {
    text: &'a str,
    by_last_row: FxHashMap<usize, Span>,
    attributes: FxHashMap<usize, Span>,
    first: Option<Span>,
}

impl<'a> Docs<'a> {
    pub(super) fn new(gathered: &Gathered, text: &'a str) -> Self {
        let leads = |span: &&Span| {
            let line = text[..span.start].rfind('\n').map_or(0, |end| end + 1);
            text[line..span.start].trim().is_empty()
        };
        let by_row = |spans: &[Span]| {
            spans
                .iter()
                .filter(leads)
                .map(|span| (span.last_row, *span))
                .collect()
        };
        let first = gathered
            .comments
            .first()
            .filter(|span| text[..span.start].trim().is_empty())
            .copied();
        let first = first.filter(|span| !text[span.bytes()].starts_with("#!"));
        Self {
            text,
            by_last_row: by_row(&gathered.comments),
            attributes: by_row(&gathered.attributes),
            first,
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
        Some(plain_comment(&self.text[self.run_up(last).start..last.end]))
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

    /// The comment that opens the file, unless it belongs to the first definition.
    pub(super) fn of_file(&self, definitions: &[Definition]) -> Option<String> {
        let first = self.first?;
        let mut last = first;
        while let Some(below) = self
            .by_last_row
            .values()
            .find(|span| span.first_row == last.last_row + 1)
        {
            last = *below;
        }
        let next = definitions
            .first()
            .map_or(usize::MAX, |definition| definition.first_line as usize);
        let text = plain_comment(&self.text[first.start..last.end]);
        (last.last_row + 2 != next && !text.is_empty()).then_some(text)
    }
}
