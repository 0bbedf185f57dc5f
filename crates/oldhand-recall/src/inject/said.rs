//! What a session was told before.

use std::collections::BTreeSet;

use oldhand_domain::event::{Event, Happening};
use oldhand_domain::id::MemoryId;

use super::Point;

/// What one agent of a session was told so far, and still has before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    since_compaction: BTreeSet<String>,
    brief_after_compaction: BTreeSet<String>,
    /// Of what was said beside the work.
    tokens: usize,
}

impl Said {
    /// Reads it from the session's journal. `agent` is the name of a subagent; the main agent has none.
    pub fn of(events: &[Event], agent: Option<&str>) -> Self {
        let mut said = Self::default();
        for event in events
            .iter()
            .filter(|event| event.agent.as_deref() == agent)
        {
            match &event.what {
                Happening::Injected {
                    point,
                    memories,
                    facts,
                    tokens,
                    ..
                } => {
                    let keys = || memories.iter().chain(facts).cloned();
                    let is_aside = |known: &&Point| known.as_str() == point;
                    if Point::ALL
                        .iter()
                        .find(is_aside)
                        .is_some_and(|point| point.is_aside())
                    {
                        said.tokens += *tokens as usize;
                    }
                    if point == Point::BriefAfterCompaction.as_str() {
                        said.since_compaction.clear();
                        said.brief_after_compaction = keys().collect();
                    } else {
                        said.since_compaction.extend(keys());
                    }
                }
                // Some clients ask for the brief first and tell of the compaction after it.
                Happening::ContextCompacted => said.since_compaction.clear(),
                _ => {}
            }
        }
        said
    }

    /// The memories among it.
    pub fn memories(&self) -> impl Iterator<Item = MemoryId> {
        let keys = self.since_compaction.union(&self.brief_after_compaction);
        keys.filter_map(|key| key.parse().ok())
    }

    pub(super) fn contains(&self, key: &str) -> bool {
        self.since_compaction.contains(key) || self.brief_after_compaction.contains(key)
    }

    pub(super) fn tokens(&self) -> usize {
        self.tokens
    }

    /// For a session that has heard as much as one hears.
    #[cfg(test)]
    pub(super) fn much(tokens: usize) -> Self {
        Self {
            tokens,
            ..Self::default()
        }
    }
}
