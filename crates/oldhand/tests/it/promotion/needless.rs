//! What is true and needs no memory: what the project says itself.

use oldhand_testkit::Sandbox;
use serde_json::Value;

use super::{Scene, import, memories};
use crate::repository;

const FOUND: &str = "`flush` never waits for `fsync`, so a power cut loses the last rows.";

/// One session that found something out, in a project with these files. What became of the finding, and why.
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
    let mut scene = Scene::new(&sandbox, "found", "keep all rows");
    scene
        .read("src/rows.py")
        .run("make test", "Exit code 2\nerror: 3 rows are missing", true)
        .transcript
        .say(&format!("Root cause: {FOUND}"));
    scene
        .edit("src/rows.py", "b")
        .run("make test", "4 passed", false)
        .run("git commit -am rows", "[main 2b3c4d5] rows", false)
        .write("found");
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
fn why(sandbox: &Sandbox, session: &str, key: &str) -> String {
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
