//! `oldhand import json`.

use crate::{assert_transcript, id_of, sandbox};

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

#[test]
fn a_line_that_is_not_text_is_told_and_the_others_are_taken() {
    let sandbox = sandbox();
    let mut lines = b"\xef\xbb\xbf".to_vec();
    lines.extend(br#"{"content":"Never push to main."}"#);
    lines.extend(b"\n{\"content\":\"caf\xe9\"}\n\n");
    lines.extend(br#"{"content":"The cache is shared."}"#);
    let outcome = sandbox.oldhand(["import", "json", "-"]).stdin(lines).run();
    assert_eq!(outcome.code, Some(2), "{outcome}");
    let told = "line 2 was not taken: it is not UTF-8 text: byte 16";
    assert!(outcome.stderr.contains(told), "{outcome}");
    assert!(outcome.stdout.contains("2 new, 1 not taken"), "{outcome}");
}

#[test]
fn what_was_forgotten_is_not_brought_back() {
    let sandbox = sandbox();
    let import = |line: &'static str| sandbox.oldhand(["import", "json", "-"]).stdin(line).run();
    let line = r#"{"type":"gotcha","content":"The cache is shared."}"#;
    import(line).success();
    let id = id_of(&sandbox, "cache");
    sandbox.oldhand(["forget", &id]).run().success();
    let again = import(line).success();
    assert_eq!(again, "imported: 1 forgotten before\n");
    assert_eq!(sandbox.oldhand(["search", "cache"]).run().code, Some(1));
}
