//! What the lines say that runners of tests, compilers and linters end with.

use super::CheckResult;
use crate::outcome::commands::Check;

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Failed,
    /// All of it passed: such a line is written once, at the end.
    Passed,
    /// A part passed; what fails is told by other lines.
    Part,
}

/// What is known of an output besides its words.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shown {
    /// What would tell of a failure may have been kept back.
    pub(super) is_cut: bool,
    /// Nothing but tests was run: that they were built says nothing.
    pub(super) only_tests: bool,
}

/// How a check went, from its output alone. One failure anywhere is a failure.
pub fn read(output: &str) -> CheckResult {
    read_shown(output, Shown::default())
}

pub(super) fn read_shown(output: &str, shown: Shown) -> CheckResult {
    let mut passed = false;
    let mut ran_unittest = false;
    let mut before = "";
    for line in output.lines() {
        let line = without_task(line.trim());
        if line.is_empty() {
            continue;
        }
        let said = if line.starts_with("Ran ") && line.contains(" test") {
            ran_unittest = true;
            None
        } else if ran_unittest && (line == "OK" || line.starts_with("OK (")) {
            Some(Said::Passed)
        } else if line.starts_with("Finished") && shown.only_tests {
            None
        } else if before.starts_with("# ") && is_go_error(line) {
            Some(Said::Failed)
        } else {
            read_line(line)
        };
        match said {
            Some(Said::Failed) => return CheckResult::Failed,
            Some(Said::Passed) => passed = true,
            Some(Said::Part) => passed |= !shown.is_cut,
            None => {}
        }
        before = line;
    }
    if passed {
        CheckResult::Passed
    } else {
        CheckResult::Unknown
    }
}

/// Without the name of the task that printed it.
fn without_task(line: &str) -> &str {
    task_of(line).1
}

/// The name of the task that printed a line, and the line without it: `[lint:go] 0 issues.`
pub(super) fn task_of(line: &str) -> (Option<&str>, &str) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-' | '/');
    let task = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "));
    match task {
        // sbt and maven say so themselves, and pnpm which error it is.
        Some(("success" | "error" | "info" | "INFO" | "ERROR" | "build", _)) => (None, line),
        Some((name, _)) if name.starts_with("ERR_") => (None, line),
        Some((name, rest)) if !name.is_empty() && name.chars().all(is_name) => {
            (Some(name), rest.trim_start())
        }
        _ => (None, line),
    }
}

/// The checks that may have printed a line that tells of a failure; `None` where it tells of none.
pub(super) fn fails(line: &str) -> Option<&'static [Check]> {
    use Check::{Build, Lint, Test, TypeCheck};
    if read_line(line) != Some(Said::Failed) {
        return None;
    }
    let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    let ends = |words: &[&str]| words.iter().any(|word| line.ends_with(word));
    let counted = ["failed", "failure", "failures"];
    let counted = counted
        .iter()
        .any(|word| count_before(line, word).is_some());
    Some(
        if starts(&[
            "test result: ",
            "error: test failed",
            "Summary [",
            "--- FAIL:",
            "FAIL\t",
            "FAIL  ",
            "FAILED ",
            "Tests:",
            "Test Suites:",
            "Tests  ",
            "Test Files  ",
            "# fail ",
            "not ok ",
            "Executed ",
        ]) || ends(&[" failing", " fail"])
            || has(&[" example, ", " examples, "])
            || matches!(line, "FAIL" | "FAILURES!" | "ERRORS!" | "** TEST FAILED **")
            || counted
        {
            &[Test]
        } else if line.ends_with(" issues:") || starts(&["✖ ", "✗ "]) {
            &[Lint]
        } else if has(&["error TS"]) {
            &[TypeCheck, Build]
        } else if starts(&["Found "]) {
            &[Lint, TypeCheck]
        } else {
            &[Test, Build, TypeCheck, Lint]
        },
    )
}

/// Whether only a run of tests prints such a line.
pub(super) fn tells_of_tests(line: &str) -> bool {
    let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let counts = |word: &str| count_before(line, word).is_some();
    starts(&[
        "test result: ",
        "Tests:",
        "Test Suites:",
        "Tests  ",
        "Test Files  ",
        "--- FAIL:",
        "--- PASS:",
        "ok  \t",
        "ok | ",
        "# pass ",
        "All tests passed",
    ]) || starts(&["Summary ["]) && line.contains(" tests run: ")
        || starts(&["Ran "]) && counts("tests") | counts("test")
        || starts(&["OK ("]) && counts("tests") | counts("test")
        || has_seconds(line) && counts("passed") | counts("failed")
        || counts("passing") | counts("failing")
        || counts("examples") && counts("failures") | counts("failure")
        || counts("runs") && counts("assertions")
        || line.contains("% tests passed")
}

/// Whether go names a place in its code, below the package that it could not build.
fn is_go_error(line: &str) -> bool {
    let place = line.strip_prefix("vet: ").unwrap_or(line);
    let Some((file, rest)) = place.split_once(".go:") else {
        return false;
    };
    let mut numbers = rest.split(':').take(2);
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    !file.contains(' ') && numbers.by_ref().all(is_number) && rest.matches(':').count() >= 2
}

fn read_line(line: &str) -> Option<Said> {
    use Said::{Failed, Part, Passed};
    let by_count = |failures: Option<u64>| {
        Some(if failures.unwrap_or(0) == 0 {
            Passed
        } else {
            Failed
        })
    };
    let starts = |prefix: &str| line.starts_with(prefix);

    // cargo
    if let Some(rest) = line.strip_prefix("test result: ") {
        return Some(if rest.starts_with("ok") { Part } else { Failed });
    }
    let targets = || count_before(line, "target").or_else(|| count_before(line, "targets"));
    if starts("error: could not compile")
        || starts("error[E")
        || starts("error: test failed")
        || starts("error: ") && line.ends_with(" failed:") && targets().is_some()
    {
        return Some(Failed);
    }
    if starts("Finished `")
        || starts("Finished dev")
        || starts("Finished test")
        || starts("Finished release")
    {
        return Some(Part);
    }
    // nextest
    if starts("Summary [") && line.contains(" tests run: ") {
        return by_count(count_before(line, "failed"));
    }
    // go
    if starts("--- FAIL:") || line == "FAIL" || starts("FAIL\t") || starts("FAIL  ") {
        return Some(Failed);
    }
    if starts("ok  \t") || starts("ok      ") || line == "PASS" {
        return Some(Part);
    }
    if starts("vet: ") && is_go_error(line) {
        return Some(Failed);
    }
    if starts("panic: ") && !line.contains("recovered") {
        return Some(Failed);
    }
    // pytest, playwright, ruff, mypy, unittest
    if (starts("=") || line.contains(" in "))
        && (line.contains(" passed") || line.contains(" failed") || line.contains(" error"))
        && line.contains(" in ")
        && has_seconds(line)
        && ["passed", "failed", "error", "errors"]
            .iter()
            .any(|word| count_before(line, word).is_some())
    {
        let failures = count_before(line, "failed").unwrap_or(0)
            + count_before(line, "error").unwrap_or(0)
            + count_before(line, "errors").unwrap_or(0);
        return by_count(Some(failures));
    }
    if starts("FAILED (") || starts("FAILED tests/") || starts("FAILED test") {
        return Some(Failed);
    }
    if line == "All checks passed!"
        || starts("Success: no issues found")
        || starts("0 issues.")
        || line == "0 issues"
    {
        return Some(Part);
    }
    if starts("Found ") && (line.contains(" error") || line.contains(" problem")) {
        let bare = line.trim_end_matches('.');
        let errors = count_before(bare, "errors").or_else(|| count_before(bare, "error"));
        return by_count(errors.or_else(|| first_number(line)));
    }
    // golangci-lint counts them before it lists the linters.
    if line.ends_with(" issues:") && line.split(' ').count() == 2 {
        return first_number(line)
            .filter(|count| *count > 0)
            .map(|_| Failed);
    }
    // jest, vitest, mocha, bun, node, deno
    if starts("Tests:") || starts("Test Suites:") || starts("Tests  ") || starts("Test Files  ") {
        return if line.contains("passed") || line.contains("failed") {
            by_count(count_before(line, "failed"))
        } else {
            None
        };
    }
    if line.contains(" passing") && (line.ends_with(')') || line.ends_with("passing")) {
        return Some(Passed);
    }
    if line.ends_with(" failing") || starts("# fail ") || line.ends_with(" fail") {
        return by_count(first_number(line));
    }
    if starts("ok | ") || starts("FAILED | ") {
        return Some(if starts("ok") { Passed } else { Failed });
    }
    if starts("not ok ") && !line.contains("# TODO") && !line.contains("# SKIP") {
        return Some(Failed);
    }
    // nx, mise, pnpm, astro, vite
    if starts("NX ") && line.contains(" ran target") {
        return line.contains("Successfully").then_some(Passed);
    }
    if starts("NX ") && line.contains("Running target") && line.contains("failed")
        || line == "ERROR task failed"
        || starts("[ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL]")
        || starts("ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL")
        || starts("Oops! Something went wrong! :(")
    {
        return Some(Failed);
    }
    // dart and flutter, clojure
    if line.ends_with("All tests passed!") {
        return Some(Passed);
    }
    if line.ends_with("Some tests failed.") {
        return Some(Failed);
    }
    if line.ends_with(" errors.") && count_before(line, "failures").is_some() {
        let errors = first_number(line.rsplit(',').next().unwrap_or_default());
        let failures = count_before(line, "failures").unwrap_or(0);
        return by_count(Some(failures + errors.unwrap_or(0)));
    }
    if line.ends_with("[build] Complete!") || starts("✓ built in ") {
        return Some(Part);
    }
    // ExUnit, minitest
    if let Some(rest) = line.strip_prefix("Result: ")
        && rest.contains(" passed")
    {
        let share = rest.split(' ').next().and_then(|part| part.split_once('/'));
        let all = share.is_none_or(|(passed, of)| passed == of);
        return Some(if all { Passed } else { Failed });
    }
    let tests = ["tests", "test", "runs", "doctests"];
    let tests = tests.iter().any(|word| count_before(line, word).is_some());
    if tests
        && let Some(failures) =
            count_before(line, "failures").or_else(|| count_before(line, "failure"))
    {
        return by_count(Some(failures + count_before(line, "errors").unwrap_or(0)));
    }
    // tsc, eslint, biome
    if line.contains("error TS") && line.contains(": ") {
        return Some(Failed);
    }
    // That it found errors biome says below it.
    let is_biome =
        starts("Checked ") && (line.contains(" files in ") || line.contains(" file in "));
    if is_biome && (line.ends_with(" No fixes applied.") || line.contains(" Fixed ")) {
        return Some(Part);
    }
    if starts("error: script \"") && line.contains("\" exited with code ") {
        return Some(Failed);
    }
    if (starts("✖ ") || starts("✗ ")) && line.contains("problem") {
        return by_count(count_before(line, "errors").or_else(|| count_before(line, "error")));
    }
    // mvn, gradle, sbt, dotnet, xcode, swift
    if starts("BUILD SUCCESS")
        || line.ends_with("BUILD SUCCESS")
        || starts("[success]")
        || starts("Build succeeded")
        || line == "** TEST SUCCEEDED **"
        || line == "** BUILD SUCCEEDED **"
        || starts("Build complete!")
        || starts("Passed!")
    {
        return Some(Passed);
    }
    if starts("BUILD FAIL")
        || line.ends_with("BUILD FAILURE")
        || starts("[error] (")
        || starts("Build FAILED")
        || line == "** TEST FAILED **"
        || line == "** BUILD FAILED **"
        // It did not come to building: no such device, scheme or project.
        || starts("xcodebuild: error: ")
        || starts("Failed!")
    {
        return Some(Failed);
    }
    if starts("Executed ") && line.contains("failure")
        || line.contains(" examples, ")
        || line.contains(" example, ")
    {
        return by_count(count_before(line, "failures").or_else(|| count_before(line, "failure")));
    }
    // phpunit, ctest, npm, make, generic compilers
    if starts("OK (") && line.contains("test") || line.contains("100% tests passed") {
        return Some(Passed);
    }
    if line == "FAILURES!"
        || line == "ERRORS!"
        || line.contains(" tests failed out of ")
        || starts("npm ERR!")
        || starts("npm error")
        || starts("make: *** [")
        || starts("error Command failed")
        || starts("ELIFECYCLE")
        || starts("Compilation failed")
    {
        return Some(Failed);
    }
    None
}

fn has_seconds(line: &str) -> bool {
    line.split_once(" in ")
        .is_some_and(|(_, after)| after.starts_with(|c: char| c.is_ascii_digit()))
}

/// The number right before `word`: 3 in `3 failed`.
pub(super) fn count_before(line: &str, word: &str) -> Option<u64> {
    let mut before: Option<&str> = None;
    for part in line
        .split([' ', ',', ';', '(', ')', '=', '|', ':'])
        .filter(|part| !part.is_empty())
    {
        if part == word
            && let Some(number) = before.and_then(|text| text.parse().ok())
        {
            return Some(number);
        }
        before = Some(part);
    }
    None
}

pub(super) fn first_number(line: &str) -> Option<u64> {
    line.split(|c: char| !c.is_ascii_digit())
        .find(|part| !part.is_empty())?
        .parse()
        .ok()
}
