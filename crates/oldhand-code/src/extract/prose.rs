//! Small readings of text: a comment without its marks, a signature in one line.

/// Longest signature and documentation kept, in bytes.
const SIGNATURE: usize = 240;
const DOC: usize = 600;

/// `text` with every run of white space as one space, cut at a bound.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(SIGNATURE));
    for word in text.split_whitespace() {
        if line.len() + word.len() >= SIGNATURE {
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let end = line.trim_end_matches(['{', ':', '=', ';', ' ']).len();
    line.truncate(end);
    line
}

/// The words of a comment or docstring, without the marks of any language.
pub(crate) fn plain_comment(text: &str) -> String {
    let mut plain = String::new();
    for line in text.lines() {
        let mut line = line.trim();
        line = line
            .trim_start_matches(['/', '*', '#', '!', ';'])
            .trim_end_matches(['/', '*']);
        line = line.trim_matches(|c: char| c == '"' || c == '\'' || c.is_whitespace());
        if line.is_empty() && plain.is_empty() {
            continue;
        }
        if plain.len() + line.len() > DOC {
            break;
        }
        if !plain.is_empty() {
            plain.push('\n');
        }
        plain.push_str(line);
    }
    plain.truncate(plain.trim_end().len());
    plain
}

#[cfg(test)]
mod tests {
    use super::{one_line, plain_comment};

    #[test]
    fn a_signature_is_one_line() {
        assert_eq!(
            one_line("function f(\n  a,\n  b\n) {"),
            "function f( a, b )"
        );
    }

    #[test]
    fn comment_marks_are_not_words() {
        assert_eq!(
            plain_comment("/**\n * Sums.\n *\n * Twice.\n */"),
            "Sums.\n\nTwice."
        );
        assert_eq!(plain_comment("/// One.\n/// Two."), "One.\nTwo.");
        assert_eq!(plain_comment("\"\"\"Doc.\"\"\""), "Doc.");
    }
}
