//! What stands between a name and its value, in the syntaxes people write assignments in.

use crate::read::literal;
use crate::shape::Class;

/// How the value was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// `name = value`, `name := value`, `name => value`.
    Equals { spaced: bool },
    /// `name: value`.
    Colon,
    /// `<name>value</name>`.
    Element,
    /// `name: NAME` and `value: value`.
    Value,
    /// `--name value`, `-Name value`.
    Flag,
    /// `"name", "value"`.
    Comma,
    /// `name("value")`.
    Call,
    /// `name type = value`.
    Typed,
    /// `NAME 'value'`.
    Words,
    /// `the name is value`, `name value`.
    Prose,
}

const TYPE: Class = Class::of("0-9A-Za-z_.*&<>[]|?:");
const MOST_SPACES: usize = 40;
const MOST_TYPE: usize = 40;

/// Where the value of the name at `start..end` begins.
pub(crate) fn find(text: &[u8], start: usize, end: usize) -> Option<(Separator, usize)> {
    let in_quotes = matches!(text[..start].last(), Some(b'"' | b'\'' | b'`'));
    let mut at = end;
    at += literal::quote_len(text, at);
    let quoted = at;
    while let Some(b']' | b')') = text.get(at) {
        at += 1;
    }
    let closed = at;
    at += spaces(text, at);
    let rest = &text[at..];
    let (separator, length) = match rest {
        [b'=' | b'!', b'=', b'=', ..] | [b'|', b'|', b'=', ..] => {
            (Separator::Equals { spaced: true }, 3)
        }
        [b'=', b'>' | b'~' | b'=', ..]
        | [b':' | b'+' | b'?' | b'!' | b'-', b'=', ..]
        | [b'-', b'>', ..] => (Separator::Equals { spaced: true }, 2),
        [b'=', after, ..] => (
            Separator::Equals {
                spaced: at > end || after.is_ascii_whitespace(),
            },
            1,
        ),
        [b':', b':', ..] => return None,
        [b':', ..] => (Separator::Colon, 1),
        [b'>', ..] if text[..start].ends_with(b"<") => (Separator::Element, 1),
        [b'\r' | b'\n', ..] | [b'\\', b'n', ..] => return value_word(text, at),
        // `["a", "NAME"], ["b"`: what comes next is of another list.
        [b',', ..] if in_quotes && closed == quoted => return after_comma(text, at + 1),
        [b'(', ..] if closed == end && at == end => (Separator::Call, 1),
        _ if at > closed => return after_spaces(text, start, at, in_quotes),
        _ => return None,
    };
    at += length;
    at += spaces(text, at);
    if separator == Separator::Colon
        && let Some(assigned) = after_type(text, at)
    {
        return Some((Separator::Typed, assigned));
    }
    Some((separator, at))
}

fn spaces(text: &[u8], at: usize) -> usize {
    text[at..]
        .iter()
        .take(MOST_SPACES)
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

/// `"name", "value"` and `"name":"X_TOKEN","value":"…"`.
fn after_comma(text: &[u8], at: usize) -> Option<(Separator, usize)> {
    let at = at + spaces(text, at);
    value_word(text, at).or(Some((Separator::Comma, at)))
}

/// `value=` or `"value":`, in any case, here or on the next line.
fn value_word(text: &[u8], at: usize) -> Option<(Separator, usize)> {
    let at = at + line_break(text, at);
    let at = at + spaces(text, at);
    let word = at + literal::quote_len(text, at);
    if !text.get(word..word + 5)?.eq_ignore_ascii_case(b"value") {
        return None;
    }
    let end = word + 5;
    let end = end + literal::quote_len(text, end);
    let end = end + spaces(text, end);
    matches!(text.get(end), Some(b'=' | b':'))
        .then(|| (Separator::Value, end + 1 + spaces(text, end + 1)))
}

/// A line break as it is, or as strings escape it.
fn line_break(text: &[u8], at: usize) -> usize {
    match &text[at..] {
        [b'\r', b'\n', ..] | [b'\\', b'n', ..] => 2,
        [b'\n', ..] => 1,
        _ => 0,
    }
}

/// `--name value`, `name type = value`, `NAME 'value'`, `name="X" value="…"`.
fn after_spaces(
    text: &[u8],
    start: usize,
    at: usize,
    in_quotes: bool,
) -> Option<(Separator, usize)> {
    if text[start] == b'-' && !in_quotes {
        // More than one space is the column of a help text.
        let single = !text[at - 2].is_ascii_whitespace();
        return single.then_some((Separator::Flag, at));
    }
    if in_quotes {
        return value_word(text, at);
    }
    if literal::quote_len(text, at) > 0 {
        return Some((Separator::Words, at));
    }
    if let Some(assigned) = after_type(text, at) {
        return Some((Separator::Typed, assigned));
    }
    let verbs: [&[u8]; 3] = [b"is ", b"is: ", b"was "];
    let is = verbs
        .iter()
        .find(|word| text[at..].starts_with(word))
        .copied();
    match is {
        Some(word) if literal::quote_len(text, at + word.len()) > 0 => {
            Some((Separator::Words, at + word.len()))
        }
        Some(word) => Some((Separator::Prose, at + word.len())),
        None => Some((Separator::Prose, at)),
    }
}

/// The place after `type =`, when that is what stands at `at`.
fn after_type(text: &[u8], at: usize) -> Option<usize> {
    let length = TYPE.count(text, at, MOST_TYPE);
    if length == 0 || !text[at].is_ascii_alphabetic() && !matches!(text[at], b'*' | b'&' | b'[') {
        return None;
    }
    let end = at + length;
    let equals = end + spaces(text, end);
    let single = text.get(equals) == Some(&b'=')
        && text
            .get(equals + 1)
            .is_some_and(|byte| !matches!(byte, b'=' | b'>' | b'~'));
    (single && equals > end).then(|| equals + 1 + spaces(text, equals + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(text: &'static str) -> Option<(Separator, &'static str)> {
        let start = text.find("NAME").expect("the name is there");
        let start = if text[..start].ends_with("--") {
            start - 2
        } else {
            start
        };
        let end = text.find("NAME").expect("the name is there") + 4;
        find(text.as_bytes(), start, end).map(|(separator, at)| (separator, &text[at..]))
    }

    #[test]
    fn assignments_of_many_languages_are_read() {
        let tight = Separator::Equals { spaced: false };
        let spaced = Separator::Equals { spaced: true };
        assert_eq!(rest("NAME=v"), Some((tight, "v")));
        assert_eq!(rest("NAME = v"), Some((spaced, "v")));
        assert_eq!(rest("x['NAME'] = v"), Some((spaced, "v")));
        assert_eq!(rest("NAME := v"), Some((spaced, "v")));
        assert_eq!(rest(":NAME => v"), Some((spaced, "v")));
        assert_eq!(rest("\"NAME\": v"), Some((Separator::Colon, "v")));
        assert_eq!(rest("\\\"NAME\\\": v"), Some((Separator::Colon, "v")));
        assert_eq!(rest("NAME: String = v"), Some((Separator::Typed, "v")));
        assert_eq!(rest("const NAME string = v"), Some((Separator::Typed, "v")));
        assert_eq!(
            rest("<NAME>v</NAME>"),
            Some((Separator::Element, "v</NAME>"))
        );
        assert_eq!(rest("set('NAME', v)"), Some((Separator::Comma, "v)")));
        assert_eq!(rest("NAME(v)"), Some((Separator::Call, "v)")));
        assert_eq!(rest("--NAME v"), Some((Separator::Flag, "v")));
        assert_eq!(
            rest("name=\"NAME\" value=\"v\""),
            Some((Separator::Value, "\"v\""))
        );
        assert_eq!(
            rest("{\"name\":\"NAME\",\"value\":\"v\"}"),
            Some((Separator::Value, "\"v\"}"))
        );
        assert_eq!(rest("by NAME 'v'"), Some((Separator::Words, "'v'")));
    }

    #[test]
    fn a_value_may_stand_on_the_next_line() {
        assert_eq!(
            rest("- name: NAME\n  value: v"),
            Some((Separator::Value, "v"))
        );
        assert_eq!(
            rest("\"name\": \"NAME\",\n  \"value\": v"),
            Some((Separator::Value, "v"))
        );
        assert_eq!(rest("- name: NAME\n  valueFrom: v"), None);
        assert_eq!(rest("NAME\nv"), None);
    }

    #[test]
    fn sentences_name_values_too() {
        assert_eq!(rest("the NAME is v"), Some((Separator::Prose, "v")));
        assert_eq!(rest("the NAME is 'v'"), Some((Separator::Words, "'v'")));
        assert_eq!(rest("use NAME v"), Some((Separator::Prose, "v")));
    }

    #[test]
    fn prose_and_paths_are_no_assignments() {
        for text in ["NAME::new", "NAME.", "NAME, then", "the NAME"] {
            assert_eq!(rest(text), None, "{text}");
        }
    }
}
