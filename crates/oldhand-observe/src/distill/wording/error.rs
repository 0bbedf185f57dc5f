//! The words for an error that came, with what to do about it. Without a remedy there is nothing to tell.

use oldhand_domain::payload::BuiltInType;

use super::Wording;
use crate::detect::{Solved, SolvedBy};
use crate::distill::phrase::{clip, seen, shortened, without_plumbing};
use crate::distill::remedy::{is_remedy, missing_program, options_apart};
use crate::fingerprint::hook_words;
use crate::outcome::commands::{main_command, program_key};
use crate::outcome::shell::commands;

/// What runs another program is no more words than these: `mise exec --`.
const RUNNER: usize = 4;

/// An error as it was met.
pub(super) struct Met<'a> {
    pub message: &'a str,
    pub command: &'a str,
    pub count: u32,
    pub sessions: u32,
}

impl Met<'_> {
    pub(super) fn word(&self, solved: Option<&Solved>) -> Option<Wording> {
        if let Some(words) = hook_words(self.message) {
            return says_what_to_do(words).then(|| self.refused(words));
        }
        let solved = solved?;
        if let Some(wording) = self.runs_through(solved) {
            return Some(wording);
        }
        // That something was edited before it passed says nothing to anybody else.
        let (fix, short) = match &solved.by {
            SolvedBy::First(other) if self.is_answered(solved) => (
                format!("It passed after `{other}`."),
                format!("run `{}` first", clip(other, 60)),
            ),
            SolvedBy::Command(other) if self.is_answered(solved) => {
                let other = without_plumbing(other);
                // Where the options differ they are the answer; what it was about that day is chance.
                match difference(self.command, other) {
                    Some((how, Differs::LeftOut)) => {
                        (format!("It works {how}."), format!("it works {how}"))
                    }
                    Some((how, Differs::Given)) => (
                        format!("What worked instead ({how}): `{other}`."),
                        format!("it works {how}"),
                    ),
                    None => (
                        format!("What worked instead: `{other}`."),
                        format!("use `{}`", clip(other, 60)),
                    ),
                }
            }
            // A test that passes when it is run again is worth knowing by its name.
            SolvedBy::Again if is_test(self.message) => (
                "It passed when run again unchanged, so it may be flaky.".to_owned(),
                "passes when run again".to_owned(),
            ),
            _ => return None,
        };
        let failing = self.failing(solved);
        let message = clip(self.message, 220);
        let often = match (self.count, self.sessions) {
            (1, 1) => String::new(),
            (1, sessions) => format!(" (seen in {sessions} sessions)"),
            (count, 1) => format!(" (seen {count} times)"),
            (count, sessions) => {
                format!(" (seen {count} times in one session, in {sessions} sessions)")
            }
        };
        let content = format!("{failing} fails with \"{message}\"{often}. {fix}");
        // The answer must survive when the line is cut, so the question is cut first.
        let lines =
            [60, 40, 24].map(|limit| format!("{failing}: \"{}\": {short}", clip(&message, limit)));
        let summary = shortened(
            lines
                .into_iter()
                .chain([format!("{failing} fails: {short}")]),
        );
        Some(Wording::plain(BuiltInType::ErrorPattern, content, summary))
    }

    /// A program that is not there and runs through another one: which one is the answer, whatever both were to do that day.
    fn runs_through(&self, solved: &Solved) -> Option<Wording> {
        let SolvedBy::Command(other) = &solved.by else {
            return None;
        };
        let program = missing_program(self.message).filter(|_| self.is_answered(solved))?;
        let failed = main_command(without_plumbing(self.command))?;
        if failed.words.first().is_none_or(|word| word != program) {
            return None;
        }
        let words: Vec<&str> = without_plumbing(other).split_whitespace().collect();
        let at = words.iter().position(|word| *word == program)?;
        let is_one = |word: &&str| !word.contains(['&', '|', ';', '=', '(']);
        let runs = (1..=RUNNER).contains(&at) && words[..at].iter().all(is_one);
        let through = words[..=at].join(" ");
        runs.then(|| {
            Wording::plain(
                BuiltInType::ErrorPattern,
                format!(
                    "`{program}` alone fails with \"{}\" ({}). Run it as `{through}`.",
                    clip(self.message, 120),
                    seen(self.sessions)
                ),
                format!("Run `{program}` as `{through}`: alone it is not found"),
            )
        })
    }

    fn is_answered(&self, solved: &Solved) -> bool {
        is_remedy(self.message, self.command, &solved.by)
    }

    fn failing(&self, solved: &Solved) -> String {
        let command = without_plumbing(self.command);
        // Where it is for an option that was left out, nothing else of that day belongs to it.
        if let SolvedBy::Command(other) = &solved.by
            && let Some((_, Differs::LeftOut)) = difference(command, without_plumbing(other))
            && let Some((gone, _)) = options_apart(command, other)
            && let Some(program) = program_key(command)
        {
            return format!("`{program} {}`", gone.join(" "));
        }
        if command.is_empty() {
            "A call".to_owned()
        } else {
            format!("`{}`", clip(command, 80))
        }
    }

    /// A hook of the client would not let a call through: its words are the rule, whatever was called that day.
    fn refused(&self, words: &str) -> Wording {
        let line = commands(self.command);
        let keys = line
            .iter()
            .filter_map(|simple| program_key(&simple.words.join(" ")));
        let keys: Vec<String> = keys.collect();
        // Of several commands the one that the words speak of.
        let spoken = keys.iter().find(|key| {
            let verb = key.rsplit(' ').next().unwrap_or(key);
            words.contains(verb)
        });
        let what = spoken.map_or("a call".to_owned(), |key| format!("`{key}`"));
        let words = clip(words, 160);
        Wording::plain(
            BuiltInType::ErrorPattern,
            format!(
                "A hook refuses {what} here: \"{words}\" ({}).",
                seen(self.sessions)
            ),
            format!("A hook refuses {what}: {}", clip(&words, 90)),
        )
    }
}

/// How a call differs from one of the same program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Differs {
    /// In nothing but options that it has not.
    LeftOut,
    /// In options that it has.
    Given,
}

/// What another call of the same program has, or has not: `without `--lib``.
fn difference(command: &str, other: &str) -> Option<(String, Differs)> {
    let (gone, new) = options_apart(command, other)?;
    let quoted = |options: Vec<String>| -> String {
        let quoted = options.iter().map(|option| format!("`{option}`"));
        quoted.collect::<Vec<_>>().join(" and ")
    };
    let (gone, new) = (quoted(gone), quoted(new));
    match (gone.is_empty(), new.is_empty()) {
        (true, true) => None,
        (false, true) => Some((format!("without {gone}"), Differs::LeftOut)),
        (true, false) => Some((format!("with {new}"), Differs::Given)),
        (false, false) => Some((format!("without {gone}, with {new}"), Differs::Given)),
    }
}

#[test]
fn the_options_that_differ_are_the_answer() {
    for (command, other, told) in [
        (
            "cargo test options --lib",
            "cargo test --bin app cli::tests",
            Some("without `--lib`, with `--bin`"),
        ),
        (
            "cargo test options --lib",
            "cargo test other 2>&1 | tail -5",
            Some("without `--lib`"),
        ),
        ("vp check", "vp check --fix", Some("with `--fix`")),
        ("pytest -q tests", "python -m pytest tests", None),
        ("make db", "make all", None),
    ] {
        assert_eq!(
            difference(command, other).map(|(how, _)| how).as_deref(),
            told,
            "{command} / {other}"
        );
    }
}

#[test]
fn a_program_that_runs_through_another_is_told_with_it() {
    let told = |message: &str, command: &str, other: &str| {
        let met = Met {
            message,
            command,
            count: 2,
            sessions: 2,
        };
        let by = SolvedBy::Command(other.to_owned());
        let solved = Solved {
            by,
            steps: 3,
            words: None,
            advised: false,
        };
        let wording = met.word(Some(&solved))?;
        Some(wording.content)
    };
    let missing = "zsh:<n>: command not found: go";
    assert_eq!(
        told(
            missing,
            "go run ./cmd/app --help",
            "mise exec -- go test ./..."
        )
        .as_deref(),
        Some(
            "`go` alone fails with \"zsh:<n>: command not found: go\" (seen in 2 sessions). Run it as `mise exec -- go`."
        )
    );
    let other = told(
        "error: unknown option --fast",
        "go run --fast",
        "go run --quick",
    );
    assert!(other.is_some_and(|words| words.contains("What worked instead")));
    let in_sh = told(
        "<path>: <n>: go: not found",
        "go test",
        "mise exec -- go test",
    );
    assert!(in_sh.is_some_and(|words| words.ends_with("Run it as `mise exec -- go`.")));
    // What is not found is another program, or no program at all.
    for (message, command, other) in [
        (
            "<path>: <n>: ruff: not found",
            "make lint",
            "uv run make lint",
        ),
        (
            "bash: ruff: command not found",
            "make lint",
            "uv run make lint",
        ),
        (
            "Error from server (NotFound): services \"foo\" not found",
            "kubectl get svc foo",
            "mise exec -- kubectl get svc foo -n prod",
        ),
    ] {
        let words = told(message, command, other).unwrap_or_default();
        assert!(!words.contains("Run it as"), "{words}");
    }
}

/// Whether words of refusal say more than that something is dangerous.
fn says_what_to_do(words: &str) -> bool {
    let lower = words.to_lowercase();
    let lower = lower.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    let asks = [
        "use", "instead", "first", "not", "don't", "never", "must", "only", "run",
    ];
    lower.into_iter().any(|word| asks.contains(&word))
}

fn is_test(message: &str) -> bool {
    message.starts_with("test ") && message.ends_with(" fails")
}
