//! Rollouts of early versions: a first line without a kind, and behind it bare what later ones wrap, without times of its own.

use serde_json::Value;

use super::super::super::json::{flat_text, text, time};

/// Whether a line begins such a rollout.
pub(super) fn is_beginning(line: &Value) -> bool {
    let is_bare = ["type", "record_type", "payload"]
        .iter()
        .all(|key| line.get(key).is_none());
    is_bare
        && text(line, &["id"]).is_some()
        && line.get("instructions").is_some()
        && time(line.get("timestamp")).is_some()
}

/// Whether a line is what later versions have as the payload of one.
pub(super) fn is_item(line: &Value) -> bool {
    const KINDS: [&str; 8] = [
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "web_search_call",
    ];
    let kind = text(line, &["type"]).unwrap_or("");
    line.get("payload").is_none() && KINDS.contains(&kind)
}

/// Where it ran, which only the first message to the model says.
pub(super) fn folder(item: &Value) -> Option<String> {
    if text(item, &["role"]) != Some("user") {
        return None;
    }
    let told = flat_text(item.get("content")?);
    let told = told.trim_start().strip_prefix("<environment_context>")?;
    let (_, from) = told.split_once("<cwd>")?;
    let (folder, _) = from.split_once("</cwd>")?;
    Some(folder.trim().to_owned()).filter(|folder| !folder.is_empty())
}
