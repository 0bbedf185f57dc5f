//! What of a settings file can be read, where a person wrote some lines that cannot.

use std::path::Path;

use toml_edit::Document;

use crate::failure::Failure;

/// The file without the lines that cannot be read; these are empty in it, so that the others keep their numbers.
pub(super) struct Readable {
    pub(super) text: String,
    pub(super) left_out: Vec<LeftOut>,
}

/// A line that cannot be read.
pub(super) struct LeftOut {
    /// Counted from 1.
    pub(super) line: usize,
    words: String,
    why: String,
}

impl LeftOut {
    /// What is said to whoever needs the file.
    pub(super) fn failure(&self, path: &Path) -> Failure {
        let Self { line, words, why } = self;
        Failure::invalid(format!("{}:{line}: {why}", path.display())).hint(take_out(*line, words))
    }
}

/// Which line is to go, as it stands in the file.
pub(super) fn take_out(line: usize, words: &str) -> String {
    format!("take out line {line}: `{}`", words.trim())
}

/// Leaves out each line at which reading stops. A file of which nothing makes sense is left out whole.
pub(super) fn readable(bytes: &[u8]) -> Readable {
    let mut left_out = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let text = String::from_utf8_lossy(line).into_owned();
        if std::str::from_utf8(line).is_ok() {
            lines.push(text);
            continue;
        }
        lines.push(String::new());
        left_out.push(LeftOut {
            line: at + 1,
            words: text,
            why: "it is not UTF-8 text".to_owned(),
        });
    }
    loop {
        let text = lines.join("\n");
        let Err(error) = Document::parse(text.as_str()) else {
            // Which of two is met first is the parser's affair.
            left_out.sort_by_key(|one| one.line);
            return Readable { text, left_out };
        };
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        let at = text.as_bytes()[..at].split(|byte| *byte == b'\n').count() - 1;
        let words = std::mem::take(&mut lines[at]);
        if words.is_empty() {
            lines.clear();
        }
        let is_table = is_table(&words);
        left_out.push(LeftOut {
            line: at + 1,
            words,
            why: error.message().to_owned(),
        });
        if is_table {
            left_out.extend(leave_out_keys(&mut lines, at));
        }
    }
}

fn is_table(line: &str) -> bool {
    line.trim_start().starts_with('[')
}

/// Keys under a table that has no name would be those of the table above.
fn leave_out_keys(lines: &mut [String], table: usize) -> Vec<LeftOut> {
    let below = lines.iter_mut().enumerate().skip(table + 1);
    let keys = below.take_while(|(_, line)| !is_table(line));
    let keys = keys.filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let left_out = keys.map(|(at, line)| LeftOut {
        line: at + 1,
        words: std::mem::take(line),
        why: format!("it stands under line {}, which cannot be read", table + 1),
    });
    left_out.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (String, Vec<usize>) {
        let Readable { text, left_out } = readable(bytes);
        (text, left_out.iter().map(|one| one.line).collect())
    }

    #[test]
    fn lines_that_cannot_be_read_leave_the_others_where_they_are() {
        let text = b"a = 1\nb = \"lots\nd = 2\ne = \"\xff\"\n";
        let (text, left_out) = read(text);
        assert_eq!(text, "a = 1\n\nd = 2\n\n");
        assert_eq!(left_out, [2, 4]);
    }

    #[test]
    fn keys_under_a_table_without_a_name_are_not_those_of_the_one_above() {
        let text = b"[a]\nb = 1\n[c\n# why\nd = 2\n\n[e]\nf = 3\n";
        let (text, left_out) = read(text);
        assert_eq!(text, "[a]\nb = 1\n\n# why\n\n\n[e]\nf = 3\n");
        assert_eq!(left_out, [3, 5]);
    }

    #[test]
    fn a_file_that_makes_no_sense_is_left_out() {
        for bytes in [
            &b"\"\"\"\n\nx\n"[..],
            b"\xff\xfea\0 \0=\0\n",
            b"a = '''\n\n",
            b"",
        ] {
            let (text, _) = read(bytes);
            assert!(Document::parse(text.as_str()).is_ok(), "{text:?}");
        }
    }
}
