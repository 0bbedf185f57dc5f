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
    cuts: Vec<Cut>,
}

/// What a program in its pipe keeps back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// The end is shown.
    Nothing,
    /// All but so many lines of the beginning.
    After(usize),
    /// Whatever a search does not look for, failures among it.
    Anything,
}

/// What `head` and `tail` show unless they are told.
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
            cuts: if is_quiet {
                Vec::new()
            } else {
                (0..filters.len()).map(|at| cut_at(filters, at)).collect()
            },
        }
    }

    /// Whether it passed, where the line itself says so. `silent` is whether it printed nothing and ended well.
    pub(crate) fn told(&self, output: &str, silent: bool) -> Option<bool> {
        let lines = || output.lines().map(str::trim);
        let has =
            |word: &Option<String>| word.as_deref().is_some_and(|it| lines().any(|l| l == it));
        let code = self.code.as_deref().and_then(|before| {
            // The check may print such a line, too, and before the one of the shell.
            let digits = lines().rev().find_map(|line| line.strip_prefix(before));
            let digits = digits?.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse::<u32>().ok()
        });
        // What was not there, or was ended from outside or by a reader that left, says nothing.
        let code = code.filter(|code| !matches!(code, 124 | 126 | 127 | 130 | 137 | 141 | 143));
        match code {
            Some(code) => Some(code == 0),
            None if has(&self.failed) => Some(false),
            None if has(&self.passed) || self.is_silent && silent => Some(true),
            None => None,
        }
    }

    /// Whether what comes after a part that passed may have been kept back.
    pub(crate) fn is_cut(&self, output: &str) -> bool {
        self.cuts.iter().any(|cut| match cut {
            Cut::Nothing => false,
            Cut::After(lines) => output.lines().count() >= *lines || output.contains("\n…\n"),
            Cut::Anything => true,
        })
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
    // `&& echo ok` in between fails by itself never.
    let is_echo = |next: usize| run.get(next).is_some_and(|it| plain_echo(it).is_some());
    let mut last = at;
    while run[last].then == Then::And && is_echo(last + 1) {
        last += 1;
    }
    let next = run.get(last + 1).filter(|_| run[last].then == Then::Or)?;
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
    let shows = |filter: &Simple| match filter.words[0].as_str() {
        "cat" | "tee" => true,
        "head" | "tail" => lines_of(filter).is_some_and(|lines| lines > 0),
        _ => false,
    };
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

/// What the program at this place of a pipe keeps back. What comes after it may leave out lines that would have to be counted.
fn cut_at(filters: &[Simple], at: usize) -> Cut {
    let keeps = |it: &Simple| matches!(it.words[0].as_str(), "cat" | "tee");
    match cut_of(&filters[at]) {
        Cut::After(_) if !filters[at + 1..].iter().all(keeps) => Cut::Anything,
        cut => cut,
    }
}

/// How many lines `head` or `tail` shows; `None` where it is told otherwise: in bytes, from a line on, all but the last.
fn lines_of(filter: &Simple) -> Option<usize> {
    let mut lines = HEAD;
    let mut words = filter.words[1..].iter();
    while let Some(word) = words.next() {
        let number = match word.as_str() {
            "-n" | "--lines" => words.next()?,
            word => ["--lines=", "-n", "-"]
                .iter()
                .find_map(|option| word.strip_prefix(option))?,
        };
        // A number may have a sign for the parser, and then it says something else.
        let is_plain = number.starts_with(|c: char| c.is_ascii_digit());
        lines = number.parse().ok().filter(|_| is_plain)?;
    }
    Some(lines)
}

fn cut_of(filter: &Simple) -> Cut {
    let program = filter.words[0].rsplit('/').next().unwrap_or_default();
    let rest = &filter.words[1..];
    match program {
        "tail" | "cat" | "tee" | "sort" | "uniq" => Cut::Nothing,
        "head" => lines_of(filter).map_or(Cut::Anything, Cut::After),
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
