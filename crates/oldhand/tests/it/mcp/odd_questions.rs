//! Questions of every length: nothing, and a whole log.

use serde_json::json;

use super::{Client, known};
use crate::repository;

#[test]
fn an_empty_question_and_a_pasted_log_are_answered() {
    let sandbox = repository();
    sandbox
        .oldhand([
            "remember",
            "The socket is gone unless the broker was started first.",
        ])
        .run()
        .success();
    let mut client = Client::start(&sandbox);
    for nothing in ["", " \n\t"] {
        let said = client.words("search_memory", &json!({ "query": nothing }));
        assert_eq!(said, "there is nothing to look for: the query is empty");
        let said = client.words("get_workflow_recipe", &json!({ "task": nothing }));
        assert_eq!(said, "no recipe is known for this: the task is empty");
        let result = client.call("get_session_context", &json!({ "task": nothing }));
        assert_eq!(result["isError"], false, "{result}");
        let data = &result["structuredContent"];
        assert!(data.get("files").is_none(), "{data}");
    }
    // What went wrong stands at the end, and enough is said before to fill any list of words.
    let letter = |number: u8| char::from(b'a' + number);
    let started: Vec<String> = (0..80)
        .map(|number| format!("{}{}q", letter(number / 20), letter(number % 20)))
        .collect();
    let log = started.join(" ")
        + &"\n2026-03-01 INFO worker is polling".repeat(3_000)
        + "\nERROR the socket is gone, was the broker started?\n";
    let said = client.words("search_memory", &json!({ "query": log }));
    assert!(said.contains("unless the broker was started"), "{said}");
    for tool in ["get_session_context", "get_workflow_recipe"] {
        let result = client.call(tool, &json!({ "task": log }));
        assert_eq!(result["isError"], false, "{result}");
    }
    assert_eq!(client.leave().0, Some(0));
}

#[test]
fn a_task_that_begins_with_a_slash_is_no_command_to_a_client() {
    let sandbox = repository();
    let known = "After the deploy healthz returns 500 until the cache of the proxy is warm.";
    sandbox.oldhand(["remember", known]).run().success();
    let mut client = Client::start(&sandbox);
    let task = json!({ "task": "/healthz returns 500 after the deploy" });
    let result = client.call("get_session_context", &task);
    let told = result["structuredContent"]["task"].as_str();
    assert!(told.is_some_and(|told| told.contains(known)), "{result}");
    assert_eq!(client.leave().0, Some(0));
}

#[test]
fn a_day_that_has_nothing_is_answered_by_what_is_newest_and_that_is_said() {
    let sandbox = known();
    let mut client = Client::start(&sandbox);
    let mut ask = |query: &str| client.words("search_memory", &json!({ "query": query }));
    let said = "nothing is remembered of last month: these are the newest";
    let found = ask("what did we do last month?");
    assert!(
        found.contains("Run migrations before the tests.") && found.contains(said),
        "{found}"
    );
    let found = ask("what happened this month?");
    assert!(
        found.contains("Run migrations before the tests.") && !found.contains(said),
        "{found}"
    );
}
