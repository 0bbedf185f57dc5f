//! What a check whose name does not say it really ran, by what it printed: a script called `check` may be tests, or a linter.

use super::lines::{task_of, tells_of_tests};
use crate::outcome::commands::{Check, CheckLine, Turn, classify, is_bare_check, target};

/// Longer lines are no commands that a runner shows.
const LONGEST: usize = 200;

/// The line with what its output shows in place of what names only hint at.
pub fn settle(line: CheckLine, output: &str) -> CheckLine {
    if line.turns.iter().all(|turn| turn.by_name.is_none()) {
        return line;
    }
    let clear = line.turns.iter().filter(|turn| turn.by_name.is_none());
    let clear: Vec<Check> = clear.map(|turn| turn.check).collect();
    let mut shown = checks_shown(output);
    // What the line runs under its own name printed this.
    shown.retain(|check| !clear.contains(check));
    let (mut turns, mut seen) = (Vec::new(), Vec::new());
    for (turn, of) in line.turns.iter().zip(&line.seen) {
        let kinds = match turn.by_name {
            None => vec![turn.check],
            Some(_) if !shown.is_empty() => shown.clone(),
            Some(at_most) => vec![at_most],
        };
        for (step, check) in kinds.into_iter().enumerate() {
            // A script ends with the first of its commands that fails.
            let needs_last = step > 0 || turn.needs_last;
            turns.push(Turn {
                check,
                needs_last,
                by_name: None,
                at: turn.at,
            });
            seen.push(of.clone());
        }
    }
    let mut checks = Vec::new();
    for turn in &turns {
        if !checks.contains(&turn.check) {
            checks.push(turn.check);
        }
    }
    CheckLine {
        checks,
        seen,
        turns,
        ..line
    }
}

/// What an output shows to have run, in that order: by the commands that runners print before they run them, and by what only tests
/// say.
pub(super) fn checks_shown(output: &str) -> Vec<Check> {
    let mut found = Vec::new();
    for text in output.lines().map(str::trim) {
        let mut kinds = ran(text);
        if tells_of_tests(task_of(text).1) {
            kinds.push(Check::Test);
        }
        for kind in kinds {
            if !found.contains(&kind) {
                found.push(kind);
            }
        }
    }
    found
}

/// The checks that a line shows to begin: `> biome check`, `$ eslint .`, `task: [check] go vet ./...`, `cargo clippy`.
fn ran(text: &str) -> Vec<Check> {
    let text = text.strip_prefix("task: ").unwrap_or(text);
    let (_, words) = task_of(text);
    if words.len() > LONGEST {
        return Vec::new();
    }
    if let Some(shown) = words.strip_prefix("> ") {
        let mut steps = shown.split(' ');
        // `> shop@1.0.0 lint` names the script, and the next line what that runs.
        if steps.next().is_some_and(|package| package.contains('@')) {
            let script = steps.next().filter(|name| !is_bare_check(name));
            return script.and_then(target).into_iter().collect();
        }
    }
    let marks = ["> ", "$ ", "+ "];
    let marked = marks.iter().find_map(|mark| words.strip_prefix(mark));
    // `ruff check .` and `go vet ./...` are none.
    let is_sentence = words.contains(": ")
        || words.ends_with(['.', ':', '!']) && !words.ends_with(" .") && !words.ends_with("...");
    if marked.is_none() && is_sentence {
        return Vec::new();
    }
    let turns = classify(marked.unwrap_or(words)).map_or_else(Vec::new, |line| line.turns);
    let clear = turns.into_iter().filter(|turn| turn.by_name.is_none());
    clear.map(|turn| turn.check).collect()
}

#[test]
fn a_check_is_what_its_output_shows_to_have_run() {
    for (command, output, expected) in [
        (
            "npm run check",
            "> shop@1.0.0 check\n> biome check\n\nChecked 3 files",
            "lint",
        ),
        (
            "npm run check",
            "> shop@1.0.0 check\n> svelte-check && vitest run",
            "type check, test",
        ),
        (
            "pnpm check",
            "> shop@ check /srv/shop\n> npm run lint && npm test",
            "lint, test",
        ),
        (
            "yarn check",
            "yarn run v1.22\n$ eslint .\nDone in 1.2s.",
            "lint",
        ),
        ("bun run check", "$ tsc --noEmit", "type check"),
        (
            "just check",
            "cargo clippy --all-targets\n    Finished `dev` profile",
            "lint",
        ),
        ("just check", "", "check"),
        ("just check", "test result: ok. 3 passed; 0 failed", "test"),
        ("mise run check", "[check] $ go vet ./...", "lint"),
        ("task check", "task: [check] golangci-lint run", "lint"),
        ("npm run check", "", "check"),
        ("npm run check", "All checks passed!", "check"),
        ("make check", "", "test"),
        ("make check", "ruff check .\nAll checks passed!", "lint"),
        (
            "make check",
            "ruff check .\npytest\n3 passed in 0.1s",
            "lint, test",
        ),
        (
            "npm run check && npm test",
            "> a@1 check\n> biome check\nTests  3 passed (3)",
            "lint, test",
        ),
        (
            "npm run check && npm test",
            "Tests  3 passed (3)",
            "check, test",
        ),
        ("npm test", "> a@1 test\n> eslint .", "test"),
        ("npm run ci", "", "test"),
    ] {
        let line = settle(classify(command).unwrap(), output);
        let names: Vec<&str> = line.checks.iter().map(|check| check.as_str()).collect();
        assert_eq!(names.join(", "), expected, "{command}: {output}");
        assert_eq!(line.turns.len(), line.seen.len());
    }
}
