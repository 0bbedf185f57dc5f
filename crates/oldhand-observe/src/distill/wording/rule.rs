//! The words for a rule that a linter enforces: which one, and what it asks for, without the numbers of the day.

use oldhand_domain::payload::BuiltInType;

use super::Wording;
use crate::detect::{Solved, SolvedBy};
use crate::distill::phrase::clip;
use crate::paths::is_config;

/// Rules that every linter of their language has switched on, or that say of one function how long it is: nobody needs to be told.
const EVERYBODYS: [&str; 28] = [
    "nolintlint",
    "tparallel",
    "errcheck",
    "nilerr",
    "ineffassign",
    "staticcheck",
    "govet",
    "unused",
    "unparam",
    "goconst",
    "maintidx",
    "gocyclo",
    "gocognit",
    "cyclop",
    "funlen",
    "dupl",
    "nestif",
    "complexity",
    "no-unused-vars",
    "no-undef",
    "prefer-const",
    "no-explicit-any",
    "F401",
    "F841",
    "F821",
    "gosec G104",
    "gosec G304",
    "gosec G204",
];

/// A linter's rule, which the work was changed to obey.
pub(super) fn word(
    rule: &str,
    message: &str,
    command: &str,
    solved: Option<&Solved>,
    seen: &str,
) -> Option<Wording> {
    // A rule that nobody obeyed may as well have been switched off afterwards.
    let Some(SolvedBy::Edits(files)) = solved.map(|solved| &solved.by) else {
        return None;
    };
    // Nor is it obeyed where the settings were changed: that is how rules are switched off.
    if files.iter().any(|file| is_config(file.as_str())) {
        return None;
    }
    let name = rule.rsplit('/').next().unwrap_or(rule);
    if EVERYBODYS.contains(&name) {
        return None;
    }
    let message = clip(&without_the_case(message), 160);
    Some(Wording::plain(
        BuiltInType::ErrorPattern,
        format!("`{command}{ENFORCES}{rule}: \"{message}\" ({seen})."),
        format!("`{command}{ENFORCES}{rule}: {}", clip(&message, 80)),
    ))
}

/// The rule that a command enforces, where that is what a note tells.
pub fn enforced(content: &str) -> Option<&str> {
    let (_, rest) = content.strip_prefix('`')?.split_once(ENFORCES)?;
    let (rule, _) = rest.split_once(": \"")?;
    Some(rule)
}

const ENFORCES: &str = "` enforces ";

/// A linter's words without what they say of one line of code: its numbers, other than a limit, and the list behind a colon.
fn without_the_case(message: &str) -> String {
    let message = match message.split_once(": ") {
        Some((before, list)) if list.contains(", ") => before,
        _ => message,
    };
    let mut told: Vec<&str> = Vec::new();
    let mut words = message.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let is_number = word
            .trim_matches(|c: char| "(),.".contains(c))
            .bytes()
            .all(|b| b.is_ascii_digit());
        let limit = told.last().is_some_and(|before| {
            matches!(
                *before,
                "of" | "than" | "to" | "limit" | "maximum" | "max" | "over" | ">"
            )
        });
        // `(line 351)` says where.
        if word == "(line" && words.peek().is_some_and(|next| next.ends_with(')')) {
            words.next();
            continue;
        }
        told.push(if is_number && !limit { "…" } else { word });
    }
    told.join(" ")
}

#[test]
fn a_rule_is_told_without_the_case_that_broke_it() {
    for (message, told) in [
        (
            "The line is 185 characters long, which exceeds the maximum of 180 characters",
            "The line is … characters long, which exceeds the maximum of 180 characters",
        ),
        (
            "missing cases in switch of type color.Ansi: color.emptyColor, color.Accent",
            "missing cases in switch of type color.Ansi",
        ),
        (
            "error is not nil (line 351) but it returns nil",
            "error is not nil but it returns nil",
        ),
        (
            "os/exec.Command must not be called. use os/exec.CommandContext",
            "os/exec.Command must not be called. use os/exec.CommandContext",
        ),
    ] {
        assert_eq!(without_the_case(message), told);
    }
}
