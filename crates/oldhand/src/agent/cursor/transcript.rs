//! Transcripts that Cursor writes for tools and hooks, below `agent-transcripts`: who said what and which calls were made, one message
//! a line. They name neither calls nor times nor what came of a call: whether an edit fitted or a check passed is not in them.

use std::io::{self, BufRead, Seek};
use std::path::Path;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use oldhand_domain::event::{Call, Ending, Event, Happening, UserCorrection, Voice};
use oldhand_domain::taint::Taint;
use oldhand_observe::fold::{FoldOptions, outside_of};
use serde_json::{Value, json};

use super::super::json::{any_text, at, name, prompt, said, tagged, text};
use super::super::root::Root;
use super::super::shared::start;
use super::super::source::{Found, Lines, Source as _};
use super::super::tool::Result;
use super::super::transcript::{HEAD_LINES, Head, Parser};
use super::history::named_call;

/// The folder, in that of a project, in which the transcripts lie.
const FOLDER: &str = "agent-transcripts";

pub(in crate::agent) struct Transcript {
    root: Root,
    /// The subagent that it tells of.
    agent: Option<String>,
    last_at: Timestamp,
    started: bool,
    calls: u32,
}

impl Transcript {
    pub(in crate::agent) fn new(path: &Path, root: &Root) -> Self {
        let agent = is_of_subagent(path).then(|| stem(path)).flatten();
        Self {
            root: root.clone(),
            agent: agent.map(name),
            last_at: Timestamp::UNIX_EPOCH,
            started: false,
            calls: 0,
        }
    }
}

impl Parser for Transcript {
    fn take(&mut self, line: &Value, out: &mut Vec<Event>) -> Option<String> {
        let from = out.len();
        let content = at(line, &["message", "content"]);
        let unknown = match text(line, &["role"]) {
            Some("user") => {
                self.prompted(&words_of(content), out);
                None
            }
            Some("assistant") => {
                self.answered(content, out);
                None
            }
            Some(other) => Some(name(other)),
            None => self.marked(line, out),
        };
        for event in &mut out[from..] {
            event.agent.clone_from(&self.agent);
        }
        unknown
    }
}

impl Transcript {
    fn prompted(&mut self, words: &str, out: &mut Vec<Event>) {
        self.last_at = told_at(words).unwrap_or(self.last_at);
        self.begin(out);
        let query = tagged(words, "user_query").unwrap_or(words);
        // A subagent is asked by an agent.
        if self.agent.is_none() {
            out.extend(prompt(query, self.last_at));
        }
    }

    fn begin(&mut self, out: &mut Vec<Event>) {
        if !std::mem::replace(&mut self.started, true) {
            let cwd = json!({ "cwd": self.root.join("", None).trim_end_matches('/') });
            out.push(start("cursor", &cwd, self.last_at));
        }
    }

    fn answered(&mut self, content: Option<&Value>, out: &mut Vec<Event>) {
        self.begin(out);
        let alone = content.filter(|content| content.is_string());
        let blocks = content.and_then(Value::as_array).into_iter().flatten();
        for block in alone.into_iter().chain(blocks) {
            let words = block.as_str().or_else(|| text(block, &["text"]));
            match (text(block, &["type"]), words) {
                (Some("tool_use"), _) => self.called(block, out),
                (Some("thinking"), _) => {
                    let thought = text(block, &["thinking"]).or(words).unwrap_or("");
                    out.extend(said(Voice::Reasoned, thought, self.last_at));
                }
                (_, Some(words)) => {
                    // Stands where Cursor leaves out what the model thought.
                    let words = words.trim().trim_end_matches("[REDACTED]");
                    out.extend(said(Voice::Said, words, self.last_at));
                }
                _ => {}
            }
        }
    }

    fn called(&mut self, block: &Value, out: &mut Vec<Event>) {
        let Some(tool) = text(block, &["name"]) else {
            return;
        };
        let nothing = Value::Null;
        let input = block.get("input").unwrap_or(&nothing);
        let call = named_call(tool, input, &self.root, None);
        self.calls += 1;
        let id = format!("{}{}", self.agent.as_deref().unwrap_or(""), self.calls);
        let is_search = matches!(call, Call::Grep { .. } | Call::Glob { .. });
        let made = Happening::ToolCalled {
            id: id.clone(),
            call: call.clone(),
        };
        out.push(Event::new(self.last_at, made));
        let back = Result {
            id,
            call,
            ended: Ending::Succeeded,
            output: "",
            matched: Vec::new(),
            exit_code: None,
            duration_ms: None,
        };
        let back = back.into_event(self.last_at);
        if is_search {
            // That nothing is told of what it found does not mean that it found nothing.
            let outside = outside_of(&back, &FoldOptions::default()).map(Taint::by);
            let took = outside.map(|outside| Happening::MayHaveTaken { outside });
            out.extend(took.map(|took| Event::new(self.last_at, took)));
        } else {
            out.push(back);
        }
    }

    /// A line that nobody says.
    fn marked(&self, line: &Value, out: &mut Vec<Event>) -> Option<String> {
        let kind = text(line, &["type"]).unwrap_or("line without a role");
        if kind != "turn_ended" {
            return Some(name(kind));
        }
        let error = text(line, &["error"]).unwrap_or("");
        if error.to_lowercase().contains("aborted") {
            let (how, file) = (UserCorrection::Interrupted, None);
            out.push(Event::new(self.last_at, Happening::Corrected { how, file }));
        }
        None
    }
}

/// What a transcript says about itself. The session is called as the file is, or as the folder of a subagent's; the folder it ran in is
/// told by its calls.
pub(in crate::agent) fn head(path: &Path, reader: impl BufRead + Seek) -> io::Result<Head> {
    let mut head = Head::default();
    let mut source = Lines::new(reader);
    let mut read = 0;
    while read < HEAD_LINES
        && let Some((found, _)) = source.next()?
    {
        read += 1;
        let Found::Value(line) = found else { continue };
        let is_message = matches!(text(&line, &["role"]), Some("user" | "assistant"))
            && at(&line, &["message", "content"]).is_some()
            && line.get("sessionId").is_none();
        if !is_message {
            continue;
        }
        if head.session.is_none() {
            head.session = session_of(path);
            head.subagent = is_of_subagent(path).then(|| stem(path).map(name)).flatten();
        }
        let content = at(&line, &["message", "content"]);
        if head.started_at.is_none() {
            head.started_at = told_at(&words_of(content));
        }
        if head.cwd.is_none() {
            head.cwd = folder_told(content, project_of(path));
        }
        if head.cwd.is_some() && head.started_at.is_some() {
            break;
        }
    }
    Ok(head)
}

fn session_of(path: &Path) -> Option<String> {
    if is_of_subagent(path) {
        let session = path.parent()?.parent()?.file_name()?;
        return session.to_str().map(name);
    }
    stem(path).map(name)
}

fn is_of_subagent(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|folder| folder == "subagents")
}

fn stem(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()
}

/// What Cursor calls the project that it keeps this transcript for: its folder, with a line for whatever is no letter or number.
fn project_of(path: &Path) -> Option<&str> {
    let mut folders = path.ancestors().skip(1);
    folders.find(|folder| folder.file_name().is_some_and(|name| name == FOLDER))?;
    folders.next()?.file_name()?.to_str()
}

/// Whether Cursor keeps this transcript for a project that may be the one in `folder`.
pub(crate) fn is_kept_for(path: &Path, folder: &str) -> bool {
    project_of(path).is_some_and(|project| slug(folder).eq_ignore_ascii_case(project))
}

/// The folder that calls name: the one in which a command ran, or the one above a file that has the name of Cursor's own
/// folder for the project. That name alone says little, since many folders have it.
fn folder_told(content: Option<&Value>, project: Option<&str>) -> Option<String> {
    let blocks = content.and_then(Value::as_array)?;
    let inputs: Vec<&Value> = blocks
        .iter()
        .filter_map(|block| block.get("input"))
        .collect();
    let named = |keys: &[&str]| -> Option<String> {
        let paths = inputs.iter().filter_map(|input| any_text(input, keys));
        let mut above = paths.flat_map(above);
        match project {
            Some(project) => above.find(|folder| slug(folder).eq_ignore_ascii_case(project)),
            None => above.next(),
        }
    };
    let ran = ["working_directory", "workdir"];
    let files = ["path", "file_path", "target_file", "target_directory"];
    named(&ran).or_else(|| project.and_then(|_| named(&files)))
}

/// A whole path and the folders above it.
fn above(path: &str) -> Vec<String> {
    let path = path.replace('\\', "/");
    let is_whole = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    let mut folders = Vec::new();
    let mut rest = is_whole.then(|| path.trim_end_matches('/'));
    while let Some(folder) = rest.filter(|folder| !folder.is_empty()) {
        folders.push(folder.to_owned());
        rest = folder.rsplit_once('/').map(|(above, _)| above);
    }
    folders
}

fn slug(folder: &str) -> String {
    let words = folder.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

fn words_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(words)) => words.clone(),
        Some(Value::Array(blocks)) => {
            let texts = blocks.iter().filter_map(|block| text(block, &["text"]));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// When a prompt was sent, which Cursor writes above it: `Sunday, Aug 2, 2026, 3:51 AM (UTC-7)`.
fn told_at(words: &str) -> Option<Timestamp> {
    let (date, zone) = tagged(words, "timestamp")?.split_once(" (UTC")?;
    let (_, date) = date.split_once(", ")?;
    let at = DateTime::strptime("%b %d, %Y, %I:%M %p", date).ok()?;
    let zone = zone.trim_end_matches(')');
    let (hours, minutes) = zone.split_once(':').unwrap_or((zone, "0"));
    let hours: i8 = if hours.is_empty() {
        0
    } else {
        hours.parse().ok()?
    };
    let minutes: u8 = minutes.parse().ok().filter(|minutes| *minutes < 60)?;
    let minutes = i32::from(minutes);
    let minutes = if zone.starts_with('-') {
        -minutes
    } else {
        minutes
    };
    let offset = Offset::from_seconds(i32::from(hours) * 3600 + minutes * 60).ok()?;
    let zoned = at.to_zoned(TimeZone::fixed(offset)).ok()?;
    Some(zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/home/me/.cursor/projects/srv-my-shop/agent-transcripts/s1/s1.jsonl";

    fn calls(tool: &str, input: &Value) -> Value {
        json!({ "role": "assistant", "message": { "content": [
            { "type": "tool_use", "name": tool, "input": input }] } })
    }

    fn head_of(path: &str, lines: &[Value]) -> Head {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        head(Path::new(path), io::Cursor::new(lines.join("\n"))).expect("it is read")
    }

    #[test]
    fn a_zone_that_is_none_tells_no_time() {
        let told = |zone: &str| {
            told_at(&format!(
                "<timestamp>Sunday, Aug 2, 2026, 3:51 AM (UTC{zone})</timestamp>"
            ))
        };
        assert!(told("+5:30").is_some() && told("").is_some());
        for zone in ["999999", "-999999", "+1:999999999", "-0:-128", "x"] {
            assert_eq!(told(zone), None, "{zone}");
        }
    }

    #[test]
    fn where_a_session_ran_is_told_by_its_calls_and_never_by_a_name_alone() {
        let asked = json!({ "role": "user", "message": { "content": [{ "type": "text",
            "text": "<timestamp>Sunday, Aug 2, 2026, 3:51 AM (UTC-7)</timestamp>\n<user_query>hi</user_query>" }] } });
        let head = head_of(PATH, std::slice::from_ref(&asked));
        assert_eq!(head.session.as_deref(), Some("s1"));
        assert_eq!(head.cwd, None, "many folders have this name");
        let at = head.started_at.map(|at| at.to_string());
        assert_eq!(at.as_deref(), Some("2026-08-02T10:51:00Z"));
        for (line, expected) in [
            (
                calls("Read", &json!({ "path": "/srv/my_shop/src/a.ts" })),
                Some("/srv/my_shop"),
            ),
            (
                calls("Read", &json!({ "path": "/srv/my/shop/a.ts" })),
                Some("/srv/my/shop"),
            ),
            (calls("Read", &json!({ "path": "/opt/other/a.ts" })), None),
            (
                calls(
                    "Shell",
                    &json!({ "command": "ls", "working_directory": "/srv/my-shop" }),
                ),
                Some("/srv/my-shop"),
            ),
        ] {
            let told = head_of(PATH, &[asked.clone(), line.clone()]);
            assert_eq!(told.cwd.as_deref(), expected, "{line}");
        }
        // Elsewhere only a folder that a command ran in says so.
        let moved = "/tmp/old/s1.jsonl";
        let read = calls("Read", &json!({ "path": "/srv/my_shop/src/a.ts" }));
        assert_eq!(head_of(moved, &[read]).cwd, None);
        let ran = calls(
            "Shell",
            &json!({ "command": "ls", "working_directory": "/srv/x" }),
        );
        assert_eq!(head_of(moved, &[ran]).cwd.as_deref(), Some("/srv/x"));
        // Lines of other clients are not taken for Cursor's.
        let claude = json!({ "type": "user", "sessionId": "a", "message": { "role": "user", "content": "x" } });
        assert_eq!(head_of(moved, &[claude]).session, None);
    }

    #[test]
    fn calls_are_taken_as_made_and_nothing_is_made_up_of_what_came_of_them() {
        let lines = [
            json!({ "role": "user", "message": { "content": [{ "type": "text",
                "text": "<user_query>\nfix the total\n</user_query>" }] } }),
            json!({ "role": "assistant", "message": { "content": [
                { "type": "text", "text": "Looking.\n\n[REDACTED]" },
                { "type": "tool_use", "name": "Grep", "input": { "pattern": "total", "path": "/p" } },
                { "type": "tool_use", "name": "StrReplace", "input": { "path": "/p/a.ts", "old_string": "1", "new_string": "2" } },
                { "type": "tool_use", "name": "Shell", "input": { "command": "npm test" } },
                { "type": "tool_use", "name": "CallMcpTool", "input": { "server": "docs", "toolName": "look" } },
            ] } }),
            json!({ "type": "turn_ended", "status": "error", "error": "User aborted request" }),
            json!({ "type": "news" }),
        ];
        let mut parser = Transcript::new(Path::new(PATH), &Root::new("/p"));
        let mut out = Vec::new();
        let unknown: Vec<String> = lines
            .iter()
            .filter_map(|line| parser.take(line, &mut out))
            .collect();
        assert_eq!(unknown, ["news"]);
        let told: Vec<String> = out
            .iter()
            .map(|event| match &event.what {
                Happening::SessionStarted(start) => format!("{} in {}", start.client, start.cwd),
                Happening::Prompt { text, .. } => format!("asked {}", text.as_str()),
                Happening::Text { text, .. } => format!("said {}", text.as_str()),
                Happening::ToolCalled { call, .. } => format!("called {:?}", call.tool()),
                Happening::ToolReturned(back) => {
                    format!("returned {:?} {:?}", back.call.tool(), back.exit_code)
                }
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(
            told,
            [
                "cursor in /p",
                "asked fix the total",
                "said Looking.",
                "called Grep",
                "called Edit",
                "returned Edit None",
                "called Shell",
                "returned Shell None",
                "called Mcp",
                "returned Mcp None",
                "Corrected { how: Interrupted, file: None }",
            ]
        );
    }
}
