//! Chats as Cursor keeps them in its database: what is known of a chat, then its bubbles, one for each prompt, thought, answer and
//! call. The layout is nowhere described; it is read as it was found, and what it does not hold is passed over.

use jiff::Timestamp;
use oldhand_domain::event::{Call, Ending, Event, Happening, Place, Tokens, Voice};
use serde_json::{Value, json};

use super::super::claude_code::denied;
use super::super::json::{any_text, at, name, prompt, said, text, time, typed};
use super::super::root::Root;
use super::super::server;
use super::super::shared::{searched, start};
use super::super::shell;
use super::super::tool::{self, Result, output};
use super::super::transcript::Parser;

pub(in crate::agent) struct History {
    root: Root,
    cwd: Option<String>,
    last_at: Timestamp,
}

impl History {
    pub(in crate::agent) fn new(root: &Root) -> Self {
        Self {
            root: root.clone(),
            cwd: None,
            last_at: Timestamp::UNIX_EPOCH,
        }
    }
}

impl Parser for History {
    fn take(&mut self, line: &Value, out: &mut Vec<Event>) -> Option<String> {
        if let Some(chat) = line.get("chat") {
            self.cwd = text(line, &["folder"]).map(str::to_owned);
            self.last_at = time(chat.get("createdAt")).unwrap_or(self.last_at);
            let mut event = start("cursor", line, self.last_at);
            if let Happening::SessionStarted(start) = &mut event.what {
                start.cwd = name(self.cwd.as_deref().unwrap_or(""));
                start.branch = text(chat, &["createdOnBranch"]).map(name);
            }
            out.push(event);
            return None;
        }
        let Some(bubble) = line.get("bubble") else {
            return Some("no bubble".to_owned());
        };
        self.last_at = time(bubble.get("createdAt")).unwrap_or(self.last_at);
        let words = text(bubble, &["text"]).unwrap_or("");
        match bubble.get("type").and_then(Value::as_u64) {
            Some(1) => out.extend(prompt(words, self.last_at)),
            Some(2) => self.answer(bubble, words, out),
            Some(other) => return Some(format!("bubble {other}")),
            None => return Some("bubble".to_owned()),
        }
        None
    }
}

impl History {
    fn answer(&self, bubble: &Value, words: &str, out: &mut Vec<Event>) {
        let when = self.last_at;
        let thought = text(bubble, &["thinking", "text"]).unwrap_or("");
        out.extend(said(Voice::Reasoned, thought, when));
        out.extend(said(Voice::Said, words, when));
        let number = |key: &str| at(bubble, &["tokenCount", key]).and_then(Value::as_u64);
        let tokens = Tokens {
            input: number("inputTokens").unwrap_or(0),
            output: number("outputTokens").unwrap_or(0),
        };
        if tokens != Tokens::default() {
            out.push(Event::new(when, Happening::StepCompleted(tokens)));
        }
        if let Some(call) = bubble.get("toolFormerData") {
            self.call(call, out);
        }
    }

    /// A call that has ended; one that still runs, or ran when Cursor was closed, says nothing.
    fn call(&self, told: &Value, out: &mut Vec<Event>) {
        let Some(tool) = text(told, &["name"]) else {
            return;
        };
        let cwd = self.cwd.as_deref();
        // What the model asked for; what Cursor made of it may be missing, and the other way round.
        let mut input = json_in(told.get("params"));
        if !input.is_object() {
            input = json!({});
        }
        if let (Value::Object(all), Value::Object(asked)) =
            (&mut input, json_in(told.get("rawArgs")))
        {
            all.extend(asked);
        }
        let call = named_call(tool, &input, &self.root, cwd);
        let result = json_in(told.get("result"));
        if result.get("rejected") == Some(&Value::Bool(true))
            || text(told, &["userDecision"]) == Some("rejected")
        {
            out.extend(denied(&call, "", self.last_at));
            return;
        }
        let code = ["exitCodeV2", "exitCode"]
            .iter()
            .find_map(|key| result.get(key)?.as_i64())
            .and_then(|code| i32::try_from(code).ok());
        let error = any_text(told, &["error"]).or_else(|| any_text(&result, &["error"]));
        let failed = match text(told, &["status"]) {
            Some("completed" | "success") => code.is_some_and(|code| code != 0) || error.is_some(),
            Some("error" | "failed") => true,
            _ => return,
        };
        let words = match error {
            Some(error) => json_in(told.get("error"))
                .get("modelVisibleErrorMessage")
                .and_then(Value::as_str)
                .unwrap_or(error)
                .to_owned(),
            None => output(result.get("contents").unwrap_or(&result)),
        };
        // An exit code of zero is left out when it is written down.
        let is_shell = matches!(call, Call::Shell { .. });
        let exit_code = code.or((is_shell && !failed).then_some(0));
        let id = any_text(told, &["toolCallId"]).unwrap_or("").to_owned();
        let back = Result {
            id,
            matched: searched(&call, None, &words, &self.root, cwd),
            call,
            ended: if failed {
                Ending::Failed
            } else {
                Ending::Succeeded
            },
            output: &words,
            exit_code,
            duration_ms: None,
        };
        out.push(back.into_event(self.last_at));
    }
}

/// Cursor's own names of its tools and of their arguments.
pub(super) fn named_call(tool: &str, input: &Value, root: &Root, cwd: Option<&str>) -> Call {
    let tool = tool.strip_suffix("_v2").unwrap_or(tool);
    let place = || {
        let keys = [
            "target_file",
            "file_path",
            "path",
            "relativeWorkspacePath",
            "targetFile",
            "target_notebook",
            "effectiveUri",
        ];
        let path = any_text(input, &keys);
        path.map_or(Place::Outside, |path| root.place(path, cwd))
    };
    match tool {
        "read_file" => Call::Read { file: place() },
        "edit_file" | "search_replace" | "delete_file" | "reapply" | "Delete" | "EditNotebook" => {
            let known = tool::call("edit_file", input, root, cwd);
            let change = match known {
                Call::Edit { change, .. } => change,
                _ => None,
            };
            Call::Edit {
                files: vec![place()],
                change,
            }
        }
        "run_terminal_cmd" | "run_terminal_command" => {
            shell::typed(any_text(input, &["command"]).unwrap_or(""), root, cwd)
        }
        "CallMcpTool" => Call::Mcp {
            server: name(text(input, &["server"]).unwrap_or("unknown")),
            name: name(any_text(input, &["toolName", "tool_name"]).unwrap_or("")),
        },
        "FetchMcpResource" => tool::call("read_mcp_resource", input, root, cwd),
        "ApplyPatch" => {
            let patch = json!({ "patch": input.as_str() });
            tool::call(
                "apply_patch",
                if input.is_string() { &patch } else { input },
                root,
                cwd,
            )
        }
        "rg"
        | "SemanticSearch"
        | "ripgrep_raw_search"
        | "ripgrep_search"
        | "semantic_search_full" => tool::call("grep", input, root, cwd),
        "glob_file_search" | "file_search" | "list_dir" => {
            let keys = [
                "glob_pattern",
                "globPattern",
                "query",
                "relative_workspace_path",
                "targetDirectory",
                "target_directory",
            ];
            let lies_outside =
                |path: &str| !root.is_whole(path, cwd) && root.place(path, cwd) == Place::Outside;
            let mut named = keys.iter().filter_map(|key| text(input, &[key]));
            Call::Glob {
                pattern: typed(any_text(input, &keys).unwrap_or("")),
                outside: named.any(lies_outside),
            }
        }
        _ => match tool::call(tool, input, root, cwd) {
            Call::Other { plan: None, .. } if tool.contains("mcp") => tool
                .strip_prefix("mcp_")
                .and_then(server::joined)
                .unwrap_or_else(|| server::unknown(tool)),
            known => known,
        },
    }
}

/// JSON that may be written down as a text.
fn json_in(value: Option<&Value>) -> Value {
    match value {
        Some(Value::String(words)) => {
            serde_json::from_str(words).unwrap_or_else(|_| Value::String(words.clone()))
        }
        Some(other) => other.clone(),
        None => Value::Null,
    }
}
