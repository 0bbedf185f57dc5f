//! What a session showed, folded event by event, so that a journal of any length needs no more memory than what it shows.

use std::collections::BTreeMap;

use oldhand_domain::event::{BoundedText, Event, Happening};
use oldhand_observe::fold::{Endings, FoldOptions, SessionAnalytics};

/// The whole session, each of its subagents alone, and what was told to them.
#[derive(Clone, Debug, Default)]
pub struct Scratchpad {
    pub(super) whole: SessionAnalytics,
    pub(super) agents: BTreeMap<String, SessionAnalytics>,
    /// Where something was told: what was said and done before and after it, without what tools answered.
    pub(super) around_told: Vec<Event>,
    options: FoldOptions,
    endings: Endings,
    /// Whether anything was told at all.
    told: bool,
}

/// How many events are kept to judge what became of the things that were told.
const AROUND_LIMIT: usize = 20_000;

impl Scratchpad {
    /// Every event is looked at once before the first is taken: some say how an earlier one ended.
    pub fn look_ahead(&mut self, event: &Event) {
        self.endings.look_at(event);
        self.told |= matches!(event.what, Happening::Injected { .. });
    }

    pub fn take(&mut self, event: &Event) {
        let event = self.endings.apply(event);
        self.whole.take(&event, &self.options);
        if let Some(agent) = &event.agent {
            if !self.agents.contains_key(agent) {
                self.agents
                    .insert(agent.clone(), SessionAnalytics::default());
            }
            if let Some(own) = self.agents.get_mut(agent) {
                own.take(&event, &self.options);
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

    pub fn analytics(&self) -> &SessionAnalytics {
        &self.whole
    }
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
