//! The tests that a run names as failing, as each runner writes them. A failed assertion is known by its test: what it compared is
//! the same line for every test of a project.

/// Longer names are cut.
const NAME_LIMIT: usize = 160;

/// The failing test by which a run is known: the first by name, as runners that work side by side tell them in any order.
pub(super) fn failing_test(output: &str) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    let mut reading = Reading::default();
    for line in output.lines() {
        if let Some(name) = reading.take(line).map(|name| tidy(&name))
            && name.chars().any(char::is_alphabetic)
        {
            names.push(name);
        }
    }
    names.sort();
    // `TestLogin/expired` says more than `TestLogin`, which fails with it.
    let first = names.iter().find(|name| {
        !names.iter().any(|other| {
            other
                .strip_prefix(name.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
        })
    });
    first.cloned()
}

/// What earlier lines say about the next one.
#[derive(Default)]
struct Reading {
    /// The file that jest is in.
    file: Option<String>,
    /// Numbered entries are failures from here on.
    list: Option<List>,
    /// A numbered entry of mocha, which writes one test over several lines.
    parts: Option<Vec<String>>,
    /// The name stands on the next line.
    next: bool,
}

/// How many lines a numbered failure takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    One,
    /// mocha: down to the line that ends with a colon.
    Several,
}

impl Reading {
    fn take(&mut self, line: &str) -> Option<String> {
        let bare = line.trim();
        if let Some(parts) = &mut self.parts {
            if let Some(last) = bare.strip_suffix(':') {
                parts.push(last.to_owned());
                return self.parts.take().map(|parts| parts.join(" "));
            }
            if bare.is_empty() || parts.len() > 6 {
                return self.parts.take().map(|parts| parts.join(" "));
            }
            parts.push(bare.to_owned());
            return None;
        }
        if std::mem::take(&mut self.next) {
            // minitest: `TestQueue#test_order [test/queue_test.rb:12]:`
            return bare
                .split_once(" [")
                .map(|(name, _)| name)
                .filter(|name| name.contains('#'))
                .map(str::to_owned);
        }
        self.list = opens_list(bare).or(self.list);
        pytest(bare)
            .or_else(|| rust(bare))
            .or_else(|| go(bare))
            .or_else(|| unittest(bare))
            .or_else(|| self.javascript(bare))
            .or_else(|| on_the_jvm(bare))
            .or_else(|| others(bare))
            .or_else(|| self.numbered(bare))
    }

    /// jest, vitest, bun, node and ava.
    fn javascript(&mut self, line: &str) -> Option<String> {
        if let Some(rest) = line.strip_prefix("FAIL ").map(str::trim) {
            let (file, name) = rest.split_once(" > ").unwrap_or((rest, ""));
            let file = file.split(' ').find(|word| word.contains('.'))?;
            let file = base(file).to_owned();
            if !name.is_empty() {
                return Some(format!("{file} > {name}"));
            }
            self.file = Some(file);
            return None;
        }
        if let Some(name) = line.strip_prefix("● ") {
            let told = !name.starts_with("Console") && !name.starts_with("Test suite failed");
            return told.then(|| match &self.file {
                Some(file) => format!("{file} > {}", name.replace(" › ", " > ")),
                None => name.replace(" › ", " > "),
            });
        }
        if let Some(name) = line.strip_prefix("(fail) ") {
            return Some(without_time(name).to_owned());
        }
        // TAP numbers its tests, and wraps those of a file in one named by its path.
        if let Some(rest) = line.strip_prefix("not ok ") {
            let name =
                rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ' || c == '-');
            return (!name.is_empty() && !name.contains('/'))
                .then(|| without_time(name).to_owned());
        }
        let name = line.strip_prefix(['✖', '✗', '×', '✘'])?.trim();
        let counts = name.starts_with(|c: char| c.is_ascii_digit()) || name.contains(" problem");
        if counts || !has_time(name) {
            return None;
        }
        let name = without_time(name);
        let (file, rest) = name.split_once(" > ").unwrap_or((name, ""));
        let placed = file.contains('/') && !rest.is_empty();
        Some(if placed {
            format!("{} > {rest}", base(file))
        } else {
            name.to_owned()
        })
    }

    /// `  1) …` of mocha, rspec, phpunit, ExUnit, minitest and playwright.
    fn numbered(&mut self, line: &str) -> Option<String> {
        let (number, name) = line.split_once(") ")?;
        if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        if let Some((_, name)) = name.split_once(" › ") {
            let (place, name) = name.split_once(" › ")?;
            let file = base(place.split(':').next().unwrap_or(place));
            return Some(format!("{file} > {}", name.replace(" › ", " > ")));
        }
        if let Some(rest) = name.strip_prefix("test ")
            && rest.ends_with(')')
        {
            return Some(rest.to_owned());
        }
        let list = self.list?;
        if matches!(name, "Failure:" | "Error:") {
            self.next = true;
            return None;
        }
        if list == List::One || name.ends_with(':') {
            return Some(name.to_owned());
        }
        self.parts = Some(vec![name.to_owned()]);
        None
    }
}

fn opens_list(line: &str) -> Option<List> {
    if line.ends_with(" failing") {
        return Some(List::Several);
    }
    let opens = line == "Failures:"
        || line.starts_with("There was 1 ")
        || line.starts_with("There were ") && line.ends_with("s:")
        || line.starts_with("Finished in ");
    opens.then_some(List::One)
}

/// `FAILED tests/a.py::test_b[x] - why`, and `tests/a.py::test_b FAILED [ 50%]`.
fn pytest(line: &str) -> Option<String> {
    let id = match line
        .strip_prefix("FAILED ")
        .or_else(|| line.strip_prefix("ERROR "))
    {
        Some(rest) => rest.split(" - ").next()?,
        None => line.split_once(" FAILED").map(|(id, _)| id)?,
    };
    let (file, name) = id.trim().split_once("::")?;
    let name = name.split('[').next().unwrap_or(name);
    let is_file = file.strip_suffix(".py").is_some() && !file.contains(' ');
    is_file.then(|| format!("{}::{name}", base(file)))
}

/// `test a::b ... FAILED` of cargo and deno, `FAIL [ 0.1s] crate a::b` of nextest.
fn rust(line: &str) -> Option<String> {
    if let Some((name, rest)) = line.split_once(" ... ") {
        let failed = rest.starts_with("FAILED");
        let name = name.strip_prefix("test ").unwrap_or(name);
        return failed.then(|| name.to_owned());
    }
    // What a failing test printed is shown under its name.
    if let Some(rest) = line.strip_prefix("---- ") {
        return rest.strip_suffix(" stdout ----").map(str::to_owned);
    }
    let (_, name) = line
        .strip_prefix("FAIL [")
        .or_else(|| line.strip_prefix("SIGABRT ["))?
        .split_once(']')?;
    let mut words = name.split_whitespace();
    let last = words.next_back()?;
    Some(last.to_owned())
}

/// `--- FAIL: TestA/b (0.1s)`, and `=== FAIL: package TestA (0.1s)` of gotestsum.
fn go(line: &str) -> Option<String> {
    if let Some(name) = line.strip_prefix("--- FAIL: ") {
        return name.split(' ').next().map(str::to_owned);
    }
    let rest = line.strip_prefix("=== FAIL: ")?;
    rest.split(' ').nth(1).map(str::to_owned)
}

/// `FAIL: test_a (tests.T.test_a)`; what stands in brackets is the class, with or without the test.
fn unittest(line: &str) -> Option<String> {
    let rest = line
        .strip_prefix("FAIL: ")
        .or_else(|| line.strip_prefix("ERROR: "))?;
    let (name, class) = rest.split_once(" (")?;
    let class = class.split(')').next()?;
    let is_name = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
    };
    if !is_name(name) || !is_name(class) {
        return None;
    }
    Some(if class.ends_with(name) {
        class.to_owned()
    } else {
        format!("{class}.{name}")
    })
}

/// gradle, maven, scalatest, .NET, XCTest.
fn on_the_jvm(line: &str) -> Option<String> {
    // `AddTest > adds() FAILED`
    if let Some(name) = line.strip_suffix(" FAILED")
        && name.contains(" > ")
        && !name.starts_with('>')
    {
        return Some(name.to_owned());
    }
    // `[ERROR] com.x.AddTest.adds -- Time elapsed: 0.01 s <<< FAILURE!`
    if let Some((name, _)) = line
        .split_once("<<< FAILURE!")
        .or_else(|| line.split_once("<<< ERROR!"))
    {
        let name = name.trim_start_matches("[ERROR]").trim();
        let name = name.split("Time elapsed").next().unwrap_or(name);
        let name = name.trim_end_matches([' ', '-']);
        return (!name.starts_with("Tests run")).then(|| name.to_owned());
    }
    // `  Failed Shop.CartTests.Adds [12 ms]`
    if let Some(rest) = line.strip_prefix("Failed ") {
        let name = rest.split_once(" [").map(|(name, _)| name)?;
        return name.contains('.').then(|| name.to_owned());
    }
    let rest = line.strip_prefix("Test Case '")?;
    let (name, rest) = rest.split_once('\'')?;
    rest.trim_start()
        .starts_with("failed")
        .then(|| name.trim_matches(['-', '[', ']']).to_owned())
}

/// rspec's list of failed examples, ctest, flutter.
fn others(line: &str) -> Option<String> {
    if let Some(rest) = line.strip_prefix("rspec ")
        && let Some((_, name)) = rest.split_once(" # ")
    {
        return Some(name.to_owned());
    }
    if let Some(rest) = line.strip_suffix("(Failed)") {
        let (number, name) = rest.trim().split_once(" - ")?;
        let numbered = number.bytes().all(|b| b.is_ascii_digit());
        return numbered.then(|| name.to_owned());
    }
    let name = line.strip_suffix(" [E]")?;
    let (counts, name) = name.split_once(": ")?;
    counts.contains(" -").then(|| base(name).to_owned())
}

/// A name on one line, without what varies around it.
fn tidy(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let name = words.join(" ");
    let name = name.trim_end_matches(['─', ' ', ':']);
    name[..name.floor_char_boundary(NAME_LIMIT)].to_owned()
}

fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// `name (1.2ms)`, `name [0.1ms]`, `name 5ms`.
fn without_time(name: &str) -> &str {
    let Some((head, last)) = name.trim_end().rsplit_once(' ') else {
        return name;
    };
    if is_duration(last) { head } else { name }
}

fn has_time(name: &str) -> bool {
    name.trim_end()
        .rsplit_once(' ')
        .is_some_and(|(_, last)| is_duration(last))
}

fn is_duration(word: &str) -> bool {
    let word = word.trim_matches(['(', ')', '[', ']']);
    word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with('s')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_runner_names_its_failing_tests_its_own_way() {
        let cases = [
            (
                "tests/test_q.py F...\n=== FAILURES ===\n>       assert add(7, 2) == 9\nE       assert 8 == 9\ntests/test_q.py:10: AssertionError\n=== short test summary info ===\nFAILED tests/test_q.py::TestQ::test_queue[7-2] - assert 8 == 9\n=== 7 failed, 3 passed in 0.17s ===",
                "test_q.py::TestQ::test_queue",
            ),
            (
                "tests/test_q.py::test_queue FAILED      [ 50%]",
                "test_q.py::test_queue",
            ),
            (
                "running 4 tests\ntest queue::queues ... FAILED\ntest a::adds ... ok\n\nfailures:\n\n---- queue::queues stdout ----\nthread 'queue::queues' panicked at src/lib.rs:7:9:\nassertion `left == right` failed\n  left: 7\n right: 8\n\nfailures:\n    queue::queues\n\ntest result: FAILED. 3 passed; 1 failed\n\nerror: test failed, to rerun pass `--lib`",
                "queue::queues",
            ),
            (
                "        FAIL [   0.003s] shop::it tests::adds",
                "tests::adds",
            ),
            (
                "--- FAIL: TestQueue (0.07s)\n    --- FAIL: TestQueue/empty (0.00s)\n    a_test.go:7: got 7, want 8\nFAIL\nFAIL\texample.com/x\t0.007s",
                "TestQueue/empty",
            ),
            ("=== FAIL: internal/queue TestOrder (0.00s)", "TestOrder"),
            (
                "F\n======\nFAIL: test_queue (tests.T.test_queue)\n------\nTraceback (most recent call last):\nAssertionError: 7 != 8\n\nRan 4 tests in 0.007s\n\nFAILED (failures=1)",
                "tests.T.test_queue",
            ),
            (
                "ERROR: test_open (shop.tests.StoreTest)",
                "shop.tests.StoreTest.test_open",
            ),
            (
                " FAIL  src/q.test.ts\n  ● Console\n  ● Queue › queues things\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 7\n    Received: 8\n\nTests:       1 failed, 3 passed, 4 total",
                "q.test.ts > Queue > queues things",
            ),
            (
                " FAIL  src/q.test.ts > Queue > queues\nAssertionError: expected 7 to be 8\n Test Files  1 failed (1)",
                "q.test.ts > Queue > queues",
            ),
            ("(fail) Queue > queues [0.12ms]", "Queue > queues"),
            ("not ok 3 - queues things", "queues things"),
            ("✖ queues things (1.25ms)", "queues things"),
            (
                "  3 passing (8ms)\n  1 failing\n\n  1) Queue\n       #order()\n         keeps the first first:\n\n      AssertionError: expected 7 to equal 8",
                "Queue #order() keeps the first first",
            ),
            (
                "Failures:\n\n  1) Queue queues things\n     Failure/Error: expect(x).to eq 7\n\n4 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/q_spec.rb:3 # Queue queues things",
                "Queue queues things",
            ),
            (
                "AddTest > adds() FAILED\n    org.opentest4j.AssertionFailedError at AddTest.java:12",
                "AddTest > adds()",
            ),
            (
                "[ERROR] com.x.AddTest.adds -- Time elapsed: 0.012 s <<< FAILURE!",
                "com.x.AddTest.adds",
            ),
            (
                "  Failed Shop.CartTests.Adds [12 ms]",
                "Shop.CartTests.Adds",
            ),
            (
                "Test Case '-[ShopTests.CartTests testAdds]' failed (0.012 seconds).",
                "ShopTests.CartTests testAdds",
            ),
            (
                "There was 1 failure:\n\n1) Shop\\CartTest::testAdds\nFailed asserting that 1 matches 2.",
                "Shop\\CartTest::testAdds",
            ),
            (
                "  1) test adds things (Shop.CartTest)",
                "adds things (Shop.CartTest)",
            ),
            (
                "  1) Failure:\nTestQueue#test_order [test/queue_test.rb:12]:",
                "",
            ),
            (
                "Finished in 0.01s\n  1) Failure:\nTestQueue#test_order [test/queue_test.rb:12]:",
                "TestQueue#test_order",
            ),
            (
                "  1) [chromium] › tests/cart.spec.ts:3:1 › adds things ─────",
                "cart.spec.ts > adds things",
            ),
            ("\t  3 - queue_order (Failed)", "queue_order"),
            ("00:01 +0 -1: adds things [E]", "adds things"),
        ];
        for (output, expected) in cases {
            assert_eq!(
                failing_test(output).unwrap_or_default(),
                expected,
                "{output}"
            );
        }
    }

    #[test]
    fn what_names_no_failing_test_is_left_alone() {
        for output in [
            "✖ 3 problems (2 errors, 1 warning)",
            "error: test failed, to rerun pass `--lib`",
            "FAILURE: Build failed with an exception.\n> There were failing tests. See the report at: file:///x/index.html",
            "> Task :test FAILED",
            "FAIL\texample.com/x\t0.00s",
            "ERROR: could not open (see above)",
            "1) first do this\n2) then that",
            "test queue::queues ... ok",
            " FAIL  src/q.test.ts",
            "not ok 1 - /home/a/src/q.test.js",
        ] {
            assert_eq!(failing_test(output), None, "{output}");
        }
    }
}
