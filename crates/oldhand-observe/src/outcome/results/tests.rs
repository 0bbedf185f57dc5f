//! Real shapes of output, and what they say.

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

#[test]
fn a_check_whose_reader_left_is_judged_by_what_it_showed() {
    let line = "set -o pipefail; go test ./... 2>&1 | head -2";
    for (output, expected) in [
        ("ok  \tx/a\t0.1s\nok  \tx/b\t0.2s", CheckResult::Unknown),
        ("--- FAIL: TestX (0.00s)\nFAIL", CheckResult::Failed),
    ] {
        assert_eq!(judged(line, Some(141), output), expected, "{output}");
    }
}

fn judged(command: &str, exit_code: Option<i32>, output: &str) -> CheckResult {
    let line = super::super::commands::classify(command).expect("a check");
    judge(&line, exit_code, output)
}

#[test]
fn what_a_pipe_shows_tells_where_it_can() {
    use CheckResult::{Failed, Passed, Unknown};
    let go = "ok  \tx/a\t0.1s\nok  \tx/b\t0.2s";
    let cases = [
        // The end of a run of go says whether anything failed, its beginning does not.
        ("go test ./... 2>&1 | tail -2", go, Passed),
        ("go test ./... 2>&1 | head -2", go, Unknown),
        ("go test ./... 2>&1 | head -40", go, Passed),
        ("go test ./... 2>&1 | head -n 2 | cat", go, Unknown),
        ("go test ./... 2>&1 | head --lines=2", go, Unknown),
        ("go test ./... 2>&1 | head --lines 40", go, Passed),
        // Bytes and "all but the last" may keep back anything.
        ("go test ./... 2>&1 | head -c 40", go, Unknown),
        ("go test ./... 2>&1 | head -c40", go, Unknown),
        ("go test ./... 2>&1 | head --bytes=40", go, Unknown),
        ("go test ./... 2>&1 | head -n -5", go, Unknown),
        ("go test ./... 2>&1 | head -40 | grep ok", go, Unknown),
        ("go test ./... 2>&1 | head -3 | grep -v '?'", go, Unknown),
        ("go test ./... 2>&1 | grep ok", go, Unknown),
        ("go test ./... 2>&1 | grep -E 'FAIL|ok'", go, Passed),
        ("go test ./... 2>&1 | grep -v 'no test files'", go, Passed),
        ("go test ./... 2>&1 | grep -v FAIL", go, Unknown),
        ("go test ./... 2>&1 | sed -n 1,2p", go, Unknown),
        ("go test ./... 2>&1 | grep ok", "ok  \tx\nFAIL\tx", Failed),
        // A line that sums up is written at the end, wherever it is found.
        (
            "pytest 2>&1 | grep passed",
            "=== 3 passed in 0.12s ===",
            Passed,
        ),
        (
            "npx jest 2>&1 | head -1",
            "Tests:       3 passed, 3 total",
            Passed,
        ),
        (
            "npx jest 2>&1 | head -1",
            "Tests:       1 failed, 3 total",
            Failed,
        ),
        // That tests were built says nothing of them.
        (
            "cargo test 2>&1 | head -50",
            "    Finished `test` profile [unoptimized] in 1s",
            Unknown,
        ),
        (
            "cargo build 2>&1 | tail -1",
            "    Finished `dev` profile [unoptimized] in 1s",
            Passed,
        ),
        (
            "cargo test --workspace --no-fail-fast 2>&1 | tail -8",
            "test result: ok. 3 passed; 0 failed\n\nerror: 1 target failed:\n    `-p a --lib`",
            Failed,
        ),
        (
            "cargo test --workspace --no-fail-fast 2>&1 | tail -8",
            "test result: ok. 3 passed; 0 failed\n\nerror: 2 targets failed:\n    `-p a --lib`",
            Failed,
        ),
        // What the line itself prints is no word of the check.
        (
            "npx jest 2>&1 | tail -1; echo PASS",
            "Ran all test suites.\nPASS",
            Unknown,
        ),
        (
            "dotnet build 2>&1 | tail -1; echo \"Build succeeded\"",
            "Time Elapsed 00:00:03\nBuild succeeded",
            Unknown,
        ),
        (
            "go test ./... 2>&1 | tail -1; echo PASS",
            "ok  \tx/a\t0.1s\nPASS",
            Passed,
        ),
        // One of several checks that failed is a failure.
        (
            "go test ./... 2>&1 | tail -3 && golangci-lint run 2>&1 | tail -2",
            "ok  \tx\t0.1s\n1 issues:\n* revive: 1",
            Failed,
        ),
    ];
    for (command, output, expected) in cases {
        assert_eq!(
            judged(command, Some(0), output),
            expected,
            "{command}: {output}"
        );
    }
}

#[test]
fn silence_is_a_pass_only_of_what_says_nothing_else() {
    use CheckResult::{Failed, Passed, Unknown};
    let nothing = "(Bash completed with no output)";
    let cases = [
        ("go build ./... 2>&1 | head -20", nothing, Passed),
        ("cd web && npx tsc --noEmit 2>&1 | tail -5", "", Passed),
        (
            "go vet ./... 2>&1 | head -5 && echo VET-OK",
            "VET-OK",
            Passed,
        ),
        (
            "go build ./... 2>&1 | head && go vet ./... 2>&1 | head",
            "",
            Passed,
        ),
        ("gofmt -l . && echo formatted", "formatted", Passed),
        ("gofmt -l . && echo formatted", "a.go\nformatted", Unknown),
        ("gofmt -l .", "a.go", Unknown),
        (
            "go build ./... 2>&1 | head",
            "Chunk ID: 1\nProcess exited with code 0\nOutput:\n",
            Passed,
        ),
        // It went elsewhere, was cut off, was not reached or is not of that kind.
        ("go build ./... 2>/dev/null | head", "", Unknown),
        ("go build ./... > log 2>&1 | head", "", Unknown),
        ("timeout 5 go build ./... 2>&1 | head", "", Unknown),
        ("go build ./... 2>&1 | grep foo", "", Unknown),
        ("npx tsc --noEmit 2>&1 | tail -n +2", "", Unknown),
        ("npx tsc --noEmit 2>&1 | tail +2", "", Unknown),
        ("npx tsc --noEmit 2>&1 | tail -n 0", "", Unknown),
        ("npx tsc --noEmit 2>&1 | head -n -3", "", Unknown),
        ("npx tsc --noEmit 2>&1 | tail -n 3", "", Passed),
        ("test -d web || go build ./... 2>&1 | head", "", Unknown),
        (
            "test -d web && go build ./... 2>&1 | head; true",
            "",
            Unknown,
        ),
        ("go test ./... 2>&1 | head", "", Unknown),
        ("npx eslint -o report . 2>&1 | head", "", Unknown),
        ("go build ./... 2>&1 | head", "go: downloading x", Unknown),
        (
            "go build ./... 2>&1 | head",
            "# x/a\na/b.go:3:4: undefined: c",
            Failed,
        ),
        (
            "go vet ./... 2>&1 | grep -v '^#'",
            "vet: a/b.go:3:4: undefined: c",
            Failed,
        ),
        ("go vet ./... | head; grep -n x *.go", "b.go:3: x", Unknown),
    ];
    for (command, output, expected) in cases {
        assert_eq!(
            judged(command, Some(0), output),
            expected,
            "{command}: {output}"
        );
    }
    let unknown = judged("go build ./... 2>&1 | head", None, "");
    assert_eq!(unknown, Unknown, "nobody knows whether it ended");
}

#[test]
fn a_line_may_print_how_its_check_ended() {
    use CheckResult::{Failed, Passed, Unknown};
    let cases = [
        ("pytest -q > log 2>&1; echo \"exit=$?\"", "exit=0", Passed),
        ("pytest -q > log 2>&1; echo \"exit=$?\"", "exit=1", Failed),
        (
            "pytest -q > log 2>&1; echo \"exit=$?\"",
            "exit=127",
            Unknown,
        ),
        ("pytest -q > log 2>&1; echo $?", "0", Unknown),
        ("pytest -q > log; date; echo exit=$?", "exit=0", Unknown),
        ("pytest -q | tail -1; echo \"exit=$?\"", "exit=0", Unknown),
        (
            "pytest -q | tail -1; echo \"exit=${PIPESTATUS[0]}\"",
            "exit=0",
            Passed,
        ),
        (
            "pytest -q | tail -1; echo \"exit=${PIPESTATUS[0]}\"",
            "exit=",
            Unknown,
        ),
        (
            "make test 2>&1; echo \"exit=$?\"",
            "exit=0 of setup\nexit=2",
            Failed,
        ),
        // Whoever read it left first, and it was ended by that.
        (
            "pytest -q | head -5; echo \"exit=${PIPESTATUS[0]}\"",
            "exit=141",
            Unknown,
        ),
        (
            "pytest > log; echo a=$?; mypy . > log; echo b=$?",
            "a=0\nb=1",
            Failed,
        ),
        ("pytest > log; echo a=$?; mypy . > log", "a=0", Unknown),
        ("go test ./... >/dev/null && echo ALL; date", "ALL", Passed),
        ("go test ./... >/dev/null && echo ALL; date", "Mon", Unknown),
        (
            "go test ./... >/dev/null && echo ALL; echo ALL",
            "ALL",
            Unknown,
        ),
        (
            "make test >/dev/null || echo BROKEN; date",
            "BROKEN",
            Failed,
        ),
        ("go test ./... | tail -1 && echo ALL; date", "ALL", Unknown),
        ("make test && echo OK || echo FAILED", "FAILED", Failed),
        ("make test && echo OK || echo FAILED", "OK", Passed),
        (
            "make test && ./publish && echo OK || echo FAILED",
            "FAILED",
            Unknown,
        ),
        (
            "make test | tail -1 && echo OK || echo FAILED",
            "FAILED",
            Unknown,
        ),
        (
            "true || make test >/dev/null && echo ALL; date",
            "ALL",
            Unknown,
        ),
    ];
    for (command, output, expected) in cases {
        assert_eq!(
            judged(command, Some(0), output),
            expected,
            "{command}: {output}"
        );
    }
}

#[test]
fn runners_of_tasks_say_how_they_ended() {
    use CheckResult::{Failed, Passed, Unknown};
    for (output, expected) in [
        ("[lint:go] 0 issues.\n[lint] Finished in 3ms", Passed),
        ("[lint:go] 1 issues:\n[lint:go] * goconst: 1", Failed),
        ("Finished in 3.02s\n[lint:go] ERROR task failed", Failed),
        (" NX   Successfully ran target lint for project api", Passed),
        (" NX   Running target lint for project api failed", Failed),
        ("12:01:53 [build] Complete!", Passed),
        ("✓ built in 3.21s", Passed),
        ("Found 3 warnings and 0 errors.", Passed),
        ("Found 0 warnings and 2 errors.", Failed),
        (
            "Summary [   1.2s] 12 tests run: 12 passed, 0 skipped",
            Passed,
        ),
        (
            "Summary [   1.2s] 12 tests run: 11 passed, 1 failed, 0 skipped",
            Failed,
        ),
        ("Result: 944 passed, 4 excluded", Passed),
        ("Result: 15/24 passed", Failed),
        ("24 tests, 0 failures", Passed),
        ("3 doctests, 24 tests, 2 failures", Failed),
        (
            "9 runs, 30 assertions, 0 failures, 1 errors, 0 skips",
            Failed,
        ),
        ("Oops! Something went wrong! :(", Failed),
        (
            "1 passed in 0.1s\n[ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL] web@1.0.0 test: `vitest`",
            Failed,
        ),
        ("there are 3 issues: none matters", Unknown),
    ] {
        assert_eq!(read(output), expected, "{output}");
    }
    let missing =
        "/bin/sh: uvx: command not found\n NX   Running target lint for project api failed";
    assert_eq!(judged("nx lint api | tail", Some(0), missing), Unknown);
    let asks = super::super::commands::classify("command -v shellcheck || true");
    assert_eq!(asks, None, "it only asks whether it is there");
}
