//! Gemini generateContent, whole and streamed, which Gemini CLI speaks.

use serde_json::{Value, json};

use super::Turn;
use super::http::Reply;

pub(super) fn answer(path: &str, turn: &Turn, id: &str) -> Reply {
    let mut parts: Vec<Value> = Vec::new();
    if !turn.text.is_empty() || turn.calls.is_empty() {
        parts.push(json!({ "text": turn.text }));
    }
    for (place, call) in turn.calls.iter().enumerate() {
        parts.push(json!({
            "functionCall": { "id": format!("{id}_{place}"), "name": call.name, "args": call.input },
        }));
    }
    let answer = json!({
        "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": {
            "promptTokenCount": turn.input_tokens,
            "candidatesTokenCount": 20,
            "totalTokenCount": turn.input_tokens + 20,
        },
        "modelVersion": "scripted",
        "responseId": id,
    });
    match (path.contains(":stream"), path.contains("alt=sse")) {
        (true, true) => Reply::events(vec![(None, answer)]),
        (true, false) => Reply::Json(json!([answer])),
        (false, _) => Reply::Json(answer),
    }
}
