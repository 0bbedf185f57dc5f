//! Lines that announce what follows, and halves of sentences that only open one.

/// A line that announces what follows it.
pub(super) struct Lead {
    pub(super) text: String,
    pub(super) indent: usize,
    pub(super) bullet: bool,
    pub(super) line: usize,
    pub(super) used: bool,
}

/// Whether a line announces what follows: `When it fails:`, also in bold.
pub(super) fn announces(text: &str) -> bool {
    text.trim_end_matches(['*', '_']).ends_with(':')
}

/// Whether a line only says when or what for, and what holds then is still to come.
pub(super) fn opens(text: &str) -> bool {
    const OPENINGS: &[&str] = &[
        "after",
        "as",
        "before",
        "during",
        "e.g.",
        "example",
        "examples",
        "for",
        "if",
        "in",
        "once",
        "on",
        "the following",
        "to",
        "when",
        "whenever",
        "where",
        "while",
        "with",
    ];
    let text = text.trim_start_matches(['*', '_']).to_lowercase();
    let begins = |opening: &&str| {
        let rest = text.strip_prefix(*opening);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    // "If it fails, run it again" is whole.
    announces(&text) && !text.contains(", ") && OPENINGS.iter().any(begins)
}

/// Whether what a lead announces only shows what something looks like, and lays nothing down.
pub(super) fn is_example(lead: &str) -> bool {
    let lead = lead.to_lowercase();
    let mut words = lead.split_whitespace();
    let first = words.next().unwrap_or_default().trim_end_matches(':');
    let is_short = words.count() <= 2;
    is_short && ["e.g.", "example", "examples", "sample", "samples"].contains(&first)
}

/// A lead without the marks around it: `**Key files:**` is `Key files:`.
pub(super) fn plain_lead(text: &str) -> String {
    let bare = text.trim_end_matches(['*', '_']);
    let bare = match bare.strip_prefix("**").or_else(|| bare.strip_prefix("__")) {
        // The bold part may end before the line does.
        Some(rest) if !rest.contains("**") && !rest.contains("__") => rest,
        Some(rest) if rest.ends_with("**:") => return rest.replace("**:", ":"),
        _ => return text.to_owned(),
    };
    bare.to_owned()
}

pub(super) fn speaks_of_the_file(text: &str) -> bool {
    let text = text.to_lowercase();
    [
        "this file provides guidance",
        "this document provides guidance",
        "this file contains",
        // When a skill or a set of rules is to be taken up, which its client decides.
        "use this rule when",
        "use this skill",
        "use this when the user",
        "this skill should be used",
    ]
    .iter()
    .any(|phrase| text.contains(phrase))
}
