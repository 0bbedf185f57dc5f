//! A literal in some language: where it ends and how it is quoted.

use std::ops::Range;

use crate::name;
use crate::shape::{Class, URL_SAFE};
use crate::value::LONGEST;
use crate::work;

/// Names that may stand in front of a quote: `b"`, `String::from("`, `[]byte("`.
const WRAPPER: Class = Class::of("0-9A-Za-z_.:&[]@$");
const MOST_WRAPPER: usize = 32;
/// The name of a field in a form.
const FIELD: Class = Class::of("0-9A-Za-z_.[]-");
/// Wrappers that fetch a value by the name they are given.
const FETCHERS: [&[u8]; 14] = [
    b"env", b"get", b"load", b"read", b"fetch", b"find", b"param", b"arg", b"request", b"prompt",
    b"input", b"lookup", b"require", b"config",
];

/// An opening quote: some backslashes, as in JSON inside JSON, and the quote itself.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Quote {
    backslashes: usize,
    mark: u8,
}

/// The value between quotes that open at `at`, behind a call or a prefix if there is one.
pub(crate) fn quoted(text: &[u8], at: usize) -> Option<Range<usize>> {
    let mut at = at;
    let mut quote = opening(text, at);
    if quote.is_none() {
        let wrapper = WRAPPER.count(text, at, MOST_WRAPPER);
        let name = &text[at..at + wrapper];
        at += wrapper;
        match text.get(at) {
            Some(b'(' | b'{') if !fetches(name) => {
                at += 1;
                at += usize::from(matches!(text.get(at), Some(b'b' | b'r' | b'u' | b'f')));
            }
            Some(_) if wrapper <= 2 => {}
            _ => return None,
        }
        quote = opening(text, at);
    }
    let quote = quote?;
    let start = at + quote.backslashes + 1;
    let length = closing(&text[start..], quote)?;
    Some(start..start + length)
}

fn fetches(wrapper: &[u8]) -> bool {
    let has = |part: &[u8]| {
        wrapper
            .windows(part.len())
            .any(|there| there.eq_ignore_ascii_case(part))
    };
    FETCHERS.iter().any(|part| has(part))
}

/// The value that starts at `at` without quotes; nothing, when it is itself an assignment to a name like that of
/// a secret, which is then read for itself.
pub(crate) fn bare(text: &[u8], at: usize) -> Range<usize> {
    let (mut open, mut end, mut word) = (0_usize, at, at);
    for (offset, byte) in text[at..].iter().take(LONGEST + 1).enumerate() {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b'`' | b',' | b';' | b'<' | b'>'
            | b'&' | b'|' | b'\\' => break,
            b'=' | b':' if end - word <= MOST_WRAPPER && name::is_in(&text[word..end]) => {
                end = at;
                break;
            }
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' if open == 0 => break,
            b')' | b']' | b'}' => open -= 1,
            _ => {}
        }
        end = at + offset + 1;
        if !URL_SAFE.has(*byte) {
            word = end;
        }
    }
    work::note(end - at + 1);
    at..end
}

/// The same where no address holds it: there an `&` is a letter like any other, but not one that begins a command, an entity of HTML or
/// the next name of a form. Takes what stands before the first of them.
pub(crate) fn with_ampersands(text: &[u8], short: Range<usize>) -> Range<usize> {
    let Range { start: at, mut end } = short;
    while end > at && text.get(end) == Some(&b'&') && end - at < LONGEST {
        let word = FIELD.count(text, end + 1, MOST_WRAPPER);
        let after = text.get(end + 1 + word);
        let is_other = matches!(after, Some(b'=')) || word > 0 && matches!(after, Some(b';'));
        let more = bare(text, end + 1);
        if is_other || text.get(end + 1) == Some(&b'#') || more.is_empty() {
            break;
        }
        end = more.end;
    }
    at..end
}

/// Where a quote that is not part of the value stands right at `at`; backslashes before it included.
pub(crate) fn quote_len(text: &[u8], at: usize) -> usize {
    opening(text, at).map_or(0, |quote| quote.backslashes + 1)
}

/// The range without the full stop or other mark that ends a sentence.
pub(crate) fn without_full_stop(text: &[u8], range: Range<usize>) -> Range<usize> {
    let ends = text[range.clone()]
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b'.' | b'!' | b'?' | b':'))
        .count();
    range.start..range.end - ends
}

/// True when `text`, which follows a value, ends the string and then the call it is the only argument of.
pub(crate) fn closes_call(text: &[u8]) -> bool {
    text.get(quote_len(text, 0)) == Some(&b')')
}

fn opening(text: &[u8], at: usize) -> Option<Quote> {
    let backslashes = text[at.min(text.len())..]
        .iter()
        .take(8)
        .take_while(|byte| **byte == b'\\')
        .count();
    match text.get(at + backslashes) {
        Some(mark @ (b'"' | b'\'' | b'`')) => Some(Quote {
            backslashes,
            mark: *mark,
        }),
        _ => None,
    }
}

fn closing(text: &[u8], quote: Quote) -> Option<usize> {
    let mut backslashes = 0;
    for (at, byte) in text.iter().take(LONGEST + 1).enumerate() {
        work::note(1);
        match byte {
            b'\n' => return None,
            b'\\' => backslashes += 1,
            byte if *byte == quote.mark && (quote.backslashes > 0 || backslashes % 2 == 0) => {
                return Some(at - backslashes.min(quote.backslashes));
            }
            _ => backslashes = 0,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<&str> {
        quoted(text.as_bytes(), 0).map(|range| &text[range])
    }

    #[test]
    fn quotes_of_many_languages_are_read() {
        assert_eq!(value(r#""abc" + x"#), Some("abc"));
        assert_eq!(value(r#""a\"c" + x"#), Some(r#"a\"c"#));
        assert_eq!(value(r#"\"abc\", "#), Some("abc"));
        assert_eq!(value(r"b'abc'"), Some("abc"));
        assert_eq!(value(r#"[]byte("abc")"#), Some("abc"));
        assert_eq!(value(r#"String::from("abc")"#), Some("abc"));
        assert_eq!(value(r#"getenv("abc")"#), None);
        assert_eq!(value(r#"x + "abc""#), None);
        assert_eq!(value("\"abc\n\""), None);
    }

    #[test]
    fn a_bare_value_ends_where_its_text_ends() {
        let check =
            |text: &str, expected: &str| assert_eq!(&text[bare(text.as_bytes(), 0)], expected);
        check("abc;def", "abc");
        check("call(a)b)", "call(a)b");
        check("abc\\n\"", "abc");
    }
}
