//! Clients that go without a word, or never say one, and systems that give no threads.

use std::io::Write as _;

use serde_json::json;

use super::{Client, known};
use crate::threads::NO_THREADS;

#[test]
fn a_client_that_dies_in_the_middle_leaves_nothing_behind() {
    let sandbox = known();
    let mut client = Client::start(&sandbox);
    // Asked and never waited for; half a line comes after it.
    client.say(&json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": { "name": "get_module_map", "arguments": {} } }).to_string());
    let to = client.to.as_mut().expect("the conversation goes on");
    to.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":10,\"meth")
        .expect("the server listens");
    assert_eq!(client.leave().0, Some(0));
    // Nothing holds the database: a writer gets it at once.
    sandbox.oldhand(["remember", "Free again."]).run().success();
}

#[test]
fn a_client_that_never_begins_is_no_trouble() {
    let sandbox = known();
    let outcome = sandbox.oldhand(["mcp"]).run();
    assert_eq!(
        (
            outcome.code,
            outcome.stdout.as_str(),
            outcome.stderr.as_str()
        ),
        (Some(0), "", "")
    );
}

#[test]
fn a_project_that_is_removed_under_an_open_server_stays_away() {
    let sandbox = known();
    let mut client = Client::start(&sandbox);
    let note = json!({ "text": "Ports below 9000 are taken by the proxy.", "type": "gotcha" });
    client.words("record_memory", &note);
    let remove = ["forget", "--whole-project", "project", "--yes"];
    sandbox.oldhand(remove).run().success();
    // Whatever it answers, nothing is made for it.
    client.call("record_memory", &note);
    assert_eq!(client.leave().0, Some(0));
    let left = std::fs::read_dir(sandbox.home().join("projects")).unwrap();
    assert_eq!(left.count(), 0);
    sandbox.oldhand(["doctor"]).run().success();
}

#[test]
fn a_server_answers_where_the_system_gives_no_threads() {
    let sandbox = known();
    let mut client = Client::named(&sandbox, "some-client", &[NO_THREADS]);
    let params = json!({ "name": "search_memory", "arguments": { "query": "migrations" } });
    let call =
        json!({ "jsonrpc": "2.0", "id": "search", "method": "tools/call", "params": params });
    client.say(&call.to_string());
    // Whoever waited for the answer alone would wait without end where none comes.
    let answer = (0..20).find_map(|number| {
        let ping = json!({ "jsonrpc": "2.0", "id": number, "method": "ping" });
        client.say(&ping.to_string());
        let heard = client.hear();
        (heard["id"] == "search").then_some(heard)
    });
    let answer = answer.expect("the call is answered").to_string();
    assert!(
        answer.contains("Run migrations before the tests."),
        "{answer}"
    );
}
