//! `oldhand errors` and `oldhand recipe`: what many sessions show together.

use serde_json::Value;

use crate::session::{with_two_sessions, work};
use crate::{assert_transcript, repository};

#[test]
fn an_error_is_listed_with_what_made_it_go_away() {
    let sandbox = with_two_sessions();
    sandbox
        .oldhand(["import", "transcripts", "../transcripts"])
        .run()
        .success();
    assert_transcript!(sandbox.oldhand(["errors"]));
    assert_transcript!(sandbox.oldhand(["errors", "undeclared crate"]));
    let output =
        "error[E0433]: failed to resolve: use of undeclared crate `protoc_gen` in src/other.rs:7";
    let answer = sandbox
        .oldhand(["errors", output, "--json"])
        .run()
        .success();
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    let error = &answer["errors"][0];
    assert_eq!(error["known_fix"], "first run `make gen`", "{answer}");
    assert_eq!(error["sessions"].as_array().map(Vec::len), Some(2));
    let id = error["id"].as_str().expect("an id");
    sandbox.oldhand(["errors", &id[..6]]).run().success();
    let nothing = sandbox.oldhand(["errors", "nothing like it"]).run();
    assert_eq!(nothing.code, Some(1), "{nothing}");
}

#[test]
fn where_nothing_happened_there_is_nothing_to_list() {
    let sandbox = repository();
    assert_transcript!(sandbox.oldhand(["errors"]));
    assert_transcript!(sandbox.oldhand(["recipe"]));
}

#[test]
fn a_way_of_working_is_listed_with_its_sessions() {
    let sandbox = with_two_sessions();
    sandbox
        .oldhand(["import", "transcripts", "../transcripts"])
        .run()
        .success();
    assert_transcript!(sandbox.oldhand(["recipe"]));
    assert_transcript!(sandbox.oldhand(["recipe", "--all"]));
    sandbox.write(
        "../transcripts/three.jsonl",
        work(&sandbox, "session-three"),
    );
    sandbox
        .oldhand(["import", "transcripts", "../transcripts"])
        .run()
        .success();
    assert_transcript!(sandbox.oldhand(["recipe", "."]));
    let json = sandbox.oldhand(["recipe", "--json"]).run().success();
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["recipes"][0]["successes"], 3, "{json}");
}
