//! `oldhand context`: when a task points at files, so that they are told as those that it will probably touch.

use oldhand_testkit::Sandbox;
use serde_json::Value;

use crate::repository;

fn house() -> Sandbox {
    let sandbox = repository();
    for (path, text) in [
        (
            "src/session/cookie.py",
            "def sign_cookie(session, key):\n    return key.sign(session.cookie)\n",
        ),
        (
            "src/routing/match.py",
            "def match_route(path, table):\n    # Better to match the longest; two never win.\n    return table.match(path)\n",
        ),
        (
            "src/hello.py",
            "def hello(name):\n    return 'hello, anything goes, thanks ' + name\n",
        ),
        (
            "docs/quickstart.md",
            "# Quickstart\n\nWrite a view and draw a table.\n",
        ),
    ] {
        sandbox.write(path, text);
    }
    let project = sandbox.project();
    sandbox.git(&project, ["add", "."]);
    sandbox.git(&project, ["commit", "--quiet", "-m", "Serve pages"]);
    sandbox
}

/// The files that a task points at, and all that are listed.
fn pointed(sandbox: &Sandbox, task: &str) -> (Vec<String>, usize) {
    let outcome = sandbox.oldhand(["context", task, "--json"]).run();
    let answer: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let files = answer["files"].as_array().expect("files");
    let told = files.iter().filter(|file| file["pointed"] == true);
    let told: Vec<String> = told
        .filter_map(|file| file["path"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(answer["pointed"], !told.is_empty(), "{task}");
    let is_found = outcome.code == Some(0);
    assert_eq!(is_found, !told.is_empty(), "{task}: {outcome}");
    (told, files.len())
}

#[test]
fn a_task_points_at_files_that_say_half_of_what_it_says() {
    let sandbox = house();
    for (task, file) in [
        (
            "sign the session cookie with the new key",
            "src/session/cookie.py",
        ),
        ("match routes by the longest path", "src/routing/match.py"),
        (
            "add SIGN_COOKIE_TWICE to the session",
            "src/session/cookie.py",
        ),
        ("fix the cookie", "src/session/cookie.py"),
    ] {
        let (told, _) = pointed(&sandbox, task);
        assert_eq!(told.first().map(String::as_str), Some(file), "{task}");
    }
}

#[test]
fn talk_and_what_is_about_something_else_point_at_nothing() {
    let sandbox = house();
    for task in [
        "hello",
        "thanks, that's great",
        "anything",
        "go on",
        "ok",
        "make it better",
        "what do you think",
        "book a table for two people in Lisbon",
        "who won the match yesterday evening",
        "write a poem about autumn leaves",
        "draw the family tree from the parish records",
        "tune the shader that draws the water surface",
    ] {
        let (told, _) = pointed(&sandbox, task);
        assert_eq!(told, [""; 0], "{task}");
        let shown = sandbox.oldhand(["context", task]).run();
        assert!(!shown.stdout.contains("will probably touch"), "{shown}");
    }
    // The list itself is as long as ever.
    assert!(pointed(&sandbox, "make it better").1 > 0);
}
