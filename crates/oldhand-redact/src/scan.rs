//! One look at a text: which stretches of it are secrets.

use crate::encoded;
use crate::filter::{Case, Filter, Lazy};
use crate::placeholder;
use crate::rule::{Find, Reading, Rule};
use crate::rules;
use crate::shape;
use crate::span::{self, Span, Surety};

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
    Rule(&'static Rule, &'static str),
    /// A reader, and its place in the list of how far each has read.
    Reader(fn(&[u8], usize) -> Reading, usize),
}

static FILTER: Lazy<Target> = Lazy::new(|| {
    let mut literals = vec![(placeholder::OPENING, Case::Exact, Target::Placeholder)];
    let mut readers = 0;
    for rule in rules::all() {
        let reader = readers;
        for anchor in rule.anchors {
            let target = match rule.find {
                Find::Read(read) => Target::Reader(read, reader),
                _ => Target::Rule(rule, anchor),
            };
            literals.push((*anchor, rule.case, target));
        }
        readers += usize::from(matches!(rule.find, Find::Read(_)));
    }
    Filter::new(literals.into_iter())
});

/// More readers than there are rules that read; checked by a test.
const MOST_READERS: usize = 32;

/// All secrets of `text` as it stands and, behind one layer of encoding, as it decodes.
fn look(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut spans = look_plain(bytes);
    encoded::each(bytes, |start, end, kind| {
        spans.push(Span {
            start,
            end,
            kind,
            surety: Surety::Shaped,
        });
    });
    spans.retain(|span| !placeholder::is_whole(&bytes[span.start..span.end]));
    span::join(spans)
}

/// The secrets of `bytes` as it stands, in the order of their anchors.
pub(crate) fn look_plain(bytes: &[u8]) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut wall = 0;
    let mut read_until = [0; MOST_READERS];
    FILTER.each(bytes, |at, target| {
        if at < wall {
            return;
        }
        match target {
            Target::Placeholder => wall = placeholder::end(bytes, at).unwrap_or(0),
            Target::Rule(rule, anchor) => spans.extend(fit(rule, anchor, bytes, at)),
            Target::Reader(read, reader) if at >= read_until[reader] => {
                let reading = read(bytes, at);
                read_until[reader] = reading.until;
                spans.extend(reading.span);
            }
            Target::Reader(..) => {}
        }
    });
    spans
}

/// The secret of `rule` around its anchor at `at`, if it is one.
fn fit(rule: &Rule, anchor: &str, text: &[u8], at: usize) -> Option<Span> {
    let behind = at + anchor.len();
    let (start, end) = match rule.find {
        Find::Token(after) | Find::Checked(after, _) => (at, shape::end_of(after, text, behind)?),
        Find::Around(before, after) => (
            shape::start_of(before, text, at)?,
            shape::end_of(after, text, behind)?,
        ),
        Find::Behind(after) => (behind, shape::end_of(after, text, behind)?),
        Find::Read(_) => return None,
    };
    let token = &text[start..end];
    let fits = match rule.find {
        Find::Behind(_) => true,
        Find::Checked(_, check) => shape::opens_word(text, start) && check(token),
        _ => shape::opens_word(text, start),
    };
    let secret = fits && !rules::is_dummy(token);
    secret.then_some(Span {
        start,
        end,
        kind: rule.kind,
        surety: Surety::Shaped,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_every_reader() {
        let readers = rules::all()
            .filter(|rule| matches!(rule.find, Find::Read(_)))
            .count();
        assert!(readers <= MOST_READERS);
    }
}
