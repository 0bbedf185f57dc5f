//! Lines that are no error whatever words they have: source code, data, rows of a report, what passed, what only helps.

/// A line of somebody's code, a setting or a difference, which is no error whatever words it has.
pub(super) fn is_source(line: &str) -> bool {
    // Runners print the code around a failure with its numbers: `12 | throw new Error("x")`.
    let bare = line
        .split_once("] ")
        .filter(|(name, _)| name.starts_with('[') && !name.contains(' '));
    let bare = bare
        .map_or(line, |(_, rest)| rest)
        .trim_start_matches(['>', ' ']);
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.len() < bare.len() && digits.trim_start().starts_with(['|', '│']);
    let code = bare.ends_with(['{', '}', ';'])
        && !bare.contains(": ")
        && bare.contains(['(', '=', '{', '}']);
    let code = code
        || bare.ends_with(';') && bare.starts_with("throw ")
        || bare.starts_with("export ") && bare.contains('=');
    let code = code || opens_data(bare) || is_remark(bare) || is_item(bare);
    let difference =
        line.starts_with("+ ") || line.starts_with("@@ ") || line.starts_with("diff --git");
    numbered || code || difference || bare.starts_with("func ") || bare.starts_with("import ")
}

/// A line that only warns: the run went on.
pub(super) fn is_warning(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    [
        "npm warn",
        "npm notice",
        "warning:",
        "warn:",
        "(node:",
        "deprecationwarning",
    ]
    .iter()
    .any(|start| lower.starts_with(start))
}

/// What a log writes for a line that is no error.
const LEVELS: [&str; 4] = ["info", "debug", "trace", "verbose"];

fn is_level(word: &str) -> bool {
    LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level))
}

/// A line of a log that says itself that it is no error: its level stands first, or behind when and where it was written.
pub(super) fn is_logged(line: &str) -> bool {
    let apart = line.replace("][", "] [");
    let words: Vec<&str> = apart.split_whitespace().collect();
    let named = words.iter().position(|word| says_level(word));
    let first = words.first().copied().unwrap_or_default();
    let is_told = (first == "npm" || first.starts_with('ℹ'))
        && words.get(1).is_some_and(|word| is_level(word));
    let compact = words.concat().to_ascii_lowercase();
    let is_data = !names_error(line)
        && LEVELS
            .iter()
            .any(|level| compact.contains(&format!("\"level\":\"{level}\"")));
    is_told || is_data || is_keyed(&words) || named.is_some_and(|at| is_leading(&words, at))
}

/// Whether a word is the level of a line: `INFO`, `[info]`, `<debug>`, `info:`, `INFO:root:`; never a name in quotes.
fn says_level(word: &str) -> bool {
    let bare = word.trim_end_matches(':');
    let is_set_off = ['[', '<', '('].iter().any(|mark| bare.starts_with(*mark));
    let inner = bare.trim_matches(|c: char| "[]<>()".contains(c));
    let head = inner.split(':').next().unwrap_or(inner);
    // `Trace: Error: x` is where a program was, told by itself.
    let is_colon = word.contains(':') && !head.eq_ignore_ascii_case("trace");
    is_level(head) && (is_set_off || is_colon || !head.contains(char::is_lowercase))
}

/// Whether the level at a place opens what is told: nothing stands before it but times, dates, hosts and programs. `DEBUG is not
/// defined` tells of a name, and so does `a.c:3: DEBUG redefined`.
fn is_leading(words: &[&str], at: usize) -> bool {
    let is_name = words[at].bytes().all(|b| b.is_ascii_uppercase());
    let next = words.get(at + 1).copied().unwrap_or_default();
    if is_name && COMPLAINS.contains(&next) {
        return false;
    }
    let before = &words[..at];
    let is_mark = |word: &str| !word.contains(char::is_alphanumeric);
    let is_beside = |place: usize| {
        let next = words[place + 1];
        let after_mark = place > 0 && is_mark(words[place - 1]);
        after_mark || is_mark(next) || next.contains('[') && next.ends_with("]:")
    };
    let may_precede = |(place, word): (usize, &&str)| {
        let is_besides = is_mark(word)
            || is_stamp(word)
            || word.contains(|c: char| c.is_ascii_digit())
            || is_of_calendar(word)
            || is_beside(place);
        is_besides && !has_word_of_failure(word)
    };
    let is_dated = |word: &&str| is_stamp(word) || is_mark(word);
    (before.is_empty() || before.iter().any(is_dated)) && before.iter().enumerate().all(may_precede)
}

/// Whether a word says when or in which program: `12:30:11`, `2026-11-16T12:30:11Z`, `[main]`, `app[12]:`.
fn is_stamp(word: &str) -> bool {
    let is_time = word.starts_with(|c: char| c.is_ascii_digit()) && word.contains([':', '-', '/']);
    is_time && !word.ends_with(':') || word.starts_with('[') || word.ends_with("]:")
}

fn is_of_calendar(word: &str) -> bool {
    const NAMES: [&str; 19] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Mon",
        "Tue", "Wed", "Thu", "Fri", "Sat", "Sun",
    ];
    NAMES.contains(&word.trim_end_matches(','))
}

/// `time="12:30" level=info msg="x"`: pairs alone stand before it.
fn is_keyed(words: &[&str]) -> bool {
    let value = |word: &&str| {
        let value = word.strip_prefix("level=")?;
        Some(is_level(value.trim_matches('"')))
    };
    let at = words.iter().position(|word| value(word) == Some(true));
    let is_pair = |word: &&str| word.contains('=') || word.contains(|c: char| c.is_ascii_digit());
    at.is_some_and(|at| words[..at].iter().all(is_pair))
}

/// What a line of a log tells whose level is that of an error: `level=fatal msg="x"`, `{"level":"error","message":"x"}`.
/// With how strong it is: what is logged as an error was often dealt with, and must not take the place of the one that ended it all.
pub(super) fn logged_error(line: &str) -> Option<(&str, u8)> {
    let value = |keys: &[&str]| keys.iter().find_map(|key| value_of(line, key));
    let level = value(&["level", "lvl", "severity"])?.to_ascii_lowercase();
    let message = value(&["msg", "message"]).filter(|message| !message.is_empty())?;
    match level.as_str() {
        "fatal" | "panic" | "critical" => Some((message, super::SAYS_SO)),
        "error" => Some((message, super::NAMES_AN_ERROR)),
        _ => None,
    }
}

/// What stands behind a key in a line of a log: `key=value`, `key="value"` or `"key": "value"`.
fn value_of<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    line.match_indices(key).find_map(|(at, _)| {
        let rest = &line[at + key.len()..];
        let value = match line[..at].chars().next_back() {
            Some('"') => rest.strip_prefix("\":")?.trim_start(),
            None | Some(' ') => rest.strip_prefix('=')?,
            Some(_) => return None,
        };
        let Some(quoted) = value.strip_prefix('"') else {
            return value.split([' ', ',', '}']).next();
        };
        let ends = |(at, _): &(usize, &str)| !quoted[..*at].ends_with('\\');
        let end = quoted.match_indices('"').find(ends);
        Some(&quoted[..end.map_or(quoted.len(), |(at, _)| at)])
    })
}

/// `"error": {` opens data, and `console.error(` a call: what is wrong stands in it. `expected {` complains of one.
fn opens_data(text: &str) -> bool {
    let Some(last) = text.chars().next_back() else {
        return false;
    };
    let before = &text[..text.len() - last.len_utf8()];
    match last {
        '(' => before.ends_with(|c: char| c.is_alphanumeric() || c == '_'),
        '{' | '[' => before.trim_end().ends_with([':', '=', ')', '>', ',']),
        _ => false,
    }
}

/// `# what this sets`, `// why`, ` * @param`: a remark in somebody's file.
fn is_remark(text: &str) -> bool {
    let rest = text.trim_start_matches(['#', '/', '*', ';']);
    let marks = text.len() - rest.len();
    // `# command-line-arguments` is how some compilers name what they compile; `* what went wrong` is a list.
    let is_marked = text.starts_with("# -") || text.starts_with("//") || text.starts_with("/*");
    is_marked && marks > 0
}

/// `name: "a case",`, `class={classes}`, `"errors"`, `- "12:30"`: a piece of data or of code.
fn is_item(text: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'))
    };
    let is_quoted = |value: &str| {
        let value = value.trim_end_matches(',');
        value.len() > 1
            && ['"', '\'', '`']
                .iter()
                .any(|quote| value.starts_with(*quote) && value.ends_with(*quote))
    };
    let is_error = |name: &str| name.ends_with("Error") || name.ends_with("Exception");
    let field = text.split_once(": ").is_some_and(|(name, value)| {
        is_name(name)
            && !is_error(name)
            && (value.ends_with(',') && is_quoted(value)
                || value.starts_with('[') && value.ends_with(']'))
    });
    let named = text
        .split_once(": ")
        .is_some_and(|(name, value)| name == "name" && is_quoted(value));
    let attribute = text
        .split_once("={")
        .is_some_and(|(name, value)| is_name(name) && value.ends_with('}'));
    let entry = text.strip_prefix("- ").is_some_and(is_quoted);
    field || named || attribute || entry || is_quoted(text) && !text.contains(' ')
}

/// What a place in a file is followed by when a search found it: code, not a complaint about it.
pub(super) fn is_found(finding: &str) -> bool {
    let finding = finding.trim_start();
    let is_key = finding.ends_with(':') && !finding.contains(' ');
    is_source(finding) || is_key || finding.starts_with("# ") || finding.starts_with("raise ")
}

/// Whether a line says itself that it is an error: `error: x`, `fatal: x`, `cli: error: x`, `LedgerError: x`.
fn names_error(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let first = lower.split([':', '[', ' ']).next().unwrap_or_default();
    matches!(first, "error" | "fatal" | "panic")
        || lower.contains(" error: ")
        || super::is_exception(line)
}

/// A row of a report, or what sums one up: `lint  fail  1m31s`, `a.sh pass 3 skip 0 fail 1`, `2 errors and 3 warnings`.
pub(super) fn is_row(line: &str) -> bool {
    const STATES: [&str; 14] = [
        "pass",
        "passed",
        "passing",
        "fail",
        "failed",
        "failing",
        "failure",
        "failures",
        "skip",
        "skipped",
        "cancelled",
        "canceled",
        "pending",
        "successful",
    ];
    const COUNTED: [&str; 6] = [
        "error",
        "warning",
        "information",
        "problem",
        "hint",
        "issue",
    ];
    let words: Vec<String> = line
        .split_whitespace()
        .map(|word| {
            let word = word.trim_matches(|c: char| ",:;().".contains(c));
            word.to_ascii_lowercase()
        })
        .collect();
    let is_count = |word: &String| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, 'h' | 'm' | 's' | '.'))
    };
    let is_state = |word: &String| STATES.contains(&word.as_str());
    let counted = words
        .windows(2)
        .filter(|pair| is_count(&pair[0]) && COUNTED.contains(&pair[1].trim_end_matches('s')));
    let pairs = words.windows(2).filter(|pair| {
        is_count(&pair[0]) && is_state(&pair[1]) || is_state(&pair[0]) && is_count(&pair[1])
    });
    match pairs.count() {
        0 => counted.count() >= 2,
        // One number behind one word may be what was answered: `error: login failed: 401 Unauthorized`.
        1 => counted.count() >= 2 || !names_error(line) && !gives_reason(line),
        _ => true,
    }
}

/// `upload failed: 413 Payload Too Large`: behind the colon stands why, not how many.
fn gives_reason(line: &str) -> bool {
    let reason = line.split_once("failed: ").map(|(_, reason)| reason);
    let words = reason.and_then(|reason| reason.split_once(' '));
    words.is_some_and(|(number, words)| {
        number.len() == 3
            && number.bytes().all(|b| b.is_ascii_digit())
            && words.starts_with(|c: char| c.is_alphabetic())
    })
}

/// What follows a name of which something is said.
const COMPLAINS: [&str; 14] = [
    "must", "is", "was", "needs", "requires", "cannot", "can't", "expects", "has", "does", "takes",
    "and", "not", "should",
];

/// A line that says itself that something went well, or that only helps: a heading, advice, an option and what it does.
pub(super) fn is_aside(line: &str) -> bool {
    const WELL: [&str; 9] = [
        "--- PASS", "PASS", "SUCCESS", "ok ", "✓", "✔", "✅", "hint:", "help:",
    ];
    // Of what was cut in the middle before it was kept nobody knows what it said; an error may have the mark in its own words.
    let is_cut = line.contains(" … ") && !names_error(line);
    // `test a::b ... ok`
    let is_well = line.ends_with("... ok") || line.ends_with("... ignored") || is_cut;
    let is_heading = ["---", "==="]
        .iter()
        .any(|mark| line.len() > 6 && line.starts_with(mark) && line.ends_with(mark));
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    // `-o, --output string  Where it goes`
    let is_option =
        first.starts_with("--") && first.len() > 3 && !first.contains(':') && !first.contains('=')
            || first.len() == 3 && first.starts_with('-') && first.ends_with(',');
    // `--config must name a file` complains of one.
    let is_explained = |word: &str| !COMPLAINS.contains(&word);
    is_heading
        || is_well
        || is_option && words.next().is_some_and(is_explained)
        || WELL.iter().any(|start| line.starts_with(start))
}

/// Whether a word says that something failed: `failed`, `errors`, `CartError`, not `thiserror` or `pipefail`.
pub(super) fn has_word_of_failure(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        word.ends_with("Error")
            || word.ends_with("Exception")
            || [
                "error", "errors", "fail", "fails", "failed", "failing", "failure", "failures",
            ]
            .iter()
            .any(|failure| word.eq_ignore_ascii_case(failure))
    })
}

/// `3: core::panicking::panic_fmt`: one of the calls that led there.
pub(super) fn is_numbered_name(line: &str) -> bool {
    let name = line
        .split_once(": ")
        .filter(|(number, _)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    name.is_some_and(|(_, name)| name.contains("::") && !name.contains(' ') || is_found(name))
}

#[test]
fn data_rows_and_what_went_well_are_no_errors() {
    for output in [
        "\"error\": {",
        "\"errors\"",
        "name: 'Error'",
        "errors: [Getter/Setter]",
        "charts/a/values.yaml:12: # -- Whether an account that cannot fail should be created.",
        "src/a_test.go:12: name: \"token with an invalid timestamp\",",
        "src/a.astro:12: class={errorClasses}",
        "12: raise OperatorError(\"paths must be strings\")",
        "3: core::panicking::assert_failed_inner",
        "t0000-basic.sh pass 20 skip 3 fail 1 / 24",
        "lint\tfail\t1m31s\thttps://example.com/runs/1",
        "Secrets pass 0 https://example.com No blocking issues or failing metrics found",
        "# failed 1 among 24 test(s)",
        "3 errors, 2 warnings, 0 informations",
        "1 cancelled, 2 failing, 3 successful checks",
        "--- PASS: TestReturnsProviderErrors (0.00s)",
        "SUCCESS: [test -f a.toml] expected failure",
        "   Compiling thiserror v2.0.1",
        "set -exo pipefail",
        "hint: Resolve all conflicts manually, mark them as resolved with",
        "--recover string   Recover input from a failed run of create",
        "--- push without tag (expect FAIL) ---",
        "test http::dns_errors_are_not_transient ... ok",
        "DEBUG: $ lint --error-on-warnings a.toml",
        "12 │ - console.error(`hook failed`),",
        "values.yaml:3: service-failed:",
        "CodeRabbit … ing issues or failing metrics found",
        "ERROR: 2 failed, 3 passed in ledger",
        "suites failed: 3",
        "ledger failed: 3 passed: 4 skipped: 0",
        "-o, --output string  Must not be an invalid path",
    ] {
        assert_eq!(super::fingerprint(output), None, "{output}");
    }
    for output in [
        "--- FAIL: TestCart (0.00s)",
        "src/a.go:3:4: undefined: cacheSize",
        "error: Request failed after 3 retries: ledger.example",
        "\"Error\": \"go.mod:3: invalid version: unknown revision v6\",",
        "error: cannot find `ledger` (see --help)",
        "# failed to load the ledger",
        "AssertionError: ['get_ledger', 'list_ledger']",
        "a.go:3:1: syntax error: unexpected name pushLedger, expected (",
        "*** Fatal uncaught kj::Exception: ledger failed: SQLITE_BUSY",
        "thiserror: error: cannot derive `Ledger`",
        "error: request failed: 404 Not Found for url https://ledger.example/a",
        "error: login failed: 401 Unauthorized",
        "Error: deployment failed: 3 of 5 pods are not ready",
        "error: upload failed: 413 payload too large",
        "ledger-cli: error: sync failed: 2 remotes refused",
        "LedgerError: sync failed: 502 Bad Gateway",
        "upload failed: 413 Payload Too Large",
        "--config must name a file: ledger.toml does not exist",
        "--ledger and --offline cannot be used together: unexpected combination",
        "error: column ledger … is missing",
    ] {
        assert!(super::fingerprint(output).is_some(), "{output}");
    }
}

#[test]
fn code_settings_differences_and_warnings_are_no_errors() {
    for line in [
        "[test] 12 | throw new Error(\"setup never completed\");",
        "> 12 |   expect(error).toBe(1)",
        "throw new Error(\"setup never completed\");",
        "func Get(name string) (Strategy, error) {",
        "[lint:go] func Get(name string) (Strategy, error) {",
        "export TREAT_MISSING_BASELINES_AS_TEST_FAILURES\\=NO",
        "+ return errors.New(\"failed\")",
        "diff --git a/error.go b/error.go",
        "npm warn Unknown user config \"nodedir\". This will stop working",
        "warning: unused variable: `failed`",
        "(node:123) Warning: something failed",
    ] {
        assert!(is_source(line) || is_warning(line), "{line}");
        assert_eq!(super::fingerprint(line), None, "{line}");
    }
    for line in [
        "error: no field `ttl` on type `Cache`",
        "src/a.go:3:4: undefined: cacheSize",
        "TypeError: cacheSize is not a function",
        "error TS2345: Argument of type '{ a: string; }' is not assignable to 'Cache'",
        "FATAL: role \"web\" does not exist",
    ] {
        assert!(!is_source(line) && !is_warning(line), "{line}");
    }
}

#[test]
fn a_name_that_reads_like_a_level_is_no_log() {
    for line in [
        "NameError: name 'DEBUG' is not defined",
        "KeyError: 'DEBUG'",
        "error: cannot find value `DEBUG` in this scope",
        "error TS2304: Cannot find name 'DEBUG'.",
        "error: use of undeclared identifier 'INFO'",
        "error: unknown log level INFO",
        "error[E0425]: DEBUG was not found in this scope",
        "error: cannot parse {\"level\": \"info\"}",
        "error: invalid value 'INFO' for '--level <LEVEL>'",
        "Debug Assertion Failed! Program: app.exe",
        "Trace: Error: boom at x",
        "unknown log level: debug",
        "invalid setting level=debug in ledger.toml",
        "12:30:11 cannot find DEBUG in the settings",
        "a.c:3:4: DEBUG redefined, conflict with ledger.h",
        "DEBUG must be a number: invalid ledger",
        "3 INFO lines failed to reach the ledger",
        "info file of the ledger does not exist",
    ] {
        assert!(super::fingerprint(line).is_some(), "{line}");
    }
    for line in [
        "[INFO] ledger failed over",
        "[app] [info] ledger failed over",
        "[12:30:11][INFO] ledger failed over",
        "INFO:root:ledger failed over",
        "info: ledger failed over",
        "TRACE ledger failed over",
        "2026-11-16T12:30:11Z  INFO ledger::store: request failed over",
        "2026-11-16 12:30:11,123 - ledger - INFO - request failed over",
        "12:30:11.123 [main] DEBUG com.ledger.Store - request failed over",
        "Nov 16 12:30:11 shop ledger[12]: INFO request failed over",
        "web-1  | INFO request failed over",
        "npm verbose stack Error: ledger",
    ] {
        assert_eq!(super::fingerprint(line), None, "{line}");
    }
}

#[test]
fn a_log_that_names_an_error_is_known_by_its_words() {
    let told = |output: &str| super::fingerprint(output).map(|error| error.message);
    for line in [
        "time=\"12:30\" level=fatal msg=\"cannot open the ledger\" file=a.db",
        "{\"level\":\"error\",\"ts\":12,\"msg\":\"cannot open the ledger\"}",
        "{\"severity\": \"CRITICAL\", \"message\": \"cannot open the ledger\"}",
    ] {
        let told = told(&format!(
            "level=info msg=\"error handler registered\"\n{line}"
        ));
        assert_eq!(told.as_deref(), Some("cannot open the ledger"), "{line}");
    }
    let logged = "{\"level\":\"error\",\"msg\":\"cache is cold, going on without it\"}";
    let ended = "src/a.ts:3:1: error: the ledger must not import the printer";
    assert_eq!(told(&format!("{logged}\n{ended}")), told(ended));
}
