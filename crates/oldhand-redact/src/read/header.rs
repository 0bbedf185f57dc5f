//! `Authorization: Basic …` and its kin: the scheme stays, the credentials go.

use crate::base64;
use crate::kind::SecretKind;
use crate::language::Makeup;
use crate::rule::Reading;
use crate::rules;
use crate::shape::{BASE64, Class, URL_SAFE};
use crate::span::{Span, Surety};

const BEARER: Class = Class::of("0-9A-Za-z._~+/=-");
const MOST: usize = 4096;

/// `Basic` and base64 that is `user:password`.
pub(crate) fn basic(text: &[u8], at: usize) -> Reading {
    let start = skip_spaces(text, at + "basic".len());
    let length = BASE64.count(text, start, MOST);
    let padding = text[start + length..]
        .iter()
        .take(2)
        .take_while(|byte| **byte == b'=')
        .count();
    let end = start + length + padding;
    let pair = start > at + "basic".len()
        && base64::decode(&text[start..start + length]).is_some_and(|decoded| is_pair(&decoded));
    if length < 6 || !pair {
        return Reading::nothing(end);
    }
    Reading::found(Span {
        start,
        end,
        kind: SecretKind::BasicAuth,
        surety: Surety::Placed,
    })
}

/// `Bearer` and a token.
pub(crate) fn bearer(text: &[u8], at: usize) -> Reading {
    let word = URL_SAFE.count(text, at, 16);
    let start = skip_spaces(text, at + word);
    let length = BEARER.count(text, start, MOST);
    let token = &text[start..start + length];
    let makeup = Makeup::of(token);
    let generated = length >= 12
        && !rules::is_dummy(token)
        && makeup.distinct >= 6
        && (makeup.is_random() || makeup.digits > 0 && length >= 20);
    if start == at + word || !generated {
        return Reading::nothing(start + length);
    }
    Reading::found(Span {
        start,
        end: start + length,
        kind: SecretKind::BearerToken,
        surety: Surety::Placed,
    })
}

/// `Authorization: Scheme token`, whatever the scheme.
pub(crate) fn authorization(text: &[u8], at: usize) -> Reading {
    const BETWEEN: Class = Class::of("\"'\\:=, ");
    let name_end = at + "authorization".len();
    let scheme = name_end + BETWEEN.count(text, name_end, 8);
    let scheme_end = scheme + URL_SAFE.count(text, scheme, 16);
    let has_own_rule = text[scheme..scheme_end].eq_ignore_ascii_case(b"basic");
    if scheme == name_end || has_own_rule || text.get(scheme_end) != Some(&b' ') {
        return Reading::nothing(scheme);
    }
    bearer(text, scheme)
}

fn skip_spaces(text: &[u8], at: usize) -> usize {
    at + text[at..]
        .iter()
        .take(4)
        .take_while(|byte| **byte == b' ')
        .count()
}

fn is_pair(decoded: &[u8]) -> bool {
    let printable =
        std::str::from_utf8(decoded).is_ok_and(|text| !text.chars().any(char::is_control));
    printable && decoded.contains(&b':') && !rules::is_dummy(decoded)
}
