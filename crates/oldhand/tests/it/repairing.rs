//! `oldhand doctor --repair` where sessions were learned from: what they taught is there afterwards, and so is the record of it.

use std::collections::BTreeSet;
use std::fs;

use oldhand_testkit::Sandbox;
use serde_json::Value;

use crate::repository;
use crate::session::{with_two_sessions, work};

fn imported() -> Sandbox {
    let sandbox = with_two_sessions();
    import(&sandbox);
    sandbox
}

fn import(sandbox: &Sandbox) {
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
}

/// What sessions are known and what each of them taught, and what is remembered.
fn known(sandbox: &Sandbox) -> (Vec<String>, Vec<String>) {
    let listed = sandbox
        .oldhand(["session", "list", "--json"])
        .run()
        .success();
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    let sessions = listed["sessions"].as_array().expect("a list");
    let sessions = sessions.iter().map(|session| {
        let id = session["id"].as_str().expect("an id");
        let shown = ["session", "show", id, "--json"];
        let shown = sandbox.oldhand(shown).run().success();
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        format!("{id} {} {}", shown["promoted"], shown["errors"])
    });
    let sessions = sessions.collect();
    let exported = sandbox.oldhand(["export"]).run().success();
    let memories = exported.lines().map(|line| {
        let memory: Value = serde_json::from_str(line).expect("JSON");
        format!("{} {}", memory["id"], memory["content"])
    });
    (sessions, memories.collect())
}

fn repair(sandbox: &Sandbox) -> String {
    let outcome = sandbox.oldhand(["doctor", "--repair"]).run();
    assert_eq!(outcome.code, Some(0), "{outcome}");
    outcome.words()
}

#[test]
fn the_record_of_sessions_comes_back_with_a_damaged_database() {
    let sandbox = imported();
    sandbox.oldhand(["backup"]).run().success();
    let before = known(&sandbox);
    fs::write(crate::database(&sandbox), vec![7; 100_000]).unwrap();
    let told = repair(&sandbox);
    assert!(
        told.contains("what is known of 2 sessions came back from"),
        "{told}"
    );
    assert_eq!(known(&sandbox), before);
}

#[test]
fn a_session_that_no_backup_has_is_learned_from_again() {
    let sandbox = imported();
    sandbox.oldhand(["backup"]).run().success();
    sandbox.write(
        "../transcripts/three.jsonl",
        work(&sandbox, "session-three"),
    );
    import(&sandbox);
    let (before, _) = known(&sandbox);
    for damage in [Some("nothing like a database ".repeat(500)), None] {
        match damage {
            Some(noise) => fs::write(crate::database(&sandbox), noise).unwrap(),
            None => fs::remove_file(crate::database(&sandbox)).unwrap(),
        }
        let told = repair(&sandbox);
        let learned = "1 session over and not learned from was learned from:";
        assert!(told.contains(learned), "{told}");
        let (after, _) = known(&sandbox);
        assert_eq!(after, before);
    }
}

#[test]
fn a_memory_that_no_backup_has_is_learned_again_from_its_sessions() {
    let sandbox = repository();
    let remember = ["remember", "The cache is shared between pods."];
    sandbox.oldhand(remember).run().success();
    sandbox.oldhand(["backup"]).run().success();
    for session in ["session-one", "session-two"] {
        let file = format!("../transcripts/{session}.jsonl");
        sandbox.write(&file, work(&sandbox, session));
    }
    import(&sandbox);
    let said = |sandbox: &Sandbox| {
        let (sessions, memories) = known(sandbox);
        let words = memories.iter().filter_map(|line| line.split_once(' '));
        let words: BTreeSet<String> = words.map(|(_, words)| words.to_owned()).collect();
        (sessions.len(), words)
    };
    let before = said(&sandbox);
    assert!(before.1.len() > 1, "{before:?}");
    let connection = rusqlite::Connection::open(crate::database(&sandbox)).unwrap();
    let damage = "update memory set content = 'Changed.' where source = 'observer_inferred'";
    assert!(connection.execute(damage, []).unwrap() > 0);
    drop(connection);
    let told = repair(&sandbox);
    assert!(told.contains("is damaged and was set aside"), "{told}");
    assert_eq!(said(&sandbox), before, "{told}");
}

#[test]
fn a_discarded_session_stays_discarded() {
    let sandbox = imported();
    sandbox.oldhand(["backup"]).run().success();
    let discard = ["session", "discard", "session-one", "--yes"];
    sandbox.oldhand(discard).run().success();
    fs::write(crate::database(&sandbox), vec![7; 100_000]).unwrap();
    repair(&sandbox);
    let (sessions, _) = known(&sandbox);
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    import(&sandbox);
    assert_eq!(known(&sandbox).0, sessions);
}

#[test]
fn many_steps_of_one_kind_are_counted() {
    let sandbox = crate::sandbox();
    for n in 0..8 {
        let text = format!("Port 80{n}0 is taken by service number {n}.");
        sandbox.oldhand(["remember", &text]).run().success();
    }
    sandbox.oldhand(["backup"]).run().success();
    fs::write(crate::database(&sandbox), vec![7; 100_000]).unwrap();
    let told = repair(&sandbox);
    assert_eq!(told.matches("came back from").count(), 3, "{told}");
    assert!(told.contains("and 5 more like these"), "{told}");
}
