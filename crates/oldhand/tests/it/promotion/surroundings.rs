//! What the surroundings of the work teach: where checks run, and what the machine refuses.

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use super::untold::told_about;
use super::{Scene, import, memories};
use crate::repository;

/// Writes a session of one day of the month; the others of a history are of other days.
fn write_on(day: usize, scene: &Scene<'_>, session: &str) {
    let text = scene.transcript.text();
    let text = text.replace("2026-01-10T", &format!("2026-01-{day:02}T"));
    scene
        .sandbox
        .write(&format!("../transcripts/{session}.jsonl"), text);
}

fn told(sandbox: &Sandbox) -> Vec<String> {
    let told = memories(sandbox).into_iter();
    let told = told.filter(|memory| memory["source"] == "observer_inferred");
    told.map(|memory| memory["content"].as_str().expect("text").to_owned())
        .collect()
}

#[test]
fn how_the_project_is_checked_is_said_by_what_ran_in_it() {
    let sandbox = repository();
    for day in 1..=10 {
        let session = format!("check-{day}");
        let mut scene = Scene::new(&sandbox, &session, "round the totals");
        scene
            .edit(&format!("src/part{day}.rs"), "b")
            .run("cd ../other-shop && make lint-all", "0 issues.", false)
            .run("mise run lint", "0 issues.", false)
            .run("git commit -am totals", "[main 2b3c4d5] totals", false);
        write_on(day, &scene, &session);
    }
    import(&sandbox);
    let told = told(&sandbox);
    let [told] = &told[..] else {
        panic!("{told:?}");
    };
    assert!(
        told.contains("`mise run lint`") && !told.contains("lint-all"),
        "{told}"
    );
}

#[test]
fn what_mends_a_check_is_told_when_it_fails_again() {
    let sandbox = repository();
    let broken = "src/totals.ts format: not as it should be";
    for day in 1..=5 {
        let session = format!("mend-{day}");
        let mut scene = Scene::new(&sandbox, &session, "round the totals");
        scene
            .edit(&format!("src/part{day}.ts"), "b")
            .run("npm run lint", broken, true);
        if day > 1 {
            scene.run("npm run lint:fix", "Fixed 1 file.", false);
        }
        scene
            .run("npm run lint", "Checked 9 files.", false)
            .run("npm run test", "Tests  4 passed (4)", false)
            .run("git commit -am totals", "[main 2b3c4d5] totals", false);
        write_on(day, &scene, &session);
    }
    import(&sandbox);
    let told = told(&sandbox);
    insta::assert_snapshot!(told.join("\n"), @"When `npm run lint` fails, `npm run lint:fix` often mends it: in 4 of the 5 sessions in which the check failed, it passed after that command and no edit.");
    import(&sandbox);
    let hears = |command: &str| {
        let other = "src/invoice.ts: unused variable";
        told_about(&sandbox, command, command, other)
    };
    let fails = "npm run lint 2>&1 | tail -5";
    assert_eq!(hears(fails), "", "a person has a look first");
    let known = memories(&sandbox);
    let [mends] = &known[..] else {
        panic!("{known:?}");
    };
    let id = mends["id"].as_str().unwrap();
    sandbox.oldhand(["verify", id]).run().success();
    assert!(hears(fails).contains("`npm run lint:fix` often mends it"));
    for other in ["npm run test", "cd web && npm run lint", "npm run lint:fix"] {
        assert!(!hears(other).contains("often mends it"), "{other}");
    }
}

#[test]
fn a_check_is_told_with_its_options_and_its_folder_and_not_where_the_manifest_says_it() {
    let sandbox = repository();
    let scripts = json!({ "scripts": { "test": "vitest", "types": "tsc --noEmit" } });
    sandbox.write("web/package.json", scripts.to_string());
    let root = sandbox.project().canonicalize();
    let root = root.expect("the project is there").display().to_string();
    for day in 1..=5 {
        let session = format!("web-{day}");
        let mut scene = Scene::new(&sandbox, &session, "round the totals");
        // An earlier `cd` lasts: the client tells where the call ran.
        let lasts = day % 2 == 0;
        let to = if lasts { "" } else { "cd web && " };
        let test = format!("{to}npx vitest run --globals src/part{day}.test.ts 2>&1 | tail -5");
        scene
            .edit(&format!("web/src/part{day}.ts"), "b")
            .run(&test, "Tests  4 passed (4)", false)
            .run(&format!("{to}npx tsc --noEmit"), "", false)
            .run("git commit -am totals", "[main 2b3c4d5] totals", false);
        let text = scene.transcript.text();
        let text = text.replace("2026-01-10T", &format!("2026-01-{day:02}T"));
        let here = if lasts {
            format!("{root}/web")
        } else {
            root.clone()
        };
        let text = text.replace(
            &format!("\"cwd\":\"{root}\""),
            &format!("\"cwd\":\"{here}\""),
        );
        sandbox.write(&format!("../transcripts/{session}.jsonl"), text);
    }
    import(&sandbox);
    let told = told(&sandbox);
    let [told] = &told[..] else {
        panic!("{told:?}");
    };
    assert_eq!(
        told,
        "How changes are checked in this project: test with `npx vitest run --globals` in `web` (5 of 5 sessions)."
    );
}

const TIMED_OUT: &str = "Exit code 128\nssh: connect to host git.example port 22: Operation timed out\nfatal: Could not read from remote repository.";

#[test]
fn what_the_machine_refuses_on_three_days_waits_for_a_person() {
    let sandbox = repository();
    for day in 1..=3 {
        let session = format!("wall-{day}");
        let mut scene = Scene::new(&sandbox, &session, "round the totals");
        scene
            .edit("src/totals.rs", "b")
            .run("make test", "4 passed", false)
            .run("git push", TIMED_OUT, true);
        write_on(day, &scene, &session);
    }
    import(&sandbox);
    let walls = memories(&sandbox).into_iter();
    let walls: Vec<_> = walls
        .filter(|memory| memory["type"] == "error_pattern")
        .collect();
    let [wall] = &walls[..] else {
        panic!("{walls:?}");
    };
    assert_eq!(wall["needs_review"], true);
    let content = wall["content"].as_str().expect("text");
    let expected = "`git push` failed here with \"ssh: connect to host git.example port <n>: Operation timed out\": 3 times in 3 sessions, last on 2026-01-03, and nothing that was tried helped. It may have ended since.";
    assert_eq!(content, expected);
}

#[test]
fn what_passes_outside_of_a_sandbox_is_no_wall() {
    let sandbox = repository();
    let known = ["remember", "Totals are in cents."];
    sandbox.oldhand(known).run().success();
    let refused = "Exit code 1\nopen /run/docker.sock: Operation not permitted";
    for day in 1..=4 {
        let session = format!("escalated-{day}");
        let mut scene = Scene::new(&sandbox, &session, "round the totals");
        scene
            .edit("src/totals.rs", "b")
            .run("docker build .", refused, true);
        let input = json!({ "command": "docker build .", "dangerouslyDisableSandbox": true });
        scene.transcript.tool("Bash", &input, "built", false);
        scene.run("make test", "4 passed", false);
        write_on(day, &scene, &session);
    }
    import(&sandbox);
    let told = told(&sandbox);
    assert!(!told.iter().any(|told| told.contains("docker")), "{told:?}");
}

/// A session that asks its client for a skill by name.
fn ask_for_skill(sandbox: &Sandbox, day: usize, session: &str, answer: &str, failed: bool) {
    let mut scene = Scene::new(sandbox, session, "commit it");
    scene.edit("src/totals.rs", "b");
    let input = json!({ "skill": "commit" });
    scene.transcript.tool("Skill", &input, answer, failed);
    scene.run("git commit -am totals", "[main 2b3c4d5] totals", false);
    write_on(day, &scene, session);
}

const UNKNOWN: &str = "<tool_use_error>Unknown skill: commit</tool_use_error>";

#[test]
fn a_name_that_the_client_has_not_is_told_until_somebody_calls_it_with_success() {
    let sandbox = repository();
    for day in 1..=3 {
        ask_for_skill(&sandbox, day, &format!("vain-{day}"), UNKNOWN, true);
    }
    import(&sandbox);
    let gotchas = || {
        let mut all = memories(&sandbox);
        all.retain(|memory| memory["type"] == "gotcha");
        all
    };
    let known = gotchas();
    let [told] = &known[..] else {
        panic!("{known:?}");
    };
    let expected =
        "Claude Code has no skill `commit` here: 3 sessions called it in vain, last on 2026-01-03.";
    assert_eq!(told["content"], expected);
    assert_eq!(told["needs_review"], true);
    let json = |arguments: &[&str]| -> Value {
        let answer = sandbox.oldhand(arguments.iter().chain(&["--json"])).run();
        serde_json::from_str(&answer.success()).expect("JSON")
    };
    let id = told["id"].as_str().expect("an id");
    let shown = json(&["session", "show", "vain-3"]);
    let events = shown["events"][id].as_array();
    assert!(events.is_some_and(|events| !events.is_empty()), "{shown}");
    let lessons = json(&["show", id])["learned_from"].clone();
    assert_eq!(lessons.as_array().map(Vec::len), Some(3), "{lessons}");
    import(&sandbox);
    assert_eq!(gotchas(), known, "said again");
    ask_for_skill(&sandbox, 4, "there", "Launching skill: commit", false);
    ask_for_skill(&sandbox, 5, "vain-5", UNKNOWN, true);
    import(&sandbox);
    let over = gotchas();
    let [told] = &over[..] else {
        panic!("{over:?}");
    };
    let why = "session there called `commit` with success";
    assert_eq!(told["stale"]["reason"], why);
    assert_eq!(told["content"], expected);
}

#[test]
fn a_skill_that_the_project_has_by_now_is_not_missing() {
    let sandbox = repository();
    let known = ["remember", "Totals are in cents."];
    sandbox.oldhand(known).run().success();
    sandbox.write(".claude/skills/commit/SKILL.md", "Commit what is done.\n");
    for day in 1..=3 {
        ask_for_skill(&sandbox, day, &format!("vain-{day}"), UNKNOWN, true);
    }
    import(&sandbox);
    let told = told(&sandbox);
    assert!(!told.iter().any(|told| told.contains("skill")), "{told:?}");
}
