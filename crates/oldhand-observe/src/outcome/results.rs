//! What a check's output says about its result, for when the exit code is hidden or unknown.

use super::commands::{Check, CheckLine, ExitCode};
use crate::fingerprint::without_exit_code;

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
        || did_not_run(exit_code, output)
        || line.checks == [Check::Test] && ran_no_test(output)
    {
        return CheckResult::Unknown;
    }
    match (line.exit, exit_code) {
        (ExitCode::Tells, Some(0)) => CheckResult::Passed,
        (ExitCode::Tells, Some(_)) => CheckResult::Failed,
        // A search that finds nothing ends so; only what it let through can tell.
        (ExitCode::Filtered, Some(1)) => read(output),
        // A hidden exit code that is still bad means at least that the line as a whole failed.
        (ExitCode::Masked | ExitCode::Filtered, Some(code)) if code != 0 => match read(output) {
            CheckResult::Passed => CheckResult::Passed,
            _ => CheckResult::Failed,
        },
        _ => read(output),
    }
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
fn did_not_run(exit_code: Option<i32>, output: &str) -> bool {
    // Not executable, not found; a timeout, and what a killed program leaves.
    if matches!(exit_code, Some(126 | 127 | 124 | 130 | 137 | 143)) {
        return true;
    }
    if exit_code == Some(0) {
        return false;
    }
    let is_missing = |line: &&str| says_not_run(without_exit_code(line.trim()));
    if !output.lines().any(|line| is_missing(&line)) {
        return false;
    }
    // A shell that missed something on the way, and then ran what failed, did run it.
    let others: Vec<&str> = output.lines().filter(|line| !is_missing(line)).collect();
    read(&others.join("\n")) != CheckResult::Failed
}

fn says_not_run(line: &str) -> bool {
    line.starts_with("Command timed out")
        || line.ends_with("command not found")
        || line.contains(": command not found:")
        || line.contains("is not recognized as an internal or external command")
        || line.starts_with("No module named pytest")
        || line.ends_with(": No module named pytest")
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

/// How a check went, from its output alone. One failure anywhere is a failure.
pub fn read(output: &str) -> CheckResult {
    let mut passed = false;
    let mut ran_unittest = false;
    for line in output.lines() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if line.starts_with("Ran ") && line.contains(" test") {
            ran_unittest = true;
            continue;
        }
        if ran_unittest && (line == "OK" || line.starts_with("OK (")) {
            passed = true;
            continue;
        }
        match read_line(line) {
            Some(CheckResult::Failed) => return CheckResult::Failed,
            Some(CheckResult::Passed) => passed = true,
            _ => {}
        }
    }
    if passed {
        CheckResult::Passed
    } else {
        CheckResult::Unknown
    }
}

fn read_line(line: &str) -> Option<CheckResult> {
    use CheckResult::{Failed, Passed};
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
        return Some(if rest.starts_with("ok") {
            Passed
        } else {
            Failed
        });
    }
    if starts("error: could not compile") || starts("error[E") || starts("error: test failed") {
        return Some(Failed);
    }
    if starts("Finished `")
        || starts("Finished dev")
        || starts("Finished test")
        || starts("Finished release")
    {
        return Some(Passed);
    }
    // go
    if starts("--- FAIL:") || line == "FAIL" || starts("FAIL\t") || starts("FAIL  ") {
        return Some(Failed);
    }
    if starts("ok  \t") || starts("ok      ") || line == "PASS" {
        return Some(Passed);
    }
    if starts("panic: ") && !line.contains("recovered") {
        return Some(Failed);
    }
    // pytest, playwright, ruff, mypy, unittest
    if (starts("=") || line.contains(" in "))
        && (line.contains(" passed") || line.contains(" failed") || line.contains(" error"))
        && line.contains(" in ")
        && has_seconds(line)
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
        return Some(Passed);
    }
    if starts("Found ") && (line.contains(" error") || line.contains(" problem")) {
        return by_count(first_number(line));
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
    // tsc, eslint, biome
    if line.contains("error TS") && line.contains(": ") {
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
fn count_before(line: &str, word: &str) -> Option<u64> {
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

fn first_number(line: &str) -> Option<u64> {
    line.split(|c: char| !c.is_ascii_digit())
        .find(|part| !part.is_empty())?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_from_real_shapes() {
        use CheckResult::{Failed, Passed, Unknown};
        let cases = [
            ("test result: ok. 3 passed; 0 failed; 0 ignored", Passed),
            (
                "test result: ok. 3 passed\ntest result: FAILED. 1 passed; 2 failed",
                Failed,
            ),
            (
                "error[E0308]: mismatched types\nerror: could not compile `a`",
                Failed,
            ),
            (
                "    Finished `dev` profile [unoptimized] target(s) in 1s",
                Passed,
            ),
            (
                "ok  \tgithub.com/a/b\t0.3s\n?   \tgithub.com/a/c\t[no test files]",
                Passed,
            ),
            (
                "--- FAIL: TestX (0.00s)\nFAIL\nFAIL\tgithub.com/a/b\t0.1s",
                Failed,
            ),
            ("===== 3 passed, 1 warning in 0.12s =====", Passed),
            ("===== 1 failed, 2 passed in 3.20s =====", Failed),
            ("3 passed in 0.01s", Passed),
            ("Ran 4 tests in 0.003s\n\nOK", Passed),
            ("Ran 4 tests in 0.003s\n\nFAILED (failures=1)", Failed),
            ("Tests:       1 failed, 3 passed, 4 total", Failed),
            (
                "Tests:       3 passed, 3 total\nTest Suites: 1 passed, 1 total",
                Passed,
            ),
            (
                " Test Files  2 passed (2)\n      Tests  9 passed (9)",
                Passed,
            ),
            (" Test Files  1 failed | 2 passed (3)", Failed),
            ("  12 passing (3s)", Passed),
            ("  12 passing (3s)\n  1 failing", Failed),
            (" 3 pass\n 0 fail", Passed),
            ("# pass 3\n# fail 0", Passed),
            ("src/a.ts(3,4): error TS2304: Cannot find name 'x'.", Failed),
            ("Found 0 errors. Watching for file changes.", Passed),
            ("Found 3 errors in 2 files.", Failed),
            ("✖ 3 problems (0 errors, 3 warnings)", Passed),
            ("✖ 3 problems (2 errors, 1 warning)", Failed),
            ("[INFO] BUILD SUCCESS", Passed),
            ("[ERROR] BUILD FAILURE\n[INFO] BUILD FAILURE", Failed),
            ("BUILD SUCCESSFUL in 3s", Passed),
            ("All checks passed!", Passed),
            ("Success: no issues found in 12 source files", Passed),
            ("10 examples, 0 failures", Passed),
            ("10 examples, 2 failures", Failed),
            ("OK (3 tests, 9 assertions)", Passed),
            ("Passed!  - Failed:     0, Passed:     9", Passed),
            ("make: *** [Makefile:3: test] Error 1", Failed),
            ("0 issues.", Passed),
            ("hello\nworld", Unknown),
            ("", Unknown),
            ("the tests passed earlier", Unknown),
        ];
        for (output, expected) in cases {
            assert_eq!(read(output), expected, "{output}");
        }
    }

    #[test]
    fn a_trusted_exit_code_outranks_the_output() {
        let line = super::super::commands::classify("cargo test").unwrap();
        assert_eq!(
            judge(&line, Some(0), "error[E0308]: printed by a test"),
            CheckResult::Passed
        );
        assert_eq!(
            judge(&line, Some(101), "test result: ok."),
            CheckResult::Failed
        );
        assert_eq!(judge(&line, None, ""), CheckResult::Unknown);
    }

    #[test]
    fn what_did_not_run_is_neither_passed_nor_failed() {
        use CheckResult::{Failed, Passed, Unknown};
        let cases = [
            (
                "pytest",
                Some(127),
                "bash: pytest: command not found",
                Unknown,
            ),
            ("pytest", Some(1), "zsh: command not found: pytest", Unknown),
            ("npm test", Some(126), "", Unknown),
            (
                "make test",
                Some(124),
                "Command timed out after 2m 0.0s",
                Unknown,
            ),
            (
                "make test",
                Some(1),
                "Exit code 1 Command timed out after 2m 0.0s",
                Unknown,
            ),
            (
                "make test",
                Some(2),
                "make: pytest: command not found\nmake: *** [test] Error 127",
                Unknown,
            ),
            ("cargo test", Some(137), "", Unknown),
            (
                "npm test",
                Some(1),
                "sh: nvm: command not found\nTests: 3 failed, 9 passed, 12 total",
                Failed,
            ),
            (
                "pytest",
                Some(5),
                "===== no tests ran in 0.01s =====",
                Unknown,
            ),
            (
                "cargo test foo",
                Some(0),
                "running 0 tests\ntest result: ok. 0 passed; 0 failed; 0 ignored; 5 filtered out",
                Unknown,
            ),
            (
                "cargo test foo",
                Some(0),
                "running 0 tests\ntest result: ok. 0 passed; 0 failed\nrunning 2 tests\ntest result: ok. 2 passed; 0 failed",
                Passed,
            ),
            (
                "npx jest",
                Some(1),
                "No tests found, exiting with code 1",
                Unknown,
            ),
            (
                "go test ./...",
                Some(0),
                "?   \texample.org/a\t[no test files]",
                Unknown,
            ),
            (
                "go test ./...",
                Some(0),
                "?   \texample.org/a\t[no test files]\nok  \texample.org/b\t0.2s",
                Passed,
            ),
            (
                "pytest",
                Some(2),
                "collected 0 items / 1 error\n===== 1 error in 0.1s =====",
                Failed,
            ),
            ("cargo test", Some(0), "", Passed),
            ("cargo test", Some(101), "", Failed),
        ];
        for (command, exit_code, output, expected) in cases {
            let line = super::super::commands::classify(command).unwrap();
            assert_eq!(
                judge(&line, exit_code, output),
                expected,
                "{command}: {output}"
            );
        }
    }

    #[test]
    fn a_pipe_hides_the_exit_code() {
        let line = super::super::commands::classify("go test ./... | tail -5").unwrap();
        assert_eq!(judge(&line, Some(0), "FAIL\tx\t0.1s"), CheckResult::Failed);
        assert_eq!(judge(&line, Some(0), "ok  \tx\t0.1s"), CheckResult::Passed);
        assert_eq!(judge(&line, Some(0), "..."), CheckResult::Unknown);
    }
}
