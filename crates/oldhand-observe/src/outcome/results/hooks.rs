//! Which checks of a hook kept a commit from being made, by what it printed.

use super::lines::fails;
use super::settled::checks_shown;
use crate::outcome::commands::{Check, classify, target};

/// The checks that failed in a hook before a commit; none where no hook refused it, or for other reasons than the work: its message,
/// the branch, files that the hook put into form itself.
pub fn refused_by(output: &str) -> Vec<Check> {
    let mut failed = failed_hooks(output);
    if failed.is_empty() && is_refused(output) {
        let named = output.lines().filter_map(|line| named_in(line.trim()));
        failed.extend(named);
        if failed.is_empty() {
            let told = output.lines().filter_map(|line| fails(line.trim()));
            failed.extend(told.filter(|kinds| kinds.len() == 1).flatten().copied());
        }
        // What began last is what failed.
        if failed.is_empty() {
            failed.push(checks_shown(output).pop().unwrap_or(Check::Unclear));
        }
    }
    failed.sort_unstable();
    failed.dedup();
    failed
}

/// Whether a runner of hooks says that the one before a commit failed.
fn is_refused(output: &str) -> bool {
    output.lines().any(|line| {
        let lower = line.to_ascii_lowercase();
        let of_commit = lower.contains("pre-commit") || lower.contains("lint-staged");
        of_commit && (lower.contains("exited with code") || lower.contains("failed"))
    }) || output.contains("lefthook") && output.lines().any(|line| line.contains("🥊 "))
}

/// The check that lint-staged or lefthook names as failed: `✖ eslint --fix:`, `🥊 lint`.
fn named_in(line: &str) -> Option<Check> {
    if let Some(command) = line.strip_prefix("✖ ") {
        return classify(command.trim_end_matches(':'))?
            .checks
            .first()
            .copied();
    }
    let name = line.strip_prefix("🥊 ")?.split(' ').next()?;
    target(name)
}

/// The hooks of pre-commit that failed: `mypy....Failed`, and below it its name and exit code.
fn failed_hooks(output: &str) -> Vec<Check> {
    let mut found = Vec::new();
    let mut lines = output.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let Some(title) = line
            .strip_suffix("Failed")
            .filter(|title| title.ends_with("..."))
        else {
            continue;
        };
        let (mut id, mut ended, mut changed) = ("", false, false);
        while let Some(told) = lines.next_if(|line| line.starts_with("- ")) {
            id = told.strip_prefix("- hook id: ").unwrap_or(id);
            ended |= told.starts_with("- exit code: ");
            changed |= told == "- files were modified by this hook";
        }
        let title = title.trim_end_matches('.').to_ascii_lowercase();
        let is_of_work = !["commit", "branch"]
            .iter()
            .any(|word| title.contains(word) || id.contains(word));
        if ended && !changed && is_of_work {
            found.push(kind_of(id, &title));
        }
    }
    found
}

fn kind_of(id: &str, title: &str) -> Check {
    let by_program = classify(id).and_then(|line| line.checks.first().copied());
    let named = |name: &str| target(&name.replace(' ', "-"));
    by_program
        .or_else(|| named(id))
        .or_else(|| named(title))
        .filter(|check| *check != Check::Build)
        .unwrap_or(Check::Lint)
}

#[test]
fn a_commit_that_a_hook_refused_tells_which_checks_failed() {
    let ruff = "ruff.....................................................................Failed\n- hook id: ruff\n- exit code: 1\n\na.py:1:1: F401";
    let tests = "pytest...................................................................Failed\n- hook id: pytest\n- exit code: 1";
    let fixed = "trim trailing whitespace.................................................Failed\n- hook id: trailing-whitespace\n- exit code: 1\n- files were modified by this hook";
    let branch = "don't commit to branch...................................................Failed\n- hook id: no-commit-to-branch\n- exit code: 1";
    let passed = "mypy.....................................................................Passed";
    for (output, expected) in [
        (ruff.to_owned(), "lint"),
        (format!("{passed}\n{ruff}\n{tests}"), "test, lint"),
        (fixed.to_owned(), ""),
        (branch.to_owned(), ""),
        ("husky - pre-commit hook exited with code 1 (error)\neslint found 3 errors".to_owned(), "lint"),
        ("> shop@1.0.0 test\n> vitest run\nTests  1 failed | 2 passed (3)\nhusky - pre-commit script failed (code 1)".to_owned(), "test"),
        ("✖ eslint --fix:\n/p/a.ts 1:1 error\nhusky - pre-commit hook exited with code 1 (error)".to_owned(), "lint"),
        ("husky - commit-msg hook exited with code 1 (error)\n✖ subject may not be empty".to_owned(), ""),
        ("nothing to commit, working tree clean".to_owned(), ""),
    ] {
        let names: Vec<&str> = refused_by(&output).iter().map(|check| check.as_str()).collect();
        assert_eq!(names.join(", "), expected, "{output}");
    }
}
