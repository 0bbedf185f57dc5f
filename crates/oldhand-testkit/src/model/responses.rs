//! OpenAI Responses, which Codex speaks.

use serde_json::{Value, json};

use super::http::Reply;
use super::{ToolCall, Turn};

pub(super) fn answer(body: &Value, turn: &Turn, id: &str) -> Reply {
    let mut items = Vec::new();
    if !turn.text.is_empty() || turn.calls.is_empty() {
        items.push(json!({
            "type": "message",
            "id": format!("msg_{id}"),
            "role": "assistant",
            "status": "completed",
            "content": [{ "type": "output_text", "text": turn.text, "annotations": [] }],
        }));
    }
    let calls = turn.calls.iter().enumerate();
    items.extend(calls.map(|(place, call)| item(call, &format!("{id}_{place}"))));
    let begun = json!({
        "id": format!("resp_{id}"),
        "object": "response",
        "created_at": 0,
        "status": "in_progress",
        "model": body["model"],
        "output": [],
        "usage": null,
    });
    let mut done = begun.clone();
    done["status"] = "completed".into();
    done["output"] = items.clone().into();
    done["usage"] = json!({
        "input_tokens": turn.input_tokens,
        "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": 20,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": turn.input_tokens + 20,
    });
    if body["stream"] != true {
        return Reply::Json(done);
    }
    let mut stream = Stream::default();
    stream.push("response.created", json!({ "response": begun }));
    for (place, item) in items.iter().enumerate() {
        stream.push_item(place, item);
    }
    stream.push("response.completed", json!({ "response": done }));
    Reply::events(stream.events)
}

/// `server/tool` names a tool that belongs to a server; free text goes to a tool that takes it.
fn item(call: &ToolCall, id: &str) -> Value {
    let call_id = format!("call_{id}");
    if let Value::String(text) = &call.input {
        return json!({
            "type": "custom_tool_call",
            "id": format!("ctc_{id}"),
            "call_id": call_id,
            "name": call.name,
            "input": text,
            "status": "completed",
        });
    }
    let mut item = json!({
        "type": "function_call",
        "id": format!("fc_{id}"),
        "call_id": call_id,
        "name": call.name,
        "arguments": call.input.to_string(),
        "status": "completed",
    });
    if let Some((namespace, name)) = call.name.split_once('/') {
        item["namespace"] = namespace.into();
        item["name"] = name.into();
    }
    item
}

/// Events are numbered through.
#[derive(Default)]
struct Stream {
    events: Vec<(Option<&'static str>, Value)>,
}

impl Stream {
    fn push(&mut self, kind: &'static str, mut data: Value) {
        data["type"] = kind.into();
        data["sequence_number"] = self.events.len().into();
        self.events.push((Some(kind), data));
    }

    fn push_item(&mut self, place: usize, item: &Value) {
        let mut begun = item.clone();
        begun["status"] = "in_progress".into();
        if item["type"] == "message" {
            begun["content"] = json!([]);
        }
        let id = &item["id"];
        self.push(
            "response.output_item.added",
            json!({ "output_index": place, "item": begun }),
        );
        if item["type"] == "message" {
            let text = &item["content"][0]["text"];
            self.push(
                "response.output_text.delta",
                json!({ "item_id": id, "output_index": place, "content_index": 0, "delta": text }),
            );
            self.push(
                "response.output_text.done",
                json!({ "item_id": id, "output_index": place, "content_index": 0, "text": text }),
            );
        }
        self.push(
            "response.output_item.done",
            json!({ "output_index": place, "item": item }),
        );
    }
}
