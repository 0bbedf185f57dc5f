//! `oldhand doctor --repair` where sessions were learned from: what they taught is there afterwards, and so is the record of it.

use std::collections::BTreeSet;
use std::fs;

use oldhand_testkit::{Invocation, Sandbox};
use serde_json::Value;

use crate::doctor::damage_vectors;
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

/// Changes the words of those memories behind the back of their digests.
fn damage(sandbox: &Sandbox, which: &str) {
    let connection = rusqlite::Connection::open(crate::database(sandbox)).expect("a database");
    let damage = format!("update memory set content = 'Changed.' where {which}");
    assert!(connection.execute(&damage, []).expect("a database") > 0);
}

fn repair(sandbox: &Sandbox) -> String {
    told_of(sandbox.oldhand(["doctor", "--repair"]))
}

/// As [`repair`], when what sessions taught is long beyond its grace.
fn repair_later(sandbox: &Sandbox) -> String {
    let repair = sandbox.oldhand(["doctor", "--repair"]);
    told_of(repair.at("2028-08-01T00:00:00Z"))
}

fn told_of(repair: Invocation<'_>) -> String {
    let outcome = repair.run();
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
fn what_came_after_the_backup_of_a_damaged_database_is_said_to_be_lost() {
    let sandbox = repository();
    let teach = |words: &str| sandbox.oldhand(["remember", words]).run().success();
    teach("The cache is shared between pods.");
    sandbox.oldhand(["backup"]).run().success();
    teach("Ports begin at 7000.");
    let database = crate::database(&sandbox);
    fs::write(&database, vec![7; 100_000]).unwrap();
    let told = repair(&sandbox);
    for words in [
        "the damaged file is kept as",
        "what was kept after 2026-01-15 09:01 UTC",
        "and could not be read is lost",
        "`oldhand import rules` takes in what rules files say",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let aside = format!("{}-damaged-1", database.display());
    assert_eq!(fs::read(aside).unwrap(), vec![7; 100_000]);
    let exported = sandbox.oldhand(["export"]).run().success();
    assert_eq!(exported.lines().count(), 1);
}

#[test]
fn a_torn_table_beside_the_memories_costs_none_and_what_they_lack_is_told() {
    let sandbox = repository();
    // The first write makes the backup of the day.
    let plain = ["remember", "The cache is shared between pods."];
    sandbox.oldhand(plain).run().success();
    let teach = ["remember", "Ports begin at 7000.", "--tag", "net"];
    sandbox.oldhand(teach).run().success();
    let database = crate::database(&sandbox);
    let connection = rusqlite::Connection::open(&database).expect("a database");
    connection
        .execute_batch("pragma wal_checkpoint(truncate)")
        .expect("a database");
    let sql = "select rootpage from sqlite_schema
        where name in ('memory_impacted_node', 'memory_usage', 'memory_tag', 'memory_tag_by_tag')";
    let mut statement = connection.prepare(sql).expect("a database");
    let pages = statement.query_map([], |row| row.get::<_, u32>(0));
    let pages: Vec<u32> = pages
        .expect("pages")
        .map(|page| page.expect("a page"))
        .collect();
    assert_eq!(pages.len(), 4);
    drop(statement);
    drop(connection);
    let mut bytes = fs::read(&database).unwrap();
    for page in pages {
        let end = page as usize * 4096;
        bytes[end - 4096..end].fill(0);
    }
    fs::write(&database, bytes).unwrap();
    let told = repair(&sandbox);
    for words in [
        "sound memories carried over: 1",
        "how often 1 memory was used could not be read, so that it counts as never used",
        "was carried over, but not all of its tags or use could be read; it waits for `oldhand review`",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!told.contains("lost:"), "{told}");
    let exported = sandbox.oldhand(["export"]).run().success();
    assert_eq!(exported.lines().count(), 2, "{exported}");
    assert!(
        exported.contains("\"review_reason\":\"damaged\""),
        "{exported}"
    );
    let shelf = sandbox.oldhand(["review"]).run();
    assert!(
        shelf.words().contains("when the database was damaged"),
        "{shelf}"
    );
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
    damage(&sandbox, "source = 'observer_inferred'");
    let told = repair(&sandbox);
    assert!(told.contains("is damaged and was set aside"), "{told}");
    assert_eq!(said(&sandbox), before, "{told}");
}

/// Two sessions taught something; it was removed for its age.
fn with_something_pruned() -> Sandbox {
    let sandbox = imported();
    assert!(!known(&sandbox).1.is_empty());
    for when in ["2028-06-01T00:00:00Z", "2028-07-15T00:00:00Z"] {
        sandbox.oldhand(["prune", "--yes"]).at(when).run().success();
    }
    assert!(known(&sandbox).1.is_empty());
    sandbox
}

#[test]
fn what_grew_old_stays_away_when_another_memory_is_lost() {
    let sandbox = with_something_pruned();
    let remember = ["remember", "The cache is shared between pods."];
    sandbox.oldhand(remember).run().success();
    damage(&sandbox, "source = 'user_taught'");
    let told = repair_later(&sandbox);
    assert!(told.contains("is damaged and was set aside"), "{told}");
    assert!(known(&sandbox).1.is_empty(), "{told}");
}

#[test]
fn what_grew_old_stays_away_when_vectors_are_damaged() {
    let sandbox = with_something_pruned();
    let remember = ["remember", "The cache is shared between pods."];
    sandbox.oldhand(remember).run().success();
    sandbox.oldhand(["search", "cache"]).run().success();
    damage_vectors(&sandbox);
    let told = repair_later(&sandbox);
    assert!(told.contains("the vectors were removed"), "{told}");
    let (_, memories) = known(&sandbox);
    assert!(
        memories.iter().all(|memory| memory.contains("cache")),
        "{memories:?}"
    );
}

#[test]
fn what_was_erased_although_it_was_damaged_is_not_learned_again() {
    let sandbox = imported();
    let exported = sandbox.oldhand(["export"]).run().success();
    let learned = exported.lines().map(|line| -> Value {
        let memory: Value = serde_json::from_str(line).expect("JSON");
        memory["id"].clone()
    });
    let learned: Vec<Value> = learned.collect();
    assert!(!learned.is_empty());
    damage(&sandbox, "source = 'observer_inferred'");
    for id in learned {
        let erase = ["forget", id.as_str().unwrap(), "--now", "--yes"];
        sandbox.oldhand(erase).run().success();
    }
    let work = work(&sandbox, "session-three");
    sandbox.write("../transcripts/three.jsonl", work);
    import(&sandbox);
    let (_, memories) = known(&sandbox);
    let is_erased = |memory: &String| memory.contains("make gen");
    assert!(!memories.iter().any(is_erased), "{memories:?}");
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

#[test]
fn a_database_that_is_gone_without_a_backup_is_missed_and_its_sessions_teach_it_again() {
    let sandbox = imported();
    let before = known(&sandbox).1.len();
    assert!(before > 0);
    let database = crate::database(&sandbox);
    fs::remove_file(&database).unwrap();
    let _ = fs::remove_dir_all(database.with_file_name("backups"));
    for asked in [&["list"][..], &["search", "anything"], &["status"]] {
        let told = sandbox.oldhand(asked).run();
        assert!(told.stderr.contains("is gone, with no backup"), "{told}");
    }
    let looked = sandbox.oldhand(["doctor"]).run();
    assert_eq!(looked.code, Some(2), "{looked}");
    let told = looked.words();
    assert!(
        told.contains("it is gone, with no backup; journals beside it: 2"),
        "{told}"
    );
    let told = repair(&sandbox);
    assert!(told.contains("a new one was made"), "{told}");
    assert_eq!(known(&sandbox).1.len(), before);
}

#[test]
fn a_repair_says_how_much_is_lost_and_rules_can_be_taken_again() {
    let rules = "# Rules\n\n- Never edit the generated files.\n- Always run the linter first.\n- Ask before you add a dependency.\n";
    let ruled = || {
        let sandbox = repository();
        sandbox.write("AGENTS.md", rules);
        import_rules(&sandbox);
        let database = crate::database(&sandbox);
        fs::remove_dir_all(database.with_file_name("backups")).unwrap();
        (sandbox, database)
    };
    let (sandbox, _) = ruled();
    let erased = crate::id_of(&sandbox, "dependency");
    let erase = ["forget", &erased, "--now", "--yes"];
    sandbox.oldhand(erase).run().success();
    damage(&sandbox, "true");
    let told = repair(&sandbox);
    assert!(
        told.contains("lost: 2 memories; no backup has them"),
        "{told}"
    );
    import_rules(&sandbox);
    let back = exported(&sandbox);
    assert_eq!(back.len(), 2, "what was erased stays so: {back:?}");
    let (sandbox, database) = ruled();
    fs::write(&database, vec![7; 100_000]).unwrap();
    let told = repair(&sandbox);
    assert!(told.contains("lost: everything that was in it"), "{told}");
    assert!(told.contains("`oldhand import rules`"), "{told}");
    import_rules(&sandbox);
    assert_eq!(exported(&sandbox).len(), 3);
}

fn exported(sandbox: &Sandbox) -> Vec<String> {
    let exported = sandbox.oldhand(["export"]).run().success();
    exported.lines().map(str::to_owned).collect()
}

fn import_rules(sandbox: &Sandbox) {
    let import = ["import", "rules", "--yes"];
    sandbox.oldhand(import).run().success();
}

#[test]
fn the_damaged_record_of_a_session_is_noticed_and_put_right() {
    let sandbox = imported();
    let before = known(&sandbox);
    let connection = rusqlite::Connection::open(crate::database(&sandbox)).expect("a database");
    let damage = "update session set client = 'nobody'";
    assert_eq!(connection.execute(damage, []).expect("a database"), 2);
    drop(connection);
    let looked = sandbox.oldhand(["doctor"]).run();
    assert_eq!(looked.code, Some(2), "{looked}");
    assert!(looked.words().contains("the record of session"), "{looked}");
    repair(&sandbox);
    assert_eq!(known(&sandbox), before);
}
