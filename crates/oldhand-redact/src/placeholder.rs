//! What stands where a secret was: `[REDACTED:kind]`.

use crate::kind::SecretKind;

pub(crate) const OPENING: &str = "[REDACTED:";
const LONGEST_KIND: usize = 48;

pub(crate) fn write(text: &mut String, kind: SecretKind) {
    text.push_str(OPENING);
    text.push_str(kind.as_str());
    text.push(']');
}

pub(crate) fn len(kind: SecretKind) -> usize {
    OPENING.len() + kind.as_str().len() + 1
}

/// Where the placeholder that opens at `start` ends, whoever wrote it.
pub(crate) fn end(text: &[u8], start: usize) -> Option<usize> {
    let kind = text[start..].strip_prefix(OPENING.as_bytes())?;
    let kind_len = kind
        .iter()
        .take(LONGEST_KIND)
        .take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || **byte == b'_')
        .count();
    (kind_len > 0 && kind.get(kind_len) == Some(&b']'))
        .then(|| start + OPENING.len() + kind_len + 1)
}

/// True when `text` is a placeholder and nothing else.
pub(crate) fn is_whole(text: &[u8]) -> bool {
    end(text, 0) == Some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_fits_into_a_placeholder_that_is_recognised() {
        for kind in SecretKind::ALL {
            let mut text = String::from("a ");
            write(&mut text, *kind);
            assert_eq!(text.len(), 2 + len(*kind));
            assert_eq!(end(text.as_bytes(), 2), Some(text.len()), "{text}");
        }
        assert_eq!(end(b"[REDACTED:]", 0), None);
        assert_eq!(end(b"[REDACTED:a", 0), None);
    }
}
