//! Lines that would read the same for any other error: every word in them belongs to the tools.

/// Words of test runners, compilers and runtimes, and those that only join others.
const WORDS: &str = "
a about above abort aborted aborting access actual address all already an and any are argument arguments array as assert asserted
assertion assertions assertionerror at attempt attempted be been before below bool boolean borrow borrowed bounds bug build
building but by called can cannot case check checks code collected collecting command comparing compilation compile completed
condition contain could count crash crashed deep deeply dereference did differ does due duration during encountered end eq equal equality equals error errors
example examples exception exceptions execution exit exited expect expectation expected expecting expression fail failed failing
failure failures false fatal field file files fixed for found from function get got group had has have i ignored in index info
instead int integer into invalid is isn issue issues it item items its job left len length less lib line linter list main make
match matched matches may measured memory message method mismatch mismatched missing module more must named ne nil no non none not
note null number object of ok on one operand or other out output outside over overflow panic panicked passed passing pending pointer
previous problem problems process range ran reason received reference report result results return returned returns right run runner running
runtime same script seconds see segmentation segfault should signal size skipped snapshot snapshots some source status step stop stopped str
strict string stopped subcommand subtract suite suites syntax target task temporary test testcase tests that the then there this thread throw thrown
time timed to todo too total traceback true truthy type types unable undefined unexpected unhandled uncaught unknown unreachable use
async certificate char column decode decoder emitted executed expecting hint json parsing remaining while checks
async details done elifecycle ensure err err_assertion exceeded hooks ms promise resolves returning strictly timeout
usize value values variable want wanted warning warnings was were when where which while with within without xfailed you your zero
";

/// Whether a normalised line has no word of its own: nothing in it tells this error from the next one.
pub(super) fn is_generic(message: &str) -> bool {
    // `KeyError: 'index'` names something, whatever the word.
    let quoted = message.split_whitespace().any(|word| {
        let word = word.trim_end_matches([',', '.', ':', ';']);
        let name = word.strip_prefix(['\'', '"', '`']);
        let name = name.and_then(|name| name.strip_suffix(['\'', '"', '`']));
        name.is_some_and(|name| name.chars().filter(|c| c.is_alphabetic()).count() >= 2)
    });
    if quoted {
        return false;
    }
    let words = message
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '<' | '>')))
        .filter(|word| !word.starts_with('<') && !word.ends_with('>'));
    let own = words.filter(|word| !is_common(word));
    // Two letters are an article or a unit; what is named by so little is not recognised again either.
    own.map(|word| word.chars().filter(|c| c.is_alphabetic()).count())
        .all(|letters| letters < 3)
}

fn is_common(word: &str) -> bool {
    let is_code = word.bytes().any(|b| b.is_ascii_digit())
        && word
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    if is_code {
        return true;
    }
    // `TypeError` says of which kind it is, not what it is about.
    let kind = word
        .strip_suffix("Error")
        .or_else(|| word.strip_suffix("Exception"))
        .or_else(|| word.strip_suffix("Warning"));
    if kind.is_some_and(|kind| STANDARD.split_whitespace().any(|known| known == kind)) {
        return true;
    }
    let lower = word.to_lowercase();
    WORDS.split_whitespace().any(|known| known == lower)
}

/// Kinds of errors that languages come with.
const STANDARD: &str = "
Assertion AssertionFailed Type Value Key Index Name Attribute Runtime Syntax Reference Range Import IO OS Standard NoMethod Argument NotImplemented
IllegalState IllegalArgument NullPointer IndexOutOfBounds ArrayIndexOutOfBounds ClassCast Arithmetic ZeroDivision Lookup Overflow Recursion Timeout
JSONDecode json.decoder.JSONDecode ComparisonFailure ExpectationNotMet Invalid Null NullReference InvalidOperation
";

/// A line that only sums up, whatever it names: the crate that did not compile, the task that stopped.
pub(super) fn is_summary(line: &str) -> bool {
    let bare = line.trim_start_matches(['>', '|', '=', '*', '#', ' ', '✗', '✖', '×', '!']);
    let lower = bare.to_ascii_lowercase();
    let starts = |prefix: &str| lower.starts_with(prefix);
    // `make: *** No rule to make target 'x'` is make's own error.
    let make = (starts("make: *** [") || starts("gmake: *** ["))
        || starts("make[") && lower.contains("]: *** [");
    make || SUMMARIES.iter().any(|summary| starts(summary))
        || lower.contains("completed with exit code")
        || starts("npm err") && NPM.iter().any(|rest| lower.contains(rest))
}

const SUMMARIES: [&str; 26] = [
    "fatal: could not read from remote",
    "failures:",
    "failed examples:",
    "failure: build failed",
    "build failed",
    "build failure",
    "what went wrong",
    "execution failed for task",
    "there were failing tests",
    "test result:",
    "tests:",
    "test suites:",
    "test files ",
    "tests ",
    "ninja: build stopped",
    "error: test failed",
    "error: could not compile",
    "error: aborting",
    "error: recipe",
    "failed (",
    "thread '",
    "fail\t",
    "caused by:",
    "husky - ",
    "err_pnpm_recursive_run_first_fail",
    "some errors were emitted",
];

/// What npm says around the error of a script.
const NPM: [&str; 7] = [
    " code ",
    " path ",
    " command ",
    " location ",
    " workspace ",
    " lifecycle script",
    " a complete log",
];
