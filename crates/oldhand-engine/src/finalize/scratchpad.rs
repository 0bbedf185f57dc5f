//! What a session showed, folded event by event, so that a journal of any length needs no more memory than what it shows.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use oldhand_domain::event::{BoundedText, Digest, Event, Happening, Return};
use oldhand_domain::id::SessionId;
use oldhand_observe::distill::Candidate;
use oldhand_observe::fold::{Endings, FoldOptions, SessionAnalytics, Subagents};
use oldhand_observe::learn::Worker;

use super::OwnTranscript;

/// The whole session, each of its agents alone, and what was told to them.
#[derive(Clone, Debug)]
pub struct Scratchpad {
    pub(super) whole: SessionAnalytics,
    /// Where there are subagents: what each agent did, by name; the main one has none.
    pub(super) agents: BTreeMap<Option<String>, AgentPad>,
    /// Where something was told: what was said and done before and after it, without what tools answered.
    pub(super) around_told: Vec<Event>,
    options: FoldOptions,
    /// For what one agent did alone.
    options_alone: FoldOptions,
    endings: Endings,
    /// Whether anything was told at all.
    told: bool,
    /// Whether subagents were at work.
    several: bool,
    /// Names the first call of the journal, copied or not.
    pub(super) first_call: Option<String>,
    /// The sessions whose events were left out of it, as they are counted there.
    pub(super) copied_from: Vec<SessionId>,
    pub(super) transcript: Option<OwnTranscript>,
    /// How long its journal was read.
    pub(super) folding: Option<Duration>,
}

/// What one agent did, counted by its own steps.
#[derive(Clone, Debug, Default)]
pub(super) struct AgentPad {
    pub(super) analytics: SessionAnalytics,
    /// The step of the whole session at which each of its own steps was.
    steps: Vec<u32>,
    /// The step of the whole session at which it was first heard of.
    from: u32,
}

impl AgentPad {
    fn take(&mut self, event: &Event, options: &FoldOptions, step: u32) {
        let before = self.analytics.step;
        self.analytics.take(event, options);
        if self.analytics.step > before {
            self.steps.push(step);
        }
    }

    /// Evidence as the whole session counts its steps.
    pub(super) fn place(&self, candidate: &mut Candidate) {
        for step in &mut candidate.evidence {
            let own = *step as usize;
            *step = match own.checked_sub(1) {
                Some(at) => self.steps.get(at).copied().unwrap_or(*step),
                None => self.from,
            };
        }
    }
}

/// How many events are kept to judge what became of the things that were told.
const AROUND_LIMIT: usize = 20_000;
/// How many agents are looked at alone; further ones are seen in the whole only.
const AGENT_LIMIT: usize = 256;

impl Default for Scratchpad {
    fn default() -> Self {
        Self::new(FoldOptions::default())
    }
}

impl Scratchpad {
    pub fn new(options: FoldOptions) -> Self {
        Self {
            whole: SessionAnalytics::default(),
            agents: BTreeMap::new(),
            around_told: Vec::new(),
            options_alone: FoldOptions {
                subagents: Subagents::Elsewhere,
                ..options.clone()
            },
            options,
            endings: Endings::default(),
            told: false,
            several: false,
            first_call: None,
            copied_from: Vec::new(),
            transcript: None,
            folding: None,
        }
    }

    /// Every event is looked at once before the first is taken: some say how an earlier one ended.
    pub fn look_ahead(&mut self, event: &Event) {
        self.endings.look_at(event);
        self.told |= matches!(event.what, Happening::Injected { .. });
        self.several |= event.agent.is_some();
        if self.first_call.is_none()
            && let Happening::ToolCalled { id, .. } | Happening::ToolReturned(Return { id, .. }) =
                &event.what
        {
            self.first_call = Some(name_call(id, event.at));
        }
    }

    /// Says which sessions the events that are not taken belong to.
    pub fn leave_to(&mut self, others: Vec<SessionId>) {
        self.copied_from = others;
    }

    /// Says what became of the transcript that the session's hooks named.
    pub fn note_transcript(&mut self, transcript: Option<OwnTranscript>) {
        self.transcript = transcript;
    }

    /// Says how long it took to read the journal.
    pub fn note_folding(&mut self, took: Duration) {
        self.folding = Some(took);
    }

    pub fn take(&mut self, event: &Event) {
        let event = self.endings.apply(event);
        let before = self.whole.step;
        self.whole.take(&event, &self.options);
        if self.several {
            if !self.agents.contains_key(&event.agent) && self.agents.len() < AGENT_LIMIT {
                let pad = AgentPad {
                    from: before,
                    ..AgentPad::default()
                };
                self.agents.insert(event.agent.clone(), pad);
            }
            if let Some(own) = self.agents.get_mut(&event.agent) {
                own.take(&event, &self.options_alone, self.whole.step);
            }
        }
        if self.told && self.around_told.len() < AROUND_LIMIT {
            let mut event = event.into_owned();
            if let Happening::ToolReturned(back) = &mut event.what {
                back.excerpt = BoundedText::head("", 1);
                back.matched = Vec::new();
            }
            self.around_told.push(event);
        }
    }

    /// Where it ran, where that was told.
    pub(super) fn folder(&self) -> Option<String> {
        let start = self.whole.start.as_ref();
        let folder = start.map(|start| start.cwd.clone());
        folder.filter(|folder| !folder.is_empty())
    }

    /// The session as those see it who work beside it.
    pub(super) fn worker(&self, session: &SessionId) -> Worker {
        let start = self.whole.start.as_ref();
        Worker {
            session: session.clone(),
            session_type: self.whole.kind().session_type,
            branch: start.and_then(|start| start.branch.clone()),
            folder: self.folder(),
            first_call: self.first_call.clone(),
            copied_from: self.copied_from.clone(),
        }
    }

    pub fn analytics(&self) -> &SessionAnalytics {
        &self.whole
    }
}

/// An id that is so long was made to be unique.
const UNIQUE: usize = 20;

/// Names a call wherever it is told. Ids of calls are unique for most clients, not for all; with the time they are.
pub fn name_call(id: &str, at: Timestamp) -> String {
    let name = if id.len() >= UNIQUE {
        Digest::of(id)
    } else {
        Digest::of(&format!("{at} {id}"))
    };
    name.to_string()
}

impl<'a> FromIterator<&'a Event> for Scratchpad {
    fn from_iter<T: IntoIterator<Item = &'a Event>>(events: T) -> Self {
        let events: Vec<&Event> = events.into_iter().collect();
        let mut scratchpad = Self::default();
        for event in &events {
            scratchpad.look_ahead(event);
        }
        for event in events {
            scratchpad.take(event);
        }
        scratchpad
    }
}
