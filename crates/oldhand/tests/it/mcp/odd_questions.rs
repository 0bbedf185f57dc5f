//! Questions of every length: nothing, and a whole log.

use serde_json::json;

use super::Client;
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
    // What went wrong stands at the end.
    let log = "2026-03-01 INFO worker is polling\n".repeat(3_000)
        + "ERROR the socket is gone, was the broker started?\n";
    let said = client.words("search_memory", &json!({ "query": log }));
    assert!(said.contains("unless the broker was started"), "{said}");
    for tool in ["get_session_context", "get_workflow_recipe"] {
        let result = client.call(tool, &json!({ "task": log }));
        assert_eq!(result["isError"], false, "{result}");
    }
    assert_eq!(client.leave().0, Some(0));
}
