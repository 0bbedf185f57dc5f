//! Work in the background: one at a time, told by `status`, gone on with when it was killed.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::session::with_two_sessions;
use crate::{database, repository};

fn status(sandbox: &Sandbox) -> Value {
    let status = sandbox.oldhand(["status", "--json"]).run().success();
    let status: Value = serde_json::from_str(&status).expect("JSON");
    status["job"].clone()
}

/// Waits until the job is in `state`, a minute at most.
fn wait_for(sandbox: &Sandbox, state: &str, done: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..600 {
        let job = status(sandbox);
        if job["state"] == state && done(&job) {
            return job;
        }
        sleep(Duration::from_millis(100));
    }
    panic!("never {state}: {}", status(sandbox));
}

#[test]
fn detached_work_goes_on_by_itself_and_says_how_it_ended() {
    let sandbox = with_two_sessions();
    sandbox.oldhand(["init", "--yes"]).run().success();
    let arguments = ["import", "transcripts", "../transcripts", "--detach"];
    let told = sandbox.oldhand(arguments).run();
    assert_eq!(told.code, Some(0), "{told}");
    let job = wait_for(&sandbox, "idle", |job| !job["last"].is_null());
    assert_eq!(job["last"]["failure"], Value::Null, "{job}");
    assert_eq!(job["last"]["arguments"][1], "transcripts", "{job}");
    let log = fs::read_to_string(job["log"].as_str().expect("a path")).expect("the log is there");
    assert!(log.contains("2 sessions"), "{log}");
    let sessions = sandbox
        .oldhand(["session", "list", "--json"])
        .run()
        .success();
    assert!(sessions.contains("session-two"), "{sessions}");
    let shown = sandbox.oldhand(["status"]).run().success();
    assert!(shown.contains("ended well"), "{shown}");
}

#[test]
fn importing_makes_a_project_known_in_the_background_too() {
    let sandbox = with_two_sessions();
    let arguments = ["import", "transcripts", "../transcripts", "--detach"];
    sandbox.oldhand(arguments).run().success();
    let job = wait_for(&sandbox, "idle", |job| !job["last"].is_null());
    assert_eq!(job["last"]["failure"], Value::Null, "{job}");
    let sessions = sandbox
        .oldhand(["session", "list", "--json"])
        .run()
        .success();
    assert!(sessions.contains("session-two"), "{sessions}");
}

#[test]
fn many_jobs_at_once_do_each_thing_once() {
    let sandbox = with_two_sessions();
    sandbox
        .oldhand(["import", "transcripts", "../transcripts", "--no-finalize"])
        .run()
        .success();
    let jobs: Vec<_> = (0..4)
        .map(|_| {
            sandbox
                .oldhand(["job", "session", "finalize", "--all"])
                .spawn()
        })
        .collect();
    for mut job in jobs {
        drop(job.stdin.take());
        let ended = job.wait_with_output().expect("it ends");
        assert!(ended.status.success(), "{ended:?}");
    }
    let list = sandbox.oldhand(["list", "--json"]).run().success();
    let list: Value = serde_json::from_str(&list).expect("JSON");
    assert_eq!(list["memories"].as_array().map(Vec::len), Some(1), "{list}");
}

#[test]
fn a_killed_job_is_told_of_and_gone_on_with() {
    let sandbox = with_two_sessions();
    sandbox
        .oldhand(["import", "transcripts", "../transcripts", "--no-finalize"])
        .run()
        .success();
    // Somebody holds what it needs, so that it can be killed at work.
    let projects = sandbox.home().join("projects");
    let project = fs::read_dir(projects).expect("a folder").next();
    let locks = project
        .expect("one")
        .expect("a project")
        .path()
        .join("locks");
    fs::create_dir_all(&locks).expect("a folder");
    let held = fs::File::create(locks.join("finalize")).expect("a lock");
    held.lock().expect("nobody else has it");
    let mut job = sandbox
        .oldhand(["job", "session", "finalize", "--all"])
        .spawn();
    wait_for(&sandbox, "running", |_| true);
    job.kill().expect("it runs");
    job.wait().expect("it ends");
    wait_for(&sandbox, "interrupted", |_| true);
    let doctor = sandbox.oldhand(["doctor"]).run();
    assert!(doctor.words().contains("was interrupted"), "{doctor}");
    drop(held);
    sandbox
        .oldhand(["job", "session", "finalize", "--ended"])
        .run()
        .success();
    let job = status(&sandbox);
    assert_eq!(job["state"], "idle", "{job}");
    let list = sandbox.oldhand(["list", "--json"]).run().success();
    assert!(list.contains("protoc_gen"), "{list}");
}

#[test]
fn a_job_that_fails_says_why() {
    let sandbox = repository();
    sandbox.oldhand(["init", "--yes"]).run().success();
    let failed = sandbox
        .oldhand(["job", "session", "finalize", "nothing"])
        .run();
    assert_eq!(failed.code, Some(1), "{failed}");
    let job = status(&sandbox);
    assert_eq!(
        job["last"]["failure"], "no session has the id `nothing`",
        "{job}"
    );
    let doctor = sandbox.oldhand(["doctor"]).run();
    assert!(doctor.to_string().contains("failed"), "{doctor}");
}

#[test]
fn what_hooks_need_of_a_large_store_is_written_in_the_background() {
    let sandbox = repository();
    let remember = |text: &str| sandbox.oldhand(["remember", text]).run().success();
    remember("Migrations run before the tests.");
    let database = database(&sandbox);
    let handout = database.with_file_name("memory.db-handout");
    assert!(handout.exists(), "a small store's is written at once");
    let lines: Vec<String> = (0..2_001)
        .map(|n| {
            json!({ "content": format!("Service {n} listens on port {}", 20_000 + n) }).to_string()
        })
        .collect();
    let import = sandbox.oldhand(["import", "json", "-"]);
    import.stdin(lines.join("\n")).run().success();
    remember("The build needs protoc.");
    let job = wait_for(&sandbox, "idle", |job| !job["last"].is_null());
    assert_eq!(job["last"]["arguments"][1], "finalize", "{job}");
    assert_eq!(job["last"]["failure"], Value::Null, "{job}");
    assert!(handout.exists());
}
