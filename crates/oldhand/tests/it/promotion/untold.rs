//! What must not be told: the fix of another test, what an approach showed that was given up, and
//! what the user did not accept.

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use super::needless::why;
use super::{Scene, import, memories};
use crate::repository;

/// What the hook answers when `command` fails with `output`.
pub(super) fn told_about(sandbox: &Sandbox, session: &str, command: &str, output: &str) -> String {
    let payload = json!({
        "session_id": session,
        "cwd": sandbox.project(),
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": { "command": command },
        "tool_use_id": "t1",
        "error": format!("Exit code 1\n{output}"),
    });
    let hook = sandbox
        .oldhand(["hook", "claude-code"])
        .env("OLDHAND_HOOK_DEADLINE", "60000");
    hook.stdin(payload.to_string().into_bytes()).run().success()
}

/// How runners tell that a test failed, `{t}` being its name and `{n}` a number.
const FAILING: [(&str, &str); 8] = [
    (
        "pytest",
        "=== FAILURES ===\n>       assert add({n}, 2) == 9\nE       assert {n} == 9\ntests/test_{t}.py:{n}: AssertionError\nFAILED tests/test_{t}.py::test_{t} - assert {n} == 9\n=== {n} failed, 3 passed in 0.1{n}s ===",
    ),
    (
        "npx jest",
        " FAIL  src/{t}.test.ts\n  ● {t}\n\n    Expected: 9\n    Received: {n}\n\nTests:       {n} failed, 3 passed, 4 total",
    ),
    (
        "cargo test",
        "test {t} ... FAILED\n\nfailures:\n\nthread '{t}' panicked at src/lib.rs:{n}:9:\nassertion `left == right` failed\n  left: {n}\n right: 9\n\nfailures:\n    {t}\n\ntest result: FAILED. 3 passed; {n} failed\n\nerror: test failed, to rerun pass `--lib`",
    ),
    (
        "go test ./...",
        "--- FAIL: Test{t} (0.0{n}s)\n    a_test.go:{n}: got {n}, want 9\nFAIL\nFAIL\texample.com/x\t0.00{n}s",
    ),
    (
        "npx vitest run",
        " FAIL  src/{t}.test.ts > {t}\nAssertionError: expected {n} to be 9 // Object.is equality\n Test Files  1 failed (1)",
    ),
    (
        "python -m unittest",
        "FAIL: test_{t} (tests.T.test_{t})\nTraceback (most recent call last):\nAssertionError: {n} != 9\n\nFAILED (failures={n})",
    ),
    (
        "./gradlew test",
        "AddTest > {t}() FAILED\n    AssertionError at AddTest.java:{n}\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':test'.\n\nBUILD FAILED in {n}s",
    ),
    (
        "bundle exec rspec",
        "Failures:\n\n  1) {t}\n     Failure/Error: expect(x).to eq 9\n\n       expected: 9\n            got: {n}\n\n4 examples, {n} failure",
    ),
];

#[test]
fn a_failing_test_is_known_by_its_own_name_and_told_no_edit() {
    let sandbox = repository();
    for (number, (command, output)) in FAILING.into_iter().enumerate() {
        for test in ["add", "cart"] {
            // Two runners here name a test by the same words.
            let output = output
                .replace("{t}", &format!("{test}{number}"))
                .replace("{n}", "1");
            let session = format!("{test}-{number}");
            let mut scene = Scene::new(&sandbox, &session, "fix the sum");
            scene
                .run(command, &format!("Exit code 1\n{output}"), true)
                .edit(&format!("src/{test}{number}.x"), "b")
                .run(command, "4 passed in 0.1s", false)
                .write(&session);
        }
    }
    import(&sandbox);
    for (number, (command, output)) in FAILING.into_iter().enumerate() {
        for (test, known) in [("add", 1), ("cart", 1), ("queue", 0)] {
            let output = output
                .replace("{t}", &format!("{test}{number}"))
                .replace("{n}", "4");
            let again = format!("{test}-again-{number}");
            let told = told_about(&sandbox, &again, command, &output);
            assert_eq!(told, "", "{command}: what was edited is of its day");
            let met = sandbox.oldhand(["errors", "--json", "--", &output]).run();
            let met: Value = serde_json::from_str(&met.stdout).expect("JSON");
            assert_eq!(met["total"], known, "{command}: {met}");
            if known == 1 {
                let file = format!("src/{test}{number}.x");
                assert_eq!(met["errors"][0]["files"], json!([file]), "{command}");
                assert_eq!(met["errors"][0]["fixes"], json!([]), "{command}");
            }
        }
    }
    let same = memories(&sandbox)
        .iter()
        .any(|memory| memory["type"] == "error_pattern");
    assert!(!same, "no error came in two sessions");
}

#[test]
fn the_fix_of_an_approach_that_was_given_up_is_not_told() {
    let sandbox = repository();
    let missing = "error: undefined symbol cache_open";
    let mut scene = Scene::new(&sandbox, "one", "cache the parser");
    scene
        .edit("src/cache.c", "b")
        .run("make", &format!("Exit code 2\n{missing}"), true)
        .edit("src/glue.c", "b")
        .run("make", "ok", false);
    for number in 0..20 {
        scene.edit("src/cache.c", &number.to_string());
    }
    scene.run("git checkout -- src", "", false);
    scene
        .transcript
        .say("This approach won't work because every worker has a cache of its own.");
    scene
        .edit("src/pool.c", "b")
        .edit("src/wait.c", "b")
        .run("make test", "1 passed", false)
        .write("one");
    import(&sandbox);
    assert_eq!(told_about(&sandbox, "later", "make", missing), "");
    let dead_ends: Vec<_> = memories(&sandbox)
        .iter()
        .map(|memory| memory["type"].clone())
        .collect();
    assert_eq!(dead_ends, ["dead_end"]);
    let registry = sandbox.oldhand(["errors", "--all", "--json"]).run();
    assert!(
        !registry.stdout.contains("cache_open"),
        "{}",
        registry.stdout
    );
}

#[test]
fn work_that_the_user_objects_to_or_says_nothing_of_teaches_no_fix() {
    for (reply, outcome) in [
        ("No, this is not working", "failed"),
        ("that broke the login page", "failed"),
        ("das ist falsch", "failed"),
        ("continue", "unknown"),
        ("now add a page for the settings", "unknown"),
    ] {
        let sandbox = repository();
        let missing = "error: undefined symbol cache_open";
        let mut scene = Scene::new(&sandbox, "one", "cache the parser");
        scene
            .run("make", &format!("Exit code 2\n{missing}"), true)
            .edit("src/glue.c", "b")
            .run("make", "ok", false)
            .edit("src/cache.c", "b")
            .transcript
            .prompt(reply);
        scene.write("one");
        import(&sandbox);
        let shown = sandbox.oldhand(["session", "show", "one", "--json"]).run();
        let shown: Value = serde_json::from_str(&shown.success()).expect("JSON");
        assert_eq!(shown["outcome"], outcome, "{reply}: {shown}");
        assert_eq!(
            told_about(&sandbox, "later", "make", missing),
            "",
            "{reply}"
        );
    }
}

/// What commits and a session teach of two files, the third of which says this.
fn taught_of_two_agents(shared: &str) -> Vec<String> {
    let sandbox = repository();
    let top = sandbox.project();
    let agent = |name: &str, turn: usize| {
        let own = format!(
            "type {name} struct{{}}\nfunc (a {name}) Name() string {{ return \"{turn}\" }}\n"
        );
        format!("package agent\n{own}func (a {name}) Start() error {{ return nil }}\n")
    };
    for turn in 0..24 {
        // Two thirds of the changes of both bring the third file, and every other commit is about something else.
        match turn % 6 {
            0 | 2 => sandbox.write(
                "agent/agent.go",
                format!("package agent\n{shared}\n// {turn}\n"),
            ),
            4 => {}
            _ => sandbox.write("docs/notes.txt", turn.to_string()),
        }
        if turn % 2 == 0 {
            sandbox.write("agent/claude.go", agent("Claude", turn));
            sandbox.write("agent/gemini.go", agent("Gemini", turn));
        }
        sandbox.git(&top, ["add", "."]);
        let day = format!("2026-01-{:02}T10:00:00Z", turn + 1);
        let message = format!("change {turn}");
        sandbox.git_at(&top, &day, ["commit", "--quiet", "-m", &message]);
    }
    let mut scene = Scene::new(&sandbox, "one", "name the session");
    scene
        .edit("agent/claude.go", "b")
        .edit("agent/gemini.go", "b")
        .run("go test ./...", "ok", false)
        .run("git commit -am name", "[main 1a2b3c4] name", false)
        .write("one");
    import(&sandbox);
    // A list of nothing is no success.
    let list = sandbox.oldhand(["list", "--json", "--type", "causal_dependency"]);
    let list: Value = serde_json::from_str(&list.run().stdout).expect("JSON");
    let told = list["memories"].as_array().expect("a list").iter();
    told.map(|memory| memory["content"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn what_a_compiler_tells_of_two_files_is_told_to_nobody() {
    let interface = "type Agent interface {\n\tName() string\n\tStart() error\n}";
    assert_eq!(taught_of_two_agents(interface), [""; 0]);
    let [told] = &taught_of_two_agents("type Options struct{ Name, Start string }")[..] else {
        panic!("nothing but commits says that these go together");
    };
    assert!(
        told.contains("claude.go") && told.contains("gemini.go"),
        "{told}"
    );
}

/// What commits and a session teach of a file and of another one that begins so, with these notes for contributors; and why it
/// was not told.
fn taught_of_rows(user: &str, notes: &str) -> (Vec<String>, String) {
    let sandbox = repository();
    let top = sandbox.project();
    sandbox.write("CONTRIBUTING.md", notes);
    for turn in 0..24 {
        if turn % 2 == 0 {
            let rows = "export interface Row {\n  id: string;\n}\nexport const NONE = [];";
            sandbox.write("ui/lib/rows.ts", format!("{rows}\n// {turn}\n"));
            sandbox.write("ui/App.tsx", format!("{user}\n\nlet shown = {turn};\n"));
        } else {
            sandbox.write("docs/notes.txt", turn.to_string());
        }
        sandbox.git(&top, ["add", "."]);
        let day = format!("2026-01-{:02}T10:00:00Z", turn + 1);
        let message = format!("change {turn}");
        sandbox.git_at(&top, &day, ["commit", "--quiet", "-m", &message]);
    }
    let mut scene = Scene::new(&sandbox, "one", "add a row");
    scene
        .edit("ui/lib/rows.ts", "b")
        .edit("ui/App.tsx", "b")
        .run("npx tsc --noEmit", "", false)
        .run("git commit -am rows", "[main 1a2b3c4] rows", false)
        .write("one");
    import(&sandbox);
    let list = sandbox.oldhand(["list", "--json", "--type", "causal_dependency"]);
    let list: Value = serde_json::from_str(&list.run().stdout).expect("JSON");
    let told = list["memories"].as_array().expect("a list").iter();
    let told = told.map(|memory| memory["content"].as_str().unwrap_or_default().to_owned());
    (told.collect(), why(&sandbox, "one", "pair:"))
}

#[test]
fn of_two_files_one_of_which_uses_the_other_the_code_graph_tells() {
    let notes = "Rows have an id.";
    for user in [
        "import { NONE } from \"./lib/rows\";",
        "import type { Row } from \"./lib/rows.js\";",
    ] {
        let (told, why) = taught_of_rows(user, notes);
        assert_eq!(told, [""; 0]);
        assert_eq!(why, "one uses the other, which the code graph tells");
    }
    let apart = "// Shows rows.";
    let (told, why) = taught_of_rows(apart, notes);
    let [told] = &told[..] else {
        panic!("nothing but commits says that these go together: {why}");
    };
    assert!(
        told.contains("rows.ts") && told.contains("App.tsx"),
        "{told}"
    );
    let notes = "A new column goes into `ui/App.tsx` in the same change.";
    let (told, why) = taught_of_rows(apart, notes);
    assert_eq!(told, [""; 0]);
    assert_eq!(why, "a text of the project says it already");
}
