//! What a remedy is, whatever it was about that day: only sessions with the same one show the same thing.

use super::{NoSubcommand, is_remedy, missing_program, options_apart};
use crate::detect::SolvedBy;
use crate::distill::is_misuse;
use crate::distill::phrase::without_plumbing;
use crate::fingerprint::hook_words;

/// The remedy in a form that two sessions share. `None` where nothing of it would be told: that a program does not know an option, and
/// what a hook says, holds whatever was done then.
pub(crate) fn form(message: &str, command: &str, by: &SolvedBy) -> Option<String> {
    if let Some(refused) = NoSubcommand::of(message, command, by) {
        return Some(refused.form());
    }
    if hook_words(message).is_some()
        || is_misuse(message, command, by)
        || !is_remedy(message, command, by)
    {
        return None;
    }
    match by {
        SolvedBy::First(other) => Some(format!("first {}", without_plumbing(other))),
        SolvedBy::Command(other) => {
            let other = without_plumbing(other);
            let words: Vec<&str> = other.split_whitespace().collect();
            let program = missing_program(message);
            let at = program.and_then(|program| words.iter().position(|word| *word == program));
            let apart = options_apart(command, other);
            let apart = apart.filter(|(gone, new)| !gone.is_empty() || !new.is_empty());
            Some(match (at, apart) {
                (Some(at), _) => words[..=at].join(" "),
                (None, Some((gone, new))) => format!("without {gone:?}, with {new:?}"),
                (None, None) => words.join(" "),
            })
        }
        SolvedBy::Edits(_) | SolvedBy::Without { .. } | SolvedBy::Again | SolvedBy::Later => None,
    }
}

#[test]
fn what_a_remedy_was_about_is_no_part_of_it() {
    let first = |command: &str| SolvedBy::First(command.to_owned());
    let instead = |command: &str| SolvedBy::Command(command.to_owned());
    let module = "Error: Cannot find module './generated/client'";
    let absent = "zsh:<n>: command not found: go";
    let value = "error: invalid value for --bin";
    for (message, command, one, other, is_same) in [
        (
            module,
            "npm test",
            first("npm run generate"),
            first("npm run generate 2>&1 | tail -5"),
            true,
        ),
        (
            module,
            "npm test",
            first("npm run generate"),
            first("npm install"),
            false,
        ),
        (
            absent,
            "go test ./a",
            instead("mise exec -- go test ./a"),
            instead("mise exec -- go vet ./b"),
            true,
        ),
        (
            value,
            "cargo test --bin x",
            instead("cargo test --lib a"),
            instead("cargo test --lib b"),
            true,
        ),
        (
            value,
            "cargo test --bin x",
            instead("cargo test --lib a"),
            instead("cargo test --doc a"),
            false,
        ),
    ] {
        let (one, other) = (
            form(message, command, &one).unwrap(),
            form(message, command, &other).unwrap(),
        );
        assert_eq!(one == other, is_same, "{one} / {other}");
    }
    let subcommand = "error: unrecognized subcommand 'bun'";
    for (command, answer) in [
        ("rtk bun run test", "bun run test"),
        ("rtk bun run lint 2>&1", "bun run lint --fix"),
    ] {
        let told = form(subcommand, command, &instead(answer));
        assert_eq!(told.as_deref(), Some("without rtk"), "{command}");
    }
    let refused = "error: unknown option '--grep'";
    let by = instead("vitest run -t tax");
    assert_eq!(form(refused, "vitest run --grep tax", &by), None);
}
