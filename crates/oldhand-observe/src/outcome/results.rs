//! What a check's output says about its result, for when the exit code is hidden or unknown.

mod each;
#[cfg(test)]
mod ecosystems;
mod hooks;
mod lines;
mod settled;

use super::commands::{Check, CheckLine, ExitCode};
use crate::fingerprint::without_exit_code;
pub use each::tell_apart;
pub use hooks::refused_by;
pub use lines::read;
use lines::{Shown, count_before, first_number, read_shown};
pub use settled::settle;

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckResult {
    Passed,
    Failed,
    /// Nothing in the exit code or the output tells.
    Unknown,
}

/// How the checks of a line went. A trusted exit code outranks every word of the output.
///
/// What did not run, or found nothing to run, is neither: a missing program and a timeout say nothing about the work.
pub fn judge(line: &CheckLine, exit_code: Option<i32>, output: &str) -> CheckResult {
    if left_running(output).is_some()
        || did_not_run(line, exit_code, output)
        || line.checks == [Check::Test] && ran_no_test(output)
    {
        return CheckResult::Unknown;
    }
    // It was ended because its reader left.
    let exit_code = exit_code.filter(|code| *code != 141);
    match (line.exit, exit_code) {
        (ExitCode::Tells, Some(0)) => CheckResult::Passed,
        (ExitCode::Tells, Some(_)) => CheckResult::Failed,
        // A search that finds nothing ends so; only what it let through can tell.
        (ExitCode::Filtered, Some(1)) => look(line, exit_code, output),
        // A hidden exit code that is still bad means at least that the line as a whole failed.
        (ExitCode::Masked | ExitCode::Filtered, Some(code)) if code != 0 => {
            match look(line, exit_code, output) {
                CheckResult::Passed => CheckResult::Passed,
                _ => CheckResult::Failed,
            }
        }
        _ => look(line, exit_code, output),
    }
}

/// How the checks of a line went by what it shows: what it prints of them itself, else their own words.
fn look(line: &CheckLine, exit_code: Option<i32>, output: &str) -> CheckResult {
    let silent = exit_code == Some(0) && is_silent(line, output);
    let told = |seen: &super::commands::Seen| seen.told(output, silent);
    if line.seen.iter().any(|seen| told(seen) == Some(false)) {
        return CheckResult::Failed;
    }
    let mut untold = line
        .seen
        .iter()
        .filter(|seen| told(seen).is_none())
        .peekable();
    if untold.peek().is_none() {
        return CheckResult::Passed;
    }
    let shown = Shown {
        is_cut: untold.any(|seen| seen.is_cut(output)),
        only_tests: line.checks == [Check::Test],
    };
    // What the line prints by itself is no word of its checks.
    let is_own = |text: &&str| line.echoes.iter().any(|echo| echo == text.trim());
    let said: Vec<&str> = output.lines().filter(|text| !is_own(text)).collect();
    read_shown(&said.join("\n"), shown)
}

/// Whether nothing was printed but what the line prints by itself. Clients say in words of their own that there was nothing.
fn is_silent(line: &CheckLine, output: &str) -> bool {
    let printed = match output.split_once("Output:\n") {
        Some((front, printed)) if front.contains("exited with code") => printed,
        _ => output,
    };
    let is_nothing = |text: &str| {
        text.is_empty()
            || matches!(text, "(Bash completed with no output)" | "(no output)")
            || text.starts_with("Shell cwd was reset to ")
            || line.echoes.iter().any(|echo| echo == text)
    };
    printed.lines().all(|text| is_nothing(text.trim()))
}

/// The name that a client gives to a command of which it only says that it was started: how it went is told later, if at all.
pub(crate) fn left_running(output: &str) -> Option<&str> {
    let told = output.trim_start();
    let line = told.lines().next()?;
    let is_command = line.starts_with("Command running in background")
        || line.starts_with("Command was manually backgrounded")
        || line.starts_with("Command ") && line.contains("moved to the background");
    let named = if is_command {
        line.split_once("ID: ").map_or("", |(_, named)| named)
    } else {
        line.strip_prefix("Process running with session ID ")?
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    named.split(|c: char| !is_name(c)).next()
}

/// Whether the program was not there or was ended from outside.
fn did_not_run(line: &CheckLine, exit_code: Option<i32>, output: &str) -> bool {
    // Not executable, not found; a timeout, and what a killed program leaves.
    if matches!(exit_code, Some(126 | 127 | 124 | 130 | 137 | 143)) {
        return true;
    }
    let ended_well = exit_code == Some(0);
    if ended_well && line.exit == ExitCode::Tells {
        return false;
    }
    let is_missing = |line: &&str| says_not_run(without_exit_code(line.trim()));
    if !output.lines().any(|line| is_missing(&line)) {
        return false;
    }
    // A shell that missed something on the way, and then ran what failed, did run it. That a task failed says nothing of that.
    let is_runner =
        |line: &str| line.trim().starts_with("NX ") || line.ends_with("ERROR task failed");
    let others = output
        .lines()
        .filter(|line| !is_missing(line) && !is_runner(line));
    let others: Vec<&str> = others.collect();
    match read(&others.join("\n")) {
        CheckResult::Failed => false,
        CheckResult::Passed => !ended_well,
        CheckResult::Unknown => true,
    }
}

fn says_not_run(line: &str) -> bool {
    line.starts_with("Command timed out")
        || line.ends_with("command not found")
        || line.contains(": command not found:")
        || line.contains("is not recognized as an internal or external command")
        || line.starts_with("No module named pytest")
        || line.ends_with(": No module named pytest")
        // What it was to run through does not take it for a command of its own.
        || line.starts_with("error: unrecognized subcommand '")
        || line.starts_with("make: *** [") && line.ends_with("Error 127")
}

/// Whether a run of tests says that there were none, and of no test that it ran.
fn ran_no_test(output: &str) -> bool {
    let mut none = false;
    for line in output.lines().map(str::trim) {
        let lower = line.to_ascii_lowercase();
        let ran = ["passed", "failed", "passing", "failing", "errors", "error"]
            .iter()
            .any(|word| count_before(&lower, word).is_some_and(|count| count > 0))
            || (lower.starts_with("ran ") && first_number(line).is_some_and(|count| count > 0))
            || lower.starts_with("ok") && !lower.contains("[no tests to run]") && lower.len() > 2
            || lower.starts_with("--- fail")
            || lower.starts_with("error");
        if ran {
            return false;
        }
        none |= [
            "no tests ran",
            "collected 0 items",
            "running 0 tests",
            "ran 0 tests",
            "no tests found",
            "no test files",
            "no tests to run",
            "no tests were found",
            "0 passing",
            "0 passed; 0 failed",
            "0 tests executed",
            "no test is available",
        ]
        .iter()
        .any(|words| lower.contains(words));
    }
    none
}

#[cfg(test)]
mod tests;
