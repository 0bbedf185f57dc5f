//! What is known about the thing an agent is at: facts that fired a cue, never a guess by likeness.

use std::collections::BTreeMap;

use jiff::Timestamp;
use oldhand_domain::filter::{Filter, Only, TextQuery};
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, MemoryType, Payload};
use oldhand_domain::text::Fingerprint;
use oldhand_domain::vocabulary::{Scope, Source};
use oldhand_observe::distill::missing;
use oldhand_observe::fingerprint::fingerprint;
use oldhand_observe::learn::{leftovers_named, missing_folder, way_out};
use oldhand_observe::settle::opposites;
use oldhand_recall::gate::{Audience, Purpose};
use oldhand_recall::inject::{Cleared, Injection, Line, Occasion, Point, Whose, compose};
use oldhand_recall::score::{Emphasis, Situation};
use oldhand_recall::trust::TrustLevel;
use oldhand_redact::redact;

use crate::registers::is_told_by_register;
use crate::rules::Turn;
use crate::{Engine, EngineError, Shelf, rules};

/// Something that happened and that a memory may be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cue {
    SessionStarted,
    ContextCompacted,
    /// A person asked for something.
    Asked(String),
    FileRead(ProjectPath),
    FileEdited(ProjectPath),
    /// A call that named this file failed.
    FileMissed(ProjectPath),
    /// A call failed with this output.
    Failed(String),
    /// A check of the project failed, as one would type it.
    CheckFailed(String),
    /// A command ran, whatever came of it.
    CommandRan(String),
    Searched(String),
    /// A step of the agent ended that was about these files: it opened them, or a search led to them.
    StepEnded(Vec<ProjectPath>),
}

impl Cue {
    pub fn point(&self) -> Point {
        match self {
            Self::SessionStarted => Point::Brief,
            Self::ContextCompacted => Point::BriefAfterCompaction,
            Self::Asked(_) => Point::Task,
            Self::FileRead(_) | Self::FileEdited(_) => Point::File,
            Self::FileMissed(_) | Self::Failed(_) | Self::CheckFailed(_) => Point::Error,
            Self::CommandRan(_) => Point::Command,
            Self::Searched(_) => Point::Search,
            Self::StepEnded(_) => Point::Step,
        }
    }

    /// The file it is about.
    pub fn file(&self) -> Option<&ProjectPath> {
        match self {
            Self::FileRead(file) | Self::FileEdited(file) => Some(file),
            _ => None,
        }
    }
}

/// For whom memories are looked up, and when.
#[derive(Clone, Copy, Debug)]
pub struct Listener<'a> {
    pub session: &'a SessionId,
    /// The branch that is checked out.
    pub branch: Option<&'a str>,
    pub level: TrustLevel,
    pub now: Timestamp,
}

impl Listener<'_> {
    fn audience(&self) -> Audience<'_> {
        Audience::AtWork {
            session: Some(self.session),
            branch: self.branch,
        }
    }
}

/// What is said of the lines at hand, with no secret in it: what was stored before a rule for it existed is told without it.
pub fn say(occasion: &Occasion<'_>, lines: &[Line]) -> Option<Injection> {
    let mut injection = compose(occasion, lines)?;
    without_secrets(&mut injection.text);
    Some(injection)
}

/// Takes the secrets out of words that are about to be said. Says whether there were some.
pub(crate) fn without_secrets(text: &mut String) -> bool {
    let redacted = redact(text);
    let has_secrets = !redacted.findings.is_empty();
    if has_secrets {
        *text = redacted.text.into_owned();
    }
    has_secrets
}

/// How many memories are weighed at most; a cue that has more is no cue.
pub(crate) const MOST: usize = 40;
/// How many of each standing type are told at most: more would not fit into a brief.
pub(crate) const STANDING_MOST: usize = 15;
/// How many of them, the latest first, are looked at for those that may be told.
pub(crate) const STANDING_READ: usize = 400;
/// How many hits of a text search are compared with the exact words.
const HITS: usize = 20;
/// Shorter commands and patterns are quoted everywhere.
pub(crate) const SHORTEST_QUOTE: usize = 4;

impl Engine<'_> {
    /// What may be said on a cue, best first.
    pub fn recall_for(&self, cue: &Cue, listener: Listener<'_>) -> Result<Vec<Line>, EngineError> {
        let found = match cue {
            Cue::SessionStarted | Cue::ContextCompacted => return self.brief(listener),
            Cue::Asked(task) => self.about_task(task, listener)?,
            Cue::FileRead(file) => self.about_file(file, TRAPS)?,
            Cue::FileEdited(file) => {
                let mut found = self.registers_for(file)?;
                let about = self.about_file(file, TRAPS_AND_COUPLINGS)?.into_iter();
                let about: Vec<Memory> = about
                    .filter(|memory| !is_told_by_register(memory, file, &found))
                    .collect();
                found.extend(about);
                let rules = self.rules_around(file)?.into_iter();
                let known: Vec<MemoryId> = found.iter().map(|memory| memory.id).collect();
                found.extend(rules.filter(|memory| !known.contains(&memory.id)));
                found
            }
            Cue::FileMissed(file) => self.about_missing(file)?,
            Cue::StepEnded(files) => {
                let mut found: Vec<Memory> = Vec::new();
                for file in files {
                    let about = self.about_file(file, TRAPS)?.into_iter();
                    let known: Vec<MemoryId> = found.iter().map(|memory| memory.id).collect();
                    found.extend(about.filter(|memory| !known.contains(&memory.id)));
                }
                found
            }
            Cue::Failed(output) => self.about_error(output)?,
            Cue::CheckFailed(check) => {
                let mends = |memory: &Memory| way_out(memory.content.as_str()) == Some(check);
                let mut found = self.quoting(check, BuiltInType::ErrorPattern, mends)?;
                found.extend(self.quoting(check, BuiltInType::Pattern, mends)?);
                found
            }
            Cue::CommandRan(command) => {
                let tried = |memory: &Memory| {
                    let tried = tried(memory);
                    tried.trim() == command.trim() || quotes(tried, command)
                };
                self.quoting(command, BuiltInType::DeadEnd, tried)?
            }
            Cue::Searched(pattern) => {
                let answers = |memory: &Memory| quotes(memory.content.as_str(), pattern);
                self.quoting(pattern, BuiltInType::ModuleInsight, answers)?
            }
        };
        let cleared = clear(found, listener).into_iter();
        let cleared = attribute(cleared.map(|one| (Shelf::Project, one)).collect());
        Ok(cleared.into_iter().map(Line::from).collect())
    }

    /// What to know before anything else: pinned memories, unfinished work, what is required, decided, usual and preferred.
    fn brief(&self, listener: Listener<'_>) -> Result<Vec<Line>, EngineError> {
        let mut cleared: Vec<(Shelf, Cleared)> = Vec::new();
        let mut add = |filter: &Filter, most: usize| -> Result<(), EngineError> {
            for (shelf, store) in self.shelves() {
                let mut memories = store.list(filter)?.memories;
                memories.sort_by_key(|memory| (Voice::of(memory), Turn::of(memory)));
                let mut found = clear(memories, listener);
                let is_known = |one: &Cleared| {
                    let mut ids = cleared.iter().map(|(_, other)| other.memory().id);
                    ids.any(|id| id == one.memory().id)
                };
                found.retain(|one| !is_known(one) && holds_everywhere(one.memory()));
                found.truncate(most);
                cleared.extend(found.into_iter().map(|one| (shelf, one)));
            }
            Ok(())
        };
        let pinned = Filter {
            only: vec![Only::Pinned],
            limit: Some(STANDING_READ),
            ..Filter::default()
        };
        add(&pinned, MOST)?;
        for standing in STANDING {
            let filter = Filter {
                types: vec![(*standing).into()],
                limit: Some(STANDING_READ),
                ..Filter::default()
            };
            add(&filter, STANDING_MOST)?;
        }
        cleared.sort_by_key(|(_, one)| Voice::of(one.memory()));
        Ok(attribute(cleared).into_iter().map(Line::from).collect())
    }

    /// What clears the bar for a task, by words and by meaning. Without vectors nothing does.
    fn about_task(&self, task: &str, listener: Listener<'_>) -> Result<Vec<Memory>, EngineError> {
        let level = listener.level;
        let purpose = Purpose::Inject { level };
        let situation = Situation {
            now: listener.now,
            phase: None,
            churn: &BTreeMap::new(),
            emphasis: Emphasis::Usefulness,
        };
        let weighed = self.weigh_task(task, &Filter::default(), purpose, &situation)?;
        let chosen = weighed.chosen.into_iter();
        Ok(chosen.map(|candidate| candidate.memory).collect())
    }

    /// Memories that hold from this very file, those that are about few files first.
    fn about_file(
        &self,
        file: &ProjectPath,
        types: &[BuiltInType],
    ) -> Result<Vec<Memory>, EngineError> {
        let filter = Filter {
            types: built_in(types),
            files: vec![file.clone()],
            limit: Some(MOST),
            ..Filter::default()
        };
        let mut found = self.project.list(&filter)?.memories;
        found.retain(|memory| memory.holds_from(file) && is_for_its_file(memory));
        found.sort_by_key(|memory| memory.files.len());
        Ok(found)
    }

    /// What the rules files of the folders around a file ask of whoever works there.
    pub(crate) fn rules_around(&self, file: &ProjectPath) -> Result<Vec<Memory>, EngineError> {
        let files: Vec<ProjectPath> = file.folders().collect();
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let filter = Filter {
            scopes: vec![Scope::Module],
            tags: rules::folder_tags(),
            files,
            ..Filter::default()
        };
        Ok(rules::binding(self.project.list(&filter)?.memories, file))
    }

    /// What is told instead of a file that is not there, or of the folder that it would be in.
    fn about_missing(&self, file: &ProjectPath) -> Result<Vec<Memory>, EngineError> {
        let mut found: Vec<Memory> = Vec::new();
        for path in std::iter::once(file.clone()).chain(file.folders()) {
            let answers = |memory: &Memory| {
                let content = memory.content.as_str();
                let folder = missing_folder(content);
                folder == Some(path.as_str()) || missing(content) == Some(file.as_str())
            };
            let told = self.quoting(path.as_str(), BuiltInType::Gotcha, answers)?;
            let known: Vec<MemoryId> = found.iter().map(|memory| memory.id).collect();
            found.extend(
                told.into_iter()
                    .filter(|memory| !known.contains(&memory.id)),
            );
        }
        Ok(found)
    }

    /// What is known about this very error, and about the folders in which the files lie that it names.
    fn about_error(&self, output: &str) -> Result<Vec<Memory>, EngineError> {
        let mut found = Vec::new();
        let error = fingerprint(output).map(|error| error.message);
        let told = error.into_iter().chain(leftovers_named(output));
        let told = told.filter_map(|told| Fingerprint::new(&told).ok());
        let fingerprints: Vec<Fingerprint> = told.collect();
        if !fingerprints.is_empty() {
            let filter = Filter {
                types: built_in(TRAPS),
                fingerprints,
                limit: Some(MOST),
                ..Filter::default()
            };
            found = self.project.list(&filter)?.memories;
        }
        Ok(found)
    }

    /// Memories of a type that hold exactly these words, not ones that are like them.
    fn quoting(
        &self,
        words: &str,
        memory_type: BuiltInType,
        holds: impl Fn(&Memory) -> bool,
    ) -> Result<Vec<Memory>, EngineError> {
        if words.trim().len() < SHORTEST_QUOTE {
            return Ok(Vec::new());
        }
        let found = self.project.search(&TextQuery {
            text: words.to_owned(),
            filter: Filter {
                types: vec![memory_type.into()],
                ..Filter::default()
            },
            limit: HITS,
        })?;
        let memories = found.hits.into_iter().map(|hit| hit.memory);
        Ok(memories.filter(|memory| holds(memory)).collect())
    }
}

/// Whether it helps who has its file at hand. Where a file is that was asked for by another name is known to who has read it.
pub(crate) fn is_for_its_file(memory: &Memory) -> bool {
    let content = memory.content.as_str();
    missing(content).is_none() && missing_folder(content).is_none()
}

/// What one walks into in a file.
const TRAPS: &[BuiltInType] = &[
    BuiltInType::Gotcha,
    BuiltInType::DeadEnd,
    BuiltInType::ErrorPattern,
    BuiltInType::E2eObservation,
];

pub(crate) const TRAPS_AND_COUPLINGS: &[BuiltInType] = &[
    BuiltInType::Gotcha,
    BuiltInType::DeadEnd,
    BuiltInType::ErrorPattern,
    BuiltInType::E2eObservation,
    BuiltInType::CausalDependency,
];

/// What holds for all work here, in the order in which it is told.
pub(crate) const STANDING: &[BuiltInType] = &[
    BuiltInType::WorkState,
    BuiltInType::Requirement,
    BuiltInType::Decision,
    BuiltInType::Pattern,
    BuiltInType::Preference,
];

/// Where a statement comes from, in the order in which a brief tells it: a hundred rules of a file may not take the place of one word that a
/// person said here, or of what sessions showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Voice {
    /// Pinned, or where the work stands.
    Foremost,
    /// Said to Oldhand, or learned.
    Own,
    /// Of a file that is written for agents.
    Rules,
    /// Of a file for people, or a setting.
    LaidDown,
}

impl Voice {
    pub(crate) fn of(memory: &Memory) -> Self {
        if memory.pinned || memory.memory_type() == BuiltInType::WorkState.into() {
            Self::Foremost
        } else if !rules::is_of_file(memory) {
            Self::Own
        } else if memory.source == Source::CommitAuto {
            Self::LaidDown
        } else {
            Self::Rules
        }
    }
}

/// Whether it may be told before anybody knows where the work will be.
pub(crate) fn holds_everywhere(memory: &Memory) -> bool {
    memory.pinned || rules::folder_of(memory).is_none()
}

pub(crate) fn built_in(types: &[BuiltInType]) -> Vec<MemoryType> {
    types.iter().copied().map(MemoryType::BuiltIn).collect()
}

/// Says of memories that may be told whose word each is, and which of the project contradicts it. Only what is told too has a say in it.
pub fn attribute(cleared: Vec<(Shelf, Cleared)>) -> Vec<Cleared> {
    let mut of_project: Vec<usize> = Vec::new();
    let mut of_person: Vec<usize> = Vec::new();
    for (at, (shelf, _)) in cleared.iter().enumerate() {
        match shelf {
            Shelf::Project => of_project.push(at),
            Shelf::Personal => of_person.push(at),
        }
    }
    // What a person says elsewhere does not contradict the project; the project contradicts it.
    let order: Vec<usize> = of_project.iter().chain(&of_person).copied().collect();
    let content = |at: &usize| cleared[*at].1.memory().content.as_str();
    let contents: Vec<&str> = order.iter().map(content).collect();
    let mut whose = vec![Whose::Project; cleared.len()];
    for (place, against) in opposites(&contents).into_iter().enumerate() {
        let against = against.filter(|other| *other < of_project.len());
        let against = against.map(|other| cleared[order[other]].1.memory().id);
        whose[order[place]] = match (cleared[order[place]].0, against) {
            (Shelf::Project, None) => Whose::Project,
            (Shelf::Project, Some(other)) => Whose::ProjectAgainst(other),
            (Shelf::Personal, None) => Whose::Person,
            (Shelf::Personal, Some(other)) => Whose::PersonAgainst(other),
        };
    }
    let each = cleared.into_iter().zip(whose);
    each.map(|((_, one), whose)| one.by(whose)).collect()
}

/// What may be said to this listener. What a session taught by itself is no news to it.
fn clear(memories: Vec<Memory>, listener: Listener<'_>) -> Vec<Cleared> {
    memories
        .into_iter()
        .filter(|memory| !memory.provenance.contains(listener.session))
        .filter_map(|memory| {
            Cleared::of(memory, listener.level, listener.audience(), listener.now).ok()
        })
        .collect()
}

/// What a dead end says was tried.
pub(crate) fn tried(memory: &Memory) -> &str {
    match &memory.payload {
        Payload::DeadEnd(end) => &end.tried,
        _ => memory.content.as_str(),
    }
}

/// Whether `text` holds `words` in backticks.
fn quotes(text: &str, words: &str) -> bool {
    text.contains(&format!("`{}`", words.trim()))
}
