//! Decoding of base64 in both alphabets, and of hex, for what hides inside.

use crate::work;

/// The bytes of `text`, without padding, in the standard or the URL alphabet.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    work::note(text.len());
    let text = text
        .strip_suffix(b"==")
        .or_else(|| text.strip_suffix(b"="))
        .unwrap_or(text);
    if text.len() % 4 == 1 {
        return None;
    }
    let mut decoded = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut held) = (0_u32, 0);
    for byte in text {
        bits = bits << 6 | u32::from(sextet(*byte)?);
        held += 6;
        if held >= 8 {
            held -= 8;
            decoded.push((bits >> held) as u8);
        }
    }
    Some(decoded)
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

/// The bytes of a text of hex digits.
pub(crate) fn decode_hex(text: &[u8]) -> Option<Vec<u8>> {
    work::note(text.len());
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let mut pairs = text.chunks_exact(2);
    let decoded = pairs
        .by_ref()
        .map(|pair| Some((digit(&pair[0])? << 4 | digit(&pair[1])?) as u8))
        .collect();
    if pairs.remainder().is_empty() {
        decoded
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_alphabets_and_missing_padding_are_read() {
        assert_eq!(decode(b"aGVsbG8=").as_deref(), Some(&b"hello"[..]));
        assert_eq!(decode(b"aGVsbG8").as_deref(), Some(&b"hello"[..]));
        assert_eq!(decode(b"-_-_"), decode(b"+/+/"));
        assert_eq!(decode(b"a!b="), None);
        assert_eq!(decode(b"aGVsb"), None);
    }

    #[test]
    fn hex_is_read_in_pairs() {
        assert_eq!(decode_hex(b"6869").as_deref(), Some(&b"hi"[..]));
        assert_eq!(decode_hex(b"686"), None);
        assert_eq!(decode_hex(b"6g"), None);
    }
}
