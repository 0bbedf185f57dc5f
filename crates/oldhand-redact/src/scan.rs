//! One look at a text: which stretches of it are secrets.

use std::ops::Range;

use crate::encoded;
use crate::filter::{Case, Filter, Lazy};
use crate::placeholder;
use crate::rule::{Find, Reading, Rule};
use crate::rules;
use crate::shape;
use crate::span::{self, Span, Surety};
use crate::work;

/// After a replacement the text around it reads differently, and another rule may see something. Two rounds are
/// the rule, three are rare; the limit keeps the time linear.
const MOST_ROUNDS: usize = 8;

/// The secrets of `text`, so that looking at the replaced text again finds nothing more.
pub(crate) fn settle(text: &str) -> Vec<Span> {
    let mut spans = look(text);
    for _ in 1..MOST_ROUNDS {
        if spans.is_empty() {
            break;
        }
        let found = look(&span::replace(text, &spans));
        if found.is_empty() {
            break;
        }
        let mut all = span::trace_back(&spans, &found);
        all.append(&mut spans);
        spans = span::join(all);
    }
    spans
}

#[derive(Clone, Copy)]
enum Target {
    Placeholder,
    /// A rule, its place among the rules and the anchor that was found.
    Rule(&'static Rule, usize, &'static str),
}

static FILTER: Lazy<Target> = Lazy::new(|| {
    let mut literals = vec![(placeholder::OPENING, Case::Exact, Target::Placeholder)];
    for (place, rule) in rules::all().enumerate() {
        let anchors = rule.anchors.iter();
        literals
            .extend(anchors.map(|anchor| (*anchor, rule.case, Target::Rule(rule, place, anchor))));
    }
    Filter::new(literals.into_iter())
});

/// More than there are rules; checked by a test.
const MOST_RULES: usize = 256;

/// All secrets of `text` as it stands and, behind one layer of encoding, as it decodes.
fn look(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let Seen { mut spans, walls } = look_plain(bytes);
    encoded::each(bytes, |start, end, kind| {
        spans.push(Span {
            start,
            end,
            kind,
            surety: Surety::Shaped,
        });
    });
    let outside = spans.into_iter().map(|span| keep_outside(span, &walls));
    span::join(
        outside
            .filter(|span| {
                span.start < span.end && !placeholder::is_whole(&bytes[span.start..span.end])
            })
            .collect(),
    )
}

/// The span without the part of a placeholder that it cuts into. One that holds a placeholder whole stays whole.
fn keep_outside(span: Span, walls: &[Range<usize>]) -> Span {
    let around = |at: usize| {
        let next = walls.partition_point(|wall| wall.end <= at);
        walls.get(next).filter(|wall| wall.start < at)
    };
    let start = around(span.start).map_or(span.start, |wall| wall.end);
    let end = around(span.end).map_or(span.end, |wall| wall.start);
    Span { start, end, ..span }
}

/// What one pass over a text saw.
pub(crate) struct Seen {
    /// In the order of their anchors; they may overlap.
    pub(crate) spans: Vec<Span>,
    /// The placeholders that were there already.
    walls: Vec<Range<usize>>,
}

/// Looks at `bytes` as it stands.
pub(crate) fn look_plain(bytes: &[u8]) -> Seen {
    work::note(bytes.len());
    let mut seen = Seen {
        spans: Vec::new(),
        walls: Vec::new(),
    };
    let mut wall = 0;
    let mut read_until = [0; MOST_RULES];
    FILTER.each(bytes, |at, target| match target {
        _ if at < wall => {}
        Target::Placeholder => {
            if let Some(end) = placeholder::end(bytes, at) {
                wall = end;
                seen.walls.push(at..end);
            }
        }
        Target::Rule(_, place, _) if at < read_until[place] => {}
        Target::Rule(rule, place, anchor) => {
            let reading = apply(rule, anchor, bytes, at);
            read_until[place] = reading.until;
            seen.spans.extend(reading.span);
        }
    });
    seen
}

/// What `rule` finds at its anchor.
fn apply(rule: &Rule, anchor: &str, text: &[u8], at: usize) -> Reading {
    let behind = at + anchor.len();
    let (start, after) = match rule.find {
        Find::Read(read) => return read(text, at),
        Find::Token(after) | Find::Checked(after, _) => (Some(at), after),
        Find::Around(before, after) => (shape::start_of(before, text, at), after),
        Find::Behind(after) => (Some(behind), after),
    };
    let leads = matches!(rule.find, Find::Behind(_));
    let Some(start) = start.filter(|start| leads || shape::opens_word(text, *start)) else {
        return Reading::nothing(at);
    };
    let laid = shape::lay(after, text, behind);
    let end = laid.end.filter(|end| {
        let token = &text[start..*end];
        let checked = if let Find::Checked(_, check) = rule.find {
            check(token)
        } else {
            true
        };
        checked && !rules::is_dummy(token)
    });
    let span = end.map(|end| Span {
        start,
        end,
        kind: rule.kind,
        surety: Surety::Shaped,
    });
    Reading {
        span,
        until: laid.reach,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_every_rule() {
        assert!(rules::all().count() <= MOST_RULES);
    }
}
