//! Private keys in blocks: PEM, OpenSSH and PGP between their lines of dashes, PuTTY after its own headers.

use crate::base64;
use crate::kind::SecretKind;
use crate::read::literal;
use crate::rule::Reading;
use crate::shape::{BASE64_PADDED, Class, URL_SAFE};
use crate::span::{Span, Surety};
use crate::work;

const LABEL: Class = Class::of("0-9A-Z ");
const DASHES: &[u8] = b"-----";
const MOST_BODY: usize = 64 * 1024;
/// What a key block may be written with, in files, in JSON strings and in string literals of code.
const BODY: Class = Class::of("0-9A-Za-z+/=\\\"' \t\r\n,:.();-");
/// A real key has at least one run of this length.
const SHORTEST_RUN: usize = 24;

/// From `-----BEGIN … PRIVATE KEY-----` to its end line, or as far as the text looks like key material.
pub(crate) fn pem(text: &[u8], at: usize) -> Reading {
    let label = at + "-----BEGIN".len();
    let label_end = label + LABEL.count(text, label, 48);
    let body = label_end + DASHES.len();
    if !text[label_end..].starts_with(DASHES) {
        return Reading::nothing(label_end);
    }
    let name = &text[label..label_end];
    let is_private = name.windows(11).any(|part| part == b"PRIVATE KEY");
    if !is_private {
        return Reading::nothing(body);
    }
    let rest = &text[body..text.len().min(body + MOST_BODY)];
    let stop = rest.windows(DASHES.len()).position(|part| part == DASHES);
    work::note(stop.unwrap_or(rest.len()));
    let whole = stop.filter(|stop| rest[*stop + DASHES.len()..].starts_with(b"END"));
    let end = match whole {
        Some(stop) => {
            let end_label = body + stop + DASHES.len() + "END".len();
            let end_line = end_label + LABEL.count(text, end_label, 48);
            if text[end_line..].starts_with(DASHES) {
                end_line + DASHES.len()
            } else {
                end_line
            }
        }
        None => body + BODY.count(rest, 0, stop.unwrap_or(rest.len())),
    };
    let body_text = &text[body..end];
    let shortened = body_text.windows(3).any(|part| part == b"...");
    let key = !shortened && longest_run(body_text) >= SHORTEST_RUN;
    if !key {
        return Reading::nothing(body + stop.unwrap_or(0));
    }
    let kind = if name.starts_with(b" PGP") {
        SecretKind::PgpPrivateKey
    } else {
        SecretKind::PrivateKey
    };
    Reading::found(Span {
        start: at,
        end,
        kind,
        surety: Surety::Shaped,
    })
}

/// The lines after `Private-Lines: n` of a PuTTY key file.
pub(crate) fn putty(text: &[u8], at: usize) -> Reading {
    const LINES: Class = Class::of("0-9A-Za-z+/=\r\n\\");
    let number = at + "Private-Lines: ".len();
    let start = number
        + text[number.min(text.len())..]
            .iter()
            .take(4)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
    let end = start + LINES.count(text, start, MOST_BODY);
    let body = &text[start.min(text.len())..end.min(text.len())];
    if start == number || longest_run(body) < SHORTEST_RUN {
        return Reading::nothing(start);
    }
    Reading::found(Span {
        start,
        end,
        kind: SecretKind::PuttyKey,
        surety: Surety::Shaped,
    })
}

/// The private members of a JSON web key: `"d"` and its kin near a `"kty"`.
pub(crate) fn json_web_key(text: &[u8], at: usize) -> Reading {
    let name = at + 1;
    let name_end = name
        + text[name..]
            .iter()
            .take(2)
            .take_while(|byte| byte.is_ascii_lowercase())
            .count();
    let mut colon = name_end + literal::quote_len(text, name_end);
    colon += text[colon..]
        .iter()
        .take(2)
        .take_while(|byte| **byte == b' ')
        .count();
    let value = colon + 1 + usize::from(text.get(colon + 1) == Some(&b' '));
    if text.get(colon) != Some(&b':') || literal::quote_len(text, value) == 0 {
        return Reading::nothing(name_end);
    }
    let Some(range) = literal::quoted(text, value) else {
        return Reading::nothing(value);
    };
    let near = &text[range.start.saturating_sub(1200)..text.len().min(range.end + 400)];
    work::note(near.len());
    let long = range.len() >= 20 && text[range.clone()].iter().all(|byte| URL_SAFE.has(*byte));
    if !long || !near.windows(3).any(|part| part == b"kty") {
        return Reading::nothing(range.end);
    }
    Reading::found(Span {
        start: range.start,
        end: range.end,
        kind: SecretKind::JsonWebKey,
        surety: Surety::Shaped,
    })
}

/// Base64 of a block that begins `-----BEGIN … PRIVATE KEY`.
pub(crate) fn is_encoded_private_key(token: &[u8]) -> bool {
    let beginning = &token[..token.len().min(64) / 4 * 4];
    base64::decode(beginning).is_some_and(|block| block.windows(7).any(|part| part == b"PRIVATE"))
}

fn longest_run(text: &[u8]) -> usize {
    work::note(text.len());
    let (mut longest, mut current) = (0, 0);
    for byte in text {
        current = if BASE64_PADDED.has(*byte) {
            current + 1
        } else {
            0
        };
        longest = longest.max(current);
    }
    longest
}
