//! What each agent says, in our words. Vendor JSON ends in this folder.
//!
//! A hook payload becomes [`Told`]: when it came and the events it tells of. A transcript file becomes
//! the same events, line by line. Nothing here fails: what is not understood is counted and passed over.

use jiff::Timestamp;
use oldhand_domain::event::Event;
use oldhand_domain::path::ProjectPath;
use serde_json::Value;

use crate::config::Environment;

mod claude_code;
mod codex;
mod cursor;
mod excerpt;
mod expanded;
mod gemini;
mod json;
mod lines;
mod object;
mod opencode;
mod patch;
mod root;
mod server;
mod shared;
mod shell;
mod slim;
mod source;
mod tool;
mod transcript;

pub(crate) use cursor::transcript::is_kept_for;
pub(crate) use opencode::loose;
pub(crate) use root::Root;
pub(crate) use server::OR_LONGER;
pub(crate) use shared::UNNAMED;
pub(crate) use transcript::{Head, Reading, Telling, peek_among, peek_file, read_values};

/// The agents we plug into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Agent {
    ClaudeCode,
    Codex,
    Gemini,
    Cursor,
    OpenCode,
}

impl Agent {
    pub(crate) const ALL: [Self; 5] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Gemini,
        Self::Cursor,
        Self::OpenCode,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::OpenCode => "opencode",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.as_str() == name)
    }

    /// Whether its hooks call a call by the name that its transcript has for it, as far as anybody knows.
    pub(crate) const fn names_calls(self) -> bool {
        !matches!(self, Self::Gemini | Self::Cursor)
    }
}

/// Whether the shell of an agent runs this program, as each says in its environment.
pub(crate) fn runs_this() -> bool {
    const SAID: [&str; 8] = [
        "CLAUDECODE",
        "CODEX_CI",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CODEX_THREAD_ID",
        "CURSOR_AGENT",
        "GEMINI_CLI",
        "OPENCODE",
    ];
    SAID.iter()
        .any(|name| Environment::other_variable(name).is_some())
}

/// The point in an agent's work at which a hook was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    SessionStart,
    /// The context was just compacted; what was injected is gone.
    AfterCompaction,
    Prompt,
    BeforeTool,
    AfterTool,
    /// A tool failed.
    ToolTrouble,
    /// All calls of one step came back, and the model is asked next. Only Claude Code tells of that.
    StepEnd,
    SubagentStart,
    SubagentStop,
    TurnEnd,
    BeforeCompaction,
    SessionEnd,
    Other,
    /// A call of which nobody here knows when it comes.
    Unknown,
}

/// What a hook payload tells.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Told {
    pub(crate) moment: Moment,
    /// As the client names it; empty when it did not say.
    pub(crate) session: String,
    pub(crate) cwd: Option<String>,
    pub(crate) transcript: Option<String>,
    pub(crate) events: Vec<Event>,
}

/// Translates one hook payload. `now` stands where the client gives no time.
pub(crate) fn from_hook(agent: Agent, payload: &Value, root: &Root, now: Timestamp) -> Told {
    match agent {
        Agent::ClaudeCode => claude_code::from_hook(payload, root, now),
        Agent::Codex => codex::from_hook(payload, root, now),
        Agent::Gemini => gemini::from_hook(payload, root, now),
        Agent::Cursor => cursor::from_hook(payload, root, now),
        Agent::OpenCode => opencode::from_hook(payload, root, now),
    }
}

/// The subagent whose hook this is, for clients that name it so; the main agent has no name.
pub(crate) fn subagent(payload: &Value) -> Option<String> {
    shared::subagent(payload)
}

/// The files that a step was about, where its client tells of steps.
pub(crate) fn files_of_step(agent: Agent, payload: &Value, root: &Root) -> Vec<ProjectPath> {
    match agent {
        Agent::ClaudeCode => claude_code::files_of_step(payload, root),
        Agent::Codex | Agent::Gemini | Agent::Cursor | Agent::OpenCode => Vec::new(),
    }
}

/// The beginning of a session whose first hook is about something else: it was under way when hooks came, or its client
/// tells no beginning.
pub(crate) fn beginning(agent: Agent, payload: &Value, now: Timestamp) -> Event {
    shared::start(agent.as_str(), payload, now)
}

/// Reads a hook payload, without the copies of whole files that clients put into it; `None` when it is no JSON.
pub(crate) fn parse_payload(text: &str) -> Option<Value> {
    slim::parse(text)
}

#[cfg(test)]
mod mutants;
#[cfg(test)]
mod tests;
