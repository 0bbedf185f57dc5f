//! Arguments of macros, which a grammar leaves as loose words, laid out so that it reads them as statements.

use tree_sitter::{Point, Range};

use super::gather::Span;

/// Macros inside macros are read this deep.
pub(super) const DEPTH: usize = 4;

/// `text` with the brackets of `spans` as braces, and with statements in them where commas part something; only what is
/// inside them is meant to be read. Every word keeps its place.
pub(super) fn as_statements(text: &str, spans: &[Span]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for span in spans.iter().filter(|span| is_pair(span)) {
        let (first, last) = (span.start as usize, span.end as usize - 1);
        (bytes[first], bytes[last]) = (b'{', b'}');
        part(&mut bytes[first + 1..last]);
    }
    // Only single-byte marks were put in place of single-byte marks.
    String::from_utf8(bytes).unwrap_or_default()
}

/// The parts of a text that hold `spans`, in order.
pub(super) fn ranges(spans: &[Span]) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    for span in spans.iter().filter(|span| is_pair(span)) {
        let bytes = span.bytes();
        // Columns are of no use to anyone here.
        let point = |row: u32| Point::new(row as usize, 0);
        if ranges
            .last()
            .is_none_or(|last| last.end_byte <= bytes.start)
        {
            ranges.push(Range {
                start_byte: bytes.start,
                end_byte: bytes.end,
                start_point: point(span.first_row),
                end_point: point(span.last_row),
            });
        }
    }
    ranges
}

fn is_pair(span: &Span) -> bool {
    span.end - span.start >= 2
}

/// Turns the commas that stand outside of brackets, texts and closure parameters into semicolons.
fn part(bytes: &mut [u8]) {
    let mut depth = 0_usize;
    let mut in_parameters = false;
    let mut before = b',';
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if let Some(end) = end_of_text(bytes, at) {
            before = b'"';
            at = end;
            continue;
        }
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'|' if depth == 0 && in_parameters => in_parameters = false,
            b'|' if depth == 0 => {
                // After a value it means "or"; anywhere else it opens the parameters of a closure.
                let said = bytes[..at].trim_ascii_end();
                let follows_value =
                    before.is_ascii_alphanumeric() || matches!(before, b'_' | b')' | b']' | b'"');
                if follows_value && !said.ends_with(b"move") {
                    at += usize::from(bytes.get(at + 1) == Some(&b'|'));
                } else {
                    in_parameters = true;
                }
            }
            b',' if depth == 0 && !in_parameters => bytes[at] = b';',
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
        at += 1;
    }
}

/// Where the string, character or comment that starts at `at` ends.
pub(super) fn end_of_text(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    let find = |needle: &[u8], from: usize| {
        memchr::memmem::find(rest.get(from..)?, needle)
            .map(|found| at + from + found + needle.len())
    };
    match rest {
        [b'/', b'/', ..] => Some(find(b"\n", 2).unwrap_or(bytes.len())),
        [b'/', b'*', ..] => Some(find(b"*/", 2).unwrap_or(bytes.len())),
        [b'"', ..] => Some(after_quote(bytes, at + 1, b'"')),
        [b'\'', b'\\', ..] => Some(after_quote(bytes, at + 1, b'\'')),
        // A character, not a lifetime.
        [b'\'', _, b'\'', ..] => Some(at + 3),
        [b'r', b'"' | b'#', ..] if at == 0 || !bytes[at - 1].is_ascii_alphanumeric() => {
            let marks = rest[1..].iter().take_while(|&&byte| byte == b'#').count();
            (rest.get(1 + marks) == Some(&b'"')).then(|| {
                let mut close = vec![b'"'];
                close.resize(1 + marks, b'#');
                find(&close, 2 + marks).unwrap_or(bytes.len())
            })
        }
        _ => None,
    }
}

fn after_quote(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{Span, as_statements};

    fn laid_out(text: &str) -> String {
        let start = text.find('(').expect("a bracket");
        let span = Span {
            start: start as u32,
            end: text.len() as u32,
            first_row: 0,
            last_row: 0,
        };
        as_statements(text, &[span])[start..].to_owned()
    }

    #[test]
    fn arguments_become_statements() {
        assert_eq!(laid_out("eq!(a, b.c(d, e))"), "{a; b.c(d, e)}");
    }

    #[test]
    fn commas_of_texts_and_closures_stay() {
        assert_eq!(
            laid_out(r#"m!("a, b", |x: A, y| x, ',')"#),
            r#"{"a, b"; |x: A, y| x; ','}"#
        );
        assert_eq!(laid_out("m!(a || b, c)"), "{a || b; c}");
        assert_eq!(
            laid_out("m!(r#\"a\", b\"#, move |x, y| x)"),
            "{r#\"a\", b\"#; move |x, y| x}"
        );
    }
}
