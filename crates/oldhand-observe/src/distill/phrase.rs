//! Small phrases that every wording is put together from.

use oldhand_domain::path::ProjectPath;
use oldhand_domain::text::SUMMARY_LIMIT;
use oldhand_domain::tokens;

/// Whether a text names code: something in backticks, a path, a call, a flag or an identifier.
pub(crate) fn is_concrete(text: &str) -> bool {
    text.matches('`').count() >= 2
        || text.split_whitespace().any(|word| {
            let word = word.trim_matches(|c: char| {
                !c.is_alphanumeric() && !matches!(c, '-' | '(' | ')' | '/' | '.' | '_')
            });
            let inner = word.trim_end_matches('.');
            (inner.contains('/') && inner.len() > 4 && inner.contains('.'))
                || inner.ends_with("()")
                || (inner.starts_with("--") && inner.len() > 4)
                || (inner.contains('_') && inner.len() > 4)
                || inner
                    .chars()
                    .zip(inner.chars().skip(1))
                    .any(|(a, b)| a.is_lowercase() && b.is_uppercase())
        })
}

/// A command without what only shapes its output: `2>&1`, `| tail -20`, a folder of this machine that it was started in.
pub(crate) fn without_plumbing(command: &str) -> &str {
    let mut rest = command.trim();
    while let Some(after) = rest
        .strip_prefix("cd ")
        .and_then(|after| after.split_once(" && "))
        .filter(|(folder, _)| folder.starts_with(['/', '~', '$', '"']))
    {
        rest = after.1.trim_start();
    }
    let pipes = [" | tail", " | head", " | grep", " 2>&1", " 2>/dev/null"];
    let end = pipes.iter().filter_map(|pipe| rest.find(pipe)).min();
    rest[..end.unwrap_or(rest.len())].trim_end()
}

pub(crate) fn seen(count: u32) -> String {
    format!("seen in {}", sessions(count.max(1)))
}

/// `one session`, `3 sessions`.
pub(crate) fn sessions(count: u32) -> String {
    if count == 1 {
        "one session".to_owned()
    } else {
        format!("{count} sessions")
    }
}

/// The same statement, seen in so many sessions. Shares ("5 of 5 sessions") are left alone: they count something else.
pub fn recount(text: &str, count: u32) -> String {
    const SEEN: &str = "seen in ";
    const OFTEN: &str = "times in one session";
    let number_at = |rest: &str| {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        let after = rest[digits..].strip_prefix(" sessions");
        after.filter(|_| digits > 0).map(str::len)
    };
    if let Some(at) = text.find(SEEN) {
        let rest = &text[at + SEEN.len()..];
        let one = rest.strip_prefix("one session").map(str::len);
        if let Some(left) = one.or_else(|| number_at(rest)) {
            let after = &text[text.len() - left..];
            return format!("{}{}{after}", &text[..at], seen(count));
        }
    }
    if let Some((before, rest)) = text.split_once(OFTEN) {
        let left = rest.strip_prefix(", in ").and_then(number_at);
        let after = &rest[rest.len() - left.unwrap_or(rest.len())..];
        let others = match count {
            0 | 1 => String::new(),
            _ => format!(", in {}", sessions(count)),
        };
        return format!("{before}{OFTEN}{others}{after}");
    }
    text.to_owned()
}

#[test]
fn a_statement_says_in_how_many_sessions_it_was_seen() {
    for (text, count, expected) in [
        (
            "It fails (seen in one session).",
            2,
            "It fails (seen in 2 sessions).",
        ),
        (
            "It fails (seen in 28 sessions).",
            35,
            "It fails (seen in 35 sessions).",
        ),
        (
            "It fails (seen in 2 sessions).",
            1,
            "It fails (seen in one session).",
        ),
        (
            "It fails (seen 3 times in one session, in 2 sessions). Run it.",
            4,
            "It fails (seen 3 times in one session, in 4 sessions). Run it.",
        ),
        (
            "It fails (seen 3 times in one session, in 2 sessions). Run it.",
            1,
            "It fails (seen 3 times in one session). Run it.",
        ),
        (
            "It fails (seen 3 times in one session). Run it.",
            2,
            "It fails (seen 3 times in one session, in 2 sessions). Run it.",
        ),
        (
            "Gone through 2 times in one session, seen in 3 sessions.",
            4,
            "Gone through 2 times in one session, seen in 4 sessions.",
        ),
        ("opened by 5 of 5 sessions", 6, "opened by 5 of 5 sessions"),
        (
            "seen in sessions and seen in 3 ways",
            2,
            "seen in sessions and seen in 3 ways",
        ),
        ("seen in 3", 2, "seen in 3"),
        ("", 2, ""),
    ] {
        assert_eq!(recount(text, count), expected);
    }
}

/// `a`, `b` and 2 more.
pub(super) fn list(files: &[ProjectPath]) -> String {
    const SHOWN: usize = 3;
    let names: Vec<&str> = files.iter().map(ProjectPath::as_str).collect();
    names_up_to(&names, SHOWN)
}

/// The first names of a list, and how many more there are.
pub(super) fn names_up_to(names: &[&str], shown: usize) -> String {
    let mut told: Vec<String> = names
        .iter()
        .take(shown)
        .map(|name| format!("`{name}`"))
        .collect();
    if names.len() > shown {
        told.push(format!("{} more", names.len() - shown));
    }
    match told.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// The first of some lines, each shorter than the one before, that fits into a summary; the shortest if none does.
pub(crate) fn shortened(lines: impl IntoIterator<Item = String>) -> String {
    let mut shortest = String::new();
    for line in lines {
        if tokens::count(&line) <= SUMMARY_LIMIT {
            return line;
        }
        shortest = line;
    }
    shortest
}

/// The beginning of a text, ended where words end.
pub(crate) fn clip(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= limit {
        return line;
    }
    let cut = line.floor_char_boundary(limit);
    let end = line[..cut]
        .rfind(' ')
        .filter(|&end| end > limit / 2)
        .unwrap_or(cut);
    format!("{}…", &line[..end])
}

#[test]
fn the_longest_line_that_fits_is_told_and_the_shortest_where_none_does() {
    let long = |words: usize| vec!["word"; words].join(" ");
    assert_eq!(shortened([long(90), long(9), long(2)]), long(9));
    assert_eq!(shortened([long(90), long(80)]), long(80));
}
