//! Everything that can go wrong around a hook, and that the agent never notices.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::time::Duration;

use oldhand_testkit::Sandbox;
use rusqlite::Connection;
use serde_json::json;

use super::told::{call, context, journal, known, payload, read, teach, tell, withdraw};
use crate::database;

const TRAP: &str = "Run migrations first, or the schema is empty.";

/// A project with a trap in `src/db.rs`.
fn trapped() -> Sandbox {
    let sandbox = known();
    teach(&sandbox, &[TRAP, "--type", "gotcha", "--file", "src/db.rs"]);
    sandbox
}

fn open_file(session: &str, sandbox: &Sandbox) -> Vec<u8> {
    let path = sandbox.project().join("src/db.rs");
    let rest = json!({
        "tool_name": "Read",
        "tool_input": { "file_path": path },
        "tool_response": { "type": "text" },
        "tool_use_id": "t1",
    });
    payload(sandbox, session, "PostToolUse", rest)
}

#[test]
fn a_hook_that_waits_for_another_gives_up_in_time() {
    let sandbox = trapped();
    read(&sandbox, "s0", "t1", "src/db.rs");
    let locks = database(&sandbox).with_file_name("locks");
    let hold = |number: u8| {
        let held = File::create(locks.join(format!("inject-{number:x}")));
        let held = held.expect("the lock can be opened");
        held.lock().expect("nobody holds it");
        held
    };
    let held: Vec<File> = (0..16).map(hold).collect();
    let outcome = sandbox
        .oldhand(["hook", "claude-code"])
        .stdin(open_file("s1", &sandbox))
        .run();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""));
    drop(held);
    assert_ne!(
        read(&sandbox, "s1", "t2", "src/db.rs"),
        "",
        "the next one speaks"
    );
}

#[test]
fn sessions_do_not_wait_for_each_other() {
    let sandbox = trapped();
    assert_ne!(read(&sandbox, "s1", "t1", "src/db.rs"), "");
    let locks = database(&sandbox).with_file_name("locks");
    let of_first = fs::read_dir(locks).expect("there are locks");
    let held: Vec<File> = of_first
        .map(|lock| File::create(lock.expect("it can be listed").path()).expect("it can be opened"))
        .collect();
    for lock in &held {
        lock.lock().expect("nobody holds it");
    }
    assert_ne!(read(&sandbox, "s2", "t1", "src/db.rs"), "");
}

#[test]
fn a_client_that_never_finishes_its_payload_leaves_no_process_behind() {
    let sandbox = trapped();
    let mut child = sandbox.oldhand(["hook", "claude-code"]).spawn();
    let mut stdin = child.stdin.take().expect("there is a pipe");
    stdin.write_all(b"{\"session_id\":").expect("it listens");
    let ended = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        child.try_wait().expect("it is our child").is_some()
    });
    if !ended {
        child.kill().expect("it is our child");
    }
    assert!(ended, "it still waits");
    assert_eq!(child.wait().expect("it has ended").code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_disk_that_stalls_does_not_hold_up_the_agent() {
    let sandbox = trapped();
    // Nobody reads from it: whoever opens it to write waits, as on a disk that does not answer.
    let folder = database(&sandbox).with_file_name("journal");
    fs::create_dir_all(&folder).expect("a folder can be made");
    let made = sandbox
        .command("mkfifo")
        .arg(folder.join("s1.jsonl"))
        .status();
    assert!(made.expect("mkfifo runs").success());
    let outcome = sandbox
        .oldhand(["hook", "claude-code"])
        .stdin(open_file("s1", &sandbox))
        .run();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""));
    assert_eq!(outcome.stderr, "");
}

#[test]
fn of_forty_eight_hooks_at_once_no_event_is_lost_though_their_time_is_short() {
    const SESSIONS: usize = 4;
    const EACH: usize = 12;
    let sandbox = trapped();
    std::thread::scope(|scope| {
        for number in 0..SESSIONS * EACH {
            let sandbox = &sandbox;
            scope.spawn(move || {
                let session = format!("s{}", number % SESSIONS);
                // Far too short for so many: each would be cut off before it had written anything.
                let outcome = sandbox
                    .oldhand(["hook", "claude-code"])
                    .env("OLDHAND_HOOK_DEADLINE", "10")
                    .stdin(open_file(&session, sandbox))
                    .run();
                assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
            });
        }
    });
    for session in 0..SESSIONS {
        let events = journal(&sandbox, &format!("s{session}"));
        let returned = events
            .iter()
            .filter(|event| event["event"].get("tool_returned").is_some())
            .count();
        assert_eq!(returned, EACH, "{events:?}");
    }
}

#[test]
fn a_client_that_does_not_listen_any_more_is_no_failure() {
    let sandbox = trapped();
    let hook = sandbox.oldhand(["hook", "claude-code"]);
    let mut child = hook.env("OLDHAND_HOOK_DEADLINE", "60000").spawn();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("there is a pipe");
    stdin
        .write_all(&open_file("s1", &sandbox))
        .expect("it listens");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"");
}

#[test]
fn a_journal_that_cannot_be_written_costs_the_words_and_nothing_else() {
    let sandbox = trapped();
    let folder = database(&sandbox).with_file_name("journal");
    let _ = fs::remove_dir_all(&folder);
    fs::write(&folder, "not a folder").expect("it can be written");
    assert_eq!(read(&sandbox, "s1", "t1", "src/db.rs"), "");
    assert_eq!(tell(&sandbox, "s1", "SessionStart", json!({})), "");
}

#[test]
fn a_project_whose_folder_or_state_is_gone_is_silent() {
    let sandbox = trapped();
    let gone = open_file("s1", &sandbox);
    fs::remove_dir_all(sandbox.project()).expect("it can be removed");
    fs::create_dir(sandbox.project()).expect("the sandbox starts commands there");
    assert_eq!(call(&sandbox, "claude-code", gone.clone()), "");
    let sandbox = trapped();
    fs::remove_dir_all(sandbox.home().join("projects")).expect("it can be removed");
    assert_eq!(call(&sandbox, "claude-code", open_file("s1", &sandbox)), "");
}

#[test]
fn a_folder_outside_the_project_does_not_lose_the_session() {
    let sandbox = trapped();
    let mut rest: serde_json::Value =
        serde_json::from_slice(&open_file("s1", &sandbox)).expect("it is JSON");
    rest["cwd"] = json!("/");
    let outcome = sandbox
        .oldhand(["hook", "claude-code"])
        .env("OLDHAND_HOOK_DEADLINE", "60000")
        .env("CLAUDE_PROJECT_DIR", sandbox.project())
        .stdin(rest.to_string())
        .run();
    assert!(context(&outcome.stdout, "PostToolUse").contains("migrations"));
    assert_eq!(journal(&sandbox, "s1").len(), 2);
}

#[test]
fn bytes_that_are_no_text_are_mended() {
    let sandbox = trapped();
    let mut bytes = open_file("s1", &sandbox);
    let at = bytes.len() - 3;
    bytes.splice(at..at, *b"\xff\xfe");
    assert_ne!(call(&sandbox, "claude-code", bytes), "");
}

#[test]
fn a_key_at_the_place_where_a_long_output_is_cut_does_not_survive() {
    let sandbox = known();
    let key = ["AKIA", "Q3EGRIXVZ7BUJ2NW"].concat();
    for before in [600, 625, 635, 640, 960, 1280, 24_560, 24_570] {
        let session = format!("s{before}");
        let output = format!("{}{key} {}", "x ".repeat(before / 2), "y ".repeat(60_000));
        super::told::ran(&sandbox, &session, "t1", "make", &output);
        let line = journal(&sandbox, &session)[0].to_string();
        assert!(
            !line.contains(&key[..8]) && !line.contains(&key[12..]),
            "{line}"
        );
    }
}

/// Keeps everybody else out of the database until it is dropped.
fn hold(sandbox: &Sandbox) -> Connection {
    let connection = Connection::open(database(sandbox)).expect("nobody else is in");
    connection
        .execute_batch("pragma locking_mode = exclusive; begin exclusive")
        .expect("nobody else is in");
    connection
}

#[test]
fn a_locked_database_with_everything_in_its_file_still_answers() {
    let sandbox = trapped();
    withdraw(&sandbox);
    let held = hold(&sandbox);
    let words = read(&sandbox, "s1", "t1", "src/db.rs");
    assert!(context(&words, "PostToolUse").contains(TRAP));
    drop(held);
    let events = journal(&sandbox, "s1");
    assert_eq!(events.len(), 2, "what happened and what was said");
}

#[test]
fn a_locked_database_with_a_log_costs_the_words_and_not_the_event() {
    let sandbox = trapped();
    withdraw(&sandbox);
    let held = hold(&sandbox);
    // A commit that changes nothing, so that there is a log which only the holder can read.
    let version: u32 = held
        .query_row("pragma user_version", [], |row| row.get(0))
        .expect("it is a database");
    held.execute_batch(&format!(
        "pragma user_version = {version}; commit; begin exclusive"
    ))
    .expect("it is ours to write");
    let log = database(&sandbox).with_file_name("memory.db-wal");
    assert_ne!(log.metadata().expect("there is a log").len(), 0);
    let other = Connection::open(database(&sandbox)).expect("opening alone reads nothing");
    let refused = other.query_row("pragma user_version", [], |row| row.get::<_, u32>(0));
    assert!(refused.is_err(), "the lock keeps others out");
    drop(other);
    let outcome = sandbox
        .oldhand(["hook", "claude-code"])
        .env("OLDHAND_HOOK_DEADLINE", "3000")
        .stdin(open_file("s1", &sandbox))
        .run();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""));
    assert_eq!(outcome.stderr, "");
    assert_eq!(journal(&sandbox, "s1").len(), 1);
    drop(held);
    let words = read(&sandbox, "s1", "t2", "src/db.rs");
    assert!(context(&words, "PostToolUse").contains(TRAP));
}

#[test]
fn a_database_damaged_behind_its_first_page_is_silent_and_the_journal_goes_on() {
    let sandbox = trapped();
    withdraw(&sandbox);
    let path = database(&sandbox);
    let mut bytes = fs::read(&path).expect("it can be read");
    let page = usize::from(u16::from_be_bytes([bytes[16], bytes[17]]));
    assert!(bytes.len() > 2 * page, "there is more than one page");
    bytes[page..].fill(0xa5);
    fs::write(&path, &bytes).expect("it can be replaced");
    assert_eq!(read(&sandbox, "s1", "t1", "src/db.rs"), "");
    assert_eq!(tell(&sandbox, "s1", "SessionStart", json!({})), "");
    assert!(!journal(&sandbox, "s1").is_empty());
    assert_eq!(fs::read(&path).expect("it is there"), bytes);
}

#[test]
fn a_database_cut_short_is_silent_and_the_journal_goes_on() {
    let sandbox = trapped();
    withdraw(&sandbox);
    let path = database(&sandbox);
    let whole = fs::read(&path).expect("it can be read");
    fs::write(&path, &whole[..whole.len() / 2 + 100]).expect("it can be replaced");
    let said = read(&sandbox, "s1", "t1", "src/db.rs");
    assert!(said.is_empty() || context(&said, "PostToolUse").contains(TRAP));
    assert!(!journal(&sandbox, "s1").is_empty());
}

#[test]
fn a_database_of_a_newer_oldhand_is_silent_and_untouched() {
    let sandbox = trapped();
    withdraw(&sandbox);
    let path = database(&sandbox);
    let mut file = File::options().write(true).open(&path).expect("it is ours");
    // Where SQLite keeps the version of the tables.
    file.seek(SeekFrom::Start(60)).expect("it is long enough");
    file.write_all(&999_u32.to_be_bytes())
        .expect("it can be written");
    drop(file);
    let before = fs::read(&path).expect("it can be read");
    assert_eq!(read(&sandbox, "s1", "t1", "src/db.rs"), "");
    assert_eq!(journal(&sandbox, "s1").len(), 1);
    assert_eq!(fs::read(&path).expect("it is there"), before);
}

/// Permissions bind everybody but root; as root the hook is run as somebody else, to whom everything here is given.
#[cfg(unix)]
#[test]
#[expect(clippy::print_stderr, reason = "what is not tried says why")]
fn a_state_folder_that_cannot_be_written_is_silent_and_unchanged() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;
    use std::process::Stdio;

    const NOBODY: u32 = 65534;
    let sandbox = trapped();
    let state = database(&sandbox);
    let state = state.parent().expect("a file lies in a folder");
    let is_root = fs::metadata(sandbox.root()).expect("it is there").uid() == 0;
    let mut hook = sandbox.command(env!("CARGO_BIN_EXE_oldhand"));
    if is_root {
        let given = std::process::Command::new("chown")
            .args(["-R", &NOBODY.to_string()])
            .arg(sandbox.root())
            .status();
        assert!(given.is_ok_and(|status| status.success()));
        hook.uid(NOBODY).gid(NOBODY);
    }
    let everything = || {
        let mut found = Vec::new();
        let mut left = vec![state.to_owned()];
        while let Some(folder) = left.pop() {
            for entry in fs::read_dir(folder).expect("it can be listed") {
                let path = entry.expect("it can be listed").path();
                if path.is_dir() {
                    left.push(path);
                } else {
                    found.push((path.clone(), fs::read(path).expect("it can be read")));
                }
            }
        }
        found.sort();
        found
    };
    let allow = |mode: u32| {
        fs::set_permissions(state, fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    allow(0o500);
    let before = everything();
    hook.args(["hook", "claude-code"])
        .env("OLDHAND_HOOK_DEADLINE", super::told::PATIENT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let answer = hook.spawn().map(|mut child| {
        let mut stdin = child.stdin.take().expect("there is a pipe");
        stdin
            .write_all(&open_file("s1", &sandbox))
            .expect("it listens");
        drop(stdin);
        child.wait_with_output().expect("it ends")
    });
    let after = everything();
    allow(0o700);
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) if is_root => {
            eprintln!("not tried: nobody but root can run what was built here ({error})");
            return;
        }
        Err(error) => unreachable!("the program was built for this test: {error}"),
    };
    assert_eq!(answer.status.code(), Some(0));
    assert_eq!((answer.stdout, answer.stderr), (Vec::new(), Vec::new()));
    assert!(after == before, "something was written");
}

#[test]
fn whoever_starts_an_agent_can_say_what_the_session_is_for() {
    let sandbox = known();
    let payload = json!({
        "hook_event_name": "UserPromptSubmit",
        "session_id": "session-typed",
        "cwd": sandbox.project(),
        "prompt": "write down what changed",
    });
    let hook = |variables: &[(&str, &str)]| {
        let mut call = sandbox
            .oldhand(["hook", "claude-code"])
            .stdin(payload.to_string());
        for (name, value) in variables {
            call = call.env(name, value);
        }
        call.run().success()
    };
    hook(&[
        ("OLDHAND_SESSION_TYPE", "changelog"),
        ("OLDHAND_WORK_UNIT", "spec_042/subtask_3"),
        ("OLDHAND_PLANNED_STEPS", "many"),
    ]);
    sandbox
        .oldhand(["session", "finalize", "session-typed"])
        .run()
        .success();
    let shown = sandbox
        .oldhand(["session", "show", "session-typed", "--json"])
        .run()
        .success();
    assert!(shown.contains("\"changelog\""), "{shown}");
    let told = sandbox
        .oldhand(["doctor"])
        .env("OLDHAND_PLANNED_STEPS", "many")
        .run();
    assert!(
        told.stdout
            .contains("OLDHAND_PLANNED_STEPS should be a whole number"),
        "{}",
        told.stdout
    );
}
