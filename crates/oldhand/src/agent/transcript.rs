//! Past sessions from the files clients leave behind, streamed line by line.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};

use jiff::Timestamp;
use oldhand_domain::event::Event;
use serde_json::Value;

use super::Agent;
use super::lines::{LINE_LIMIT, Line, next_line};
use super::root::Root;
use super::{claude_code, codex, gemini, opencode, slim};

/// What a transcript says about itself at its beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) session: Option<String>,
    /// Where the client ran: how a past session is matched to a project.
    pub(crate) cwd: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) started_at: Option<Timestamp>,
}

/// How reading a transcript went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
    pub(crate) events: u64,
    /// Lines that are no JSON: cut off, interleaved, binary.
    pub(crate) broken: u64,
    pub(crate) too_long: u64,
    /// Kinds of line that nobody here knows, and how often each came.
    pub(crate) unknown: BTreeMap<String, u64>,
}

/// Turns the lines of one client's transcript into events.
pub(super) trait Parser {
    /// Takes in one line and hands on what it tells; says the kind if it does not know it.
    fn take(&mut self, line: &Value, out: &mut Vec<Event>) -> Option<String>;
}

fn parser(agent: Agent, root: &Root) -> Option<Box<dyn Parser>> {
    match agent {
        Agent::ClaudeCode => Some(Box::new(claude_code::transcript::Transcript::new(root))),
        Agent::Codex => Some(Box::new(codex::rollout::Rollout::new(root))),
        Agent::Gemini => Some(Box::new(gemini::session::Session::new(root))),
        Agent::OpenCode => Some(Box::new(opencode::session::Session::new(root))),
        // Its sessions live in a database whose shape is nowhere described.
        Agent::Cursor => None,
    }
}

/// Reads a whole transcript and hands each event to `out`. Memory stays flat.
pub(crate) fn read(
    agent: Agent,
    reader: &mut impl BufRead,
    root: &Root,
    mut out: impl FnMut(Event),
) -> io::Result<Reading> {
    let mut reading = Reading::default();
    let Some(mut parser) = parser(agent, root) else {
        return Ok(reading);
    };
    let mut buffer = Vec::new();
    let mut events = Vec::new();
    while let Some(line) = next_line(reader, &mut buffer, LINE_LIMIT)? {
        reading.lines += 1;
        let Line::Text(text) = line else {
            reading.too_long += 1;
            continue;
        };
        reading.bytes += text.len() as u64 + 1;
        if text.trim().is_empty() {
            continue;
        }
        let value = match slim::parse(&text) {
            Some(value) => value,
            // A file that is one object over many lines.
            None if reading.lines == 1 && text.trim() == "{" => {
                match rest_of(reader, &text, &mut reading)? {
                    Some(value) => value,
                    None => break,
                }
            }
            None => {
                reading.broken += 1;
                continue;
            }
        };
        if let Some(kind) = parser.take(&value, &mut events) {
            *reading.unknown.entry(kind).or_default() += 1;
        }
        for event in events.drain(..) {
            reading.events += 1;
            out(event);
        }
    }
    Ok(reading)
}

/// The longest file that is one object; line by line there is no limit.
const OBJECT_LIMIT: u64 = 256 * 1024 * 1024;

/// The object that began with `first` and goes on to the end of the file; `None` when it is broken.
fn rest_of(
    reader: &mut impl BufRead,
    first: &str,
    reading: &mut Reading,
) -> io::Result<Option<Value>> {
    let mut bytes = first.as_bytes().to_vec();
    reader.take(OBJECT_LIMIT).read_to_end(&mut bytes)?;
    reading.bytes += (bytes.len() - first.len()) as u64;
    let value = slim::parse(&String::from_utf8_lossy(&bytes));
    reading.broken += u64::from(value.is_none());
    Ok(value)
}

/// Turns values that are already read, one at a time, into events, as [`read`] does with lines.
pub(crate) fn read_values(
    agent: Agent,
    root: &Root,
    mut out: impl FnMut(Event),
    give: impl FnOnce(&mut dyn FnMut(&Value)) -> io::Result<()>,
) -> io::Result<Reading> {
    let mut reading = Reading::default();
    let Some(mut parser) = parser(agent, root) else {
        return Ok(reading);
    };
    let mut events = Vec::new();
    give(&mut |value| {
        reading.lines += 1;
        if let Some(kind) = parser.take(value, &mut events) {
            *reading.unknown.entry(kind).or_default() += 1;
        }
        for event in events.drain(..) {
            reading.events += 1;
            out(event);
        }
    })?;
    Ok(reading)
}

/// How many lines may pass before a transcript has said where it belongs.
const HEAD_LINES: usize = 2000;

/// What a transcript says about itself, from its first lines only.
pub(crate) fn peek(agent: Agent, reader: &mut impl BufRead) -> io::Result<Head> {
    let mut head = Head::default();
    let mut buffer = Vec::new();
    for _ in 0..HEAD_LINES {
        let Some(line) = next_line(reader, &mut buffer, LINE_LIMIT)? else {
            break;
        };
        let Line::Text(text) = line else { continue };
        let value = match slim::parse(&text) {
            Some(value) => value,
            None if text.trim() == "{" && head == Head::default() => {
                match rest_of(reader, &text, &mut Reading::default())? {
                    Some(value) => value,
                    None => break,
                }
            }
            None => continue,
        };
        match agent {
            Agent::ClaudeCode => claude_code::transcript::head(&value, &mut head),
            Agent::Codex => codex::rollout::head(&value, &mut head),
            Agent::Gemini => gemini::session::head(&value, &mut head),
            Agent::OpenCode => opencode::session::head(&value, &mut head),
            Agent::Cursor => break,
        }
        if head.session.is_some() && head.cwd.is_some() && head.started_at.is_some() {
            break;
        }
    }
    Ok(head)
}
