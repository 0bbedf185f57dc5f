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
        // When a skill or a set of rules is to be taken up, which its client decides.
        "use this rule when",
        "use this skill",
        "use this when the user",
        "this skill should be used",
    ]
    .iter()
    .any(|phrase| text.contains(phrase))
}

/// Whether a text only greets its reader or says what it is about: "Welcome! This guide will help you get started." A ban in it, a duty, a command
/// in code or what stands behind a colon is more than that.
pub(super) fn introduces(text: &str) -> bool {
    const OPENINGS: &[&str] = &[
        "don't worry",
        "guidance for ",
        "guidelines for ",
        "happy coding",
        "happy hacking",
        "here are some guidelines",
        "here is everything",
        "here's everything",
        "instructions for ",
        "thank you",
        "thanks for ",
        "we are excited",
        "we are glad",
        "we are happy",
        "we welcome",
        "we're excited",
        "we're glad",
        "we're happy",
        "welcome to ",
    ];
    const GREETINGS: [&str; 2] = ["thanks", "welcome"];
    const PAGES: &[&str] = &["document", "file", "guide", "page", "readme", "section"];
    const TELLS: &[&str] = &[
        "contains",
        "covers",
        "describes",
        "details",
        "documents",
        "explains",
        "gives",
        "helps",
        "introduces",
        "is for",
        "is intended",
        "is meant",
        "outlines",
        "provides",
        "shows",
        "summarizes",
        "walks",
        "we will",
        "we'll",
        "will explain",
        "will guide",
        "will help",
        "will show",
        "will walk",
        "you will",
        "you'll",
    ];
    const BANS: &[&str] = &[
        "`", ": ", "never", "must", "should", "do not", "don't", "always", "only", "not be",
    ];
    let text = text
        .to_lowercase()
        .replace(['*', '_'], "")
        .replace('’', "'")
        .replace(['\n', '!', '?'], ". ");
    let mut sentences = text
        .split(". ")
        .map(str::trim)
        .filter(|one| !one.is_empty());
    sentences.all(|sentence| {
        let calm = sentence.strip_prefix("don't worry, ").unwrap_or(sentence);
        let page = calm
            .strip_prefix("this ")
            .or_else(|| calm.strip_prefix("in this "))
            .and_then(|rest| PAGES.iter().find_map(|page| rest.strip_prefix(page)))
            .map(|rest| rest.trim_start_matches([',', ' ']));
        let tells = |rest: &str| TELLS.iter().any(|verb| rest.starts_with(verb));
        let greets = GREETINGS.contains(&calm.trim_end_matches('.'));
        let opens = OPENINGS.iter().any(|opening| calm.starts_with(opening));
        (page.is_some_and(tells) || greets || opens) && !BANS.iter().any(|ban| calm.contains(ban))
    })
}
