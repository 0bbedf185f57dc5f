//! What is true and needs no memory: what the project says itself.

use oldhand_testkit::Sandbox;
use serde_json::Value;

use super::{Scene, import, memories};
use crate::repository;

const FOUND: &str = "`flush` never waits for `fsync`, so a power cut loses the last rows.";

/// Two sessions that found the same, in a project with these files. What became of the finding, and why.
fn fate(files: &[(&str, &str)]) -> (Vec<String>, String) {
    let sandbox = repository();
    let known = ["remember", "Totals are in cents."];
    sandbox.oldhand(known).run().success();
    sandbox.write(
        "src/rows.py",
        "def save(rows):\n    rows.flush()\n    os.fsync(rows)\n",
    );
    for (file, text) in files {
        sandbox.write(file, text);
    }
    for (day, session) in [(10, "before"), (11, "found")] {
        let mut scene = Scene::new(&sandbox, session, "keep all rows");
        scene
            .read("src/rows.py")
            .run("make test", "Exit code 2\nerror: 3 rows are missing", true)
            .transcript
            .say(&format!("Root cause: {FOUND}"));
        scene
            .edit("src/rows.py", "b")
            .run("make test", "4 passed", false)
            .run("git commit -am rows", "[main 2b3c4d5] rows", false);
        write_on(day, &scene, session);
    }
    import(&sandbox);
    (told(&sandbox), why(&sandbox, "found", "cause:"))
}

fn told(sandbox: &Sandbox) -> Vec<String> {
    let told = memories(sandbox).into_iter();
    let told = told.filter(|memory| memory["source"] == "observer_inferred");
    told.map(|memory| memory["content"].as_str().expect("text").to_owned())
        .collect()
}

/// What is said in a session's report of the first candidate with a key that begins so.
pub(super) fn why(sandbox: &Sandbox, session: &str, key: &str) -> String {
    let shown = sandbox
        .oldhand(["session", "show", session, "--json"])
        .run();
    let shown: Value = serde_json::from_str(&shown.success()).expect("JSON");
    let lines = shown["report"]["lines"].as_array().expect("lines");
    let is_it = |line: &&Value| line["key"].as_str().is_some_and(|own| own.starts_with(key));
    let line = lines.iter().find(is_it);
    line.map_or_else(String::new, |line| {
        line["why"].as_str().unwrap_or("").to_owned()
    })
}

#[test]
fn what_a_document_or_a_comment_beside_the_code_says_is_not_told_again() {
    let (told, why) = fate(&[]);
    assert_eq!(told, [FOUND], "{why}");
    for (file, text, place) in [
        (
            "docs/usage.md",
            "# Rows\n\nOne line.\n\nA power cut may lose the last rows:\n`flush` does not wait for `fsync`.\n",
            Some("docs/usage.md:5"),
        ),
        (
            "src/keep.py",
            "def keep(rows):\n    # flush never waits for fsync: the last rows are\n    # lost by a power cut.\n    rows.flush()\n",
            Some("src/keep.py:2"),
        ),
        // Only named, or the opposite, or a list of what changed.
        (
            "docs/usage.md",
            "See `flush` and `fsync` for the rows.\n",
            None,
        ),
        (
            "docs/usage.md",
            "`flush` waits for `fsync`, so that a power cut loses no rows, not even the last.\n",
            None,
        ),
        (
            "docs/usage.md",
            "Does `flush` never wait for `fsync`? A power cut would lose the last rows.\n\n- [ ] Should `flush` never wait for `fsync`, so that a power cut loses the last rows?\n",
            None,
        ),
        (
            "docs/usage.md",
            "Before 2.0 `flush` never waited for `fsync`, so a power cut lost the last rows. Since then it waits.\n",
            None,
        ),
        (
            "CHANGELOG.md",
            "- `flush` never waits for `fsync`, so a power cut loses the last rows.\n",
            None,
        ),
    ] {
        let (told, why) = fate(&[(file, text)]);
        match place {
            Some(place) => {
                assert_eq!(why, format!("`{place}` says it already"));
                assert!(told.is_empty(), "{told:?}");
            }
            None => assert_eq!(told, [FOUND], "{text}: {why}"),
        }
    }
}

/// Writes a session of one day of the month.
fn write_on(day: usize, scene: &Scene<'_>, session: &str) {
    let text = scene.transcript.text();
    let text = text.replace("2026-01-10T", &format!("2026-01-{day:02}T"));
    let name = format!("../transcripts/{session}.jsonl");
    scene.sandbox.write(&name, text);
}

/// What is told after two sessions that do not find a program and run it through another one, with these in between: the day and the command.
fn told_of_missing(others: &[(usize, &str)]) -> (Vec<String>, Vec<Value>) {
    let sandbox = repository();
    let known = ["remember", "Totals are in cents."];
    sandbox.oldhand(known).run().success();
    let missing = "Exit code 127\nzsh:1: command not found: go";
    for day in [4, 8] {
        let session = format!("missing-{day}");
        let mut scene = Scene::new(&sandbox, &session, "round the totals");
        scene
            .edit("src/totals.go", "b")
            .run("go run ./cmd/shop", missing, true)
            .run("mise exec -- go run ./cmd/shop", "total 4", false)
            .run("make test", "4 passed", false)
            .run("git commit -am totals", "[main 2b3c4d5] totals", false);
        write_on(day, &scene, &session);
    }
    for (day, command) in others {
        let session = format!("other-{day}");
        let mut scene = Scene::new(&sandbox, &session, "name the shop");
        scene
            .edit("src/shop.go", "b")
            .run(command, "shop", false)
            .run("make test", "4 passed", false);
        write_on(*day, &scene, &session);
    }
    import(&sandbox);
    let all = memories(&sandbox).into_iter();
    let errors = all.filter(|memory| memory["type"] == "error_pattern");
    let (stale, fresh): (Vec<Value>, Vec<Value>) =
        errors.partition(|memory| memory["stale"].is_object());
    let content = |memory: &Value| memory["content"].as_str().expect("text").to_owned();
    (fresh.iter().map(content).collect(), stale)
}

#[test]
fn a_program_that_other_sessions_find_is_missing_on_one_machine_only() {
    let told = "`go` alone fails with \"zsh:<n>: command not found: go\" (seen in 2 sessions). Run it as `mise exec -- go`.";
    for others in [
        &[][..],
        &[(6, "mise exec -- go run ./cmd/shop")],
        // Nobody ran it there.
        &[
            (12, "go version 2>/dev/null | head -1"),
            (13, "go env GOPATH 2>/dev/null; ls"),
            (14, "go version & wait"),
            (15, "PATH+=:/opt/go/bin; go version"),
            (16, "alias go='mise exec -- go'; go version"),
            (17, "bash -lc \"go version\""),
        ],
    ] {
        let (fresh, stale) = told_of_missing(others);
        assert_eq!(
            (fresh, stale.len()),
            (vec![told.to_owned()], 0),
            "{others:?}"
        );
    }
    for day in [2, 6] {
        let (fresh, stale) = told_of_missing(&[(day, "go run ./cmd/shop")]);
        assert!(
            fresh.is_empty() && stale.is_empty(),
            "{day}: {fresh:?} {stale:?}"
        );
    }
    let (fresh, stale) = told_of_missing(&[(12, "go run ./cmd/shop")]);
    assert!(fresh.is_empty(), "{fresh:?}");
    let [stale] = &stale[..] else {
        panic!("{stale:?}");
    };
    let reason = stale["stale"]["reason"].as_str().expect("a reason");
    assert_eq!(reason, "session other-12 ran `go` by its name");
}

/// What two sessions teach whose failing check had this output before the same check with an option passed.
fn told_of_check(output: &str) -> Vec<String> {
    let sandbox = repository();
    let known = ["remember", "Totals are in cents."];
    sandbox.oldhand(known).run().success();
    for day in [10, 11] {
        let session = format!("check-{day}");
        let mut scene = Scene::new(&sandbox, &session, "round the totals");
        scene
            .edit("src/totals.ts", "b")
            .run("shelf pack", output, true)
            .run("shelf pack --deep", "packed", false)
            .run("make test", "4 passed", false)
            .run("git commit -am totals", "[main 2b3c4d5] totals", false);
        write_on(day, &scene, &session);
    }
    import(&sandbox);
    let registry = sandbox.oldhand(["errors", "--all", "--json"]).run();
    let registry = registry.success();
    assert!(registry.contains("shelf pack --deep"), "{registry}");
    told(&sandbox)
}

#[test]
fn an_answer_that_the_error_prints_stays_in_the_registry_alone() {
    let told = told_of_check("Exit code 1\nerror: boxes within boxes");
    let [told] = &told[..] else {
        panic!("{told:?}");
    };
    assert!(told.contains("`shelf pack --deep`"), "{told}");
    for printed in [
        "Run `shelf pack --deep` to pack them.",
        "Usage: shelf pack [OPTIONS]\n\nOptions:\n      --deep     Pack boxes within boxes\n  -v, --verbose  Say more",
    ] {
        let printed = format!("Exit code 1\nerror: boxes within boxes\n\n{printed}");
        let told = told_of_check(&printed);
        assert!(told.is_empty(), "{told:?}");
    }
}

#[test]
fn what_names_a_file_that_never_was_is_not_told() {
    for (is_there, count) in [(true, 1), (false, 0)] {
        let sandbox = repository();
        let known = ["remember", "Totals are in cents."];
        sandbox.oldhand(known).run().success();
        sandbox.write("src/server.ts", "a\n");
        sandbox.write("src/router.ts", "a\n");
        for arguments in [&["add", "."][..], &["commit", "-qm", "Serve"]] {
            sandbox.git(&sandbox.project(), arguments);
        }
        if is_there {
            sandbox.write("docker-compose.yml", "a\n");
        }
        for day in 10..16 {
            let session = format!("settings-{day}");
            let mut scene = Scene::new(&sandbox, &session, "serve another port");
            scene
                .edit("src/server.ts", "b")
                .edit("src/router.ts", "b")
                .edit("docker-compose.yml", "b")
                .run("make test", "4 passed", false)
                .run("git commit -am ports", "[main 2b3c4d5] ports", false);
            write_on(day, &scene, &session);
        }
        import(&sandbox);
        let told = told(&sandbox);
        let of_settings = told.iter().filter(|told| told.contains("compose"));
        assert_eq!(of_settings.count(), count, "{told:?}");
    }
}
