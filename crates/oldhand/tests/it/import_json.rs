//! `oldhand import json`.

use crate::{assert_transcript, sandbox};

const LINES: &str = r#"{"type":"gotcha","content":"The cache is shared.","files":["src/cache.rs"],"tags":["cache"],"confidence":0.8,"created_at":"2025-12-01T10:00:00Z"}

{"content":"Never push to main."}
{"type":"gotcha","content":"The cache is shared."}
{"type":"gossip","content":"x"}
{"content":""}
not json
"#;

#[test]
fn lines_that_cannot_be_taken_are_told_and_the_others_are_taken() {
    let sandbox = sandbox();
    assert_transcript!(sandbox.oldhand(["import", "json", "-"]).stdin(LINES));
    assert_transcript!(sandbox.oldhand(["list"]));
}

#[test]
fn as_json_each_line_is_answered() {
    assert_transcript!(
        sandbox()
            .oldhand(["import", "json", "-", "--json"])
            .stdin(LINES)
    );
}

#[test]
fn a_file_that_is_not_there_is_told() {
    assert_transcript!(sandbox().oldhand(["import", "json", "nowhere.jsonl"]));
}

#[test]
fn nothing_to_import_is_no_error() {
    assert_transcript!(sandbox().oldhand(["import", "json", "-"]).stdin("\n"));
}

#[test]
fn several_batches_are_imported_in_one_go() {
    let sandbox = sandbox();
    let line = |n| {
        let content = format!("Service {n} listens on port {}", 20_000 + n);
        serde_json::json!({ "type": "gotcha", "content": content }).to_string()
    };
    let lines: Vec<String> = (0..250).map(line).collect();
    let lines = lines.join("\n");
    let outcome = sandbox
        .oldhand(["import", "json", "-", "--json"])
        .stdin(lines)
        .run();
    assert_eq!(outcome.code, Some(0), "{outcome}");
    assert_eq!(
        outcome.stdout.matches(r#""outcome":"inserted""#).count(),
        250
    );
}
