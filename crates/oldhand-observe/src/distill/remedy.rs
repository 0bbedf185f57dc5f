//! Whether what came before the end of an error is what one would do about it.

use super::phrase::without_plumbing;
use crate::detect::SolvedBy;
use crate::outcome::commands::{classify, main_command};

/// What a program says about how it was called, or about what it needs, not about the work that it was to check.
const ABOUT_THE_CALL: [&str; 26] = [
    "no rule to make",
    "failed to resolve",
    "cannot resolve",
    "unresolved",
    "not found",
    "no such",
    "unknown",
    "unrecognized",
    "unexpected argument",
    "invalid option",
    "invalid value",
    "usage:",
    "missing",
    "required",
    "not set",
    "cannot find",
    "can't find",
    "permission denied",
    "refused",
    "not installed",
    "no module named",
    "not supported",
    "unsupported",
    "not recognized",
    "did you mean",
    "must be",
];

/// Programs that everybody uses to look at files and at output: what they say is about the moment.
const EVERYDAY: [&str; 28] = [
    "less", "nl", "awk", "cat", "cd", "chmod", "cp", "cut", "du", "find", "git", "grep", "head",
    "kill", "ln", "ls", "mkdir", "mv", "open", "rg", "rm", "sed", "sort", "tail", "tee", "touch",
    "wc", "xargs",
];

/// Whether a command that came before the end of an error answers it for others as well.
pub(crate) fn is_remedy(message: &str, command: &str, by: &SolvedBy) -> bool {
    let lower = message.to_lowercase();
    let about_the_call = ABOUT_THE_CALL.iter().any(|words| lower.contains(words));
    // `tail: no such file`: the program that complains is not the one that the line is about.
    let complains = lower.split_once(": ").map_or("", |(name, _)| name);
    if EVERYDAY.contains(&complains) || is_everyday(command) {
        return false;
    }
    if let SolvedBy::First(other) | SolvedBy::Command(other) = by
        && (switches_off(command, other) || is_equal(command, other))
    {
        return false;
    }
    match by {
        SolvedBy::Edits(_) | SolvedBy::Again => false,
        // A check of a part that passes answers nothing, and makes nothing pass.
        SolvedBy::First(other) => {
            classify(other).is_none() && !is_everyday(other) && about_the_call
        }
        SolvedBy::Command(_) => classify(command).is_none() || about_the_call,
    }
}

fn is_everyday(command: &str) -> bool {
    main_command(command).is_some_and(|main| EVERYDAY.contains(&main.words[0].as_str()))
}

/// Whether a command passes because it no longer looks at what had failed.
fn switches_off(command: &str, other: &str) -> bool {
    let mut options = other
        .split_whitespace()
        .filter(|word| word.starts_with('-'));
    options.any(|word| {
        let off = [
            "--no-",
            "--skip",
            "--exclude",
            "--ignore",
            "--deselect",
            "--continue",
        ];
        off.iter().any(|off| word.starts_with(off))
            && !command.split_whitespace().any(|own| own == word)
    })
}

/// Whether two commands differ in nothing that is told of them.
fn is_equal(command: &str, other: &str) -> bool {
    let words = |line| {
        without_plumbing(line)
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    words(command) == words(other)
}
