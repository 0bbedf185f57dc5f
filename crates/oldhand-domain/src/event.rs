//! The one vocabulary for what agents do. Every client is translated into it; a journal is a list of it.
//!
//! An [`Event`] is plain data and its serde shape is a journal line. It never holds more text than
//! [`LINE_LIMIT`] allows, and never a path outside the project. Start reading at [`Happening`].

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::path::ProjectPath;
use crate::spelled::spelled;
use crate::taint::Taint;
use crate::work_unit::WorkUnit;

mod call;
mod issue;
mod returned;
mod text;

pub use call::{Call, Change, Digest, Place, Planning, ToolName};
pub use issue::{Issue, IssueError, Severity};
pub use returned::Return;
pub use text::{BoundedText, clean};

/// The longest journal line, in bytes, newline included.
pub const LINE_LIMIT: usize = 4096;

/// One thing that happened in a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub at: Timestamp,
    /// The subagent it happened in; the main agent has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(rename = "event")]
    pub what: Happening,
}

/// What happened. The spelling of a variant is its name in the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happening {
    SessionStarted(Start),
    Prompt {
        text: BoundedText,
        /// The client or the text itself says that a block was pasted in from elsewhere.
        #[serde(default, skip_serializing_if = "is_false")]
        pasted: bool,
        /// It was typed where the agent had asked a question and offered answers.
        #[serde(default, skip_serializing_if = "is_false")]
        answers: bool,
    },
    ToolCalled {
        id: String,
        call: Call,
    },
    ToolReturned(Return),
    /// What the agent said, or thought where the client shows it.
    Text {
        voice: Voice,
        text: BoundedText,
    },
    /// How a command went on after its return, told by a client that did not say it then.
    CommandEnded {
        /// Of the call, or the name by which the client told that it had left the command running.
        id: String,
        /// Nothing while it runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        /// What it printed since.
        #[serde(default, skip_serializing_if = "BoundedText::is_empty")]
        output: BoundedText,
    },
    StepCompleted(Tokens),
    CommitMade {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sha: Option<String>,
        message: BoundedText,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<ProjectPath>,
    },
    SubtaskValidated {
        subtask: String,
        passed: bool,
        /// Whoever said so; nothing where it is of a time when nobody wrote it down.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        by: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        issues: Vec<Issue>,
    },
    /// Somebody who may say so said whether the work is right.
    Validated {
        passed: bool,
        by: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        issues: Vec<Issue>,
    },
    /// Somebody said what the session is for.
    TypeTold {
        session_type: SessionType,
        by: String,
    },
    SubagentStarted {
        kind: String,
    },
    SubagentStopped,
    ContextCompacted,
    /// The client shows that the user did not take what the agent did.
    Corrected {
        how: UserCorrection,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<ProjectPath>,
    },
    /// The agent asked for something to be remembered; it stays in the scratchpad until the gate.
    Noted {
        kind: String,
        text: BoundedText,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<ProjectPath>,
    },
    /// Outside text came into sessions of which this may be one: a client that names no session and has several open.
    MayHaveTaken {
        outside: Taint,
    },
    /// Memories were handed to the agent, so that their effect can be judged from the same journal.
    Injected {
        point: String,
        memories: Vec<String>,
        /// What else was said, by key.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        facts: Vec<String>,
        tokens: u32,
        /// The mark by which a transcript shows that it arrived.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fence: Option<String>,
    },
    /// Where the client writes its own transcript.
    Transcribed {
        path: String,
    },
    /// The client's own transcript shows which of the things said reached the model.
    Delivered {
        fences: Vec<String>,
    },
    SessionEnded {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

impl Happening {
    /// What is found out or said about a session afterwards: it neither makes the session go on nor moves it in time.
    pub fn is_afterword(&self) -> bool {
        matches!(
            self,
            Self::Validated { .. }
                | Self::SubtaskValidated { .. }
                | Self::TypeTold { .. }
                | Self::CommandEnded { .. }
                | Self::Transcribed { .. }
                | Self::Delivered { .. }
        )
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_false(value: &bool) -> bool {
    !*value
}

/// How a session began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    pub client: String,
    #[serde(default)]
    pub session_type: SessionType,
    /// Whether whoever started the session said its type: clients do not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub type_told: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<BoundedText>,
    /// Where the client ran; kept only to match past sessions to a project.
    pub cwd: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_unit: Option<WorkUnit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned_steps: Option<u32>,
}

impl Start {
    /// The type that whoever started the session said. Journals of before do not say whether a build was told.
    pub fn told_type(&self) -> Option<SessionType> {
        let is_told = self.type_told || self.session_type != SessionType::default();
        is_told.then_some(self.session_type)
    }
}

/// Tokens of one model step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Everything the model read in this step, cached or not.
    pub input: u64,
    pub output: u64,
}

spelled! {
    /// Whether a tool call did what it was asked.
    Ending, "ending", {
        Succeeded => "ok",
        Failed => "error",
        /// The user or the client stopped it.
        Interrupted => "interrupted",
    }
}

spelled! {
    /// Aloud or to itself.
    Voice, "voice", {
        Said => "said",
        Reasoned => "reasoned",
    }
}

spelled! {
    /// The ways in which a client shows that the user disagreed.
    UserCorrection, "user correction", {
        EditModified => "edit_modified",
        Rewound => "rewound",
        Interrupted => "interrupted",
        PermissionDenied => "permission_denied",
    }
}

spelled! {
    /// What a session is for; it decides which gate its candidates pass.
    SessionType, "session type", {
        Build => "build",
        Insights => "insights",
        Roadmap => "roadmap",
        Terminal => "terminal",
        Changelog => "changelog",
        SpecCreation => "spec_creation",
        PrReview => "pr_review",
    }
}

impl Default for SessionType {
    /// Clients do not say; people who run a coding agent are building something.
    fn default() -> Self {
        Self::Build
    }
}

impl Event {
    pub fn new(at: Timestamp, what: Happening) -> Self {
        Self {
            at,
            agent: None,
            what,
        }
    }

    /// The event as one journal line without its newline, cut down to [`LINE_LIMIT`].
    ///
    /// Nothing comes back when the names alone (ids, paths, servers) are longer than a line.
    pub fn to_line(&self) -> Option<String> {
        let fits = |event: &Self| {
            let line = serde_json::to_string(event).expect("plain data always serialises");
            (line.len() < LINE_LIMIT).then_some(line)
        };
        fits(self).or_else(|| {
            let mut event = self.clone();
            [2048, 1024, 512, 256, 128, 64, 16, 0]
                .into_iter()
                .find_map(|limit| {
                    event.shrink(limit);
                    fits(&event)
                })
        })
    }

    /// Hands every text to `change`, names and paths included; the way in for redaction. A path that would be none then is left out.
    pub fn change_texts(&mut self, mut change: impl FnMut(&mut String)) {
        self.each_text(&mut |text| text.change(&mut change));
        match &mut self.what {
            Happening::ToolCalled { id, call } => {
                change(id);
                call.each_word(&mut change);
                call.each_name(&mut change);
            }
            Happening::ToolReturned(back) => {
                change(&mut back.id);
                back.call.each_word(&mut change);
                back.call.each_name(&mut change);
                let all = back.matched.len();
                change_paths(&mut back.matched, &mut change);
                back.count_matches(all);
            }
            Happening::SessionStarted(start) => start.branch.iter_mut().for_each(change),
            Happening::SubtaskValidated { subtask, .. } => change(subtask),
            Happening::CommitMade { files, .. } | Happening::Noted { files, .. } => {
                change_paths(files, &mut change);
            }
            _ => {}
        }
    }

    fn shrink(&mut self, limit: usize) {
        self.each_text(&mut |text| text.shrink(limit));
        let lists = limit / 32;
        match &mut self.what {
            Happening::ToolReturned(back) => {
                back.keep_matches(lists);
                back.call.shrink(limit);
            }
            Happening::ToolCalled { call, .. } => call.shrink(limit),
            Happening::CommitMade { files, .. } | Happening::Noted { files, .. } => {
                files.truncate(lists);
            }
            Happening::Validated { issues, .. } | Happening::SubtaskValidated { issues, .. } => {
                issues.truncate(lists);
            }
            Happening::Injected {
                memories, facts, ..
            } => {
                memories.truncate(lists);
                facts.truncate(lists);
            }
            Happening::Delivered { fences } => fences.truncate(lists),
            _ => {}
        }
    }

    fn each_text(&mut self, change: &mut dyn FnMut(&mut BoundedText)) {
        match &mut self.what {
            Happening::Prompt { text, .. }
            | Happening::Text { text, .. }
            | Happening::Noted { text, .. }
            | Happening::CommandEnded { output: text, .. }
            | Happening::CommitMade { message: text, .. } => change(text),
            Happening::ToolReturned(back) => {
                change(&mut back.excerpt);
                back.call.each_text(change);
            }
            Happening::ToolCalled { call, .. } => call.each_text(change),
            Happening::SessionStarted(start) => {
                if let Some(task) = &mut start.task {
                    change(task);
                }
            }
            Happening::Validated { issues, .. } | Happening::SubtaskValidated { issues, .. } => {
                for issue in issues {
                    change(&mut issue.text);
                }
            }
            Happening::StepCompleted(_)
            | Happening::TypeTold { .. }
            | Happening::SubagentStarted { .. }
            | Happening::SubagentStopped
            | Happening::ContextCompacted
            | Happening::Corrected { .. }
            | Happening::MayHaveTaken { .. }
            | Happening::Injected { .. }
            | Happening::Transcribed { .. }
            | Happening::Delivered { .. }
            | Happening::SessionEnded { .. } => {}
        }
    }
}

fn change_paths(paths: &mut Vec<ProjectPath>, change: &mut dyn FnMut(&mut String)) {
    paths.retain_mut(|path| {
        call::changed(path, change).is_some_and(|new| {
            *path = new;
            true
        })
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returned(command: &str, output: &str) -> Event {
        Event::new(
            Timestamp::UNIX_EPOCH,
            Happening::ToolReturned(Return {
                id: "c1".to_owned(),
                call: Call::Shell {
                    command: BoundedText::tail(command, 2048),
                    reads_outside: false,
                    folder: None,
                },
                ended: Ending::Failed,
                excerpt: BoundedText::ends(output, 2048),
                matched: (0..200)
                    .map(|n| ProjectPath::new(&format!("src/file_{n}.rs")).unwrap())
                    .collect(),
                found: None,
                exit_code: Some(1),
                duration_ms: None,
                size: output.len() as u64,
            }),
        )
    }

    #[test]
    fn a_line_round_trips() {
        let mut event = returned("cargo test", "error: no\n");
        event.agent = Some("a7".to_owned());
        if let Happening::ToolReturned(back) = &mut event.what {
            back.matched.truncate(2);
        }
        let line = event.to_line().unwrap();
        assert_eq!(serde_json::from_str::<Event>(&line).unwrap(), event);
    }

    #[test]
    fn of_files_that_do_not_fit_the_number_is_kept() {
        let long = returned("cargo test", &"\"\\".repeat(5000))
            .to_line()
            .unwrap();
        let Happening::ToolReturned(back) = serde_json::from_str::<Event>(&long).unwrap().what
        else {
            panic!("{long}")
        };
        assert!(back.matched.len() < 200);
        assert_eq!(back.found, Some(200));
        let mut event = returned("cargo test", "");
        let drop_two = |text: &mut String| {
            if text.ends_with("_7.rs") || text.ends_with("_8.rs") {
                text.clear();
            }
        };
        event.change_texts(drop_two);
        let Happening::ToolReturned(back) = event.what else {
            panic!("it came back")
        };
        assert_eq!((back.matched.len(), back.found), (198, Some(200)));
    }

    #[test]
    fn no_line_is_longer_than_the_limit() {
        for text in [
            "x".repeat(9000),
            "\"\\".repeat(5000),
            "\n".repeat(9000),
            "é\u{202e}".repeat(4000),
        ] {
            let line = returned(&text, &text).to_line().unwrap();
            assert!(line.len() < LINE_LIMIT, "{}", line.len());
            assert!(serde_json::from_str::<Event>(&line).is_ok());
        }
    }

    #[test]
    fn an_event_whose_names_fill_a_line_has_no_line() {
        let id = "x".repeat(LINE_LIMIT);
        let call = Call::Other {
            name: "t".to_owned(),
            asked: None,
            plan: None,
        };
        let event = Event::new(Timestamp::UNIX_EPOCH, Happening::ToolCalled { id, call });
        assert_eq!(event.to_line(), None);
    }

    #[test]
    fn redaction_reaches_commands_and_results() {
        let mut event = returned("curl -H secret", "secret came back");
        event.change_texts(|text| *text = text.replace("secret", "[REDACTED]"));
        assert!(!event.to_line().unwrap().contains("secret"));
    }

    #[test]
    fn fields_nobody_knows_yet_are_passed_over() {
        let line =
            r#"{"at":"2026-01-01T00:00:00Z","event":{"prompt":{"text":"hi","mood":3}},"x":1}"#;
        let event: Event = serde_json::from_str(line).unwrap();
        assert!(matches!(
            event.what,
            Happening::Prompt { pasted: false, .. }
        ));
    }
}
