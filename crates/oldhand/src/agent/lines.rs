//! Lines of a file that may be huge, broken or not text at all, in bounded memory.

use std::io::{self, BufRead};

/// A longer line is passed over: it holds a picture or garbage, never a step of work.
pub(super) const LINE_LIMIT: usize = 16 * 1024 * 1024;

/// One line, or why there is none.
pub(super) enum Line {
    /// Text with broken characters replaced.
    Text(String),
    TooLong,
}

/// Reads the next line; `None` at the end. `buffer` is scratch space.
pub(super) fn next_line(
    reader: &mut impl BufRead,
    buffer: &mut Vec<u8>,
    limit: usize,
) -> io::Result<Option<Line>> {
    buffer.clear();
    let mut too_long = false;
    let mut any = false;
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        any = true;
        let (part, ended) = match chunk.iter().position(|&byte| byte == b'\n') {
            Some(at) => (&chunk[..at], true),
            None => (chunk, false),
        };
        if buffer.len() + part.len() > limit {
            too_long = true;
            buffer.clear();
        } else if !too_long {
            buffer.extend_from_slice(part);
        }
        let used = part.len() + usize::from(ended);
        reader.consume(used);
        if ended {
            break;
        }
    }
    if !any {
        return Ok(None);
    }
    if too_long {
        return Ok(Some(Line::TooLong));
    }
    Ok(Some(Line::Text(
        String::from_utf8_lossy(buffer).into_owned(),
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(bytes: &[u8], limit: usize) -> Vec<String> {
        let mut reader = io::BufReader::with_capacity(7, bytes);
        let mut buffer = Vec::new();
        let mut found = Vec::new();
        while let Some(line) = next_line(&mut reader, &mut buffer, limit).unwrap() {
            found.push(match line {
                Line::Text(text) => text,
                Line::TooLong => "(too long)".to_owned(),
            });
        }
        found
    }

    #[test]
    fn lines_are_bounded_and_broken_text_is_mended() {
        assert_eq!(told(b"one\ntwo\n\nlast", 100), ["one", "two", "", "last"]);
        assert_eq!(
            told(b"short\naaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nafter\n", 10),
            ["short", "(too long)", "after"]
        );
        assert_eq!(told(b"a\xff\xfeb\n", 100), ["a\u{fffd}\u{fffd}b"]);
        assert_eq!(told(b"", 100), Vec::<String>::new());
    }
}
