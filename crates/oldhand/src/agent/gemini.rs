//! Gemini CLI: hook payloads. Calls have no ids, so only their ends are told. Sessions are in [`session`].

use jiff::Timestamp;
use oldhand_domain::event::{Call, Digest, Ending, Event, Voice};
use serde_json::Value;

use super::json::{at, flat_text, name, prompt, said, text, time};
use super::root::Root;
use super::server;
use super::shared::{ended, searched, start, transcribed};
use super::tool::{Result, call, exit_code};
use super::{Moment, Told};

pub(super) mod session;

pub(super) fn from_hook(payload: &Value, root: &Root, now: Timestamp) -> Told {
    let when = time(payload.get("timestamp")).unwrap_or(now);
    let cwd = text(payload, &["cwd"]);
    let mut events: Vec<Event> = Vec::new();
    let moment = match text(payload, &["hook_event_name"]).unwrap_or("") {
        "SessionStart" => {
            events.push(start("gemini", payload, when));
            events.extend(transcribed(payload, when));
            Moment::SessionStart
        }
        "BeforeAgent" => {
            events.extend(text(payload, &["prompt"]).and_then(|words| prompt(words, when)));
            Moment::Prompt
        }
        "BeforeTool" => Moment::BeforeTool,
        "AfterTool" => {
            events.extend(returned(payload, root, cwd, when));
            Moment::AfterTool
        }
        "AfterAgent" => {
            events.extend(
                text(payload, &["prompt_response"])
                    .and_then(|words| said(Voice::Said, words, when)),
            );
            Moment::TurnEnd
        }
        "SessionEnd" => {
            events.push(ended(payload, when));
            Moment::SessionEnd
        }
        // It comes before every request, compressed or not.
        "PreCompress" => Moment::Other,
        _ => Moment::Unknown,
    };
    Told {
        moment,
        session: text(payload, &["session_id"]).unwrap_or("").to_owned(),
        cwd: cwd.map(str::to_owned),
        transcript: text(payload, &["transcript_path"]).map(str::to_owned),
        events,
    }
}

fn returned(payload: &Value, root: &Root, cwd: Option<&str>, when: Timestamp) -> Option<Event> {
    let tool = text(payload, &["tool_name"])?;
    let input = payload.get("tool_input").unwrap_or(&Value::Null);
    let server = text(payload, &["mcp_context", "server_name"]);
    let call = named_call(tool, input, server, root, cwd);
    let response = payload.get("tool_response").unwrap_or(&Value::Null);
    let words = response
        .get("llmContent")
        .map(flat_text)
        .unwrap_or_default();
    let error = response
        .get("error")
        .map(|error| text(error, &["message"]).map_or_else(|| flat_text(error), str::to_owned));
    // The same call at another moment is another call.
    let id = Digest::of(&format!("{tool}\n{input}\n{when}")).to_string();
    let listed: Option<Value> = at(response, &["returnDisplay", "matches"])
        .and_then(Value::as_array)
        .map(|found| {
            let paths = found.iter().filter_map(|one| {
                text(one, &["absolutePath"]).or_else(|| text(one, &["filePath"]))
            });
            paths.map(Value::from).collect()
        });
    Some(
        result(
            id,
            call,
            &words,
            error.as_deref(),
            listed.as_ref(),
            root,
            cwd,
        )
        .into_event(when),
    )
}

/// A tool by its name; servers put theirs in front.
fn named_call(
    tool: &str,
    input: &Value,
    server: Option<&str>,
    root: &Root,
    cwd: Option<&str>,
) -> Call {
    let of_server = match server {
        Some(server) => tool
            .strip_prefix(&format!("mcp_{server}_"))
            .map(|tool| Call::Mcp {
                server: name(server),
                name: name(tool),
            }),
        None => tool.strip_prefix("mcp_").and_then(server::joined),
    };
    of_server.unwrap_or_else(|| call(tool, input, root, cwd))
}

fn result<'a>(
    id: String,
    call: Call,
    words: &'a str,
    error: Option<&'a str>,
    listed: Option<&Value>,
    root: &Root,
    cwd: Option<&str>,
) -> Result<'a> {
    let shell = matches!(call, Call::Shell { .. });
    // A command that fails is no error here: its code stands in the text.
    let code = if shell {
        Some(exit_code(words).unwrap_or(0))
    } else {
        None
    };
    let failed = error.is_some() || code.is_some_and(|code| code != 0);
    let body = words
        .trim_start_matches("<untrusted_context>")
        .trim_start()
        .trim_start_matches("Output: ");
    let body = body.split("</untrusted_context>").next().unwrap_or(body);
    let output = error.unwrap_or(body);
    let matched = searched(&call, listed, output, root, cwd);
    let ended = if failed {
        Ending::Failed
    } else {
        Ending::Succeeded
    };
    Result {
        id,
        call,
        ended,
        output,
        matched,
        exit_code: code,
        duration_ms: None,
    }
}
