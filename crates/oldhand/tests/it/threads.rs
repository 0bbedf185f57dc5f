//! Where the system gives no more threads, whatever is asked is answered by the one that asks.

use oldhand_testkit::Sandbox;
use serde_json::json;

use crate::repository;

/// A stack that no machine has room for: each thread that is to be started is refused.
pub(crate) const NO_THREADS: (&str, &str) = ("RUST_MIN_STACK", "70368744177664");

/// A repository with more files than one thread walks by itself, and a memory.
fn house() -> Sandbox {
    let sandbox = repository();
    for number in 0..520 {
        let text = format!("export function step{number}() {{ return {number} }}\n");
        sandbox.write(&format!("src/part{}/step{number}.ts", number % 7), text);
    }
    let project = sandbox.project();
    sandbox.git(&project, ["add", "."]);
    sandbox.git(&project, ["commit", "--quiet", "-m", "Take steps"]);
    let words = "Step 33 is slow when the cache is cold.";
    let file = "src/part5/step33.ts";
    let taught = ["remember", words, "--file", file];
    sandbox.oldhand(taught).run().success();
    sandbox
}

/// What a command says with and without threads, in a house that nobody has looked at before.
fn both(arguments: &[&str], stdin: impl Fn(&Sandbox) -> Vec<u8>) -> [String; 2] {
    [None, Some(NO_THREADS)].map(|limit| {
        let sandbox = house();
        let mut call = sandbox.oldhand(arguments).stdin(stdin(&sandbox));
        if let Some((name, value)) = limit {
            call = call.env(name, value);
        }
        let done = call.run();
        assert_eq!(done.code, Some(0), "{done}");
        assert!(!done.stderr.contains("panicked"), "{done}");
        done.stdout
    })
}

#[test]
fn code_is_read_without_threads() {
    for arguments in [
        &["context", "make step33 faster"][..],
        &["map"],
        &["search", "slow step"],
    ] {
        let [with, without] = both(arguments, |_| Vec::new());
        assert_eq!(with, without, "{arguments:?}");
    }
}

#[test]
fn a_hook_answers_without_threads() {
    for (event, more) in [
        ("SessionStart", json!({ "source": "startup" })),
        (
            "UserPromptSubmit",
            json!({ "prompt": "make step33 faster: step 33 is slow" }),
        ),
        ("SessionEnd", json!({ "reason": "other" })),
    ] {
        let said = |sandbox: &Sandbox| {
            let mut payload =
                json!({ "cwd": sandbox.project(), "session_id": "s", "hook_event_name": event });
            for (key, value) in more.as_object().expect("fields") {
                payload[key] = value.clone();
            }
            payload.to_string().into_bytes()
        };
        let [with, without] = both(&["hook", "claude-code"], said);
        assert_eq!(with, without, "{event}");
        let is_told = with.contains("Step 33 is slow");
        assert_eq!(is_told, event == "UserPromptSubmit", "{event}: {with}");
    }
}

/// On a terminal something turns while one waits, which takes a thread.
#[test]
#[cfg(target_os = "linux")]
fn a_terminal_is_answered_without_threads() {
    use std::fs::File;
    use std::os::fd::FromRawFd as _;
    use std::process::Stdio;
    use std::ptr::{null, null_mut};

    let sandbox = house();
    let (mut ours, mut theirs) = (0, 0);
    // SAFETY: the system writes two handles, which nobody else closes, and is told no name and no size.
    let [ours, theirs] = unsafe {
        let opened = libc::openpty(&raw mut ours, &raw mut theirs, null_mut(), null(), null());
        assert_eq!(opened, 0);
        [ours, theirs].map(|handle| File::from_raw_fd(handle))
    };
    let (name, value) = NO_THREADS;
    let done = sandbox
        .command(env!("CARGO_BIN_EXE_oldhand"))
        .args(["context", "make step33 faster"])
        .env("OLDHAND_HOME", sandbox.home())
        .env(name, value)
        .current_dir(sandbox.project())
        .stderr(Stdio::from(theirs))
        .output()
        .expect("it runs");
    drop(ours);
    assert!(done.status.success(), "{done:?}");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(said.contains("src/part5/step33.ts"), "{said}");
}
