//! Private keys in blocks: PEM, OpenSSH and PGP between their lines of dashes, PuTTY after its own headers.

use crate::kind::SecretKind;
use crate::rule::Reading;
use crate::shape::{BASE64_PADDED, Class};
use crate::span::{Span, Surety};

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

fn longest_run(text: &[u8]) -> usize {
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
