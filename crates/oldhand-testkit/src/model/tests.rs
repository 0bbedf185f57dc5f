//! The scripted model, asked over loopback as clients ask it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::{Model, Script, Talk, ToolCall, Turn};

/// Sends a request as a client would and returns the whole answer.
fn post(model: &Model, path: &str, body: &Value) -> String {
    send(model, &format!("POST {path}"), &body.to_string())
}

fn send(model: &Model, line: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(model.address).unwrap();
    let request = format!(
        "{line} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

const PATHS: [(&str, &str); 4] = [
    ("/v1/messages?beta=true", "tool_use"),
    ("/v1/responses", "function_call"),
    ("/v1/chat/completions", "tool_calls"),
    (
        "/v1beta/models/m:streamGenerateContent?alt=sse",
        "functionCall",
    ),
];

#[test]
fn every_protocol_hands_out_the_script_turn_by_turn_and_then_ends() {
    for (path, word) in PATHS {
        let model = Model::plays(Script::new([
            Turn::call(ToolCall::new("Look", json!({ "at": "src" }))),
            Turn::say("All is well."),
        ]));
        let body = json!({ "model": "m", "stream": true, "tools": [{}] });
        let first = post(&model, path, &body);
        assert!(first.contains(word) && first.contains("Look"), "{first}");
        assert!(post(&model, path, &body).contains("All is well."));
        assert!(post(&model, path, &body).contains("ok"));
        assert_eq!(model.asked(&Talk::Main).len(), 3);
    }
}

#[test]
fn a_conversation_apart_has_turns_of_its_own() {
    let model =
        Model::plays(Script::new([Turn::say("main")]).aside("FIND CALLERS", [Turn::say("aside")]));
    let user = |text: &str| {
        json!({ "stream": true, "tools": [{}], "messages": [
            { "role": "user", "content": [{ "type": "text", "text": text }] },
        ] })
    };
    let path = "/v1/messages";
    assert!(post(&model, path, &user("FIND CALLERS of it")).contains("aside"));
    assert!(post(&model, path, &user("go")).contains("main"));
    let title = json!({ "messages": [] });
    assert!(post(&model, path, &title).contains("\"ok\""));
    let talks: Vec<Talk> = model.all_asked().into_iter().map(|one| one.talk).collect();
    let aside = Talk::Aside("FIND CALLERS".to_owned());
    assert_eq!(talks, [aside, Talk::Main, Talk::Beside]);
}

#[test]
fn what_oldhand_said_is_found_wherever_it_stands() {
    let model = Model::plays(Script::default());
    let said = "before <oldhand-memory 7f>\n- a\n</oldhand-memory 7f> after <oldhand-memory>b</oldhand-memory>";
    let body = json!({ "messages": [{ "role": "user", "content": [{ "text": said }] }] });
    post(&model, "/v1/messages", &body);
    assert_eq!(
        model.all_asked()[0].memories(),
        [
            "<oldhand-memory 7f>\n- a\n</oldhand-memory 7f>",
            "<oldhand-memory>b</oldhand-memory>"
        ]
    );
}

#[test]
fn there_is_no_way_out_and_who_tried_is_on_record() {
    let model = Model::plays(Script::default());
    assert!(send(&model, "CONNECT example.com:443", "").starts_with("HTTP/1.1 403"));
    assert!(send(&model, "GET /v1/models", "").starts_with("HTTP/1.1 200"));
    assert_eq!(
        model.strays(),
        ["CONNECT example.com:443", "GET /v1/models"]
    );
}

#[test]
fn a_held_turn_waits_until_it_may_be_said() {
    let model = Model::plays(Script::new([Turn::say("at last").held()]));
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| post(&model, "/v1/messages", &json!({ "tools": [{}] })));
        model.wait_for(&Talk::Main, 1);
        assert!(!answer.is_finished());
        model.release();
        assert!(answer.join().unwrap().contains("at last"));
    });
}
