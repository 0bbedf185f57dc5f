//! `oldhand export`.

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

#[test]
fn what_is_exported_can_be_imported_elsewhere() {
    let lines = taught().oldhand(["export"]).run().success();
    let other = sandbox();
    other
        .oldhand(["import", "json", "--trusted", "-"])
        .stdin(lines.clone())
        .run()
        .success();
    let fields = |lines: &str| -> Vec<[String; 6]> {
        let read = |line: &str| {
            let memory: serde_json::Value = serde_json::from_str(line).unwrap();
            ["type", "content", "summary", "files", "tags", "created_at"]
                .map(|field| memory[field].to_string())
        };
        lines.lines().map(read).collect()
    };
    let again = other.oldhand(["export"]).run().success();
    assert_eq!(fields(&again), fields(&lines));
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
