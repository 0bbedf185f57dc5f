//! What no client can do over MCP: end the server, hear what is not its to hear, or speak as a person.

use serde_json::{Value, json};

use super::{Client, known, text};
use crate::id_of;

#[test]
fn nothing_before_the_beginning_and_no_missing_end_of_line_ends_the_server() {
    let sandbox = known();
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "some-client", "version": "1" },
    } });
    let ask = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "search_memory", "arguments": { "query": "migrations" },
    } });
    let lines = [
        "nonsense".to_owned(),
        r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"to nobody"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":9,"result":{}}"#.to_owned(),
        begin.to_string(),
        ask.to_string(),
    ];
    let said = sandbox.oldhand(["mcp"]).stdin(lines.join("\n")).run();
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    let heard: Vec<Value> = said
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("every line is a message"))
        .collect();
    assert_eq!(heard.len(), 3, "{heard:?}");
    assert_eq!(heard[0]["error"]["code"], -32700);
    assert_eq!(heard[1]["result"]["serverInfo"]["name"], "oldhand");
    assert!(text(&heard[2]["result"]).contains("Run migrations"));
}

#[test]
fn a_client_is_not_told_what_another_session_noted() {
    let sandbox = known();
    let begin = |session: &str| {
        let payload = json!({
            "session_id": session,
            "cwd": sandbox.project(),
            "hook_event_name": "SessionStart",
            "source": "startup",
        });
        sandbox
            .oldhand(["hook", "claude-code"])
            .env("OLDHAND_HOOK_DEADLINE", "60000")
            .stdin(payload.to_string())
            .run()
            .success();
    };
    let told = |client: &mut Client| {
        let found = client.words("search_memory", &json!({ "query": "flamingo" }));
        let context = client.words("get_session_context", &json!({ "task": "flamingo" }));
        [found, context].map(|answer| answer.contains("flamingo stands"))
    };
    begin("one");
    let named = [("CLAUDE_CODE_SESSION_ID", "one")];
    let mut first = Client::named(&sandbox, "claude-code", &named);
    let text = "The flamingo stands on the left leg.";
    first.words("record_memory", &json!({ "text": text }));
    assert_eq!(told(&mut first), [true, true]);
    // It names no session: it may be of this one, or not.
    let mut second = Client::named(&sandbox, "claude-code", &[]);
    assert_eq!(told(&mut second), [false, false]);
    second.words("record_memory", &json!({ "text": text }));
    assert_eq!(told(&mut second), [true, true]);
    // A server that is started anew in the same session knows its notes.
    first.leave();
    let mut again = Client::named(&sandbox, "claude-code", &named);
    assert_eq!(told(&mut again), [true, true]);
    // Of two sessions it might belong to, it belongs to neither.
    begin("two");
    let mut third = Client::named(&sandbox, "claude-code", &[]);
    let reported = third.call("report_outcome", &json!({ "passed": true }));
    let session = reported["structuredContent"]["session"].as_str();
    assert!(
        session.is_some_and(|session| session.starts_with("mcp-")),
        "{reported}"
    );
    for client in [second, again, third] {
        client.leave();
    }
}

#[test]
fn an_agents_flag_asks_a_person_and_takes_no_word_of_theirs_back() {
    let sandbox = known();
    let id = id_of(&sandbox, "migrations");
    sandbox.oldhand(["verify", &id]).run().success();
    let mut client = Client::start(&sandbox);
    client.words(
        "flag_memory",
        &json!({ "id": id, "correction": "outdated", "note": "gone since May" }),
    );
    client.leave();
    let json = |arguments: &[&str]| -> Value {
        let said = sandbox.oldhand(arguments).run().stdout;
        serde_json::from_str(&said).expect("it answers JSON")
    };
    let shown = json(&["show", &id, "--json"]);
    assert!(shown["verified_at"].is_string(), "{shown}");
    assert_eq!(shown["flagged"]["by"], "agent", "{shown}");
    let waiting = json(&["review", "--json"]);
    assert_eq!(waiting["waiting"][0]["why"], "flagged", "{waiting}");
    let trust = json(&["trust", "show", "--json"]);
    assert_eq!(trust["corrected"], 0, "{trust}");
    let context = json(&[
        "context",
        "change src/db.ts",
        "--file",
        "src/db.ts",
        "--json",
    ]);
    assert!(
        !context["text"].to_string().contains("Run migrations"),
        "{context}"
    );
    assert!(
        context["left_out"]
            .to_string()
            .contains("flagged by an agent"),
        "{context}"
    );
    sandbox.oldhand(["verify", &id]).run().success();
    assert_eq!(json(&["review", "--json"])["total"], 0);
}
