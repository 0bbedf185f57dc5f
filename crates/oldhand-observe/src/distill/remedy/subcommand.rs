//! A subcommand that a program does not have. That is worth knowing by the two names alone, whatever the rest of the line was about.

use super::{is_of_a_machine, is_of_every_day, may_be_offered, reaches_out};
use crate::detect::SolvedBy;
use crate::distill::phrase::without_plumbing;

/// What a program does not have, and what was done then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoSubcommand {
    /// As it was called: `rtk`, `gh pr`.
    pub program: String,
    pub subcommand: String,
    pub instead: Instead,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Instead {
    /// What it had taken for its subcommand was run without it.
    Without,
    /// Another subcommand of it.
    Other(String),
}

impl NoSubcommand {
    /// What a program refused and what came instead of it; `None` where it refused something else, or where that is no answer.
    pub(crate) fn of(message: &str, command: &str, by: &SolvedBy) -> Option<Self> {
        let subcommand = refused_subcommand(message)?;
        let (SolvedBy::First(answer) | SolvedBy::Command(answer)) = by else {
            return None;
        };
        if reaches_out(command) || !may_be_offered(answer) {
            return None;
        }
        let program = calls(command).find_map(|words| before(&words, subcommand))?;
        let first = program.first().copied()?;
        if is_of_every_day(first) || is_of_a_machine(first) || first.starts_with(['.', '$', '~']) {
            return None;
        }
        let mut instead = calls(answer).filter_map(|words| {
            if words.first().is_some_and(|word| *word == subcommand) {
                return Some(Instead::Without);
            }
            let verb = words.get(program.len())?;
            let is_it = words.starts_with(&program) && is_verb(verb) && !is_slip(subcommand, verb);
            is_it.then(|| Instead::Other(format!("{} {verb}", program.join(" "))))
        });
        Some(Self {
            instead: instead.next()?,
            program: program.join(" "),
            subcommand: subcommand.to_owned(),
        })
    }

    /// What two sessions share that did the same.
    pub(super) fn form(&self) -> String {
        match &self.instead {
            Instead::Without => format!("without {}", self.program),
            Instead::Other(other) => other.clone(),
        }
    }
}

/// The word that a program says is no subcommand of it: `unrecognized subcommand 'x'`, `unknown command "x" for "y"`.
fn refused_subcommand(message: &str) -> Option<&str> {
    const SAYS: [&str; 7] = [
        "unrecognized subcommand",
        "unknown subcommand",
        "invalid subcommand",
        "no such subcommand",
        "unrecognized command",
        "unknown command",
        "no such command",
    ];
    let lower = message.to_ascii_lowercase();
    let behind = |words: &&str| lower.find(*words).map(|at| at + words.len());
    let at = SAYS.iter().find_map(behind)?;
    let rest = message[at..].trim_start_matches([':', ' ']);
    let word = match rest.strip_prefix(['\'', '"', '`']) {
        Some(quoted) => quoted.split(['\'', '"', '`']).next()?,
        None => rest
            .split_whitespace()
            .next()?
            .trim_end_matches(['.', ',', ';', ':']),
    };
    is_verb(word).then_some(word)
}

/// The words of each call of a line, without what is only set for it and what only times it.
fn calls(line: &str) -> impl Iterator<Item = Vec<&str>> {
    let calls = without_plumbing(line).split(['|', ';', '&']);
    calls.map(|call| {
        let words = call.split_whitespace();
        let words: Vec<&str> = words.skip_while(|word| is_set(word)).collect();
        let skipped = match words.first() {
            Some(&("timeout" | "gtimeout")) => 2,
            Some(&("time" | "command" | "nohup")) => 1,
            _ => 0,
        };
        words.get(skipped..).unwrap_or_default().to_vec()
    })
}

/// Whether a word sets a variable: `CI=1`.
fn is_set(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// The words of a call that stand before its subcommand: the program, and verbs of its own.
fn before<'a>(words: &[&'a str], subcommand: &str) -> Option<Vec<&'a str>> {
    let at = words.iter().position(|word| *word == subcommand)?;
    let own = &words[..at];
    let is_plain = own.iter().skip(1).all(|word| is_verb(word));
    ((1..=MOST).contains(&own.len()) && is_plain).then(|| own.to_vec())
}

/// More words than these before a subcommand are no program.
const MOST: usize = 3;

fn is_verb(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
}

/// Whether one word is the other with a slip of the hand in it: nobody has to be told how a word is spelled.
pub(crate) fn is_slip(one: &str, other: &str) -> bool {
    /// Words that differ in more letters are two words.
    const LETTERS: usize = 2;
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut last = row[0];
        row[0] = at + 1;
        for to in 1..=other.len() {
            let swap = last + usize::from(other[to - 1] != letter);
            last = row[to];
            row[to] = swap.min(row[to - 1] + 1).min(last + 1);
        }
    }
    row[other.len()] <= LETTERS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(message: &str, command: &str, answer: &str) -> String {
        let by = SolvedBy::Command(answer.to_owned());
        let found = NoSubcommand::of(message, command, &by);
        found.map_or_else(String::new, |found| {
            format!("{} {}: {}", found.program, found.subcommand, found.form())
        })
    }

    #[test]
    fn a_program_is_told_with_what_it_does_not_have() {
        let bun = "error: unrecognized subcommand 'bun'";
        let foo = "unknown command \"list-all\" for \"gh pr\"";
        for (message, command, answer, expected) in [
            (
                bun,
                "rtk bun run test 2>&1 | tail -5",
                "bun run test",
                "rtk bun: without rtk",
            ),
            (
                bun,
                "cd web && CI=1 rtk bun run lint",
                "bun run lint",
                "rtk bun: without rtk",
            ),
            (
                bun,
                "timeout 60 rtk bun run test",
                "bun run test",
                "rtk bun: without rtk",
            ),
            (
                bun,
                "rtk bun run test",
                "rtk vitest run",
                "rtk bun: rtk vitest",
            ),
            (
                foo,
                "gh pr list-all --state open",
                "gh pr status",
                "gh pr list-all: gh pr status",
            ),
            (
                "error: no such command: `udeps`",
                "cargo udeps",
                "cargo machete",
                "cargo udeps: cargo machete",
            ),
            (
                "Error: No such command 'sync-all'.",
                "larch sync-all",
                "larch update",
                "larch sync-all: larch update",
            ),
            // A slip, another program, another thing of that day, what reaches out, and another project's.
            (
                "error: no such command: `tset`",
                "cargo tset",
                "cargo test",
                "",
            ),
            (bun, "rtk bun run test", "npx vitest run", ""),
            (bun, "rtk bun run test", "ls", ""),
            (foo, "gh pr list-all", "git push --force", ""),
            (bun, "/opt/dev/tools/rtk bun test", "bun test", ""),
            (
                "git: 'stat' is not a git command",
                "git stat",
                "git log",
                "",
            ),
            (
                "error: unknown option '--bun'",
                "rtk bun run test",
                "bun run test",
                "",
            ),
        ] {
            assert_eq!(
                told(message, command, answer),
                expected,
                "{command} / {answer}"
            );
        }
    }

    #[test]
    fn two_letters_apart_is_a_slip() {
        for (one, other, expected) in [
            ("tset", "test", true),
            ("test", "tests", true),
            ("bun", "run", true),
            ("udeps", "machete", false),
            ("list-all", "list", false),
        ] {
            assert_eq!(is_slip(one, other), expected, "{one} {other}");
        }
    }
}
