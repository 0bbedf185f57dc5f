//! OpenAI Chat Completions, which OpenCode speaks to providers that are not its own.

use serde_json::{Value, json};

use super::Turn;
use super::http::Reply;

pub(super) fn answer(body: &Value, turn: &Turn, id: &str) -> Reply {
    let calls: Vec<Value> = turn
        .calls
        .iter()
        .enumerate()
        .map(|(index, call)| {
            json!({
                "index": index,
                "id": format!("call_{id}_{index}"),
                "type": "function",
                "function": { "name": call.name, "arguments": call.input.to_string() },
            })
        })
        .collect();
    let finish = if calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    let usage = json!({
        "prompt_tokens": turn.input_tokens,
        "completion_tokens": 20,
        "total_tokens": turn.input_tokens + 20,
    });
    let mut said = json!({ "role": "assistant", "content": turn.text });
    if !calls.is_empty() {
        said["tool_calls"] = calls.into();
    }
    let whole = |object: &str, choices: Value| {
        json!({
            "id": format!("chatcmpl-{id}"),
            "object": object,
            "created": 0,
            "model": body["model"],
            "choices": choices,
        })
    };
    if body["stream"] != true {
        let choice = json!([{ "index": 0, "message": said, "finish_reason": finish }]);
        let mut answer = whole("chat.completion", choice);
        answer["usage"] = usage;
        return Reply::Json(answer);
    }
    let chunk = |choices: Value| whole("chat.completion.chunk", choices);
    let mut last = chunk(json!([]));
    last["usage"] = usage;
    Reply::Events {
        events: vec![
            (
                None,
                chunk(json!([{ "index": 0, "delta": said, "finish_reason": null }])),
            ),
            (
                None,
                chunk(json!([{ "index": 0, "delta": {}, "finish_reason": finish }])),
            ),
            (None, last),
        ],
        closing: "data: [DONE]\n\n",
    }
}
