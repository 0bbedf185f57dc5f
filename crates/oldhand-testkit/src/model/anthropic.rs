//! Anthropic Messages, which Claude Code speaks.

use serde_json::{Value, json};

use super::Turn;
use super::http::Reply;

pub(super) fn answer(body: &Value, turn: &Turn, id: &str) -> Reply {
    let mut blocks = Vec::new();
    if !turn.text.is_empty() || turn.calls.is_empty() {
        blocks.push(json!({ "type": "text", "text": turn.text }));
    }
    for (place, call) in turn.calls.iter().enumerate() {
        blocks.push(json!({
            "type": "tool_use",
            "id": format!("toolu_{id}_{place}"),
            "name": call.name,
            "input": call.input,
        }));
    }
    let stop = if turn.calls.is_empty() {
        "end_turn"
    } else {
        "tool_use"
    };
    let usage = json!({
        "input_tokens": turn.input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 20,
    });
    let mut message = json!({
        "id": format!("msg_{id}"),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": usage,
    });
    if body["stream"] != true {
        message["content"] = blocks.into();
        message["stop_reason"] = stop.into();
        return Reply::Json(message);
    }
    let mut events = vec![event(
        "message_start",
        json!({ "type": "message_start", "message": message }),
    )];
    for (index, block) in blocks.iter().enumerate() {
        events.extend(stream(index, block));
    }
    let end = json!({
        "type": "message_delta",
        "delta": { "stop_reason": stop, "stop_sequence": null },
        "usage": { "output_tokens": 20 },
    });
    events.push(event("message_delta", end));
    events.push(event("message_stop", json!({ "type": "message_stop" })));
    Reply::events(events)
}

/// A block begins empty and is filled by a delta.
fn stream(index: usize, block: &Value) -> [(Option<&'static str>, Value); 3] {
    let mut empty = block.clone();
    let delta = if block["type"] == "text" {
        empty["text"] = "".into();
        json!({ "type": "text_delta", "text": block["text"] })
    } else {
        empty["input"] = json!({});
        json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() })
    };
    [
        event(
            "content_block_start",
            json!({ "type": "content_block_start", "index": index, "content_block": empty }),
        ),
        event(
            "content_block_delta",
            json!({ "type": "content_block_delta", "index": index, "delta": delta }),
        ),
        event(
            "content_block_stop",
            json!({ "type": "content_block_stop", "index": index }),
        ),
    ]
}

fn event(name: &'static str, data: Value) -> (Option<&'static str>, Value) {
    (Some(name), data)
}
