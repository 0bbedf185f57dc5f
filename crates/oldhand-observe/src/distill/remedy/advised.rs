//! What a failing program advises or shows itself: whoever meets the error reads the answer there, and needs no memory of it.

use std::collections::BTreeSet;

use super::options_apart;
use crate::distill::phrase::without_plumbing;
use crate::outcome::commands::main_command;

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

/// What the output of an error says of how else a command may be called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// The commands and options that it advises.
    told: Vec<String>,
    /// The options, and the words for what comes next, that it lists.
    listed: BTreeSet<String>,
}

impl Advice {
    pub(crate) fn in_output(output: &str) -> Self {
        let mut listed = BTreeSet::new();
        for line in output.lines() {
            listed.extend(options(line).chain(entries(line)).map(str::to_owned));
        }
        Self {
            told: told(output),
            listed,
        }
    }

    /// Whether what helped is what the failing program had advised, or differs from what failed only by what it had listed.
    pub(crate) fn covers(&self, failing: &str, helped: &str) -> bool {
        is_told(&self.told, failing, helped) || self.lists(failing, helped)
    }

    /// Whether the options that helped are listed, or else the only word in which both calls differ.
    fn lists(&self, failing: &str, helped: &str) -> bool {
        let new = options_apart(failing, helped).map_or_else(Vec::new, |(_, new)| new);
        if !new.is_empty() {
            return new.iter().all(|option| self.listed.contains(option));
        }
        let [one, two] = [failing, helped].map(|line| main_command(without_plumbing(line)));
        let (Some(one), Some(two)) = (one, two) else {
            return false;
        };
        let pairs = one.words.iter().zip(&two.words);
        let mut apart = pairs.filter(|(one, two)| one != two);
        let is_one_program = one.words.first() == two.words.first();
        match (apart.next(), apart.next()) {
            (Some((_, new)), None) => {
                is_one_program && one.words.len() == two.words.len() && self.listed.contains(new)
            }
            _ => false,
        }
    }
}

/// What a line has that is written as an option.
fn options(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| c.is_whitespace() || "'\"`,;:=|()[]{}<>".contains(c));
    words
        .map(|word| word.trim_end_matches(['.', '!', '?']))
        .filter(|word| {
            let name = word.trim_start_matches('-');
            name.len() < word.len() && name.starts_with(|c: char| c.is_ascii_alphabetic())
        })
}

/// What a line lists: a word that opens an indented line and stands apart from the rest, between marks, or one of several with commas or bars between.
fn entries(line: &str) -> impl Iterator<Item = &str> {
    let indented = line.strip_prefix(['\t', ' ']).map(str::trim_start);
    let opening = indented.map(|rest| rest.split("  ").next().unwrap_or(rest));
    let listed = line.split([',', '|', '{', '}', '[', ']', ':', '`', '\'', '"']);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    opening
        .into_iter()
        .chain(listed)
        .map(|word| word.trim().trim_end_matches('.'))
        .filter(move |word| !word.is_empty() && word.chars().all(plain))
}

/// The commands and options that an output advises: between marks, behind "run", or on the line below "run:".
fn told(output: &str) -> Vec<String> {
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
fn is_told(advice: &[String], failing: &str, helped: &str) -> bool {
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
    let is = |output: &str, failing: &str, helped: &str| {
        Advice::in_output(output).covers(failing, helped)
    };
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
        ("try 'sync'", "rill test", "rill sync"),
        // It lists what there is.
        (
            "unknown flag: --stat\n\nUsage:  gh pr diff [flags]\n\n      --name-only      Display only names\n  -w, --web            Open it",
            "gh pr diff 104 --stat",
            "gh pr diff 105 --name-only 2>&1 | head -5",
        ),
        (
            "error: unknown command: chek\n\nCommands:\n  check    Look at all\n  pack     Pack it",
            "shelf chek --deep",
            "shelf check --deep",
        ),
        (
            "Unknown field: \"status\"\nAvailable fields:\n  bucket\n  state",
            "gh pr checks 7 --json status",
            "gh pr checks 7 --json state",
        ),
        (
            "error: invalid value 'xml' [possible values: json, text]",
            "shelf pack --format xml",
            "shelf pack --format json",
        ),
    ] {
        assert!(is(output, failing, helped), "{output} / {helped}");
    }
    for (output, failing, helped) in [
        // Neither advised nor listed.
        (
            "error: Formatting issues found",
            "vp check",
            "vp check --fix",
        ),
        (
            "error: no library targets found in package `app`",
            "cargo test --lib",
            "cargo test --bin app",
        ),
        (
            "unknown flag: --stat\n\nUsage:  gh pr diff [flags]\n\n  --name-only  names",
            "gh pr diff --stat",
            "gh pr diff --name-only --patch",
        ),
        (
            "unknown flag: --stat\n\nUsage:  gh pr diff [flags]\n\n  --name-only  names",
            "gh pr diff --stat",
            "gh pr diff",
        ),
        ("error: the check failed", "shelf pack", "shelf check"),
        (
            "Commands:\n  check    Look at all",
            "shelf chek",
            "shelf check all",
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
    ] {
        assert!(!is(output, failing, helped), "{output} / {helped}");
    }
}
