//! Errors that say too little for another command to answer them.

use super::missing_program;
use crate::detect::SolvedBy;
use crate::fold::same_aim;
use crate::outcome::commands::main_command;

/// Whether an error may be answered in this way. That the time was up says nothing of the command; and an error that names neither a
/// thing nor a word of the command is answered only by one that is about the very same. What was run first brought one file of all that
/// an error without its paths may be about.
pub(super) fn is_answerable(message: &str, command: &str, by: &SolvedBy) -> bool {
    match by {
        SolvedBy::Command(_) | SolvedBy::First(_) | SolvedBy::Without { .. }
            if is_time_out(message) =>
        {
            false
        }
        SolvedBy::Command(other) => {
            missing_program(message).is_some()
                || names_something(message, command)
                || same_aim(command, other)
        }
        SolvedBy::First(_) => !message.contains("'<path>'") || names_something(message, command),
        _ => true,
    }
}

fn is_time_out(message: &str) -> bool {
    const UP: [&str; 6] = [
        "timed out",
        "timeout of ",
        "timeout after ",
        "timeout exceeded",
        "timeout expired",
        "deadline exceeded",
    ];
    let lower = message.to_lowercase();
    UP.iter().any(|words| lower.contains(words))
}

/// Whether an error names a thing: in quotes, in the form of a name, or by a word that the command was given. What was made general
/// (`<path>`) and the kind of an error (`ValueError:`) name nothing.
fn names_something(message: &str, command: &str) -> bool {
    let given = main_command(command).map_or_else(Vec::new, |main| main.words);
    let is_given = |word: &str| given.iter().skip(1).any(|given| given == word);
    let mut words = message.split(|c: char| c.is_whitespace() || matches!(c, '=' | ',' | ';'));
    words.any(|typed| {
        let typed = typed.trim_matches(|c: char| "()[].:!".contains(c));
        let word = typed.trim_matches(['\'', '"', '`', '\u{2018}', '\u{2019}']);
        let is_kind = ["Error", "Exception", "Warning"]
            .iter()
            .any(|kind| word.ends_with(kind));
        let inner = word.get(1..).unwrap_or_default();
        let has_form = word.starts_with('-')
            || inner.contains(['_', '.', '/', '\\', ':', '@'])
            || inner.contains(|c: char| c.is_ascii_uppercase())
                && word.contains(|c: char| c.is_ascii_lowercase());
        let is_quoted = word.len() < typed.len();
        let is_general = word.contains('<') || word.is_empty();
        word.len() > 1 && !is_general && !is_kind && (has_form || is_quoted || is_given(word))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{is_remedy, may_answer};
    use super::*;

    fn answers(message: &str, command: &str, other: &str) -> bool {
        let by = SolvedBy::Command(other.to_owned());
        let told = may_answer(&by, message, command);
        assert!(told || !is_remedy(message, command, &by), "{message}");
        is_remedy(message, command, &by)
    }

    #[test]
    fn that_the_time_was_up_is_answered_by_no_other_command() {
        for message in [
            "command timed out after <n> milliseconds",
            "Error: Timeout of <n>ms exceeded",
        ] {
            assert!(!answers(message, "shop list a", "shop list a --short"));
            let first = SolvedBy::First("npm install".to_owned());
            assert!(!is_remedy(message, "shop list a", &first));
        }
    }

    #[test]
    fn a_file_that_has_no_name_any_more_is_brought_by_nothing() {
        let first = SolvedBy::First("npm run generate".to_owned());
        for (message, answers) in [
            ("Error: Cannot find module '<path>'", false),
            ("Error: Cannot find module './generated/client'", true),
            ("error: no such table: users", true),
        ] {
            assert_eq!(is_remedy(message, "npm test", &first), answers, "{message}");
        }
    }

    #[test]
    fn an_error_that_names_nothing_is_answered_by_what_is_about_the_same() {
        let denied = "PermissionError: [Errno <n>] Permission denied: '<path>'";
        assert!(!answers(denied, "shop load a.csv", "shop load b.csv"));
        assert!(answers(denied, "shop load a.csv", "shop load a.csv --copy"));
        for message in [
            "error: no such table: a.csv",
            "error: the column `total` is missing",
            "Error: NODE_ENV is not set",
        ] {
            assert!(answers(message, "shop load a.csv", "shop load b.csv"));
        }
    }
}
