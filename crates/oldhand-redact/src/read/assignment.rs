//! `password = "…"` in its many spellings: environment, YAML, JSON, TOML, code, flags, XML.

use std::ops::Range;

use crate::name::{self, Promise};
use crate::placeholder;
use crate::read::separator::Separator;
use crate::read::{literal, separator};
use crate::rule::Reading;
use crate::shape::Class;
use crate::span::{Span, Surety};
use crate::value::{self, Quoting};

const NAME: Class = Class::of("0-9A-Za-z_.$-");
const MOST_BEFORE: usize = 48;
const MOST_AFTER: usize = 48;

pub(crate) fn read(text: &[u8], at: usize) -> Reading {
    let mut start = at - NAME.count_back(text, at, MOST_BEFORE);
    let end = at + NAME.count(text, at, MOST_AFTER);
    // The `n` of an escaped line break is not part of the name.
    if text[..start].ends_with(b"\\") && matches!(text[start], b'n' | b't' | b'r') && start < at {
        start += 1;
    }
    Reading {
        span: value_of(text, start, end),
        until: end,
    }
}

fn value_of(text: &[u8], start: usize, end: usize) -> Option<Span> {
    let name = &text[start..end];
    // Most names stand in prose: what follows them tells that at less cost than the name itself.
    let (separator, at) = separator::find(text, start, end)?;
    let named = Named {
        name,
        start,
        separator,
        at,
    };
    if let Some(range) = literal::quoted(text, at) {
        return named.given(text, range, Quoting::Quoted);
    }
    if needs_quotes(separator) {
        return None;
    }
    let short = literal::bare(text, at);
    let is_in_query = matches!(text[..start].last(), Some(b'?' | b'&'));
    if !is_in_query {
        let joined = literal::with_ampersands(text, short.clone());
        // Behind an `&` may as well stand a command, a path or an address: then what stands before it is the secret.
        if joined != short
            && let Some(span) = named.given_bare(text, joined)
        {
            return Some(span);
        }
    }
    named.given_bare(text, short)
}

/// A name and where its value begins.
struct Named<'a> {
    name: &'a [u8],
    start: usize,
    separator: Separator,
    at: usize,
}

impl Named<'_> {
    fn given_bare(&self, text: &[u8], range: Range<usize>) -> Option<Span> {
        if self.separator == Separator::Prose {
            let range = literal::without_full_stop(text, range);
            return self.given(text, range, Quoting::Prose);
        }
        let quoting = quoting_of(text, self.start, self.name, self.separator, &range);
        self.given(text, range, quoting)
    }

    fn given(&self, text: &[u8], range: Range<usize>, quoting: Quoting) -> Option<Span> {
        let &Self {
            name,
            start,
            separator,
            at,
        } = self;
        let end = start + name.len();
        if range.len() < value::SHORTEST
            || text[range.start..].starts_with(placeholder::OPENING.as_bytes())
        {
            return None;
        }
        // In the address of a page what opens it stands as it is.
        if quoting == Quoting::Literal && is_in_address(text, start) {
            let kind = name::opens_a_page(name)?;
            let value = &text[range.clone()];
            return value::opens_a_page(value, kind.promise).then_some(Span {
                start: range.start,
                end: range.end,
                kind: name::vendor(name).unwrap_or(kind.kind),
                surety: Surety::Named,
            });
        }
        let named = name::read(name)?;
        if is_list_of_users(text, start, end) {
            return None;
        }
        if name::is_folder_of_a_shell(name) && is_path(&text[range.clone()]) {
            return None;
        }
        let quoted = quoting == Quoting::Quoted;
        let behind = &text[range.end..];
        let fits = match separator {
            Separator::Call => !name::fetches(name) && literal::closes_call(behind),
            Separator::Words => is_plain_password(name) && text[range.start - 1] != b'`',
            Separator::Element => quoted || behind.starts_with(b"</"),
            // Without `is`, a password in a sentence is too easily another word.
            Separator::Prose => {
                named.promise != Promise::Strong
                    || text[..at].ends_with(b"is ")
                    || text[..at].ends_with(b": ")
            }
            Separator::Colon if !quoted => {
                !is_verdict(name)
                    && !is_used(text, start, name, &text[range.clone()])
                    && !names_a_cache(text, start, named.promise)
            }
            // `"status":"pass","at"`, `["FAIL","PASS","A-1"]`: a verdict names nothing.
            Separator::Comma => {
                let is_told = is_value(text, start) || is_among_verdicts(text, start, &range);
                !(name.eq_ignore_ascii_case(b"pass") && is_told)
            }
            Separator::Equals { .. }
            | Separator::Colon
            | Separator::Flag
            | Separator::Value
            | Separator::Typed => true,
        };
        if !fits || !value::is_secret(&text[range.clone()], quoting, named.promise) {
            return None;
        }
        Some(Span {
            start: range.start,
            end: range.end,
            kind: name::vendor(name).unwrap_or(named.kind),
            surety: Surety::Named,
        })
    }
}

/// `$PWD:/work`, `$(pwd):/work`: the folder that a shell puts in there is given nothing. `$pwd` may as well be a variable of
/// another language, so a path must follow it.
fn is_used(text: &[u8], start: usize, name: &[u8], value: &[u8]) -> bool {
    if text[..start].ends_with(b"$(") {
        return name == b"pwd";
    }
    name.strip_prefix(b"$")
        .is_some_and(|name| name::is_folder_of_a_shell(name) || name == b"pwd" && is_path(value))
}

fn is_path(value: &[u8]) -> bool {
    matches!(
        value,
        [b'/' | b'~' | b'.', ..] | [_, b':', b'\\' | b'/', ..]
    )
}

/// `sum64(`, `toInt64(usage.input)`: a call, which may go on in the next line.
fn is_call(value: &[u8]) -> bool {
    let function = value
        .iter()
        .position(|byte| *byte == b'(')
        .map_or(&[][..], |open| &value[..open]);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    function.first().is_some_and(u8::is_ascii_alphabetic)
        && function.iter().all(is_name)
        && matches!(value.last(), Some(b'(' | b')'))
}

/// Whether the quoted word at `start` is itself the value of something.
fn is_value(text: &[u8], start: usize) -> bool {
    matches!(before_quote(&text[..start]).last(), Some(b':' | b'='))
}

/// `["FAIL","PASS",…]`, `["PASS","FAIL"]`: one of the results that something can have.
fn is_among_verdicts(text: &[u8], start: usize, value: &Range<usize>) -> bool {
    const VERDICTS: [&[u8]; 10] = [
        b"error", b"fail", b"failed", b"pending", b"skip", b"skipped", b"todo", b"unknown",
        b"warn", b"warning",
    ];
    let is_verdict = |word: &[u8]| {
        VERDICTS
            .iter()
            .any(|verdict| verdict.eq_ignore_ascii_case(word))
    };
    let before = before_quote(&text[..start]);
    let neighbour = before.strip_suffix(b",").map_or(&[][..], |list| {
        let list = before_quote(list.trim_ascii_end());
        let letters = list
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_alphabetic());
        &list[list.len() - letters.count()..]
    });
    is_verdict(&text[value.clone()]) || is_verdict(neighbour)
}

/// What stands before the quote at the end of `text`. In a text of JSON the quotes are escaped.
fn before_quote(text: &[u8]) -> &[u8] {
    let before = text[..text.len().saturating_sub(1)].trim_ascii_end();
    before
        .strip_suffix(b"\\")
        .unwrap_or(before)
        .trim_ascii_end()
}

/// How far back the beginning of an address is looked for.
const LONGEST_ADDRESS: usize = 512;

/// `https://host/page?name=`, or a later name of the same page.
fn is_in_address(text: &[u8], start: usize) -> bool {
    if !matches!(text[..start].last(), Some(b'?' | b'&')) {
        return false;
    }
    let before = &text[start.saturating_sub(LONGEST_ADDRESS)..start];
    let word = before
        .iter()
        .rposition(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'<' | b'`'))
        .map_or(before, |at| &before[at + 1..]);
    word.windows(3).any(|part| part == b"://")
}

/// `/etc/passwd: no such file`: the one file that is called like a secret and holds none, and what is said of it.
fn is_list_of_users(text: &[u8], start: usize, end: usize) -> bool {
    text[..start].ends_with(b"etc/")
        && &text[start..end] == b"passwd"
        && text[end..].starts_with(b": ")
}

/// Where something else than a quoted value is code or another word.
fn needs_quotes(separator: Separator) -> bool {
    matches!(
        separator,
        Separator::Call | Separator::Words | Separator::Comma | Separator::Typed
    )
}

/// `PASS: TestName`, as test runners print it.
fn is_verdict(name: &[u8]) -> bool {
    let word = name
        .iter()
        .position(|byte| *byte != b'-')
        .map_or(&[][..], |first| &name[first..]);
    matches!(word, b"PASS" | b"Pass")
}

/// `cache restored from key: linux-x64-3f78…`: such a key opens nothing.
fn names_a_cache(text: &[u8], start: usize, promise: Promise) -> bool {
    let before = &text[start.saturating_sub(40)..start];
    promise == Promise::Weak
        && before
            .windows(5)
            .any(|word| word.eq_ignore_ascii_case(b"cache"))
}

/// The one name that prose and SQL put right before a quoted value.
fn is_plain_password(name: &[u8]) -> bool {
    [&b"password"[..], b"passwd", b"pwd"]
        .iter()
        .any(|word| word.eq_ignore_ascii_case(name))
}

/// Whether a value without quotes can be anything but text where it stands.
fn quoting_of(
    text: &[u8],
    start: usize,
    name: &[u8],
    separator: Separator,
    value: &Range<usize>,
) -> Quoting {
    let before = text[..start].last();
    let literal = match separator {
        Separator::Element | Separator::Flag | Separator::Value => true,
        Separator::Equals { spaced: false } => {
            let environment = !name.iter().any(u8::is_ascii_lowercase);
            environment
                || whole_line(text, start, value.end)
                || name.starts_with(b"--")
                || matches!(before, Some(b'?' | b'&' | b';'))
                || is_typed_in(text, value)
        }
        Separator::Colon if is_call(&text[value.clone()]) => false,
        Separator::Colon => {
            is_openssl_source(text, start)
                || whole_line(text, start, value.end)
                || is_mixed(&text[value.clone()])
        }
        _ => false,
    };
    if literal {
        Quoting::Literal
    } else {
        Quoting::Bare
    }
}

/// Letters and digits, as in a password and seldom in the name of a variable.
fn is_mixed(value: &[u8]) -> bool {
    let digits = value.iter().any(u8::is_ascii_digit);
    value.len() >= 6 && digits && value.iter().any(u8::is_ascii_alphabetic)
}

/// `password=hunter2` in a line of words: letters and digits that no code would have there. An argument by its name can be
/// followed by a comma or a bracket, and is then called `value2` more often than a password is.
fn is_typed_in(text: &[u8], value: &Range<usize>) -> bool {
    let word = &text[value.clone()];
    let is_plain = word
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'!' | b'@' | b'#' | b'%'));
    let is_alone = matches!(text.get(value.end), None | Some(b' ' | b'\n' | b'\r'));
    is_plain && is_mixed(word) && (is_alone || value::is_respelled(word))
}

/// `openssl … -passin pass:value`.
fn is_openssl_source(text: &[u8], start: usize) -> bool {
    text[..start].ends_with(b"-passin ") || text[..start].ends_with(b"-passout ")
}

fn whole_line(text: &[u8], start: usize, end: usize) -> bool {
    ends_line(text, end) && starts_line(text, start)
}

fn ends_line(text: &[u8], at: usize) -> bool {
    let rest = &text[at..];
    let blank = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
        .count();
    matches!(rest.get(blank), None | Some(b'\n'))
        || rest[blank..].starts_with(b"\\n")
        || blank > 0 && rest[blank] == b'#'
}

fn starts_line(text: &[u8], at: usize) -> bool {
    let mut before = text[..at]
        .iter()
        .rev()
        .skip_while(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'#' | b'/' | b'*'))
        .take(2);
    match before.next() {
        None | Some(b'\n') => true,
        Some(b'n') => before.next() == Some(&b'\\'),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
