//! From hooks to memories and back to hooks.

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use super::told::{context, edited, failed, journal, known, ran, read, tell};

const ERROR: &str =
    "error[E0433]: failed to resolve: use of undeclared crate `protoc_gen` in src/wire.rs:12";

/// A mistake, the way out, and a passing test, told hook by hook.
fn work(sandbox: &Sandbox, session: &str) {
    tell(
        sandbox,
        session,
        "SessionStart",
        json!({ "source": "startup" }),
    );
    let prompt = json!({ "prompt": "make the wire format compile again" });
    tell(sandbox, session, "UserPromptSubmit", prompt);
    read(sandbox, session, "t1", "src/wire.rs");
    for id in ["t2", "t3"] {
        failed(sandbox, session, id, "cargo test", ERROR);
    }
    edited(sandbox, session, "t4", "build.rs");
    ran(
        sandbox,
        session,
        "t5",
        "cargo test",
        "test result: ok. 3 passed; 0 failed",
    );
    tell(
        sandbox,
        session,
        "Stop",
        json!({ "last_assistant_message": "It compiles again." }),
    );
}

#[test]
fn the_fix_of_earlier_sessions_reaches_the_next_at_the_same_error_and_only_then() {
    let sandbox = known();
    for session in ["one", "two"] {
        work(&sandbox, session);
        sandbox
            .oldhand(["session", "finalize", session])
            .run()
            .success();
    }
    let start = json!({ "source": "startup" });
    assert_eq!(tell(&sandbox, "three", "SessionStart", start), "");
    assert_eq!(read(&sandbox, "three", "t1", "src/main.rs"), "");
    let other = "error: linker `cc` not found";
    assert_eq!(failed(&sandbox, "three", "t2", "cargo build", other), "");
    // Another line of another run: the same error all the same.
    let again = ERROR.replace(":12", ":98");
    let answer = failed(&sandbox, "three", "t3", "cargo check", &again);
    let words = context(&answer, "PostToolUseFailure");
    insta::with_settings!({filters => vec![(r"\[[0-9a-f]{8}\]", "[ID]")]}, {
        insta::assert_snapshot!(words);
    });
    assert_eq!(failed(&sandbox, "three", "t4", "cargo check", &again), "");
    assert_eq!(edited(&sandbox, "three", "t5", "build.rs"), "");
    let injected: Vec<Value> = journal(&sandbox, "three")
        .into_iter()
        .filter(|event| event["event"].get("injected").is_some())
        .collect();
    assert_eq!(injected.len(), 1);
    assert_eq!(injected[0]["event"]["injected"]["point"], "error");
}

#[test]
fn sessions_that_end_are_learned_from_by_themselves() {
    let sandbox = known();
    work(&sandbox, "one");
    sandbox
        .oldhand(["session", "finalize", "one"])
        .run()
        .success();
    work(&sandbox, "two");
    let reason = json!({ "reason": "other" });
    assert_eq!(tell(&sandbox, "two", "SessionEnd", reason), "");
    let learned = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        sandbox.oldhand(["search", "protoc_gen"]).run().code == Some(0)
    });
    assert!(learned, "the session was not finalized within a minute");
    let before = uses(&sandbox);
    let again = ERROR.replace(":12", ":98");
    assert_ne!(failed(&sandbox, "three", "t1", "cargo check", &again), "");
    edited(&sandbox, "three", "t2", "build.rs");
    // The same work that the end of a session starts, done while we wait.
    for _ in 0..2 {
        sandbox
            .oldhand(["session", "finalize", "three"])
            .run()
            .success();
    }
    assert_eq!(uses(&sandbox), before + 1, "used once, counted once");
}

/// How often the one memory there is was put in front of someone.
fn uses(sandbox: &Sandbox) -> u64 {
    let listed = sandbox.oldhand(["list", "--json"]).run().success();
    let listed: Value = serde_json::from_str(&listed).expect("list answers JSON");
    let count = listed["memories"][0]["access_count"].as_u64();
    count.expect("there is a memory")
}
