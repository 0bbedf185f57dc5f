//! A stretch of text that is a secret; how overlapping ones become one and how they are replaced.

use crate::kind::SecretKind;
use crate::placeholder;

/// How much a rule knows. When spans overlap, the kind of the surer one names the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Surety {
    /// Only the name of the value says so: `password = …`.
    Named,
    /// The place says so: the password of a URL, an authorization header.
    Placed,
    /// The value itself says so: a vendor's prefix, a key block.
    Shaped,
}

/// Byte offsets into the original text, always on character borders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: SecretKind,
    pub(crate) surety: Surety,
}

/// Sorts spans and joins those that overlap.
pub(crate) fn join(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.start < last.end => {
                last.end = last.end.max(span.end);
                if span.surety > last.surety {
                    last.kind = span.kind;
                    last.surety = span.surety;
                }
            }
            _ => joined.push(span),
        }
    }
    joined
}

/// The text with a placeholder for each of `spans`, which are sorted and apart.
pub(crate) fn replace(text: &str, spans: &[Span]) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut written = 0;
    for span in spans {
        replaced.push_str(&text[written..span.start]);
        placeholder::write(&mut replaced, span.kind);
        written = span.end;
    }
    replaced.push_str(&text[written..]);
    replaced
}

/// Carries `found`, spans of the replaced text, back to the original text that `spans` were cut from.
pub(crate) fn trace_back(spans: &[Span], found: &[Span]) -> Vec<Span> {
    let mut traced = Vec::with_capacity(found.len());
    let mut next = 0;
    // How far the original is ahead of the replaced text, after the spans before `next`.
    let mut shift = 0_isize;
    let place = |span: &Span, shift: isize| {
        let start = span.start.wrapping_add_signed(-shift);
        (start, start + placeholder::len(span.kind))
    };
    for new in found {
        while let Some(span) = spans.get(next) {
            let (_, end) = place(span, shift);
            if end > new.start {
                break;
            }
            shift += (span.end - span.start) as isize - placeholder::len(span.kind) as isize;
            next += 1;
        }
        let mut start = new.start.wrapping_add_signed(shift);
        let (mut ahead, mut shift_ahead) = (next, shift);
        let mut end = None;
        while let Some(span) = spans.get(ahead) {
            let (place_start, place_end) = place(span, shift_ahead);
            if place_start >= new.end {
                break;
            }
            if ahead == next && place_start < new.start {
                start = span.start;
            }
            if place_end >= new.end {
                end = Some(span.end);
            }
            shift_ahead += (span.end - span.start) as isize - placeholder::len(span.kind) as isize;
            ahead += 1;
        }
        let end = end.unwrap_or_else(|| new.end.wrapping_add_signed(shift_ahead));
        traced.push(Span { start, end, ..*new });
    }
    traced
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::SecretKind::{AwsAccessKey, Password};

    fn span(start: usize, end: usize, kind: SecretKind) -> Span {
        let surety = if kind == Password {
            Surety::Named
        } else {
            Surety::Shaped
        };
        Span {
            start,
            end,
            kind,
            surety,
        }
    }

    #[test]
    fn overlapping_spans_become_one_named_by_the_surer() {
        let joined = join(vec![
            span(4, 9, AwsAccessKey),
            span(0, 6, Password),
            span(9, 12, Password),
        ]);
        assert_eq!(
            joined,
            [
                Span {
                    kind: AwsAccessKey,
                    surety: Surety::Shaped,
                    ..span(0, 9, Password)
                },
                span(9, 12, Password)
            ]
        );
    }

    #[test]
    fn a_span_of_the_replaced_text_is_traced_to_the_original() {
        let text = "aa SECRET bb SECRET cc";
        let spans = [span(3, 9, Password), span(13, 19, Password)];
        let replaced = replace(text, &spans);
        assert_eq!(replaced, "aa [REDACTED:password] bb [REDACTED:password] cc");
        let check = |part: &str, expected: &str| {
            let start = replaced.find(part).expect("the part is there");
            let traced = trace_back(&spans, &[span(start, start + part.len(), Password)]);
            assert_eq!(&text[traced[0].start..traced[0].end], expected);
        };
        check("cc", "cc");
        check("bb", "bb");
        check("aa", "aa");
        check("] bb", "SECRET bb");
        check("bb [RED", "bb SECRET");
        check("d] bb [REDACTED:password] c", "SECRET bb SECRET c");
    }
}
