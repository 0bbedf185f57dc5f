//! `oldhand review` and `oldhand trust`: what waits for a person, and what their word changes.

use oldhand_testkit::Sandbox;
use serde_json::Value;

use crate::{id_of, sandbox};

/// One memory nobody need look at, and two that wait.
fn house() -> Sandbox {
    let sandbox = sandbox();
    let lines = [
        r#"{"type":"gotcha","content":"Run migrations before the tests, or the schema is empty."}"#,
        r#"{"type":"gotcha","content":"The cache must be warmed by hand after a deploy.","source":"observer_inferred","needs_review":true}"#,
        r#"{"type":"decision","content":"Logs go to standard error, never to files.","source":"observer_inferred","needs_review":true}"#,
    ];
    sandbox
        .oldhand(["import", "json", "-"])
        .stdin(lines.join("\n"))
        .run()
        .success();
    sandbox
}

fn json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let all = arguments.iter().chain(&["--json"]);
    let answer = sandbox.oldhand(all).run();
    serde_json::from_str(&answer.stdout).expect("the answer is JSON")
}

fn waiting(sandbox: &Sandbox) -> Vec<String> {
    let queue = json(sandbox, &["review"]);
    let waiting = queue["waiting"].as_array().expect("a list");
    waiting
        .iter()
        .map(|memory| {
            let content = memory["content"].as_str().expect("a text");
            format!(
                "{}: {}",
                memory["why"].as_str().expect("a word"),
                &content[..9]
            )
        })
        .collect()
}

#[test]
fn what_waits_is_listed_and_answers_by_id_empty_the_list() {
    let sandbox = house();
    let mut listed = waiting(&sandbox);
    listed.sort();
    assert_eq!(
        listed,
        ["needs_review: Logs go t", "needs_review: The cache"]
    );
    let (cache, logs) = (id_of(&sandbox, "cache"), id_of(&sandbox, "Logs"));
    let answers = json(
        &sandbox,
        &[
            "review",
            "--confirm",
            &cache,
            "--reject",
            &logs,
            "--as",
            "outdated",
            "--note",
            "they go to the journal",
        ],
    );
    assert_eq!(answers["answers"][0]["outcome"], "confirmed");
    assert_eq!(answers["answers"][1]["outcome"], "rejected");
    assert_eq!(answers["left"], 0);
    let confirmed = json(&sandbox, &["show", &cache]);
    assert!(!confirmed["verified_at"].is_null(), "{confirmed}");
    let rejected = json(&sandbox, &["show", &logs]);
    assert_eq!(rejected["flagged"]["correction"], "outdated");
    assert!(!rejected["deleted_since"].is_null(), "{rejected}");
    let done = sandbox.oldhand(["review"]).run();
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("nothing waits for a review"), "{done}");
}

#[test]
fn without_a_terminal_the_list_is_printed_with_how_to_answer() {
    let sandbox = house();
    let printed = sandbox.oldhand(["review"]).run();
    assert_eq!(printed.code, Some(0));
    assert!(
        printed.stdout.contains("The cache must be warmed")
            && printed.stdout.contains("waits for a review")
            && printed.stderr.contains("--confirm ID"),
        "{printed}"
    );
}

#[test]
fn at_the_cautious_level_everything_that_was_learned_waits() {
    let sandbox = house();
    let cache = id_of(&sandbox, "cache");
    sandbox.oldhand(["verify", &cache]).run().success();
    let lines = r#"{"type":"gotcha","content":"Port 8080 is taken on the build machine.","source":"observer_inferred"}"#;
    sandbox
        .oldhand(["import", "json", "-"])
        .stdin(lines)
        .run()
        .success();
    assert_eq!(waiting(&sandbox).len(), 1);
    sandbox
        .oldhand(["trust", "set", "cautious"])
        .run()
        .success();
    let listed = waiting(&sandbox);
    assert_eq!(listed.len(), 2, "{listed:?}");
    assert!(
        listed.contains(&"not_confirmed: Port 8080".to_owned()),
        "{listed:?}"
    );
}

#[test]
fn trust_says_what_holds_and_takes_a_persons_word() {
    let sandbox = house();
    let shown = json(&sandbox, &["trust", "show"]);
    assert_eq!(
        (&shown["level"], &shown["by"]),
        (&"standard".into(), &"earned".into())
    );
    assert_eq!(
        (&shown["at_least"], &shown["to_review"]),
        (&0.65.into(), &2.into())
    );
    let set = json(&sandbox, &["trust", "set", "autonomous"]);
    assert_eq!(
        (&set["level"], &set["by"]),
        (&"autonomous".into(), &"set".into())
    );
    let back = json(&sandbox, &["trust", "set", "earned"]);
    assert_eq!(back["level"], "standard");
    let wrong = sandbox.oldhand(["trust", "set", "blind"]).run();
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("cautious"), "{wrong}");
}

#[test]
fn many_flags_at_once_offer_a_step_back() {
    let sandbox = house();
    for word in ["migrations", "cache"] {
        let id = id_of(&sandbox, word);
        let flagged = sandbox.oldhand(["flag", &id]).run();
        assert!(!flagged.stderr.contains("trust"), "{flagged}");
    }
    let flagged = sandbox.oldhand(["flag", &id_of(&sandbox, "Logs")]).run();
    assert!(
        flagged.stderr.contains("oldhand trust set cautious"),
        "{flagged}"
    );
}
