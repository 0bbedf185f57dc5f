//! JSON web tokens: three parts, the first of which decodes to a JSON object with `alg`.

use crate::base64;
use crate::kind::SecretKind;
use crate::rule::Reading;
use crate::shape::{self, Class, URL_SAFE};
use crate::span::{Span, Surety};

const PART: Class = URL_SAFE;
const MOST_HEADER: usize = 2048;
const MOST_BODY: usize = 16 * 1024;

pub(crate) fn read(text: &[u8], at: usize) -> Reading {
    let header_end = at + PART.count(text, at, MOST_HEADER);
    let nothing = Reading::nothing(header_end);
    if !shape::opens_word(text, at) || text.get(header_end) != Some(&b'.') {
        return nothing;
    }
    let body_end = header_end + 1 + PART.count(text, header_end + 1, MOST_BODY);
    let encrypted = body_end == header_end + 1 && text.get(body_end) == Some(&b'.');
    let header = base64::decode(&text[at..header_end]).unwrap_or_default();
    if body_end < header_end + 5 && !encrypted || !is_header(&header) {
        return nothing;
    }
    // Two more parts make an encrypted token; a missing signature is still a token somebody can read.
    let mut end = body_end;
    for _ in 0..3 {
        let part = if text.get(end) == Some(&b'.') {
            PART.count(text, end + 1, MOST_BODY)
        } else {
            0
        };
        if part < 4 {
            break;
        }
        end += 1 + part;
    }
    Reading::found(Span {
        start: at,
        end,
        kind: SecretKind::Jwt,
        surety: Surety::Shaped,
    })
}

fn is_header(header: &[u8]) -> bool {
    header.first() == Some(&b'{')
        && [&b"\"alg\""[..], b"\"typ\"", b"\"enc\""]
            .iter()
            .any(|field| header.windows(field.len()).any(|part| part == *field))
}
