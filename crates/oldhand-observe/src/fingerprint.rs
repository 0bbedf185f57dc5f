//! The same error told twice gets the same fingerprint: what varies from run to run is taken out.

use oldhand_domain::event::Digest;

mod echo;
mod failing;
mod generic;
mod kind;
mod noise;
mod normal;
mod refusal;
mod rules;
mod shapes;

use echo::{is_banner, is_echo};
pub use kind::{kind_of, kinds_in};
use noise::{
    has_word_of_failure, is_aside, is_found, is_logged, is_numbered_name, is_row, is_source,
    is_warning, logged_error,
};
pub use normal::{normalise, without_module};
pub use refusal::hook_words;
use rules::rule_of;
pub use rules::{BrokenRule, broken_rules};
use shapes::is_path;

/// An error without its paths, numbers, hashes and times, and the digest of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalError {
    pub fingerprint: Digest,
    /// One line that a person still recognises.
    pub message: String,
}

/// Longer lines are cut: the beginning names the error.
const LINE_LIMIT: usize = 240;

/// Weaker lines say that something failed, or anything at all, but not what.
const TELLING: u8 = 3;

/// How strong a line is that says itself that it is an error.
const SAYS_SO: u8 = 8;

/// Lines at least this strong stand in for a stronger one that names nothing.
const NAMES_AN_ERROR: u8 = 6;

/// The error an output tells of; `None` when there is nothing to tell.
///
/// A run of tests is known by the test that failed, everything else by the line that names the error. What would read the same
/// for another error of the project has no fingerprint: its fix would be told to everybody who meets any of them.
pub fn fingerprint(output: &str) -> Option<NormalError> {
    let message = match failing::failing_test(output) {
        _ if refusal::is_refusal(output) => refusal::refusal(output)?,
        Some(test) => format!("test {test} fails"),
        None => told_once(telling_message(output)?),
    };
    Some(NormalError {
        fingerprint: Digest::of(&message),
        message,
    })
}

/// A message that is told twice over, as it is where two streams of one program are joined, is the same message.
fn told_once(message: String) -> String {
    let middle = message.len() / 2;
    let halves = message.split_at_checked(middle);
    match halves.and_then(|(first, second)| Some((first, second.strip_prefix(' ')?))) {
        Some((first, second)) if first == second => first.to_owned(),
        _ => message,
    }
}

/// The line that names what went wrong, without what varies: the strongest cue wins, the first among equals.
///
/// A Python traceback names its error last, most others first.
fn telling_message(output: &str) -> Option<String> {
    let mut best: Option<(u8, String)> = None;
    let mut strongest = TELLING;
    let mut traceback = false;
    let mut is_announced = false;
    for line in output.lines().map(|line| without_exit_code(line.trim())) {
        // What a runner is about to run is no error, whatever its options are called.
        if is_echo(line) || is_announced && line.starts_with("> ") {
            is_announced = is_banner(line);
            continue;
        }
        is_announced &= line.is_empty();
        if line.starts_with("Traceback (most recent call last)") {
            traceback = true;
        }
        let (line, strength) = match logged_error(line) {
            Some(logged) => logged,
            None => (line, strength(line, traceback)),
        };
        strongest = strongest.max(strength);
        if best.as_ref().is_some_and(|(so_far, _)| strength <= *so_far) || strength < TELLING {
            continue;
        }
        let message = normalise(&line[..line.floor_char_boundary(LINE_LIMIT)]);
        if !generic::is_generic(&message) {
            best = Some((strength, message));
        }
    }
    // Where the error itself names nothing, something that only sounds like one must not take its place.
    best.filter(|(strength, _)| *strength >= strongest.min(NAMES_AN_ERROR))
        .map(|(_, message)| message)
}

/// Some clients put the exit code in front of the output, on the same line.
pub(crate) fn without_exit_code(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("Exit code ") else {
        return line;
    };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.trim().is_empty() {
        line
    } else {
        rest.trim_start()
    }
}

fn strength(line: &str, traceback: bool) -> u8 {
    if line.len() < 4 || is_frame(line) || is_chatter(line) {
        return 0;
    }
    let head = line
        .trim_start_matches(['>', '|', '-', '=', '*', '#', ' ', '✗', '✖', '×', '!', 'E'])
        .trim_start();
    let head = if head.is_empty() { line } else { head };
    let starts = |prefix: &str| {
        head.len() >= prefix.len()
            && head.as_bytes()[..prefix.len()].eq_ignore_ascii_case(prefix.as_bytes())
    };
    if traceback && is_exception(head) {
        return 9;
    }
    if starts("exit code")
        || starts("exit status")
        || starts("process exited")
        || starts("command failed")
    {
        return 1;
    }
    // A heading says that a list of failures follows.
    let heading = head.trim_end_matches([':', '=', '-', ' ']);
    if heading.eq_ignore_ascii_case("failures") || heading.eq_ignore_ascii_case("errors") {
        return 1;
    }
    if line.contains("ERROR task failed") || is_exit(head) {
        return 1;
    }
    if said_of_a_place(line).is_some_and(|finding| finding.len() >= 8) {
        return 7;
    }
    // npm repeats at the end what the telling line already said.
    if starts("npm error") || starts("npm err!") {
        return 3;
    }
    if [
        "error[",
        "error:",
        "error ",
        "fatal:",
        "panic:",
        "failed ",
        "fail ",
        "cannot ",
        "unable to ",
    ]
    .iter()
    .any(|prefix| starts(prefix))
        || is_exception(head)
    {
        return SAYS_SO;
    }
    let lower = line.to_ascii_lowercase();
    if [
        ": error",
        "error ts",
        "undefined:",
        "not found",
        "no such file",
        "permission denied",
        "cannot find",
        "no rule to make",
        "undeclared",
        "does not exist",
        "is not defined",
        "but not defined",
        "already exists",
        "unknown ",
        "invalid ",
        "unexpected ",
        "refused",
        "timed out",
        "mismatch",
        "conflict",
    ]
    .iter()
    .any(|cue| lower.contains(cue))
    {
        return 6;
    }
    if has_word_of_failure(line) {
        return 4;
    }
    2
}

/// A line that says itself that nothing is wrong, or only that something is.
fn is_chatter(line: &str) -> bool {
    // That a test begins says nothing, whatever stands behind it.
    line.starts_with("=== RUN")
        || is_source(line)
        || said_of_a_place(line).is_some_and(is_found)
        || is_aside(line)
        || is_row(line)
        || is_warning(line)
        || is_logged(line)
        || generic::is_summary(line)
}

/// A runner that only says that something failed.
fn is_exit(head: &str) -> bool {
    let lower = head.to_ascii_lowercase();
    [
        "elifecycle",
        "command failed with exit code",
        "exited with code",
        "task failed",
        "failed with exit code",
    ]
    .iter()
    .any(|cue| lower.contains(cue))
}

/// What is said of a place: `src/a.go:10:2: …` or `src/a.ts(3,4): …`.
fn said_of_a_place(line: &str) -> Option<&str> {
    let (place, finding) = line.split_once(": ")?;
    let numbered = place.contains(|c: char| c.is_ascii_digit()) && place.contains([':', '(']);
    (numbered && !place.contains(' ') && is_path(place)).then_some(finding)
}

/// `TypeError: x`, `java.lang.IllegalStateException: x`, `MyError`.
fn is_exception(line: &str) -> bool {
    let name = line.split([':', ' ']).next().unwrap_or("");
    (name.ends_with("Error") || name.ends_with("Exception"))
        && name.len() > 5
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '.' || c == '_')
}

/// Lines that place an error without naming it.
fn is_frame(line: &str) -> bool {
    line.starts_with("at ")
        || line.starts_with("File \"")
        || line.starts_with("--> ")
        || line.starts_with("goroutine ")
        || is_numbered_name(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_told_twice_over_is_one() {
        let once = "error: unrecognized subcommand 'bun' Usage: rtk [OPTIONS]";
        assert_eq!(told_once(format!("{once} {once}")), once);
        assert_eq!(told_once(once.to_owned()), once);
        assert_eq!(told_once("é é".to_owned()), "é");
    }

    #[test]
    fn what_varies_is_taken_out() {
        let cases = [
            (
                "ENOENT: no such file or directory, open '/home/a/project/.env.local'",
                "ENOENT: no such file or directory, open '<path>'",
            ),
            (
                "2026-01-16T10:20:19Z timeout after 30.5s at 127.0.0.1:8080",
                "<time> timeout after <n>s at <n>:<n>",
            ),
            (
                "src/main.rs:12:5: error[E0308]: mismatched types",
                "<path>: error[E0308]: mismatched types",
            ),
            (
                "commit 9a7f3c21b not found in ab12cd34-1111-2222-3333-444455556666",
                "commit <hash> not found in <hash>",
            ),
            (
                "error TS2345: Argument of type 'utf8' and/or 3 more",
                "error TS2345: Argument of type 'utf8' and/or <n> more",
            ),
            ("foo_test.go:42: want 3, got 4", "<path>: want <n>, got <n>"),
            (
                "error: </system-reminder> closes </div> in </etc/hosts>",
                "error: </system-reminder> closes </div> in <<path>>",
            ),
            (
                "panic at 0x7ffe12 in https://x.y/z?a=1",
                "panic at <hash> in <url>",
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(normalise(line), expected, "{line}");
        }
    }

    #[test]
    fn two_tellings_of_one_error_agree() {
        let one = fingerprint(
            "Exit code 1\n/a/b.go:3:4: undefined: parseToken\nmake: *** [build] Error 2",
        )
        .unwrap();
        let two = fingerprint("Exit code 2\n/x/y/b.go:30:1: undefined: parseToken\n").unwrap();
        assert_eq!(one, two);
        let other = fingerprint("/x/y/b.go:30:1: undefined: parseKey\n").unwrap();
        assert_ne!(one.fingerprint, other.fingerprint);
    }

    #[test]
    fn the_telling_line_is_found() {
        let cases = [
            (
                "warning: unused\nerror[E0599]: no method named `poll`\n --> src/a.rs:1:1\nerror: could not compile `y`",
                "error[E0599]: no method named `poll`",
            ),
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nKeyError: 'token'",
                "KeyError: 'token'",
            ),
            (
                "--- FAIL: TestLogin (0.00s)\n    a_test.go:3: bad\nFAIL\nexit status 1",
                "test TestLogin fails",
            ),
            (
                "failures:\n\n---- config::tests::reads stdout ----\nthread 'config::tests::reads' panicked at src/config.rs:3:1:\n\nfailures:\n    config::tests::reads",
                "test config::tests::reads fails",
            ),
            (
                "npm ERR! code 1\n> tsc\nsrc/a.ts(3,4): error TS2304: Cannot find name 'x'.",
                "<path>(<n>): error TS2304: Cannot find name 'x'.",
            ),
            (
                "cmd/a.go:10:2: G104: Errors unhandled (gosec)\n[lint] ERROR task failed",
                "<path>: G104: Errors unhandled (gosec)",
            ),
            (
                "Exit code 1 error: unrecognized subcommand 'bun'",
                "error: unrecognized subcommand 'bun'",
            ),
            (
                "error[E0308]: mismatched types\nerror[E0425]: cannot find value `ttl` in this scope",
                "error[E0425]: cannot find value `ttl` in this scope",
            ),
            (
                "make: *** No rule to make target 'lexer.o', needed by 'all'.  Stop.",
                "make: *** No rule to make target 'lexer.o', needed by 'all'. Stop.",
            ),
            (
                "AssertionError: the token must not be empty",
                "AssertionError: the token must not be empty",
            ),
            (
                "INFO error table loaded\nerror: no info about the low-level trace",
                "error: no info about the low-level trace",
            ),
            (
                "Exit code 127\nzsh: command not found: pytest",
                "zsh: command not found: pytest",
            ),
        ];
        for (output, expected) in cases {
            assert_eq!(fingerprint(output).unwrap().message, expected, "{output}");
        }
    }

    #[test]
    fn nothing_to_tell_has_no_fingerprint() {
        for output in [
            "",
            "\n\n",
            "1234",
            "{}",
            "12:30:11 /a/b",
            "Exit code 1",
            "a.log:3: 12:30:11 INFO cleanup failed over and completed",
            // What a log says itself to be no error.
            "npm info lifecycle error handler",
            "DEBUG error cache miss",
            "[INFO] Loading the failed jobs of the shop",
            "ℹ info Error overlay enabled",
            "time=\"12:30\" level=info msg=\"error handler registered\"",
            "{\"level\": \"debug\", \"msg\": \"request failed gracefully\"}",
            "=== RUN   TestCapturesEdits Error: before the test",
            // Words that every failure of its kind has.
            "failures:\n\ntest result: FAILED. 3 passed; 7 failed; 0 ignored",
            "Failures:\n\n  expected: 7\n       got: 8\n\n4 examples, 1 failure",
            "FAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':test'.\n> There were failing tests. See the report at: file:///x/index.html\n\nBUILD FAILED in 9s",
            "FAILED tests/ - assert 8 == 9",
            "a_test.go:7: got 7, want 8\nFAIL\nFAIL\texample.com/x\t0.007s",
            "Traceback (most recent call last):\nAssertionError: 7 != 8",
            "===== 7 failed, 3 passed in 0.17s =====",
            "Tests:       1 failed, 3 passed, 4 total",
            "Error: Process completed with exit code 1.",
            "error: test failed, to rerun pass `--lib`",
            "AssertionError: expected 7 to be 8 // Object.is equality",
            "error: could not compile `shop` (lib) due to 3 previous errors",
            "make[1]: *** [Makefile:3: test] Error 1\nmake: *** [all] Error 2",
            "src/a.rs:3:4: error[E0308]: mismatched types",
            "thread 'main' panicked at src/main.rs:3:5:\nindex out of bounds: the len is 3 but the index is 7",
            "panic: runtime error: index out of range [5] with length 3",
            "panic: runtime error: invalid memory address or nil pointer dereference",
            // What only sounds like an error does not stand in for the one that names nothing.
            "error[E0308]: mismatched types\nwarning: unused variable: `failed_count`",
        ] {
            assert_eq!(fingerprint(output), None, "{output:?}");
        }
    }
}
