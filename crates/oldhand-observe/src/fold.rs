//! A journal folded into what a session did. Every event costs the same, however long the session is.
//!
//! [`SessionAnalytics`] is the scratchpad: pure data, rebuilt from the journal at any time. Events may
//! come twice (a client that runs two hooks, a transcript after its hooks): a call is counted once.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use jiff::Timestamp;
use oldhand_domain::event::{
    Call, Digest, Ending, Event, Happening, Issue, Place, Return, SessionType, Start, Tokens,
    UserCorrection, Voice,
};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::taint::{OutsideText, Taint};

use crate::outcome::git::GitAct;
use crate::outcome::walk::Begun;

mod agents;
mod answers;
mod attempts;
mod bound;
mod commits;
mod endings;
mod errors;
mod files;
mod hurdles;
mod kind;
pub(crate) mod left;
mod mending;
mod names;
mod outside;
mod pattern;
mod plans;
mod programs;
mod prompts;
mod refusals;
mod returns;
mod run;
mod searches;
mod shell_edits;
mod sight;
mod standing;
mod subtasks;
mod words;

pub use agents::AgentSpan;
pub(crate) use answers::{only_looks, same_aim};
pub use commits::CommitUse;
pub use endings::Endings;
pub use errors::{ErrorUse, Resolution, Solution};
pub use files::{Access, AccessKind, CoAccess, FileId, FileUse, Files};
pub(crate) use hurdles::COMMIT;
pub use kind::{Because, Kind};
pub(crate) use mending::mends_by_name;
pub use names::{NameKind, NameUse, Named};
pub use outside::outside_of;
pub use pattern::normal_pattern;
use pattern::spaced_once;
pub use prompts::PromptUse;
pub use refusals::{FileRefusal, RefusalKind, listed_in_vain};
pub(crate) use returns::KEPT_OF_A_LINE;
pub use run::Run;
pub use searches::{GlobUse, GrepUse};
pub use sight::Sight;
pub use subtasks::{SubtaskFinding, SubtaskUse};
pub use words::Said;

/// What the fold cannot know from the events alone.
#[derive(Clone, Debug)]
pub struct FoldOptions {
    /// Servers whose results count as the project's own words.
    pub trusted_servers: BTreeSet<String>,
    pub subagents: Subagents,
}

/// Where it is told what subagents did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subagents {
    /// Among the same events, if anywhere.
    Here,
    /// Elsewhere, where their marks count.
    Elsewhere,
}

/// The names that clients have for our own server.
pub const OWN_SERVERS: [&str; 2] = ["oldhand", "plugin_oldhand_oldhand"];

impl Default for FoldOptions {
    /// Our own server hands out what people have confirmed; every other one is somebody else's word.
    fn default() -> Self {
        Self {
            trusted_servers: OWN_SERVERS.into_iter().map(str::to_owned).collect(),
            subagents: Subagents::Here,
        }
    }
}

impl FoldOptions {
    /// With servers that a person trusts as well.
    pub fn trusting(servers: impl IntoIterator<Item = String>) -> Self {
        let mut options = Self::default();
        options.trusted_servers.extend(servers);
        options
    }
}

/// The last files that count as "together".
pub const RECENT_FILES: usize = 5;

/// Lists that a runaway session could fill stop here; counts go on.
const LIST_LIMIT: usize = 20_000;

/// What a session did, as far as the journal tells.
#[derive(Clone, Debug, Default)]
pub struct SessionAnalytics {
    pub start: Option<Start>,
    /// What it is for as somebody said, and who did.
    told_type: Option<(SessionType, String)>,
    reviewing: kind::Reviewing,
    pub first_at: Option<Timestamp>,
    pub last_at: Option<Timestamp>,
    pub ended: bool,
    pub events: u64,
    /// Tool calls so far; the number of the current one.
    pub step: u32,
    pub files: Files,
    pub accesses: Vec<Access>,
    pub co_access: BTreeMap<(FileId, FileId), CoAccess>,
    pub edits: Vec<Edit>,
    /// The steps at which a command changed files without naming them.
    pub unnamed_edits: Vec<u32>,
    own_plan: plans::OwnPlan,
    pub greps: BTreeMap<String, GrepUse>,
    /// The latest listing by each pattern.
    pub globs: BTreeMap<String, GlobUse>,
    pub errors: BTreeMap<Digest, ErrorUse>,
    pub runs: Vec<Run>,
    pub mending: Vec<mending::Mending>,
    pub hurdles: Vec<hurdles::Hurdle>,
    /// Rules with the files that broke them before the session changed these.
    standing_findings: BTreeSet<(String, String)>,
    /// Folders in which files lie by which checks and commits were stopped, and that the session did not edit.
    pub left: Vec<left::LeftUse>,
    /// Programs that a shell found by their names alone, and that ended well.
    pub programs: BTreeSet<String>,
    /// What the client was asked for by name and has, and what it has not.
    pub names: BTreeSet<Named>,
    pub in_vain: BTreeMap<Named, NameUse>,
    pub git: Vec<(u32, GitAct)>,
    /// Normalised tool keys in order, repetitions collapsed, each with its step.
    pub trail: Vec<(String, u32)>,
    pub said: Vec<Said>,
    last_word: Option<words::LastWord>,
    pub prompts: Vec<PromptUse>,
    /// What a person typed where the agent had asked them something.
    pub answers: Vec<PromptUse>,
    /// Commands that were wanted, with what became of each in the end.
    pub attempts: BTreeMap<String, attempts::Attempt>,
    pub web: Vec<WebUse>,
    /// When outside text came in, and which; everything later is marked by it.
    pub outside: Vec<(u32, OutsideText)>,
    pub dwells: Vec<Dwell>,
    pub tokens: TokenUse,
    pub validations: Vec<Validation>,
    pub subtasks: BTreeMap<String, SubtaskUse>,
    pub subtask_findings: Vec<SubtaskFinding>,
    pub user_corrections: Vec<(u32, UserCorrection)>,
    pub agents: BTreeMap<String, AgentSpan>,
    pub notes: Vec<Note>,
    pub commits: Vec<CommitUse>,
    pub compactions: u32,
    /// Files that were asked for where they are not, and files too large to read at once.
    pub refusals: Vec<FileRefusal>,
    /// Which of the runs are commits that hooks refused, and that were not made since.
    refused_commits: Vec<usize>,
    /// Where the project lies on its machine, as the first command of the shell told.
    root: Option<String>,
    /// Whether a person refused the latest call.
    refused: bool,
    /// The command that was refused with it, as long as nobody said why.
    refused_command: Option<String>,
    /// Calls that have not come back, with the lines of the shell among them.
    wanted: HashMap<u64, Option<String>>,
    recent: VecDeque<(FileId, u32, Option<Timestamp>)>,
    seen_calls: HashSet<u64>,
    seen_returns: HashSet<u64>,
    /// Tasks given to subagents that have not come back, each with the number of events before it.
    tasks: HashMap<u64, u64>,
    /// The number of events before the last task that was given to a subagent.
    last_task: Option<u64>,
    /// The number of events up to the last one of a subagent.
    heard_of_subagents: u64,
    /// Whether a command was left running.
    has_background: bool,
    /// The number of events up to the last thing a person said.
    heard_of_person: u64,
    /// Edits and writes that have not come back, each with its step.
    changing: HashMap<u64, u32>,
    reading: Option<(FileId, Timestamp)>,
    watched: errors::Watched,
}

/// One edit or write of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub step: u32,
    pub file: FileId,
    pub at: Timestamp,
    pub agent: Option<String>,
    pub change: Option<oldhand_domain::event::Change>,
}

/// A look outside the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebUse {
    pub step: u32,
    /// A page without its query, or a query in lower case.
    pub subject: String,
}

/// How long a file was looked at before anything else happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dwell {
    pub file: FileId,
    pub step: u32,
    pub millis: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUse {
    pub input: u64,
    pub output: u64,
    /// The fullest the context ever was.
    pub peak: u64,
    pub steps: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    pub step: u32,
    pub passed: bool,
    pub by: String,
    pub issues: Vec<Issue>,
}

/// What an agent asked to have remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub step: u32,
    pub kind: String,
    pub text: String,
    pub files: Vec<ProjectPath>,
}

/// Folds a whole journal.
pub fn fold<'a>(
    events: impl IntoIterator<Item = &'a Event>,
    options: &FoldOptions,
) -> SessionAnalytics {
    let events: Vec<&Event> = events.into_iter().collect();
    let mut endings = Endings::default();
    for event in &events {
        endings.look_at(event);
    }
    let mut session = SessionAnalytics::default();
    for event in events {
        session.take(&endings.apply(event), options);
    }
    session
}

impl SessionAnalytics {
    /// Takes in one event.
    pub fn take(&mut self, event: &Event, options: &FoldOptions) {
        self.events += 1;
        // Clocks of parallel hooks go back and forth; a session spans the earliest to the latest. What is said of it
        // afterwards does not move it.
        if !event.what.is_afterword() {
            self.first_at = Some(self.first_at.map_or(event.at, |first| first.min(event.at)));
            self.last_at = Some(self.last_at.map_or(event.at, |last| last.max(event.at)));
        }
        if let Some(agent) = &event.agent {
            self.heard_of_subagents = self.events;
            self.span(agent, event.at);
        }
        match &event.what {
            Happening::SessionStarted(start) => {
                // Resuming starts again; the first beginning is the session's own.
                if self.start.is_none() {
                    self.start = Some(start.clone());
                }
                self.ended = false;
            }
            // It is part of the work that was asked for, and no word on it.
            Happening::Prompt {
                text,
                pasted,
                answers: true,
            } => self.push_answer(text.as_str(), *pasted, event),
            Happening::Prompt { text, pasted, .. } => {
                if *pasted {
                    self.take_outside(OutsideText::Pasted);
                }
                self.reading = None;
                // What a subagent is asked comes from another agent, not from a person.
                if event.agent.is_none() {
                    self.heard_of_person = self.events;
                    self.push_prompt(text.as_str(), *pasted, event.at);
                }
            }
            Happening::ToolCalled { id, call } => {
                let key = key_of(id);
                if self.seen_calls.insert(key) {
                    self.begin(key, call, event);
                    self.want(key, call, event);
                }
            }
            Happening::ToolReturned(back) => {
                let key = key_of(&back.id);
                if self.seen_calls.insert(key) {
                    self.begin(key, &back.call, event);
                    // When it began nobody said; not before it was asked for.
                    if let Some(asked) = self.tasks.get_mut(&key) {
                        *asked = self.heard_of_person;
                        self.last_task = Some(*asked);
                    }
                }
                if self.seen_returns.insert(key) {
                    self.got(key, back, event);
                    self.finish(back, event.agent.as_deref(), options);
                }
            }
            Happening::Text { voice, text } => {
                if *voice == Voice::Said {
                    self.count_words(text.as_str());
                }
                self.hear(*voice, text.as_str(), event.agent.as_deref());
            }
            Happening::StepCompleted(Tokens { input, output }) => {
                self.tokens.input += input;
                self.tokens.output += output;
                self.tokens.peak = self.tokens.peak.max(*input);
                self.tokens.steps += 1;
            }
            Happening::CommitMade { sha, files, .. } => {
                let act = GitAct {
                    verb: crate::outcome::git::GitVerb::Commit,
                    reach: crate::outcome::git::Reach::Everything,
                };
                self.git.push((self.step, act));
                self.count_commit(sha.clone(), files);
            }
            Happening::SubtaskValidated {
                subtask,
                passed,
                by,
                issues,
            } => self.count_subtask(subtask, *passed, by, issues),
            Happening::TypeTold { session_type, by } => self.hear_type(*session_type, by),
            Happening::Validated { passed, by, issues } => self.validations.push(Validation {
                step: self.step,
                passed: *passed,
                by: by.clone(),
                issues: issues.clone(),
            }),
            Happening::Corrected { how, .. } => {
                self.refused |= *how == UserCorrection::PermissionDenied;
                self.refuse(*how, event);
                self.user_corrections.push((self.step, *how));
            }
            Happening::Noted { kind, text, files } => self.notes.push(Note {
                step: self.step,
                kind: kind.clone(),
                text: text.as_str().to_owned(),
                files: files.clone(),
            }),
            Happening::MayHaveTaken { outside } => {
                let step = self.step;
                self.outside
                    .extend(outside.sources().map(|text| (step, text.clone())));
            }
            Happening::ContextCompacted => self.compactions += 1,
            Happening::SessionEnded { .. } => self.ended = true,
            // How it ended went into its return.
            Happening::CommandEnded { .. } => self.has_background = true,
            Happening::SubagentStarted { kind } => self.count_agent(kind),
            Happening::SubagentStopped
            | Happening::Injected { .. }
            | Happening::Transcribed { .. }
            | Happening::Delivered { .. } => {}
        }
    }

    /// The marks that everything learned after `step` carries.
    pub fn taint_after(&self, step: u32) -> Taint {
        self.outside
            .iter()
            .filter(|(came, _)| *came < step)
            .map(|(_, text)| text.clone())
            .collect()
    }

    /// A tool is called: one step.
    fn begin(&mut self, key: u64, call: &Call, event: &Event) {
        self.step += 1;
        if matches!(call, Call::Edit { .. } | Call::Write { .. }) {
            self.changing.insert(key, self.step);
        }
        if let Some((file, since)) = self.reading.take() {
            let millis = event.at.duration_since(since).as_millis();
            if millis > 0 && self.dwells.len() < LIST_LIMIT {
                self.dwells.push(Dwell {
                    file,
                    step: self.step,
                    millis: i64::try_from(millis).unwrap_or(i64::MAX),
                });
            }
        }
        self.extend_trail(call);
        self.refused = false;
        match call {
            Call::Read { file } => self.touch(file, AccessKind::Read, event),
            Call::Edit { files, change } => {
                for file in files {
                    self.touch(file, AccessKind::Edit, event);
                    self.push_edit(file, event, *change);
                }
            }
            Call::Write { file, change } => {
                self.touch(file, AccessKind::Write, event);
                self.push_edit(file, event, *change);
            }
            Call::Grep { pattern, .. } => self.count_grep(pattern),
            Call::Shell {
                command, folder, ..
            } => {
                let root = self.root(folder.as_ref()).to_owned();
                let begun = Begun::at(&root).within(folder.as_ref());
                self.begin_shell(command.as_str(), begun, event);
                self.edit_in_shell(key, command.as_str(), begun, event);
            }
            Call::WebFetch { url } => self.look_outside(outside::page_of(url)),
            Call::WebSearch { query } => self.look_outside(query.trim().to_lowercase()),
            Call::Task { .. } => {
                self.tasks.insert(key, self.events);
                self.last_task = Some(self.events);
            }
            Call::Other {
                plan: Some(plan), ..
            } => self.note_plan(*plan),
            Call::Glob { .. } | Call::Mcp { .. } | Call::Other { .. } => {}
        }
    }

    fn push_edit(
        &mut self,
        file: &Place,
        event: &Event,
        change: Option<oldhand_domain::event::Change>,
    ) {
        let Some(path) = file.project() else { return };
        if self.edits.len() < LIST_LIMIT {
            let file = self.files.id(path);
            self.edits.push(Edit {
                step: self.step,
                file,
                at: event.at,
                agent: event.agent.clone(),
                change,
            });
        }
    }

    fn finish(&mut self, back: &Return, agent: Option<&str>, options: &FoldOptions) {
        outside::take(self, back, options);
        if back.ended != Ending::Interrupted {
            returns::take(self, back, agent);
        }
    }
}

/// Call ids are only compared: eight bytes stand for each. FNV-1a, the same on every machine.
fn key_of(id: &str) -> u64 {
    id.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
