//! Long unbroken words: keys that have no prefix to anchor on, and secrets behind base64, hex or percent signs.
//!
//! Only one layer is taken off, and each byte is decoded at most once, so the time stays linear.

use crate::base64;
use crate::kind::SecretKind;
use crate::rules;
use crate::scan;
use crate::shape::{BASE32, Class, HEX, HEX_SMALL};

const WORD: Class = Class::of("0-9A-Za-z+/_=%-");
const SHORTEST: usize = 24;
const LONGEST: usize = 64 * 1024;

/// Calls `found` with the bounds and the kind of each secret among the long words of `text`.
pub(crate) fn each(text: &[u8], mut found: impl FnMut(usize, usize, SecretKind)) {
    let mut start = 0;
    // A word of `SHORTEST` bytes covers every byte that is that far from the last break, so look there first and
    // step over whatever a break at that place rules out.
    while let Some(window) = text.get(start..start + SHORTEST) {
        if let Some(broken) = window.iter().rposition(|byte| !WORD.has(*byte)) {
            start += broken + 1;
            continue;
        }
        let end = start + WORD.count(text, start, LONGEST);
        for (start, end) in words(text, start, end) {
            if let Some(kind) = kind_of(&text[start..end]) {
                found(start, end, kind);
            }
        }
        start = end;
    }
}

/// The stretch as it is and, where `=` or `/` joins several words, without what is in front of the last one.
fn words(text: &[u8], start: usize, end: usize) -> impl Iterator<Item = (usize, usize)> {
    let body = text[start..end]
        .iter()
        .rposition(|byte| *byte != b'=')
        .map_or(start, |last| start + last + 1);
    let name = text[start..body]
        .iter()
        .rposition(|byte| *byte == b'=')
        .map(|equals| (start + equals + 1, end));
    let whole = name.is_none().then_some((start, end));
    whole
        .into_iter()
        .chain(name)
        .filter(|(start, end)| end - start >= SHORTEST)
}

fn kind_of(word: &[u8]) -> Option<SecretKind> {
    bare_key(word)
        .filter(|_| !rules::is_dummy(word))
        .or_else(|| {
            let decoded = decode(word)?;
            let spans = scan::look_plain(&decoded).spans;
            spans
                .iter()
                .max_by_key(|span| span.surety)
                .map(|span| span.kind)
        })
}

/// Keys that are known by their first letters and their length.
fn bare_key(word: &[u8]) -> Option<SecretKind> {
    match word {
        [b'S', b'A' | b'C' | b'N' | b'O' | b'P' | b'U' | b'X', ..]
            if word.len() == 58 && all(BASE32, word) =>
        {
            Some(SecretKind::NkeySeed)
        }
        [b'S', b'K', key @ ..] | [b'A', b'C', key @ ..]
            if key.len() == 32 && all(HEX_SMALL, key) =>
        {
            Some(SecretKind::TwilioKey)
        }
        _ => None,
    }
}

fn all(class: Class, word: &[u8]) -> bool {
    word.iter().all(|byte| class.has(*byte))
}

/// What `word` says once decoded, when that is text.
fn decode(word: &[u8]) -> Option<Vec<u8>> {
    if word.contains(&b'%') {
        return decode_percent(word);
    }
    if word.len().is_multiple_of(2) && all(HEX, word) {
        return base64::decode_hex(word).filter(|decoded| is_text(decoded));
    }
    // The first bytes tell an image from a text, before the rest is decoded.
    base64::decode(&word[..16]).filter(|beginning| is_text(beginning))?;
    base64::decode(word).filter(|decoded| is_text(decoded))
}

fn decode_percent(word: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(word.len());
    let mut rest = word;
    while let [first, tail @ ..] = rest {
        if let (b'%', [high, low, after @ ..]) = (first, tail) {
            decoded.push(base64::decode_hex(&[*high, *low])?[0]);
            rest = after;
        } else {
            decoded.push(*first);
            rest = tail;
        }
    }
    is_text(&decoded).then_some(decoded)
}

fn is_text(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t'))
}

#[cfg(test)]
mod tests {
    use crate::redact;

    fn check(text: &str, expected: &str) {
        assert_eq!(redact(text).text, expected);
    }

    #[test]
    fn base64_of_an_assignment_is_a_secret() {
        check(
            "data: cGFzc3dvcmQ9aHVudGVyMng4OA== end",
            "data: [REDACTED:password] end",
        );
        check(
            "data: Z2l0IGNvbW1pdCAtbSBmaXJzdCB0cnk= end",
            "data: Z2l0IGNvbW1pdCAtbSBmaXJzdCB0cnk= end",
        );
    }

    #[test]
    fn hex_of_an_assignment_is_a_secret() {
        check(
            "x 70617373776f72643d68756e74657232783838 y",
            "x [REDACTED:password] y",
        );
    }

    #[test]
    fn a_percent_encoded_url_with_a_password_is_a_secret() {
        check(
            "GET /?next=postgres%3A%2F%2Fapp%3Ahunter2swordfish%40db HTTP/1.1",
            "GET /?next=[REDACTED:url_password] HTTP/1.1",
        );
    }

    #[test]
    fn hashes_and_images_stay() {
        for text in [
            "sha512-W7s+uC5bikET2twEFg9Hsk3y7bL1nqEu4cVZQJ0nXn7w==",
            "commit 8f14e45fceea167a5a36dedd4bea25438f14e45f",
            "url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk)",
            "123e4567-e89b-42d3-a456-426614174000",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn keys_without_a_prefix_are_known_by_letters_and_length() {
        let seed = [
            "SUA",
            "CSQ3ZLC2TMQ7GRIPWAKIEXYBVNODFJHUKLSWXZQ3EGRIPW7XZLC2TMA",
        ]
        .concat();
        check(&seed, "[REDACTED:nkey_seed]");
        let key = ["SK", "8f14e45fceea167a5a36dedd4bea2543"].concat();
        check(&format!("key {key}."), "key [REDACTED:twilio_key].");
    }
}
