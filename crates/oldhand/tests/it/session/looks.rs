//! What is shown of sessions: their steps, those not learned from yet, and what to do where something is missing.

use serde_json::Value;

use super::with_two_sessions;

#[test]
fn a_session_that_nobody_learned_from_yet_is_shown_with_what_is_known() {
    let sandbox = with_two_sessions();
    let import = ["import", "transcripts", "../transcripts", "--no-finalize"];
    sandbox.oldhand(import).run().success();
    let shown = sandbox.oldhand(["session", "show", "session-two"]).run();
    assert_eq!(shown.code, Some(0), "{shown}");
    for known in ["claude-code", "when", " events", "not finalized"] {
        assert!(shown.stdout.contains(known), "{known}: {shown}");
    }
    let learns = "`oldhand session finalize session-two` learns from it";
    assert!(shown.stderr.contains(learns), "{shown}");
}

#[test]
fn who_mixes_up_sessions_and_memories_is_told_which_command_shows_it() {
    let sandbox = with_two_sessions();
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
    let listed = sandbox.oldhand(["list", "--json"]).run().success();
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    let memory = listed["memories"][0]["id"].as_str().expect("a memory");
    let as_session = sandbox.oldhand(["session", "show", memory]).run();
    assert_eq!(as_session.code, Some(1), "{as_session}");
    let next = format!("hint: `oldhand show {memory}` shows it");
    assert!(as_session.stderr.contains(&next), "{as_session}");
    let as_memory = sandbox.oldhand(["show", "session-two"]).run();
    assert_eq!(as_memory.code, Some(1), "{as_memory}");
    let next = "hint: `oldhand session show session-two` shows what it taught";
    assert!(as_memory.stderr.contains(next), "{as_memory}");
}

#[test]
fn a_step_of_a_session_can_be_looked_at() {
    let sandbox = with_two_sessions();
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
    let step = |number: &str| {
        let show = ["session", "show", "session-two", "--step", number];
        sandbox.oldhand(show).run()
    };
    let third = step("3").success();
    for near in [
        "step 2: ran `cargo test`",
        "step 4: ran `make gen`",
        "protoc_gen",
    ] {
        assert!(third.contains(near), "{near}: {third}");
    }
    assert!(!third.contains("step 5"), "{third}");
    let far = step("90");
    assert_eq!(far.code, Some(1), "{far}");
    assert!(far.stderr.contains("it has steps 0 to "), "{far}");
}

#[test]
fn sessions_that_nobody_learned_from_are_listed_and_counted() {
    let sandbox = with_two_sessions();
    let import = ["import", "transcripts", "../transcripts", "--no-finalize"];
    sandbox.oldhand(import).run().success();
    let listed = sandbox.oldhand(["session", "list"]).run();
    for told in [
        "session-two · claude-code · ",
        "not finalized yet",
        "make the wire format compile again",
    ] {
        assert!(listed.stdout.contains(told), "{told}: {listed}");
    }
    let learns = "`oldhand session finalize --all` learns from the 2 that are not finalized yet";
    assert!(listed.stderr.contains(learns), "{listed}");
    let status = || {
        let status = sandbox.oldhand(["status", "--json"]).run().success();
        let status: Value = serde_json::from_str(&status).expect("JSON");
        status["sessions_not_learned"].clone()
    };
    assert_eq!(status(), 2);
    let finalize = ["session", "finalize", "--all"];
    sandbox.oldhand(finalize).run().success();
    assert_eq!(status(), 0);
}

#[test]
fn what_is_missing_or_too_much_is_told_with_what_to_do() {
    let sandbox = with_two_sessions();
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
    for (arguments, told) in [
        (
            &["session", "finalize"][..],
            "`--all` learns from every session",
        ),
        (&["session", "list", "-n", "-1"], "a number of 0 or more"),
        (
            &["import", "transcripts", "/nowhere"],
            "name a transcript or a folder",
        ),
        (
            &["session", "validate", "session-one", "--type", "holiday"],
            "a session was for one of build, insights, roadmap, terminal, changelog, spec_creation, pr_review",
        ),
    ] {
        let refused = sandbox.oldhand(arguments).run();
        assert!(refused.code.is_some_and(|code| code > 0), "{refused}");
        assert!(refused.stderr.contains(told), "{refused}");
    }
}
