//! `oldhand export`.

use serde_json::{Value, json};

use crate::{assert_transcript, id_of, sandbox, taught};

#[test]
fn json_is_one_memory_a_line_oldest_first() {
    assert_transcript!(taught().oldhand(["export"]));
}

#[test]
fn markdown_is_for_people() {
    assert_transcript!(taught().oldhand(["export", "--format", "markdown"]));
}

#[test]
fn claude_md_leaves_out_what_is_not_sure() {
    let sandbox = taught();
    let id = id_of(&sandbox, "SQLite");
    sandbox.oldhand(["flag", &id]).run().success();
    assert_transcript!(sandbox.oldhand(["export", "--format", "claude-md"]));
}

#[test]
fn the_steps_of_a_list_keep_the_order_that_their_file_gives_them() {
    let sandbox = sandbox();
    sandbox.write(
        "AGENTS.md",
        "# Landing\n\nYou must always:\n\n1. File what is left to do\n2. Run the gates with `make gates`\n3. Push to the remote\n4. Hand off to the next\n",
    );
    let import = ["import", "rules", "AGENTS.md", "--yes"];
    sandbox.oldhand(import).run().success();
    for format in ["claude-md", "markdown"] {
        let page = sandbox.oldhand(["export", "--format", format]);
        let page = page.run().success();
        let steps = ["File what", "Run the gates", "Push to", "Hand off"];
        let places: Vec<Option<usize>> = steps.iter().map(|step| page.find(step)).collect();
        assert!(places.iter().all(Option::is_some), "{page}");
        assert!(places.is_sorted(), "{page}");
    }
}

#[test]
fn a_file_is_written_whole() {
    let sandbox = taught();
    let arguments = ["export", "--format", "claude-md", "--output", "CLAUDE.md"];
    assert_transcript!(sandbox.oldhand(arguments));
    assert!(
        sandbox
            .read("CLAUDE.md")
            .contains("Run migrations before the tests")
    );
}

#[test]
fn a_file_that_cannot_be_written_is_told() {
    let sandbox = taught();
    sandbox.write("taken/inside", "");
    assert_transcript!(sandbox.oldhand(["export", "--output", "missing/folder.jsonl"]));
    assert_eq!(
        sandbox.oldhand(["export", "--output", "taken"]).run().code,
        Some(2)
    );
    assert_eq!(sandbox.read("taken/inside"), "");
}

#[test]
fn an_unknown_format_is_refused() {
    assert_transcript!(sandbox().oldhand(["export", "--format", "xml"]));
}

/// What an export says but for what is the store's own: the id, where relations to other memories lead, and how often a row was written.
fn but_for_ids(lines: &str) -> Vec<String> {
    let read = |line: &str| {
        let mut memory: Value = serde_json::from_str(line).expect("JSON");
        // What is left of its confidence follows from the rest.
        for own in ["id", "revision", "confidence_now"] {
            memory[own].take();
        }
        let relations = memory["relations"].as_array_mut().expect("a list");
        relations.retain(|relation| relation["target"].get("memory").is_none());
        memory.to_string()
    };
    lines.lines().map(read).collect()
}

#[test]
fn an_export_that_is_trusted_and_exported_again_is_the_same() {
    let sandbox = taught();
    sandbox.write("src/db.rs", "fn open() {}\n");
    let flagged = id_of(&sandbox, "SQLite");
    let arguments = ["flag", &flagged, "outdated", "--note", "we moved on"];
    sandbox.oldhand(arguments).run().success();
    let verified = id_of(&sandbox, "migrations");
    sandbox.oldhand(["verify", &verified]).run().success();
    sandbox.oldhand(["pin", &verified]).run().success();
    let exported = |sandbox: &oldhand_testkit::Sandbox| {
        let export = sandbox.oldhand(["export"]).at("2026-02-01T00:00:00Z");
        export.run().success()
    };
    // What only sessions, rewritten files and use leave behind.
    let first = exported(&sandbox);
    let lines = first.lines().map(|line| {
        let mut memory: Value = serde_json::from_str(line).unwrap();
        memory["session"] = json!("s-1");
        memory["provenance"] = json!(["s-1", "s-2"]);
        memory["access_count"] = json!(7);
        memory["last_accessed_at"] = json!("2026-01-07T00:00:00Z");
        memory["stale"] = json!({"since": "2026-01-08T00:00:00Z", "reason": "src/db.rs is gone"});
        memory["relations"] = json!([{
            "relation_type": "derived_from", "target": {"file": "src/db.rs"},
            "confidence": 0.5, "extraction": "automatic",
        }]);
        memory.to_string()
    });
    let mut known = lines.collect::<Vec<_>>().join("\n");
    for _ in 0..2 {
        let other = crate::sandbox();
        let import = other.oldhand(["import", "json", "--trusted", "-"]);
        import.stdin(known.clone()).run().success();
        let again = exported(&other);
        assert_eq!(but_for_ids(&again), but_for_ids(&known));
        known = again;
    }
    // Without a person's word for it, nothing of its past counts.
    let other = crate::sandbox();
    let import = other.oldhand(["import", "json", "-"]).stdin(known);
    import.run().success();
    for line in exported(&other).lines() {
        let memory: Value = serde_json::from_str(line).unwrap();
        let past = [&memory["verified_at"], &memory["flagged"], &memory["stale"]];
        assert_eq!(past, [&Value::Null; 3], "{memory}");
        assert_eq!(
            (&memory["access_count"], &memory["provenance"]),
            (&json!(0), &json!(["s-1"]))
        );
    }
}

#[test]
fn importing_twice_is_importing_once() {
    let lines = taught().oldhand(["export"]).run().success();
    let other = sandbox();
    let import = || other.oldhand(["import", "json", "-"]).stdin(lines.clone());
    import().run().success();
    let exported = || {
        other
            .oldhand(["export"])
            .at("2026-02-01T00:00:00Z")
            .run()
            .success()
    };
    let before = exported();
    assert_transcript!(import());
    assert_eq!(exported(), before);
}
