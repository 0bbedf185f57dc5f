//! How a line shows the result of a check where its exit code is another command's.

use super::{Check, check_of};
use crate::outcome::shell::{Simple, Then};

/// One check of a line, by what the line shows of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// What is printed right before its exit code: `exit=` of `; echo "exit=$?"`.
    code: Option<String>,
    /// The line that is printed only where it passed (`&& echo ok`).
    passed: Option<String>,
    /// And the one that is only where it failed.
    failed: Option<String>,
    /// It prints nothing where it passes and something where it fails, and that would be shown.
    is_silent: bool,
    cut: Cut,
}

/// What its pipe keeps back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Cut {
    /// Its end is shown.
    #[default]
    Nothing,
    /// All but so many lines of the beginning.
    After(usize),
    /// Whatever a search does not look for, failures among it.
    Anything,
}

/// What `head` shows unless it is told.
const HEAD: usize = 10;
/// A word as short as this is printed by much.
const TELLING: usize = 2;

impl Seen {
    /// What is shown of the check at this place of a line.
    pub(super) fn at(run: &[Simple], at: usize, line: &str, pipefail: bool) -> Self {
        let pipes = run[at..].iter().take_while(|it| it.then == Then::Pipe);
        let end = at + pipes.count();
        let filters = run.get(at + 1..=end).unwrap_or_default();
        let is_own = (filters.is_empty() || pipefail) && !is_always_well(&run[at].words);
        let is_quiet = says_nothing(&run[at].words);
        Self {
            code: code_of(run, end, is_own),
            passed: passed_of(run, at).filter(|_| is_own),
            failed: failed_of(run, at).filter(|_| is_own),
            is_silent: is_quiet && is_silent(run, at, filters, line),
            // Where it would print anything, the first line tells.
            cut: filters
                .iter()
                .map(cut_of)
                .find(|cut| *cut != Cut::Nothing && !is_quiet)
                .unwrap_or_default(),
        }
    }

    /// Whether it passed, where the line itself says so. `silent` is whether it printed nothing and ended well.
    pub(crate) fn told(&self, output: &str, silent: bool) -> Option<bool> {
        let lines = || output.lines().map(str::trim);
        let has =
            |word: &Option<String>| word.as_deref().is_some_and(|it| lines().any(|l| l == it));
        let code = self.code.as_deref().and_then(|before| {
            let digits = lines().find_map(|line| line.strip_prefix(before));
            let digits = digits?.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse::<u32>().ok()
        });
        // What was not there, or was ended from outside, says nothing.
        let code = code.filter(|code| !matches!(code, 124 | 126 | 127 | 130 | 137 | 143));
        match code {
            Some(code) => Some(code == 0),
            None if has(&self.failed) => Some(false),
            None if has(&self.passed) || self.is_silent && silent => Some(true),
            None => None,
        }
    }

    /// Whether what comes after a part that passed may have been kept back.
    pub(crate) fn is_cut(&self, output: &str) -> bool {
        match self.cut {
            Cut::Nothing => false,
            Cut::After(lines) => output.lines().count() >= lines || output.contains("\n…\n"),
            Cut::Anything => true,
        }
    }
}

/// What the line prints by itself, whatever becomes of its checks.
pub(super) fn echoes(run: &[Simple]) -> Vec<String> {
    run.iter().filter_map(plain_echo).collect()
}

/// What an `echo` prints that fills nothing in.
fn plain_echo(simple: &Simple) -> Option<String> {
    let is_plain = |word: &String| !word.contains(['$', '`', '\\']);
    let words = simple.words.strip_prefix(&["echo".to_owned()][..])?;
    (words.iter().all(is_plain) && simple.into.is_empty())
        .then(|| words.join(" ").trim().to_owned())
}

/// What stands before the exit code, where the very next command prints that.
fn code_of(run: &[Simple], end: usize, is_own: bool) -> Option<String> {
    let next = run.get(end + 1).filter(|_| run[end].then == Then::Next)?;
    let words = next.words.strip_prefix(&["echo".to_owned()][..])?.join(" ");
    let marks: &[&str] = if is_own {
        &["$?"]
    } else {
        &["${PIPESTATUS[0]}", "${pipestatus[1]}", "$pipestatus[1]"]
    };
    let before = marks.iter().find_map(|mark| words.split_once(mark))?.0;
    let is_telling = before.len() >= TELLING && !before.contains(['$', '`', '\\']);
    let is_only = run
        .iter()
        .filter(|it| it.words.join(" ").contains(before))
        .count()
        == 1;
    (is_telling && is_only).then(|| before.trim_start().to_owned())
}

fn passed_of(run: &[Simple], at: usize) -> Option<String> {
    // `a || b && echo ok` says nothing of `b`.
    if at > 0 && run[at - 1].then == Then::Or {
        return None;
    }
    let chain = run[at..].iter().take_while(|it| it.then == Then::And);
    let after = run.get(at + 1..=at + chain.count())?;
    after.iter().find_map(|it| said_once(run, it))
}

fn failed_of(run: &[Simple], at: usize) -> Option<String> {
    let next = run.get(at + 1).filter(|_| run[at].then == Then::Or)?;
    said_once(run, next)
}

/// What a command prints and no other one of the line does.
fn said_once(run: &[Simple], simple: &Simple) -> Option<String> {
    let word = plain_echo(simple).filter(|word| word.len() >= TELLING)?;
    (echoes(run).iter().filter(|other| **other == word).count() == 1).then_some(word)
}

/// Whether a check that prints nothing has passed: it is such a one, all of what it prints would be shown, and nothing
/// ended it or kept it from running.
fn is_silent(run: &[Simple], at: usize, filters: &[Simple], line: &str) -> bool {
    let shows =
        |filter: &Simple| matches!(filter.words[0].as_str(), "head" | "tail" | "cat" | "tee");
    let is_lost = |it: &Simple| matches!(it.then, Then::Or | Then::Aside);
    filters.iter().all(shows)
        && !run.iter().any(is_lost)
        && !run[at..].iter().any(|it| it.then == Then::Next)
        && !line.replace("2>&1", "").contains('>')
        && !line.contains("timeout")
}

/// Whether a program prints nothing where it finds nothing, and always something where it fails.
fn says_nothing(words: &[String]) -> bool {
    let [program, rest @ ..] = words else {
        return false;
    };
    let program = program.rsplit('/').next().unwrap_or(program);
    let has = |options: &[&str]| {
        let is_one = |word: &String| options.iter().any(|option| word.starts_with(option));
        rest.iter().any(is_one)
    };
    match program {
        "go" => matches!(
            rest.first().map(String::as_str),
            Some("build" | "vet" | "install")
        ),
        "tsc" | "vue-tsc" => !has(&["-w", "--watch", "--list", "--diag", "--extended"]),
        "eslint" => !has(&["-o", "--output", "-f", "--format"]),
        "gofmt" | "shellcheck" | "staticcheck" | "yamllint" | "actionlint" | "hadolint" => {
            check_of(words) == Some(Check::Lint)
        }
        "cargo" => rest.first().is_some_and(|verb| verb == "fmt"),
        _ => false,
    }
}

/// Whether a program ends well whatever it finds: it lists what is not formatted.
pub(super) fn is_always_well(words: &[String]) -> bool {
    words[0].ends_with("gofmt")
}

fn cut_of(filter: &Simple) -> Cut {
    let program = filter.words[0].rsplit('/').next().unwrap_or_default();
    let rest = &filter.words[1..];
    match program {
        "tail" | "cat" | "tee" | "sort" | "uniq" => Cut::Nothing,
        "head" => {
            let number = |word: &String| {
                word.trim_start_matches("-n")
                    .trim_start_matches('-')
                    .parse()
            };
            let lines = rest.iter().find_map(|word| number(word).ok());
            Cut::After(lines.unwrap_or(HEAD))
        }
        "grep" | "egrep" | "rg" => {
            let text = rest.join(" ").to_ascii_lowercase();
            let is_turned = |word: &String| {
                word == "--invert-match"
                    || word.starts_with('-') && !word.starts_with("--") && word.contains('v')
            };
            let finds_failures = text.contains("fail") || text.contains("error");
            if rest.iter().any(is_turned) == finds_failures {
                Cut::Anything
            } else {
                Cut::Nothing
            }
        }
        _ => Cut::Anything,
    }
}
