//! What a README or a comment at the top of a file says about the thing, in one short paragraph.

/// Longer paragraphs are cut.
const LONGEST: usize = 300;
/// What a thing is stands near the top.
const LOOKED_AT: usize = 12;

/// The paragraph that says what `called` is, else the first one; without headings, badges, notices and markup.
pub(super) fn description(text: &str, called: &str) -> Option<String> {
    let paragraphs = paragraphs(text);
    let says = format!("{} is ", called.to_lowercase());
    let mut near = paragraphs.iter().take(LOOKED_AT);
    let chosen = near.find(|paragraph| paragraph.to_lowercase().starts_with(&says));
    let chosen = chosen.or_else(|| paragraphs.first())?;
    Some(cut(chosen))
}

fn paragraphs(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut found: Vec<String> = Vec::new();
    let mut open = String::new();
    let mut fenced = false;
    for (at, line) in lines.iter().enumerate() {
        let opens_fence = line.starts_with("```") || line.starts_with("~~~");
        if opens_fence {
            fenced = !fenced;
        }
        let is_title = lines.get(at + 1).is_some_and(|below| is_rule(below)) && open.is_empty();
        if line.is_empty() || fenced || opens_fence || is_title || is_markup(line) {
            close(&mut open, &mut found);
            continue;
        }
        if !open.is_empty() {
            open.push(' ');
        }
        open.push_str(line);
    }
    close(&mut open, &mut found);
    found
}

fn close(open: &mut String, found: &mut Vec<String>) {
    let paragraph = plain(&std::mem::take(open));
    if paragraph.chars().any(char::is_alphabetic) && !is_notice(&paragraph) {
        found.push(paragraph);
    }
}

fn is_markup(line: &str) -> bool {
    let is_badge = line.starts_with("[![") || (line.starts_with('[') && line.ends_with(')'));
    is_badge || line.starts_with(['#', '<', '!', '|', '=', '>', '@', '-', '*', '.', ':'])
}

/// A line that underlines a title.
fn is_rule(line: &str) -> bool {
    let mut characters = line.chars();
    let first = characters.next();
    line.len() >= 3
        && first.is_some_and(|first| "=-~^*#".contains(first) && characters.all(|c| c == first))
}

/// Who may copy it, not what it is.
fn is_notice(paragraph: &str) -> bool {
    let start = paragraph.to_lowercase();
    [
        "copyright",
        "(c) ",
        "\u{a9}",
        "licensed under",
        "license",
        "spdx-",
        "use of this source",
        "this file is part of",
        "permission is hereby",
        "go:build",
        "+build",
    ]
    .iter()
    .any(|notice| start.starts_with(notice))
}

/// Without the marks of Markdown: links are their words, emphasis and code are plain.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['[', '*', '`']) {
        plain.push_str(&rest[..at]);
        let link = rest[at..].strip_prefix('[').and_then(|inside| {
            let (words, behind) = inside.split_once("](")?;
            let (_, after) = behind.split_once(')')?;
            (!words.contains('[')).then_some((words, after))
        });
        if let Some((words, after)) = link {
            plain.push_str(words);
            rest = after;
            continue;
        }
        if rest[at..].starts_with('[') {
            plain.push('[');
        }
        rest = &rest[at + 1..];
    }
    plain.push_str(rest);
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(paragraph: &str) -> String {
    if paragraph.len() <= LONGEST {
        return paragraph.to_owned();
    }
    let mut end = LONGEST;
    while !paragraph.is_char_boundary(end) {
        end -= 1;
    }
    let whole = paragraph[..end]
        .rsplit_once(' ')
        .map_or(&paragraph[..end], |(words, _)| words);
    format!("{whole}…")
}

#[cfg(test)]
mod tests {
    use super::description;

    fn said(text: &str) -> String {
        description(text, "gin").unwrap_or_default()
    }

    #[test]
    fn notices_titles_badges_and_markup_say_nothing() {
        assert_eq!(
            said("// not here\n\nthere"),
            "// not here",
            "words are words"
        );
        let text = "Copyright 2014 Someone. All rights reserved.\n\n\\$ click\\_\n=========\n\n\
             [![build](a)](b)\n\nA *composable* [toolkit](https://example.com) for `commands`.\n";
        assert_eq!(said(text), "A composable toolkit for commands.");
        assert_eq!(said("# Title\n\n```\ncode\n```\n"), "");
    }

    #[test]
    fn what_it_is_comes_before_what_is_new() {
        let text = "# Gin\n\nWe are excited about a release.\n\nGin is a web framework.\n";
        assert_eq!(said(text), "Gin is a web framework.");
    }

    #[test]
    fn a_long_paragraph_ends_with_a_whole_word() {
        let told = said(&"word ".repeat(100));
        assert!(told.ends_with("word…") && told.len() <= 304, "{told}");
    }
}
