//! Which of several checks of a line failed, where the output shows it.

use super::CheckResult;
use super::lines::{fails, task_of};
use crate::outcome::commands::{Check, CheckLine, classify, target};

/// How each check of a line that failed as a whole went. Empty where nothing shows which one it was: then nothing is said of any of them.
pub fn tell_apart(line: &CheckLine, output: &str) -> Vec<(Check, CheckResult)> {
    let turn_of = |check: Check| line.turns.iter().position(|turn| turn.check == check);
    let failed = failed_one(line, output);
    let Some((failed, at)) = failed.and_then(|failed| Some((failed, turn_of(failed)?))) else {
        return Vec::new();
    };
    let result_of = |check: Check| {
        let turn = turn_of(check).unwrap_or(line.turns.len());
        let is_last = || line.turns.iter().rposition(|turn| turn.check == check) == Some(turn);
        let led_there = || line.turns[turn + 1..=at].iter().all(|turn| turn.needs_last);
        if check == failed {
            CheckResult::Failed
        } else if turn < at && is_last() && led_there() {
            CheckResult::Passed
        } else {
            // It did not run, or nothing tells.
            CheckResult::Unknown
        }
    };
    line.checks
        .iter()
        .map(|check| (*check, result_of(*check)))
        .collect()
}

/// The one check that everything points at.
fn failed_one(line: &CheckLine, output: &str) -> Option<Check> {
    if let [only] = line.checks[..] {
        return Some(only);
    }
    let is_own = |text: &str| line.echoes.iter().any(|echo| echo == text.trim());
    let lines = || output.lines().filter(|text| !is_own(text));
    let told = line.turns.iter().zip(&line.seen);
    let told = told.filter(|(_, seen)| seen.told(output, false) == Some(false));
    let told = told.map(|(turn, _)| turn.check);
    let said = lines().filter_map(|text| blamed(text, &line.checks));
    let mut failed: Vec<Check> = told.chain(said).collect();
    failed.sort_unstable();
    failed.dedup();
    match failed[..] {
        [failed] => Some(failed),
        // Of a chain the last that began is the one that failed.
        [] if line.turns[1..].iter().all(|turn| turn.needs_last) => {
            let begun = lines().rev().find_map(begun);
            begun.filter(|check| line.checks.contains(check))
        }
        _ => None,
    }
}

/// The check of the line that a failure must be of, by the words that tell of it.
fn blamed(text: &str, checks: &[Check]) -> Option<Check> {
    let (task, words) = task_of(text.trim());
    let may_be = fails(words)?;
    let named = task.and_then(target).or_else(|| named_in(words));
    if let Some(named) = named {
        return checks.contains(&named).then_some(named);
    }
    let mut of = checks.iter().filter(|check| may_be.contains(check));
    of.next().copied().filter(|_| of.next().is_none())
}

/// The script or target that a runner says has failed: `make: *** [Makefile:3: lint] Error 1`.
fn named_in(words: &str) -> Option<Check> {
    let name = if let Some(rest) = words.strip_prefix("make: *** [") {
        rest.split(']').next()?.rsplit(' ').next()?
    } else {
        let script = words.split_once("Lifecycle script `")?.1;
        script.split('`').next()?
    };
    target(name)
}

/// The check that a runner says it begins: `> web@1.0.0 lint`, `[test:ci] $ go test ./...`.
fn begun(text: &str) -> Option<Check> {
    let (task, words) = task_of(text.trim());
    if let Some(command) = words.strip_prefix("$ ") {
        let named = task.and_then(target);
        return named.or_else(|| classify(command)?.checks.first().copied());
    }
    let mut words = words.strip_prefix("> ")?.split(' ');
    words.next().filter(|package| package.contains('@'))?;
    target(words.next()?)
}

#[test]
fn a_check_that_runs_again_behind_the_one_that_failed_has_not_passed() {
    use CheckResult::{Failed, Passed, Unknown};
    let failed = "make: *** [Makefile:3: test] Error 1";
    for (command, lint) in [
        ("make lint && make test", Passed),
        ("make lint && make test && make lint", Unknown),
        ("make lint && make test; make lint", Unknown),
    ] {
        let line = classify(command).unwrap();
        let each = tell_apart(&line, failed);
        assert!(each.contains(&(Check::Test, Failed)), "{command}: {each:?}");
        assert!(each.contains(&(Check::Lint, lint)), "{command}: {each:?}");
    }
}
