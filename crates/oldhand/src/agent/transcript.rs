//! Past sessions from the files clients leave behind, streamed line by line.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, BufRead, BufReader, Read as _, Seek};
use std::ops::ControlFlow;
use std::path::Path;

use jiff::Timestamp;
use oldhand_domain::event::Event;
use serde_json::Value;

use super::Agent;
use super::root::Root;
use super::source::{Found, Lines, Source};
use super::{claude_code, codex, cursor, gemini, opencode};
use crate::file;

/// What a transcript says about itself at its beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) session: Option<String>,
    /// The subagent it tells of alone; the session is then that of who started it, where that is said.
    pub(crate) subagent: Option<String>,
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
    /// The first line that is one of these, counted from 1, of a file that is made of lines.
    pub(crate) first_unread: Option<u64>,
    /// Secrets that marks stand for in what is kept, by kind.
    pub(crate) redacted: BTreeMap<String, u64>,
    /// Kinds of line that nobody here knows, and how often each came.
    pub(crate) unknown: BTreeMap<String, u64>,
    /// Sessions that have lines among those of the one that was read.
    pub(crate) others: BTreeSet<String>,
}

/// What a line without a kind is counted as.
const NO_KIND: &str = "none at all";

/// So many are noted, so that a file of nonsense costs nothing.
const OTHERS: usize = 64;

/// Turns the lines of one client's transcript into events.
pub(super) trait Parser {
    /// Takes in one line and hands on what it tells; says the kind if it does not know it.
    fn take(&mut self, line: &Value, out: &mut Vec<Event>) -> Option<String>;
}

fn parser(agent: Agent, root: &Root) -> Box<dyn Parser> {
    match agent {
        Agent::ClaudeCode => Box::new(claude_code::transcript::Transcript::new(root)),
        Agent::Codex => Box::new(codex::rollout::Rollout::new(root)),
        Agent::Gemini => Box::new(gemini::session::Session::new(root)),
        Agent::OpenCode => Box::new(opencode::session::Session::new(root)),
        Agent::Cursor => Box::new(cursor::history::History::new(root)),
    }
}

/// A transcript while it is read: its events one at a time. Memory stays flat.
pub(crate) struct Telling<'a> {
    parser: Box<dyn Parser>,
    source: Box<dyn Source + 'a>,
    waiting: VecDeque<Event>,
    reading: Reading,
    /// The session whose lines are read, where a file may hold those of several.
    only: Option<String>,
}

impl<'a> Telling<'a> {
    /// Of `session` alone, by the name its client gives it.
    pub(crate) fn open(agent: Agent, path: &Path, session: &str, root: &Root) -> io::Result<Self> {
        if agent == Agent::OpenCode && opencode::loose::is_session(path) {
            return Ok(Self::new(agent, opencode::loose::Loose::open(path)?, root));
        }
        let file = file::open_regular(path)?;
        // A client may still be writing; what it adds from now on is for the next reading.
        let length = file.metadata()?.len();
        let reader = BufReader::with_capacity(1 << 16, file.take(length));
        let mut telling = Self::new(agent, Lines::new(reader), root);
        if agent == Agent::Cursor {
            telling.parser = Box::new(cursor::transcript::Transcript::new(path, root));
        }
        telling.only = (agent == Agent::ClaudeCode).then(|| session.to_owned());
        Ok(telling)
    }

    fn new(agent: Agent, source: impl Source + 'a, root: &Root) -> Self {
        Self {
            parser: parser(agent, root),
            source: Box::new(source),
            waiting: VecDeque::new(),
            reading: Reading::default(),
            only: None,
        }
    }

    /// Whether a line belongs to another session. Two clients that write to one file tell of two sessions.
    fn is_foreign(&mut self, value: &Value) -> bool {
        let (Some(only), Some(of)) = (&self.only, session_of(value)) else {
            return false;
        };
        let is_foreign = only != of;
        if is_foreign && self.reading.others.len() < OTHERS {
            self.reading.others.insert(of.to_owned());
        }
        is_foreign
    }

    /// The next event; `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Event>> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Ok(Some(event));
            }
            let Some((found, bytes)) = self.source.next()? else {
                return Ok(None);
            };
            self.reading.bytes += bytes;
            match found {
                Found::Value(value) if self.is_foreign(&value) => {}
                Found::Value(value) => {
                    let mut events = Vec::new();
                    self.reading.take(&value, self.parser.as_mut(), &mut events);
                    self.waiting.extend(events);
                }
                unread @ (Found::Broken | Found::TooLong) => {
                    self.reading.lines += 1;
                    match unread {
                        Found::TooLong => self.reading.too_long += 1,
                        _ => self.reading.broken += 1,
                    }
                    let first = &mut self.reading.first_unread;
                    *first = first.or(self.source.line());
                }
            }
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.reading.bytes
    }

    /// How reading went so far.
    pub(crate) fn reading(self) -> Reading {
        self.reading
    }
}

impl Reading {
    /// Counts another reading in.
    pub(crate) fn add(&mut self, other: Self) {
        self.lines += other.lines;
        self.bytes += other.bytes;
        self.events += other.events;
        self.broken += other.broken;
        self.too_long += other.too_long;
        for (kind, times) in other.redacted {
            *self.redacted.entry(kind).or_default() += times;
        }
        for (kind, times) in other.unknown {
            *self.unknown.entry(kind).or_default() += times;
        }
        self.others.extend(other.others);
    }

    fn take(&mut self, value: &Value, parser: &mut dyn Parser, events: &mut Vec<Event>) {
        self.lines += 1;
        if let Some(mut kind) = parser.take(value, events) {
            if kind.is_empty() {
                NO_KIND.clone_into(&mut kind);
            }
            *self.unknown.entry(kind).or_default() += 1;
        }
        self.events += events.len() as u64;
    }
}

/// Turns values that are already read, one at a time and each with its length in bytes, into events, until `out` wants no more.
pub(crate) fn read_values(
    agent: Agent,
    root: &Root,
    out: &mut dyn FnMut(Event, u64) -> ControlFlow<()>,
    give: impl FnOnce(&mut dyn FnMut(&Value, usize) -> ControlFlow<()>) -> io::Result<()>,
) -> io::Result<Reading> {
    let mut reading = Reading::default();
    let mut parser = parser(agent, root);
    let mut events = Vec::new();
    let mut bytes = 0;
    give(&mut |value, length| {
        bytes += length as u64;
        reading.take(value, parser.as_mut(), &mut events);
        events.drain(..).try_for_each(|event| out(event, bytes))
    })?;
    Ok(reading)
}

/// How many lines may pass before a transcript has said where it belongs.
pub(super) const HEAD_LINES: usize = 2000;

fn session_of(line: &Value) -> Option<&str> {
    line.get("sessionId")?.as_str()
}

/// What a file of several sessions says about one of them.
pub(crate) fn peek_among(
    agent: Agent,
    reader: impl BufRead + Seek,
    session: &str,
) -> io::Result<Head> {
    let mut head = Head::default();
    let mut source = Lines::new(reader);
    while let Some((found, _)) = source.next()?
        && !head.is_whole()
    {
        if let Found::Value(value) = found
            && session_of(&value) == Some(session)
        {
            head.take(agent, &value);
        }
    }
    Ok(head)
}

impl Head {
    fn take(&mut self, agent: Agent, value: &Value) {
        match agent {
            Agent::ClaudeCode => claude_code::transcript::head(value, self),
            Agent::Codex => codex::rollout::head(value, self),
            Agent::Gemini => gemini::session::head(value, self),
            Agent::OpenCode => opencode::session::head(value, self),
            // Its sessions are rows of a database, or files that say less than their names do.
            Agent::Cursor => {}
        }
    }

    fn is_whole(&self) -> bool {
        self.session.is_some() && self.cwd.is_some() && self.started_at.is_some()
    }
}

/// What the file of a transcript says about itself, by its name and its first lines.
pub(crate) fn peek_file(agent: Agent, path: &Path) -> io::Result<Head> {
    let reader = BufReader::new(file::open_regular(path)?);
    match agent {
        Agent::Cursor => cursor::transcript::head(path, reader),
        _ => peek(agent, reader),
    }
}

/// What a transcript says about itself, from its first lines only.
pub(super) fn peek(agent: Agent, reader: impl BufRead + Seek) -> io::Result<Head> {
    let mut head = Head::default();
    let mut source = Lines::new(reader);
    for _ in 0..HEAD_LINES {
        let Some((found, _)) = source.next()? else {
            break;
        };
        let Found::Value(value) = found else { continue };
        head.take(agent, &value);
        if head.is_whole() {
            break;
        }
    }
    Ok(head)
}

/// Reads a whole transcript from memory and hands each event to `out`.
#[cfg(test)]
pub(super) fn read(
    agent: Agent,
    reader: impl BufRead + Seek,
    root: &Root,
    mut out: impl FnMut(Event),
) -> io::Result<Reading> {
    let mut telling = Telling::new(agent, Lines::new(reader), root);
    while let Some(event) = telling.next()? {
        out(event);
    }
    Ok(telling.reading())
}
