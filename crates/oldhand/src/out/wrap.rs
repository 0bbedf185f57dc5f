//! Text in columns, counted as a terminal shows them.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many columns `text` takes.
pub(crate) fn width(text: &str) -> usize {
    measure_of(text)(text)
}

/// How `text` and what is a part of it are measured. Most text has nothing but characters that take one column whatever stands beside them, and needs no
/// table; in most of that each of them is a byte, too.
fn measure_of(text: &str) -> fn(&str) -> usize {
    let is_narrow = |c| matches!(c, ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{ff}');
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        str::len
    } else if text.chars().all(is_narrow) {
        |text| text.chars().count()
    } else {
        UnicodeWidthStr::width
    }
}

/// Breaks `text` at spaces so that no line takes more than `columns`; its own line ends stay, and so does the
/// indent of a line, in the lines that continue it. A word longer than a line is broken behind a slash, else where the line ends.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    text.lines()
        .flat_map(|line| wrap_line(line, columns))
        .collect()
}

fn wrap_line(line: &str, columns: usize) -> Vec<String> {
    let line = line.replace('\t', "    ");
    let line = line.trim_end();
    // Measured at each word.
    let width = measure_of(line);
    if width(line) <= columns {
        return vec![line.to_owned()];
    }
    let body = line.trim_start();
    let indent = &line[..line.len() - body.len()];
    let indent = if width(indent) * 2 > columns {
        ""
    } else {
        indent
    };
    let mut lines = Vec::new();
    let mut current = indent.to_owned();
    for word in body.split(' ') {
        let gap = usize::from(current.len() > indent.len());
        if width(&current) + gap + width(word) <= columns {
            if gap == 1 {
                current.push(' ');
            }
            current.push_str(word);
            continue;
        }
        if gap == 1 {
            lines.push(std::mem::replace(&mut current, indent.to_owned()));
        }
        for letter in word.chars() {
            if width(&current) + letter.width().unwrap_or(0) > columns {
                let slash = current.rfind('/').filter(|at| *at >= indent.len());
                let rest = current.split_off(slash.map_or(current.len(), |at| at + 1));
                let next = format!("{indent}{rest}");
                lines.push(std::mem::replace(&mut current, next));
            }
            current.push(letter);
        }
    }
    if current.len() > indent.len() {
        lines.push(current);
    }
    lines
}

/// Breaks `text` at spaces alone: a path that is longer than a line stays whole, so that it can be copied.
pub(crate) fn wrap_words(text: &str, columns: usize) -> Vec<String> {
    lay_out(text.split_whitespace(), columns)
}

/// As [`wrap_words`], and a command between backticks stays whole too where it fits on a line.
pub(crate) fn wrap_whole_code(text: &str, columns: usize) -> Vec<String> {
    let line = |line: &str| {
        let mut pieces: Vec<String> = Vec::new();
        // A name may have two blanks in a row.
        for word in line.split(' ') {
            let is_inside = |piece: &&mut String| piece.matches('`').count() % 2 == 1;
            match pieces.last_mut().filter(is_inside) {
                Some(code) if width(code) + 1 + width(word) <= columns => {
                    code.push(' ');
                    code.push_str(word);
                }
                _ => pieces.push(word.to_owned()),
            }
        }
        lay_out(pieces.iter().map(String::as_str), columns)
    };
    text.lines().flat_map(line).collect()
}

fn lay_out<'w>(words: impl Iterator<Item = &'w str>, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ if word.is_empty() => {}
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// `text` on one line of at most `columns`, with an ellipsis when something had to go.
pub(crate) fn shorten(text: &str, columns: usize) -> String {
    let lines = text.split(['\n', '\r', '\t']).map(str::trim_end);
    let lines = lines.filter(|line| !line.is_empty());
    let text = lines.collect::<Vec<_>>().join(" ");
    if width(&text) <= columns {
        return text;
    }
    let mut kept = String::new();
    for letter in text.chars() {
        if width(&kept) + letter.width().unwrap_or(0) + 1 > columns {
            break;
        }
        kept.push(letter);
    }
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_long_words_at_the_edge() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(
            wrap("in src/cart/items.rs", 10),
            ["in", "src/cart/", "items.rs"]
        );
        assert_eq!(
            wrap("a\n\n  indented text", 10),
            ["a", "", "  indented", "  text"]
        );
    }

    #[test]
    fn a_path_stays_whole_where_lines_break_at_spaces_alone() {
        let path = "/a/path/longer/than/a/line";
        let text = format!("at {path} or so");
        assert_eq!(wrap_words(&text, 9), ["at", path, "or so"]);
        assert_eq!(wrap_words("one two three", 8), ["one two", "three"]);
    }

    #[test]
    fn a_command_stays_whole_where_it_fits() {
        let told = "say `oldhand list` or `oldhand verify ID`, as you like";
        let lines = wrap_whole_code(told, 21);
        assert_eq!(
            lines,
            [
                "say `oldhand list` or",
                "`oldhand verify ID`,",
                "as you like"
            ]
        );
        let spaced = "see `/a/my  notes` or \"my  notes\"";
        assert_eq!(wrap_whole_code(spaced, 40), [spaced]);
        let lines = wrap_whole_code("`a command that is longer` here", 10);
        assert!(lines.iter().all(|line| width(line) <= 10), "{lines:?}");
    }

    #[test]
    fn wide_letters_count_twice() {
        assert_eq!(wrap("漢字 漢字", 5), ["漢字", "漢字"]);
        assert_eq!(shorten("漢字漢字", 5), "漢字…");
        assert_eq!(shorten("plain", 5), "plain");
    }

    #[test]
    fn letters_are_as_wide_as_the_table_says() {
        let all: Vec<char> = ('\0'..'\u{180}').chain("漢👩\u{200d}💻".chars()).collect();
        for first in &all {
            for text in [
                format!("{first}"),
                format!("{first}ab "),
                format!("é{first}"),
            ] {
                assert_eq!(width(&text), text.width(), "{text:?}");
            }
        }
        let narrow: String = all.iter().filter(|c| c.width() == Some(1)).collect();
        assert_eq!(width(&narrow), narrow.width());
    }

    #[test]
    fn no_line_is_wider_than_asked() {
        let text = "a  b   ccc dddddddddddddd \t eeee a/bbbbbbb/cccccccccc/d/e 漢漢漢漢漢漢漢";
        for columns in 4..30 {
            for line in wrap(text, columns) {
                assert!(width(&line) <= columns, "{columns}: {line:?}");
            }
        }
    }
}
