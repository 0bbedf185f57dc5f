//! What a failing program advises itself: whoever meets the error reads the answer there, and needs no memory of it.

use super::options_apart;
use crate::distill::phrase::without_plumbing;

/// Words that lead to advice.
const ADVISES: [&str; 19] = [
    "call", "consider", "did", "execute", "first", "fix", "hint", "install", "instead", "please",
    "rerun", "run", "running", "similar", "tip", "try", "use", "using", "via",
];

/// Words right before a command that stands without any marks.
const LEADS: [&str; 8] = [
    "call", "execute", "rerun", "run", "running", "try", "use", "using",
];

/// Words that go on after such a command.
const GOES_ON: [&str; 14] = [
    "again", "and", "before", "first", "for", "if", "in", "instead", "on", "or", "so", "then",
    "to", "when",
];

/// As many pieces of advice are kept of one output, and as much of each.
const MOST: usize = 16;
const LONGEST: usize = 160;
/// What runs another program is no more words than these.
const RUNNER: usize = 5;

/// The commands and options that an output advises: between marks, behind "run", or on the line below "run:".
pub(crate) fn advised(output: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_next = false;
    for line in output
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        if is_next {
            found.push(line.trim_start_matches("$ ").to_owned());
        }
        let around: String = line.split('`').step_by(2).collect();
        let advises = plain(&around).any(|word| ADVISES.contains(&word.as_str()));
        is_next = advises && line.ends_with(':');
        if advises {
            for mark in ['`', '\'', '"'] {
                let between = line.split(mark).skip(1).step_by(2);
                found.extend(between.map(|command| command.trim().to_owned()));
            }
            found.extend(bare(line));
        }
        if found.len() >= MOST {
            break;
        }
    }
    found.retain(|command| !command.is_empty() && command.len() <= LONGEST);
    found.truncate(MOST);
    found
}

/// The command behind "run", up to where the sentence goes on.
fn bare(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    words.find(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        LEADS.contains(&word.to_lowercase().as_str())
    })?;
    let mut command: Vec<&str> = Vec::new();
    for word in words {
        let whole = word.trim_end_matches(['.', ',', ';', ':', ')', '!']);
        if GOES_ON.contains(&whole) {
            break;
        }
        command.push(whole);
        if whole.len() < word.len() {
            break;
        }
    }
    (command.len() >= 2).then(|| command.join(" "))
}

fn plain(line: &str) -> impl Iterator<Item = String> {
    line.split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
}

/// Whether what helped is what the failing program had advised: the very command, be it through a runner and with what it was about, or the
/// only option that was put to it.
pub(crate) fn is_advised(advice: &[String], failing: &str, helped: &str) -> bool {
    let (failed, done) = (words(failing), words(helped));
    advice.iter().any(|advice| {
        let told = words(advice);
        if let [option] = &told[..]
            && option.starts_with('-')
        {
            let new = options_apart(failing, helped).map(|(_, new)| new);
            return new.is_some_and(|new| new == [*option]);
        }
        let at = |line: &[&str]| {
            line.windows(told.len().max(1))
                .position(|part| part == told)
        };
        let Some(from) = at(&done).filter(|from| *from <= RUNNER) else {
            return false;
        };
        let rest = &done[from + told.len()..];
        let is_enough = told.len() >= 2 || told.len() == done.len();
        is_enough && at(&failed).is_none() && !rest.iter().any(|word| word.starts_with('-'))
    })
}

fn words(line: &str) -> Vec<&str> {
    let words = without_plumbing(line).split_whitespace();
    words.map(|word| word.trim_matches(['"', '\''])).collect()
}

#[test]
fn an_answer_that_the_error_prints_is_known_as_such() {
    let is =
        |output: &str, failing: &str, helped: &str| is_advised(&advised(output), failing, helped);
    for (output, failing, helped) in [
        (
            "error: Formatting issues found\nsrc/a.ts (3ms)\n\nFound issues in 1 file. Run `vp check --fix` to fix them.",
            "vp check",
            "vp check --fix",
        ),
        (
            "Run `vp check --fix` to fix them.",
            "pnpm vp check",
            "pnpm exec vp check --fix src/a.ts 2>&1 | tail -5",
        ),
        (
            "lockfile is out of date, please run pnpm install first.",
            "pnpm build",
            "pnpm install",
        ),
        (
            "Run the following command:\n\n    $ npm run db:up\n",
            "npm test",
            "npm run db:up",
        ),
        (
            "error: unexpected argument '--featurs' found\n\n  tip: a similar argument exists: '--features'",
            "cargo test --featurs slow",
            "cargo test --features slow",
        ),
        ("hint: try 'just setup'", "just test", "just setup"),
    ] {
        assert!(is(output, failing, helped), "{output} / {helped}");
    }
    for (output, failing, helped) in [
        // Named, and not advised.
        (
            "error: Formatting issues found",
            "vp check",
            "vp check --fix",
        ),
        ("> `vp check --fix` is slow", "vp check", "vp check --fix"),
        (
            "error: no library targets found in package `app`",
            "cargo test --lib",
            "cargo test --bin app",
        ),
        (
            "unknown flag: --stat\n\nUsage:  gh pr diff [flags]\n\n  --name-only  names",
            "gh pr diff --stat",
            "gh pr diff --name-only",
        ),
        // Something else, or more than was advised.
        ("Run `npm install` first.", "npm test", "npm ci"),
        (
            "Run `cargo add rill`.",
            "cargo test",
            "cargo add rill --features slow",
        ),
        // It was run as advised, and failed.
        (
            "use `make test` to run all",
            "make test",
            "make test CC=gcc",
        ),
        ("try 'sync'", "rill test", "rill sync"),
    ] {
        assert!(!is(output, failing, helped), "{output} / {helped}");
    }
}
