//! An error's line without what varies from run to run.

use super::shapes::{is_closing_tag, is_hash, is_missing_module, is_path, is_time};

/// Takes out what differs between two tellings of one error.
pub fn normalise(line: &str) -> String {
    normalise_but(line, is_missing_module)
}

/// An error as it was told when a missing module had no name yet; `None` where that makes no difference.
///
/// What was erased then is known by that text only.
pub fn without_module(message: &str) -> Option<String> {
    let mut names = false;
    let told = normalise_but(message, |before, core| {
        names |= is_missing_module(before, core);
        false
    });
    (names && told != message).then_some(told)
}

/// `is_name` says of a word, behind the words before it, that it stays as it is.
fn normalise_but(line: &str, mut is_name: impl FnMut(&str, &str) -> bool) -> String {
    let mut out = String::with_capacity(line.len());
    for word in line.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        let open = word.len()
            - word
                .trim_start_matches(['(', '[', '{', '"', '\'', '`', '<'])
                .len();
        let core = &word[open..];
        let close = core
            .trim_end_matches([
                ')', ']', '}', '"', '\'', '`', '>', ',', ';', ':', '.', '!', '?',
            ])
            .len();
        out.push_str(&word[..open]);
        let (core, tail) = core.split_at(close);
        if is_closing_tag(&word[..open], core, tail) || is_name(&out, core) {
            out.push_str(core);
        } else {
            push_core(&mut out, core);
        }
        out.push_str(tail);
    }
    collapse_repeats(out)
}

fn push_core(out: &mut String, core: &str) {
    if core.contains("://") {
        out.push_str("<url>");
    } else if is_time(core) {
        out.push_str("<time>");
    } else if is_path(core) {
        // `a.ts(3,4)` is how some compilers write a line and a column.
        let placed = core.find('(').is_some_and(|at| is_path(&core[..at]));
        out.push_str(if placed { "<path>(<n>" } else { "<path>" });
    } else if is_hash(core) {
        out.push_str("<hash>");
    } else if let Some((key, value)) = core.split_once('=').filter(|(key, value)| {
        !key.is_empty() && (is_path(value) || is_hash(value) || is_time(value))
    }) {
        push_without_numbers(out, key);
        out.push('=');
        push_core(out, value);
    } else {
        push_without_numbers(out, core);
    }
}

/// Numbers vary; the digits of a name such as `E0308`, `TS2345` or `utf8` do not.
fn push_without_numbers(out: &mut String, core: &str) {
    let mut rest = core.char_indices().peekable();
    let mut before = ' ';
    while let Some((_, c)) = rest.next() {
        if c.is_ascii_digit() && !(before.is_alphabetic() || before == '_') {
            while rest
                .next_if(|&(_, next)| next.is_ascii_digit() || matches!(next, '.' | ',' | 'x'))
                .is_some()
            {}
            out.push_str("<n>");
            before = '0';
            continue;
        }
        // Digits that continue a name belong to it; `before` stays the letter.
        if !(c.is_ascii_digit() && (before.is_alphabetic() || before == '_')) {
            before = c;
        }
        out.push(c);
    }
}

/// `<path> <path> <path>` is one list of paths, however long it was.
fn collapse_repeats(text: String) -> String {
    if !text.contains("<path> <path>") && !text.contains("<n> <n>") {
        return text;
    }
    let mut words: Vec<&str> = Vec::new();
    for word in text.split(' ') {
        if word.starts_with('<') && words.last() == Some(&word) {
            continue;
        }
        words.push(word);
    }
    words.join(" ")
}

#[test]
fn what_was_told_without_its_module_is_known_again() {
    for (message, before) in [
        (
            "Error: Cannot find module './generated/client'",
            Some("Error: Cannot find module '<path>'"),
        ),
        (
            "<path>(<n>): error TS2307: Cannot find module \"../views/home\" or its types",
            Some("<path>(<n>): error TS2307: Cannot find module \"<path>\" or its types"),
        ),
        ("Error: Cannot find module 'lodash'", None),
        ("Error: Cannot find module '<path>'", None),
        ("test src/a.test.ts fails", None),
    ] {
        assert_eq!(without_module(message).as_deref(), before, "{message}");
    }
}
