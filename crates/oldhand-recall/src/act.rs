//! What every project does again and again, and says in its own words: to format, lint, check, test, build, run, install, deploy, release and
//! commit.
//!
//! A task that asks for nothing but such an act is met by whatever tells the command for it, in whichever words: "format the code" by
//! `cargo fmt`, "validate my changes" by "run `vp check` and `vp test` to lint and test". A task that says what is to be formatted, "format the
//! date column", asks for something else.

mod denied;

use std::cmp::Ordering;
use std::fmt;

use oldhand_domain::words::{self, stem};

use denied::is_denied;

/// Something that is done to the whole of a project, by a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    Format,
    Lint,
    /// Whatever says whether a change is sound.
    Check,
    Test,
    Build,
    Run,
    Install,
    Deploy,
    Release,
    Commit,
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Format => "format",
            Self::Lint => "lint",
            Self::Check => "check",
            Self::Test => "test",
            Self::Build => "build",
            Self::Run => "run",
            Self::Install => "install",
            Self::Deploy => "deploy",
            Self::Release => "release",
            Self::Commit => "commit",
        })
    }
}

/// By which words each act is asked for and told, and by which it is only ever told: the names of tools.
const ACTS: [(Act, &[&str], &[&str]); 10] = [
    (
        Act::Format,
        &["fmt", "format", "formatter", "reformat"],
        &["gofmt", "oxfmt", "prettier", "rustfmt"],
    ),
    (
        Act::Lint,
        &["lint", "linter"],
        &["clippy", "eslint", "oxlint", "ruff"],
    ),
    (
        Act::Check,
        &["check", "typecheck", "validate", "verify", "verification"],
        &["precommit"],
    ),
    (
        Act::Test,
        &["test", "tests"],
        &["jest", "nextest", "pytest", "vitest"],
    ),
    (Act::Build, &["build", "compile", "rebuild"], &[]),
    (Act::Run, &["launch", "serve", "start"], &["dev"]),
    (Act::Install, &["install", "setup"], &[]),
    (Act::Deploy, &["deploy", "deployment"], &[]),
    (Act::Release, &["publish", "release"], &[]),
    (Act::Commit, &["commit"], &[]),
];

/// What an act is done to where nothing narrower is said, and how one says that it shall be done.
const WHOLE: &[&str] = &[
    "again",
    "all",
    "app",
    "application",
    "change",
    "code",
    "codebase",
    "command",
    "correctly",
    "current",
    "dependency",
    "dependencies",
    "everything",
    "file",
    "full",
    "here",
    "latest",
    "local",
    "locally",
    "make",
    "need",
    "new",
    "now",
    "please",
    "prod",
    "production",
    "program",
    "project",
    "properly",
    "repo",
    "repository",
    "run",
    "server",
    "source",
    "staging",
    "suite",
    "sure",
    "type",
    "use",
    "version",
    "whole",
    "work",
];

/// The acts that a task asks for, and nothing beside them; none where it asks for anything narrower.
pub fn asked_for(question: &[String]) -> Vec<Act> {
    let mut found = Vec::new();
    for word in question {
        let is_of = |words: &[&str]| words.iter().any(|one| words::is_same(one, word));
        let mut acts = ACTS
            .iter()
            .filter(|(_, asked, told)| is_of(asked) || is_of(told));
        match acts.next() {
            Some((act, ..)) => found.push(*act),
            None if is_of(WHOLE) => {}
            None => return Vec::new(),
        }
    }
    // "run the app" and "run it locally" ask for nothing else that is run.
    let is_run = |word: &String| stem(word) == "run";
    if found.is_empty() && question.len() > 1 && question.iter().any(is_run) {
        found.push(Act::Run);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// An act for which a text tells a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub act: Act,
    /// Whether the command is named for something else, and only the sentence says what it does.
    is_beside: bool,
    /// The command's words.
    words: Vec<String>,
}

/// A command that is named for something else counts as if it said so many words more than was asked.
const BESIDE: usize = 2;

impl Told {
    /// How many words its command says more than another that is told for the same act: `make test-unit` and `make -C docs test` are variants of
    /// `make test`, which says no more than was asked.
    pub(crate) fn more_than(&self, other: &Self) -> usize {
        if self.is_beside {
            return BESIDE;
        }
        let mut rest = self.words.iter();
        let is_variant = other.words.iter().all(|word| rest.any(|own| own == word));
        if is_variant {
            self.words.len() - other.words.len()
        } else {
            0
        }
    }

    /// What is named for the act, then what says least.
    fn by_plainness(&self, other: &Self) -> Ordering {
        let key = |told: &Self| (told.is_beside, told.words.len());
        key(self)
            .cmp(&key(other))
            .then_with(|| self.words.cmp(&other.words))
    }
}

/// The first of these acts for which `text` tells a command: one that is named for it, or one in a sentence that says so. Of several the plainest.
pub fn told_in(text: &str, asked: &[Act]) -> Option<Told> {
    if asked.is_empty() || !text.contains('`') {
        return None;
    }
    let sentences = sentences(text);
    asked.iter().find_map(|act| {
        let told = sentences.iter().filter_map(|one| plainest(one, *act));
        told.min_by(Told::by_plainness)
    })
}

/// The sentences, points and lines of a text. A sentence goes on over the code in it.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let mut begin = 0;
    let mut sentences: Vec<&str> = Vec::new();
    for (at, c) in text.char_indices() {
        is_code ^= c == '`';
        let end = at + c.len_utf8();
        let after = text[end..].chars().next();
        let is_stop = c == '.' && after.is_none_or(char::is_whitespace);
        if !is_code && (matches!(c, '\n' | ';' | '。') || is_stop) {
            sentences.push(text[begin..at].trim());
            begin = end;
        }
    }
    sentences.push(text[begin..].trim());
    sentences
}

/// How far into a command its own name reaches: `mise run test:unit`, and not what it is given.
const NAMED: usize = 3;

/// Commands that look at something or take it away do none of the acts, whatever their sentence says.
const OTHERWISE: &[&str] = &[
    "cat",
    "clean",
    "diff",
    "grep",
    "log",
    "ls",
    "prune",
    "purge",
    "reset",
    "rm",
    "show",
    "status",
    "uninstall",
];

/// The plainest command that a sentence tells for an act.
fn plainest(sentence: &str, act: Act) -> Option<Told> {
    let is_said = |word: &String| says(word, act);
    let parts: Vec<&str> = sentence.split('`').collect();
    let mut beside = parts.iter().step_by(2).flat_map(|text| words::split(text));
    let says_so = beside.any(|word| is_said(&word));
    let commands = parts.iter().enumerate().skip(1).step_by(2);
    let told = commands
        .filter(|(at, code)| is_command(code) && !is_denied(&parts, *at))
        .filter_map(|(_, command)| {
            let own = command
                .split_whitespace()
                .filter(|word| !word.starts_with('-'));
            let own: Vec<String> = own.take(NAMED).flat_map(words::split).collect();
            let is_named = own.iter().any(is_said);
            let is_other = own.iter().any(|word| OTHERWISE.contains(&word.as_str()));
            (is_named || says_so && !is_other).then(|| Told {
                act,
                is_beside: !is_named,
                words: words::split(command),
            })
        });
    told.min_by(Told::by_plainness)
}

/// Whether a word says that something is done: what lints, tests or formats checks, too.
fn says(word: &str, act: Act) -> bool {
    let is_of = |of: Act| {
        let words = ACTS.iter().filter(|(act, ..)| *act == of);
        let mut words = words.flat_map(|(_, asked, told)| asked.iter().chain(*told));
        words.any(|one| words::is_same(one, word))
    };
    is_of(act) || act == Act::Check && [Act::Lint, Act::Test].into_iter().any(is_of)
}

/// Code that is typed in a shell: a program and what it is to do.
fn is_command(code: &str) -> bool {
    let mut words = code.split_whitespace();
    let program = words.next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "./_-".contains(c);
    words.next().is_some()
        && program.starts_with(|c: char| c.is_ascii_lowercase() || c == '.')
        && program.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{RecentWork, plan};

    fn asked(task: &str) -> String {
        let acts = asked_for(&plan(task, RecentWork::Ordinary).words);
        let acts: Vec<String> = acts.iter().map(ToString::to_string).collect();
        acts.join(" ")
    }

    #[test]
    fn an_act_on_the_whole_project_is_asked_for_and_nothing_narrower() {
        for (task, acts) in [
            ("format the code", "format"),
            ("how do I validate my changes", "check"),
            ("please lint and format everything", "format lint"),
            ("run the tests", "test"),
            ("run the linter", "lint"),
            ("run the app locally", "run"),
            ("start the dev server", "run"),
            ("deploy to staging", "deploy"),
            ("release a new version", "release"),
            ("type check the code", "check"),
            ("check the types", "check"),
            ("install the dependencies", "install"),
            ("commit this", "commit"),
            ("format the date column", ""),
            ("test the parser", ""),
            ("validate the email of the form", ""),
            ("build a settings page", ""),
            ("run", ""),
            ("the code", ""),
            ("a new type", ""),
            ("", ""),
        ] {
            assert_eq!(asked(task), acts, "{task}");
        }
    }

    fn act_in(text: &str, act: Act) -> Option<Act> {
        told_in(text, &[act]).map(|told| told.act)
    }

    #[test]
    fn a_command_tells_what_it_is_named_for_and_what_its_sentence_says() {
        let vp = "Run `vp check` and `vp test` to format, lint, type check and test changes.";
        for act in [Act::Format, Act::Lint, Act::Check, Act::Test] {
            assert_eq!(act_in(vp, act), Some(act));
        }
        assert_eq!(act_in(vp, Act::Build), None);
        assert_eq!(
            act_in("Before a PR: `cargo fmt --all`.", Act::Format),
            Some(Act::Format)
        );
        assert_eq!(
            act_in("変更後は `pnpm run lint` を実行する。", Act::Lint),
            Some(Act::Lint)
        );
        assert_eq!(
            act_in("`mise run test:bats` runs them.", Act::Check),
            Some(Act::Check)
        );
    }

    #[test]
    fn a_variant_of_a_command_says_more_than_was_asked() {
        let told = |text: &str| told_in(text, &[Act::Test]).unwrap();
        let plain = told("Run `make test-all -j4` or `make test`.");
        for (text, more) in [
            ("`make test:unit` for unit tests", 1),
            ("`make -C docs test` tests the docs", 2),
            ("`make all` runs the tests", BESIDE),
            ("`npm test`", 0),
            ("`make test` again", 0),
        ] {
            assert_eq!(told(text).more_than(&plain), more, "{text}");
            assert_eq!(plain.more_than(&told(text)), 0, "{text}");
        }
    }

    #[test]
    fn an_act_that_is_only_spoken_of_tells_no_command() {
        for (text, act) in [
            ("Formats of dates follow ISO 8601.", Act::Format),
            ("`Formatter` is a trait.", Act::Format),
            (
                "Write `import type` for types. Tests come first.",
                Act::Test,
            ),
            ("`git commit -m 'add tests'` at the end.", Act::Test),
            ("`make clean` before each build.", Act::Build),
            ("Tests are flaky, see `git log -3`.", Act::Test),
            ("`make test` does not run here.", Act::Test),
            ("", Act::Test),
        ] {
            assert_eq!(told_in(text, &[act]), None, "{text}");
        }
        assert_eq!(told_in("Run `make test`.", &[]), None);
    }
}
