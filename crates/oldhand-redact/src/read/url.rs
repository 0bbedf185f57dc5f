//! The password in `scheme://user:password@host`. Scheme, user and host stay readable.

use crate::kind::SecretKind;
use crate::language::Makeup;
use crate::placeholder;
use crate::rule::Reading;
use crate::rules;
use crate::shape::Class;
use crate::span::{Span, Surety};
use crate::work;

const SCHEME: Class = Class::of("0-9A-Za-z+.-");
const MOST: usize = 256;
const STAND_INS: [&[u8]; 12] = [
    b"bar",
    b"baz",
    b"password",
    b"pass",
    b"passwd",
    b"pwd",
    b"secret",
    b"token",
    b"pw",
    b"user",
    b"p4ssw0rd",
    b"foo",
];

pub(crate) fn read(text: &[u8], at: usize) -> Reading {
    let authority = at + "://".len();
    let mut colon = None;
    let mut last_at = None;
    let mut end = authority;
    for (offset, byte) in text[authority..].iter().take(MOST).enumerate() {
        match byte {
            b'/' | b'?' | b'#' | b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b'`' | b'<'
            | b'>' | b'\\' | b',' => break,
            b':' if colon.is_none() => colon = Some(authority + offset),
            b'@' => last_at = Some(authority + offset),
            // A template, or the grammar of a URL.
            b'[' | b'{' if last_at.is_none() => break,
            _ => {}
        }
        end = authority + offset + 1;
    }
    work::note(end - authority);
    let nothing = Reading::nothing(end);
    let Some(host) = last_at else {
        return nothing;
    };
    let Some(colon) = colon.filter(|colon| *colon < host) else {
        let user = &text[authority..host];
        let makeup = Makeup::of(user);
        let is_token = makeup.len >= 16 && makeup.digits > 0 && makeup.is_random();
        if SCHEME.count_back(text, at, 1) == 0 || !is_token || !is_password(user) {
            return nothing;
        }
        return Reading::found(Span {
            start: authority,
            end: host,
            kind: SecretKind::UrlPassword,
            surety: Surety::Placed,
        });
    };
    let password = colon + 1..host.max(colon + 1);
    // `postgres:postgres` is a default that everybody knows.
    let default = text[authority..colon] == text[password.clone()];
    if SCHEME.count_back(text, at, 1) == 0 || default || !is_password(&text[password.clone()]) {
        return nothing;
    }
    Reading::found(Span {
        start: password.start,
        end: password.end,
        kind: SecretKind::UrlPassword,
        surety: Surety::Placed,
    })
}

fn is_password(value: &[u8]) -> bool {
    let template = value
        .iter()
        .any(|byte| matches!(byte, b'$' | b'{' | b'[' | b'(' | b'*'))
        || value.starts_with(b"%") && !value.get(1).is_some_and(u8::is_ascii_hexdigit);
    value.len() >= 3
        && !template
        && !STAND_INS.contains(&value)
        && !rules::is_dummy(value)
        && !value.starts_with(placeholder::OPENING.as_bytes())
        && Makeup::of(value).distinct >= 2
}
