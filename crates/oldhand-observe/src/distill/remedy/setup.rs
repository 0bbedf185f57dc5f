//! Whether a command that was run before has something to do with the error that went away after it.

use super::{is_about_the_call, is_everyday, is_of_words_given, prepares};
use crate::fold::mends_by_name;
use crate::outcome::commands::{Check, classify, is_interpreter, is_own_name, main_command};

/// How else than by a word about the call an error asks for what is to be set up first.
const ASKS: [&str; 9] = [
    "cannot open",
    "could not open",
    "unable to open",
    "does not exist",
    "doesn't exist",
    "undeclared",
    "out of date",
    "out-of-date",
    "not generated",
];

/// Whether an error that `command` met asks for what `other` does: it sets up what the words miss, it puts right what a check complains
/// of, or it is another command of the same program.
pub(super) fn is_asked_for(message: &str, command: &str, other: &str) -> bool {
    let lower = message.to_lowercase();
    let asks = is_about_the_call(message) || ASKS.iter().any(|words| lower.contains(words));
    // A script that is not there complains of nothing that another could put right.
    let complains = !is_of_words_given(message, command) && !lower.contains("not found");
    asks && (prepares(other) || brings_modules(other))
        || complains && mends(command, other)
        || is_of_one_program(command, other)
}

/// `go get x` and `go mod tidy`: what other tools call to install.
fn brings_modules(other: &str) -> bool {
    let words = main_command(other).map_or_else(Vec::new, |main| main.words);
    let mut words = words.iter().map(String::as_str);
    words.next() == Some("go") && matches!(words.next(), Some("get" | "mod"))
}

/// Whether a command of the project puts right by its name what a check finds: `npm run lint:fix` for `npm run lint`, `make fmt` for
/// `make lint`.
fn mends(command: &str, other: &str) -> bool {
    let (Some(failed), Some(done)) = (main_command(command), main_command(other)) else {
        return false;
    };
    let names = |words: &[String]| -> Vec<String> {
        let words = words.iter().skip(1).filter(|word| !word.starts_with('-'));
        let parts = words.flat_map(|word| word.split([':', '-', '_', '/']));
        parts
            .filter(|part| *part != "run")
            .map(str::to_owned)
            .collect()
    };
    let (tried, mended) = (names(&failed.words), names(&done.words));
    let is_style = classify(command).is_some_and(|line| line.checks.contains(&Check::Lint));
    is_own_name(&done.words.join(" "))
        && mends_by_name(done.words.iter().map(String::as_str))
        && (is_style || tried.iter().any(|part| mended.contains(part)))
}

/// Whether two lines give orders to one program that has several, such as `wrangler` or `terraform`: what runs whatever it is given is
/// none, and a check makes nothing pass.
fn is_of_one_program(command: &str, other: &str) -> bool {
    let program = |line: &str| Some(main_command(line)?.words.swap_remove(0));
    let (Some(failed), Some(done)) = (program(command), program(other)) else {
        return false;
    };
    failed == done
        && !is_everyday(other)
        && !is_interpreter(&done)
        && !RUNS_ANYTHING.contains(&done.as_str())
        && classify(other).is_none()
}

const RUNS_ANYTHING: [&str; 22] = [
    "npm", "npx", "pnpm", "yarn", "bun", "bunx", "deno", "uv", "uvx", "poetry", "pdm", "hatch",
    "make", "just", "task", "mise", "rake", "cargo", "go", "gh", "curl", "sudo",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_run_first_must_be_asked_for() {
        for (message, command, other, expected) in [
            (
                "error: no such table: users",
                "app seed",
                "app migrate",
                true,
            ),
            (
                "error: cannot open `seed.json`",
                "app seed",
                "make generate",
                true,
            ),
            ("Error: bad luck", "app seed", "make generate", false),
            (
                "error: cannot open `seed.json`",
                "app seed",
                "git add seed.json",
                false,
            ),
            (
                "error: cannot open `seed.json`",
                "app seed",
                "./play.sh",
                false,
            ),
            // What puts right what a check finds.
            (
                "a.ts: not as it should be",
                "bun run lint",
                "bun run lint:fix",
                true,
            ),
            ("a.c: not as it should be", "make lint", "make fmt", true),
            ("test a fails", "bun run test", "bun run lint:fix", false),
            ("test a fails", "bun run test", "bun run test:fix", true),
            (
                "a.ts: not as it should be",
                "bun run lint",
                "bun run docs",
                false,
            ),
            (
                "error: Script not found \"lint\"",
                "bun run lint",
                "bun run lint:fix",
                false,
            ),
            // Another word to the same program.
            (
                "Error: the state is locked",
                "tofu plan",
                "tofu force-unlock x",
                true,
            ),
            (
                "Error: the state is locked",
                "tofu plan",
                "ansible all",
                false,
            ),
            ("Error: bad luck", "npm run a", "npm run b", false),
            ("test a fails", "cargo test", "cargo build", false),
        ] {
            assert_eq!(
                is_asked_for(message, command, other),
                expected,
                "{command}: {other}"
            );
        }
    }
}
