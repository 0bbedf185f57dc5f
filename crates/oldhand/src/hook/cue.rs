//! Which of the things that just happened a memory may be about.

use std::cell::OnceCell;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use oldhand_domain::event::{Call, Ending, Event, Happening, Place, Return};
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_engine::Cue;
use oldhand_engine::rules::{file_of, folder_of};
use oldhand_observe::fold::listed_in_vain;
use oldhand_observe::outcome::commands::own_checks;
use oldhand_observe::outcome::shell::commands;
use oldhand_observe::outcome::walk::{Begun, Walk};
use oldhand_recall::request::Heard;
use oldhand_recall::same::Sentences;
use serde_json::Value;

use crate::agent::{Agent, Moment};
use crate::cli::import::rules::taken_in;
use crate::file::open_regular;

/// The cues of one hook call in the project at `root`, the most telling first. Most calls have none.
pub(super) fn cues(
    moment: Moment,
    events: &[Event],
    step: &[ProjectPath],
    root: &Path,
) -> Vec<Cue> {
    let mut cues = told_by(moment, events, step, &root.to_string_lossy());
    // What is there was not missed: what asked for it failed for another reason.
    cues.retain(|cue| match cue {
        Cue::FileMissed(file) => root.join(file.as_str()).symlink_metadata().is_err(),
        _ => true,
    });
    cues
}

fn told_by(moment: Moment, events: &[Event], step: &[ProjectPath], root: &str) -> Vec<Cue> {
    let of_return = |back| of_return(back, root);
    match moment {
        Moment::SessionStart => vec![Cue::SessionStarted],
        Moment::AfterCompaction => vec![Cue::ContextCompacted],
        Moment::Prompt => events.iter().filter_map(of_prompt).collect(),
        Moment::AfterTool | Moment::ToolTrouble => returns(events).flat_map(of_return).collect(),
        Moment::StepEnd => {
            let of_step = (!step.is_empty()).then(|| Cue::StepEnded(step.to_vec()));
            returns(events).flat_map(of_return).chain(of_step).collect()
        }
        _ => Vec::new(),
    }
}

/// What the agent has before its eyes: every text of the payload, whatever it is called.
pub(super) fn seen(payload: &Value) -> Vec<&str> {
    let mut texts = Vec::new();
    let mut left = vec![payload];
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) => texts.push(text.as_str()),
            Value::Array(items) => left.extend(items),
            Value::Object(members) => left.extend(members.values()),
            _ => {}
        }
    }
    texts
}

/// So much of a rules file is looked through for what it takes in.
const RULES_READ: u64 = 64 * 1024;

/// The rules files of the project at `root` that a client reads by itself when a session starts, by their paths in it: its own, what they
/// lead to, and what they take in by `@path`.
pub(super) fn own_rules(agent: Agent, root: &Path) -> Vec<String> {
    let files: &[&str] = match agent {
        Agent::ClaudeCode => &["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"],
        Agent::Codex => &["AGENTS.md"],
        Agent::Gemini => &["GEMINI.md"],
        Agent::Cursor => &[".cursorrules", "AGENTS.md"],
        Agent::OpenCode => &["AGENTS.md", "CLAUDE.md"],
    };
    and_what_they_take_in(files.iter().map(|file| (*file).to_owned()), root)
}

/// The rules files of the folders around `file` that a client reads by itself when it has the file in hand. Codex reads those between the top
/// and where it was `started`, and is told to look for others itself.
fn own_rules_around(
    agent: Agent,
    root: &Path,
    file: &ProjectPath,
    started: Option<&ProjectPath>,
) -> Vec<String> {
    let names: &[&str] = match agent {
        Agent::ClaudeCode => &["CLAUDE.md"],
        Agent::Gemini => &["GEMINI.md"],
        Agent::Codex | Agent::Cursor => &["AGENTS.md"],
        Agent::OpenCode => &["AGENTS.md", "CLAUDE.md"],
    };
    let is_read = |folder: &ProjectPath| {
        agent != Agent::Codex || started.is_some_and(|started| started.is_at_or_below(folder))
    };
    let folders = file.folders().filter(is_read);
    let files = folders.flat_map(|folder| names.iter().map(move |name| format!("{folder}/{name}")));
    and_what_they_take_in(files, root)
}

fn and_what_they_take_in(files: impl Iterator<Item = String>, root: &Path) -> Vec<String> {
    let top = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let mut own: Vec<String> = Vec::new();
    for file in files {
        let real = fs::canonicalize(root.join(&file));
        own.push(file);
        let Ok(real) = real else {
            continue;
        };
        let text = read_some(&real).unwrap_or_default();
        let folder = real.parent().unwrap_or(&top);
        let taken = taken_in(&text, folder).into_iter();
        let taken = taken
            .filter_map(|path| fs::canonicalize(path).ok())
            .filter(|path| path.is_file());
        let read: Vec<PathBuf> = taken.chain([real.clone()]).collect();
        let inside = read.iter().filter_map(|path| path.strip_prefix(&top).ok());
        own.extend(inside.map(|path| path.display().to_string()));
    }
    own
}

/// Whether it is about no file or command of its own.
pub(super) fn is_general(cue: &Cue) -> bool {
    matches!(
        cue,
        Cue::SessionStarted | Cue::ContextCompacted | Cue::Asked(_)
    )
}

/// What a client reads by itself: its rules files, and what they say.
pub(super) struct Own {
    agent: Agent,
    files: Vec<String>,
    said: OnceCell<Sentences>,
    root: PathBuf,
    started: Option<ProjectPath>,
}

impl Own {
    /// What `agent` has read when `cue` comes, where it was started in this folder.
    pub(super) fn read(agent: Agent, root: &Path, started: Option<&Path>, cue: &Cue) -> Self {
        let real = |path: &Path| fs::canonicalize(path).ok();
        let inside = started.and_then(real).zip(real(root));
        let inside = inside.and_then(|(started, root)| {
            let inside = started.strip_prefix(root).ok()?;
            ProjectPath::new(inside.to_str()?).ok()
        });
        let files = match cue {
            Cue::FileEdited(file) => own_rules_around(agent, root, file, inside.as_ref()),
            cue if is_general(cue) => own_rules(agent, root),
            _ => Vec::new(),
        };
        Self {
            agent,
            files,
            said: OnceCell::new(),
            root: root.to_owned(),
            started: inside,
        }
    }

    /// Whether a memory would only repeat it: it is of one of these files, or of another that says it in nearly the same words.
    pub(super) fn has(&self, memory: &Memory) -> bool {
        let Some(file) = file_of(memory) else {
            return false;
        };
        // A file that is gone is read by nobody: its rules may stand in another by now.
        let is_there = self.root.join(file).is_file();
        let is_own =
            |own: &String| is_there && own.eq_ignore_ascii_case(file) || self.is_same(own, file);
        // The files of a folder are read as soon as anything is done there.
        let of_folder = folder_of(memory).and(ProjectPath::new(file).ok());
        let around = of_folder.map_or_else(Vec::new, |file| {
            own_rules_around(self.agent, &self.root, &file, self.started.as_ref())
        });
        if self.files.iter().chain(&around).any(is_own) {
            return true;
        }
        let content = memory.content.as_str();
        let said = self.said.get_or_init(|| self.sentences(&self.files));
        said.leave_nothing_of(content) || self.sentences(&around).leave_nothing_of(content)
    }

    fn sentences(&self, files: &[String]) -> Sentences {
        let paths = files.iter().map(|name| self.root.join(name));
        let texts: Vec<String> = paths.filter_map(|path| read_some(&path)).collect();
        Sentences::of(&texts.join("\n\n"))
    }

    /// Whether two names lead to one file, or to two with the same bytes.
    fn is_same(&self, own: &str, other: &str) -> bool {
        let real = |name: &str| fs::canonicalize(self.root.join(name)).ok();
        let (Some(own), Some(other)) = (real(own), real(other)) else {
            return false;
        };
        let length = |path: &Path| fs::metadata(path).map(|file| file.len()).ok();
        own == other || length(&own) == length(&other) && read_some(&own) == read_some(&other)
    }
}

/// The beginning of a rules file; what cannot be read says nothing.
fn read_some(path: &Path) -> Option<String> {
    let mut text = Vec::new();
    let file = open_regular(&fs::canonicalize(path).ok()?).ok()?;
    file.take(RULES_READ).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// A request, as `oldhand context` judges it.
fn of_prompt(event: &Event) -> Option<Cue> {
    let Happening::Prompt { text, .. } = &event.what else {
        return None;
    };
    let text = text.as_str();
    (Heard::of(text) == Heard::Request).then(|| Cue::Asked(text.to_owned()))
}

fn returns(events: &[Event]) -> impl Iterator<Item = &Return> {
    events.iter().filter_map(|event| match &event.what {
        Happening::ToolReturned(back) => Some(back),
        _ => None,
    })
}

/// A line has hardly more checks than these.
const MOST_CHECKS: usize = 4;

fn of_return(back: &Return, root: &str) -> Vec<Cue> {
    let failed = || Cue::Failed(back.excerpt.as_str().to_owned());
    match (&back.call, back.ended) {
        (
            Call::Shell {
                command, folder, ..
            },
            Ending::Failed,
        ) => {
            let mut cues = vec![failed()];
            let begun = Begun::at(root).within(folder.as_ref());
            let checks = own_checks(command.as_str(), root, begun.folder).into_iter();
            cues.extend(
                checks
                    .take(MOST_CHECKS)
                    .map(|check| Cue::CheckFailed(check.bare())),
            );
            cues.extend(missed(command.as_str(), begun));
            cues.extend(repeated(command.as_str()));
            cues
        }
        (
            Call::Shell {
                command, folder, ..
            },
            Ending::Succeeded,
        ) => {
            let begun = Begun::at(root).within(folder.as_ref());
            // What ends a pipe hides how the command before it ended.
            let is_missed = back.excerpt.as_str().contains("No such file or directory");
            let names = is_missed.then(|| missed(command.as_str(), begun));
            let mut cues = names.unwrap_or_default();
            cues.extend(repeated(command.as_str()));
            cues.extend(of_command(command.as_str(), begun));
            if back.exit_code.is_none() {
                // Some clients do not say how a command ended; a known error in its output does.
                cues.push(failed());
            }
            cues
        }
        (
            Call::Read { file }
            | Call::Grep {
                within: Some(file), ..
            },
            Ending::Failed,
        ) => {
            let mut cues = vec![failed()];
            cues.extend(of_file(file, Cue::FileMissed));
            cues
        }
        (_, Ending::Failed) => vec![failed()],
        (Call::Read { file }, Ending::Succeeded) => of_file(file, Cue::FileRead),
        (Call::Write { file, .. }, Ending::Succeeded) => of_file(file, Cue::FileEdited),
        (Call::Edit { files, .. }, Ending::Succeeded) => files
            .iter()
            .flat_map(|file| of_file(file, Cue::FileEdited))
            .collect(),
        (Call::Grep { pattern, .. }, Ending::Succeeded) => vec![Cue::Searched(pattern.clone())],
        (Call::Glob { .. }, Ending::Succeeded) => {
            let folder = listed_in_vain(back, root);
            folder.into_iter().map(Cue::FileMissed).collect()
        }
        _ => Vec::new(),
    }
}

/// The command as it was typed, and without the folder it went to first: it may be one that led nowhere before.
fn repeated(command: &str) -> Vec<Cue> {
    let inside = command
        .trim_start()
        .strip_prefix("cd ")
        .and_then(|rest| rest.split_once(" && "))
        .map(|(_, rest)| rest);
    let each = [Some(command), inside].into_iter().flatten();
    each.map(|command| Cue::CommandRan(command.trim().to_owned()))
        .collect()
}

/// The files that a command names, as one of them may be the one that is not there.
fn missed(command: &str, begun: Begun<'_>) -> Vec<Cue> {
    const MOST: usize = 4;
    let mut walk = Walk::of(begun);
    let mut files = Vec::new();
    for simple in commands(command) {
        let words = simple.words.iter().skip(1).map(String::as_str);
        if walk.goes(&simple) {
            // It stands there by now.
            let is_named = paths_in(words, &Walk::of(begun)).next().is_some();
            files.extend(walk.path(".").filter(|_| is_named));
        } else {
            files.extend(paths_in(words, &walk));
        }
    }
    files.truncate(MOST);
    files.into_iter().map(Cue::FileMissed).collect()
}

/// Those words of a command that are paths inside the project.
fn paths_in<'w>(
    words: impl Iterator<Item = &'w str>,
    walk: &Walk<'_>,
) -> impl Iterator<Item = ProjectPath> {
    words
        .filter(|word| !word.starts_with(['-', '~', '$']) && word.contains(['.', '/']))
        .filter_map(|word| walk.path(word))
}

/// The files that a command shows, and what it looks for. Some clients have no other way to read and to search.
fn of_command(command: &str, begun: Begun<'_>) -> Vec<Cue> {
    const READERS: [&str; 7] = ["cat", "sed", "head", "tail", "nl", "less", "bat"];
    const SEARCHERS: [&str; 4] = ["rg", "grep", "ag", "ack"];
    const MOST: usize = 4;
    let mut cues = Vec::new();
    let mut walk = Walk::of(begun);
    for simple in commands(command) {
        if walk.goes(&simple) {
            continue;
        }
        let mut words = simple.words.iter().map(String::as_str);
        let program = words.next().unwrap_or_default();
        if SEARCHERS.contains(&program) {
            let pattern = words.find(|word| !word.starts_with('-'));
            cues.extend(pattern.map(|pattern| Cue::Searched(pattern.to_owned())));
            continue;
        }
        if !READERS.contains(&program) {
            continue;
        }
        cues.extend(paths_in(words, &walk).map(Cue::FileRead));
    }
    cues.truncate(MOST);
    cues
}

fn of_file(place: &Place, cue: impl FnOnce(ProjectPath) -> Cue) -> Vec<Cue> {
    place.project().cloned().map(cue).into_iter().collect()
}

#[cfg(test)]
mod tests;
