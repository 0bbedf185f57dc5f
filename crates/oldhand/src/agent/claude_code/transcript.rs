//! Claude Code transcripts: one JSON object a line, results apart from calls, subagents inside.

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use oldhand_domain::event::{Call, Ending, Event, Happening, Place, Tokens, UserCorrection, Voice};
use oldhand_domain::taint::{OutsideText, Taint};
use oldhand_observe::outcome::outside::is_scratch;
use oldhand_observe::outcome::review::asks_for_review;
use serde_json::Value;

use super::super::json::{at, flat_text, name, prompt, said, tagged, text, time};
use super::super::root::Root;
use super::super::shared::{searched, start};
use super::super::tool::{Result, call, output};
use super::super::transcript::{Head, Parser};
use super::asked::typed_answers;
use super::background::{Asked, answer, asked_after, take_notices, tell_left_running};
use super::queue::Queue;
use super::{DENIED, INTERRUPTED, denied, failure, modified, succeeded, tool_error};

pub(in crate::agent) struct Transcript {
    root: Root,
    started: bool,
    cwd: Option<String>,
    last_at: Timestamp,
    /// Whether the agent has called anything.
    called: bool,
    /// Calls whose result has not come yet, each with the name of its tool.
    waiting: HashMap<String, (String, Call)>,
    /// Those of them that ask after a command that was left running.
    asked: HashMap<String, Asked>,
    /// One answer of the model spans several lines and counts its tokens on each.
    counted: BTreeSet<String>,
    /// What was typed while the agent was at work.
    queue: Queue,
    /// Every line names the one before it; a prompt that names an earlier one takes back what came since.
    lines: HashSet<String>,
    last_line: Option<String>,
}

/// Lines that hold no step of work.
const QUIET: [&str; 13] = [
    "file-history-snapshot",
    "summary",
    "custom-title",
    "tag",
    "agent-name",
    "last-prompt",
    "permission-mode",
    "pr-link",
    "mode",
    "worktree-state",
    "agent-color",
    "ai-title",
    "bridge-session",
];

/// How the client's own messages in the person's place begin.
const OWN_WORDS: [&str; 6] = [
    "<command-",
    "<local-command",
    "<bash-",
    "Operation stopped by hook",
    "Base directory for this skill",
    "This session is being continued from a previous conversation",
];

impl Transcript {
    pub(in crate::agent) fn new(root: &Root) -> Self {
        Self {
            root: root.clone(),
            started: false,
            cwd: None,
            last_at: Timestamp::UNIX_EPOCH,
            called: false,
            waiting: HashMap::new(),
            asked: HashMap::new(),
            counted: BTreeSet::new(),
            queue: Queue::default(),
            lines: HashSet::new(),
            last_line: None,
        }
    }
}

pub(in crate::agent) fn head(line: &Value, head: &mut Head) {
    let take = |slot: &mut Option<String>, key: &str| {
        if slot.is_none() {
            *slot = text(line, &[key]).map(str::to_owned);
        }
    };
    // The first line says whose the file is; later ones of a session's own may be of its subagents.
    if head.session.is_none() && line.get("isSidechain") == Some(&Value::Bool(true)) {
        take(&mut head.subagent, "agentId");
    }
    take(&mut head.session, "sessionId");
    take(&mut head.cwd, "cwd");
    take(&mut head.branch, "gitBranch");
    if head.started_at.is_none() {
        head.started_at = time(line.get("timestamp"));
    }
}

impl Parser for Transcript {
    fn take(&mut self, line: &Value, out: &mut Vec<Event>) -> Option<String> {
        let when = time(line.get("timestamp")).unwrap_or(self.last_at);
        self.last_at = when;
        if let Some(cwd) = text(line, &["cwd"]) {
            self.cwd = Some(cwd.to_owned());
            self.begin(line, when, out);
        }
        let kind = text(line, &["type"]).unwrap_or("");
        if self.is_rewind(line) {
            let how = UserCorrection::Rewound;
            out.push(Event::new(when, Happening::Corrected { how, file: None }));
        }
        let from = out.len();
        let unknown = match kind {
            "user" | "assistant" => self.message(line, when, out),
            // A subagent's messages come wrapped in progress reports.
            "progress" => {
                let mut unknown = None;
                if let Some(inner) =
                    at(line, &["data", "message"]).filter(|inner| inner.get("message").is_some())
                {
                    unknown = self.message(inner, when, out);
                    let agent = text(line, &["data", "agentId"]).unwrap_or("subagent");
                    mark(&mut out[from..], agent);
                }
                unknown
            }
            "system" => {
                if text(line, &["subtype"]) == Some("compact_boundary") {
                    out.push(Event::new(when, Happening::ContextCompacted));
                }
                None
            }
            "attachment" => {
                out.extend(self.attached(line, when));
                let typed = self.queue.attached(line);
                out.extend(typed.and_then(|words| prompt(&words, when)));
                None
            }
            // A notice may wait for an answer that never comes.
            "queue-operation" => {
                let words = text(line, &["content"]).unwrap_or("");
                take_notices(words, when, out);
                let typed = self.queue.take(line);
                out.extend(typed.and_then(|words| prompt(&words, when)));
                None
            }
            quiet if QUIET.contains(&quiet) => None,
            other => Some(name(other)),
        };
        if line.get("isSidechain") == Some(&Value::Bool(true)) {
            mark(
                &mut out[from..],
                text(line, &["agentId"]).unwrap_or("subagent"),
            );
        }
        unknown
    }
}

/// The command for a review, as a person typed it and as hooks tell it. Other commands are to the client.
fn typed_review(words: &str) -> Option<String> {
    let name = tagged(words, "command-name")?.trim();
    let given = tagged(words, "command-args").unwrap_or_default();
    let typed = format!("/{} {given}", name.trim_start_matches('/'));
    let typed = typed.trim_end();
    asks_for_review(typed).then(|| typed.to_owned())
}

/// Blocks that hold no step of work, or one that is told elsewhere.
const QUIET_BLOCKS: [&str; 15] = [
    "text",
    "thinking",
    "tool_use",
    "tool_result",
    "redacted_thinking",
    "image",
    "document",
    "search_result",
    "tool_reference",
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
];

fn unknown_block(block: &Value) -> Option<String> {
    let kind = text(block, &["type"]);
    let is_known = kind.is_some_and(|kind| QUIET_BLOCKS.contains(&kind));
    (!is_known).then(|| {
        format!(
            "block {}",
            kind.map_or_else(|| "of no kind".to_owned(), name)
        )
    })
}

fn took_in(outside: OutsideText, when: Timestamp) -> Event {
    let outside = Taint::by(outside);
    Event::new(when, Happening::MayHaveTaken { outside })
}

fn mark(events: &mut [Event], agent: &str) {
    for event in events {
        if event.agent.is_none() {
            event.agent = Some(name(agent));
        }
    }
}

impl Transcript {
    /// Whether this line is a prompt typed after going back to an earlier point.
    fn is_rewind(&mut self, line: &Value) -> bool {
        let aside = line.get("isSidechain") == Some(&Value::Bool(true));
        let Some(id) = text(line, &["uuid"]).filter(|_| !aside) else {
            return false;
        };
        let typed = text(line, &["type"]) == Some("user")
            && line.get("isMeta") != Some(&Value::Bool(true))
            && at(line, &["message", "content"]).is_some_and(Value::is_string);
        let parent = text(line, &["parentUuid"]);
        let back = parent.is_some_and(|parent| {
            self.last_line.as_deref() != Some(parent) && self.lines.contains(parent)
        });
        self.lines.insert(id.to_owned());
        self.last_line = Some(id.to_owned());
        typed && back
    }

    fn begin(&mut self, line: &Value, when: Timestamp, out: &mut Vec<Event>) {
        if self.started {
            return;
        }
        self.started = true;
        let mut event = start("claude-code", line, when);
        if let Happening::SessionStarted(start) = &mut event.what {
            start.branch = text(line, &["gitBranch"]).map(name);
        }
        out.push(event);
    }

    /// A file from elsewhere that was put beside a prompt.
    fn attached(&self, line: &Value, when: Timestamp) -> Option<Event> {
        let path = text(line, &["attachment", "filename"])?;
        let outside = self.root.place(path, self.cwd.as_deref()) == Place::Outside;
        (outside && !is_scratch(path)).then(|| took_in(OutsideText::File, when))
    }

    /// Takes in a message, and says the kind of the first of its blocks that it does not know.
    fn message(&mut self, line: &Value, when: Timestamp, out: &mut Vec<Event>) -> Option<String> {
        let message = line.get("message")?;
        let mut unknown = None;
        // What an earlier session took in went into its summary; where this one went on by itself, it is known.
        if line.get("isCompactSummary") == Some(&Value::Bool(true)) && !self.called {
            out.push(took_in(OutsideText::Unseen, when));
        }
        let role = text(message, &["role"])
            .or_else(|| text(line, &["type"]))
            .unwrap_or("");
        if role == "assistant" {
            self.count(message, when, out);
        }
        match message.get("content") {
            Some(Value::String(words)) if role == "user" => Self::words(line, words, when, out),
            Some(Value::String(words)) => out.extend(said(Voice::Said, words, when)),
            Some(Value::Array(blocks)) => {
                for block in blocks {
                    self.block(role, line, block, when, out);
                    unknown = unknown.or_else(|| unknown_block(block));
                }
            }
            _ => {}
        }
        unknown
    }

    fn words(line: &Value, words: &str, when: Timestamp, out: &mut Vec<Event>) {
        // Meta lines are the client talking to the model: caveats, summaries, command output.
        let quiet = line.get("isMeta") == Some(&Value::Bool(true))
            || line.get("isCompactSummary") == Some(&Value::Bool(true));
        if words.starts_with(INTERRUPTED) {
            out.push(Event::new(
                when,
                Happening::Corrected {
                    how: UserCorrection::Interrupted,
                    file: None,
                },
            ));
        } else if !quiet && !OWN_WORDS.iter().any(|own| words.starts_with(own)) {
            let left = take_notices(words, when, out);
            out.extend(prompt(left, when));
        } else if !quiet && let Some(typed) = typed_review(words) {
            out.extend(prompt(&typed, when));
        }
    }

    fn block(
        &mut self,
        role: &str,
        line: &Value,
        block: &Value,
        when: Timestamp,
        out: &mut Vec<Event>,
    ) {
        match text(block, &["type"]) {
            Some("text") if role == "user" => {
                Self::words(line, text(block, &["text"]).unwrap_or(""), when, out);
            }
            Some("text") => out.extend(said(
                Voice::Said,
                text(block, &["text"]).unwrap_or(""),
                when,
            )),
            Some("thinking") => out.extend(said(
                Voice::Reasoned,
                text(block, &["thinking"]).unwrap_or(""),
                when,
            )),
            Some("tool_use") => {
                let (Some(id), Some(tool)) = (text(block, &["id"]), text(block, &["name"])) else {
                    return;
                };
                let input = block.get("input").unwrap_or(&Value::Null);
                let call = call(tool, input, &self.root, self.cwd.as_deref());
                if let Some(asked) = asked_after(tool, input) {
                    self.asked.insert(id.to_owned(), asked);
                }
                self.called = true;
                let known = (tool.to_owned(), call.clone());
                self.waiting.insert(id.to_owned(), known);
                out.push(Event::new(
                    when,
                    Happening::ToolCalled { id: name(id), call },
                ));
            }
            Some("tool_result") => self.result(line, block, when, out),
            _ => {}
        }
    }

    fn result(&mut self, line: &Value, block: &Value, when: Timestamp, out: &mut Vec<Event>) {
        let Some(id) = text(block, &["tool_use_id"]) else {
            return;
        };
        let Some((tool, call)) = self.waiting.remove(id) else {
            return;
        };
        let shown = block.get("content").map(flat_text).unwrap_or_default();
        let whole = line.get("toolUseResult").unwrap_or(&Value::Null);
        let asked = self.asked.remove(id);
        let is_error = block.get("is_error") == Some(&Value::Bool(true));
        // What a file or a server says in these words is nobody's refusal.
        if is_error && shown.starts_with(DENIED) {
            out.extend(denied(&call, &shown, when));
            return;
        }
        if is_error {
            let error = tool_error(&shown).unwrap_or(&shown);
            out.push(
                failure(id.to_owned(), call, error, shown.starts_with(INTERRUPTED))
                    .into_event(when),
            );
            return;
        }
        if whole.get("userModified") == Some(&Value::Bool(true)) {
            out.push(modified(&call, when));
        }
        out.extend(typed_answers(&tool, whole, when));
        let long = if matches!(call, Call::Shell { .. }) && whole.is_object() {
            output(whole)
        } else {
            String::new()
        };
        if let Some(asked) = asked {
            out.extend(answer(&asked, whole, &shown, when));
        }
        let text = if long.is_empty() { &shown } else { &long };
        let text = &*tell_left_running(whole, text);
        let interrupted = whole.get("interrupted") == Some(&Value::Bool(true));
        let exit_code = succeeded(&call, whole);
        let matched = searched(
            &call,
            whole.get("filenames"),
            text,
            &self.root,
            self.cwd.as_deref(),
        );
        let ended = if interrupted {
            Ending::Interrupted
        } else {
            Ending::Succeeded
        };
        let duration_ms = whole.get("durationMs").and_then(Value::as_u64);
        out.push(
            Result {
                id: id.to_owned(),
                call,
                ended,
                output: text,
                matched,
                exit_code,
                duration_ms,
            }
            .into_event(when),
        );
    }

    fn count(&mut self, message: &Value, when: Timestamp, out: &mut Vec<Event>) {
        let (Some(id), Some(usage)) = (text(message, &["id"]), message.get("usage")) else {
            return;
        };
        if !self.counted.insert(id.to_owned()) {
            return;
        }
        let number = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or(0);
        let input = number("input_tokens")
            + number("cache_creation_input_tokens")
            + number("cache_read_input_tokens");
        out.push(Event::new(
            when,
            Happening::StepCompleted(Tokens {
                input,
                output: number("output_tokens"),
            }),
        ));
    }
}

#[test]
fn what_an_earlier_session_or_a_file_beside_a_prompt_brought_in_is_marked() {
    use serde_json::json;
    let marks = |lines: &[Value]| {
        let mut parser = Transcript::new(&Root::new("/p"));
        let mut out = Vec::new();
        for line in lines {
            parser.take(line, &mut out);
        }
        let taken = out.into_iter().filter_map(|event| match event.what {
            Happening::MayHaveTaken { outside } => Some(outside),
            _ => None,
        });
        let labels =
            taken.flat_map(|taint| taint.sources().map(OutsideText::label).collect::<Vec<_>>());
        labels.collect::<Vec<_>>()
    };
    let summary = json!({ "type": "user", "isCompactSummary": true, "cwd": "/p",
        "message": { "role": "user", "content": "This session is being continued" } });
    let called = json!({ "type": "assistant", "cwd": "/p", "message": { "role": "assistant",
        "content": [{ "type": "tool_use", "id": "1", "name": "Read", "input": { "file_path": "/p/a" } }] } });
    assert_eq!(marks(std::slice::from_ref(&summary)), ["unseen"]);
    assert!(
        marks(&[called, summary]).is_empty(),
        "it saw all of that itself"
    );
    let attached = |path: &str| json!({ "type": "attachment", "attachment": { "type": "file", "filename": path } });
    assert_eq!(marks(&[attached("/opt/x.md")]), ["outside_file"]);
    assert!(marks(&[attached("/p/README.md"), attached("/tmp/x.log")]).is_empty());
}

#[test]
fn a_command_for_a_review_is_a_prompt_and_other_commands_are_to_the_client() {
    use serde_json::json;
    let asked = |words: &str| {
        let mut parser = Transcript::new(&Root::new("/p"));
        let mut out = Vec::new();
        let line = json!({ "type": "user", "cwd": "/p",
            "message": { "role": "user", "content": words } });
        parser.take(&line, &mut out);
        out.into_iter().find_map(|event| match event.what {
            Happening::Prompt { text, .. } => Some(text.as_str().to_owned()),
            _ => None,
        })
    };
    let told = |name: &str, given: &str| {
        let name = format!(
            "<command-message>{name}</command-message>\n<command-name>/{name}</command-name>"
        );
        asked(&format!("{name}\n<command-args>{given}</command-args>"))
    };
    assert_eq!(told("review", "12"), Some("/review 12".to_owned()));
    assert_eq!(
        told("security-review", ""),
        Some("/security-review".to_owned())
    );
    assert_eq!(told("clear", ""), None);
    assert_eq!(told("deploy", "review PR 12"), None);
}
