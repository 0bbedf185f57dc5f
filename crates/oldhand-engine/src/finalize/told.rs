//! What a session was told, whether it arrived, and what it did with it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::event::{Event, Happening};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::vocabulary::ReviewReason;
use oldhand_recall::effect::{Effect, judge};
use serde::{Deserialize, Serialize};

use crate::Engine;

/// One thing that was said to an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    pub at: Timestamp,
    /// The subagent it was said to; the main agent has no name.
    pub agent: Option<String>,
    pub point: String,
    pub tokens: u32,
    /// Whether the client's transcript shows it; `None` where there is no transcript to look at.
    pub delivered: Option<bool>,
    pub memories: Vec<ToldMemory>,
    /// What else was said, by key.
    pub facts: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToldMemory {
    pub id: String,
    /// `used`, `ignored`, `contradicted`, `unheard` where it did not arrive, or `gone` where the memory is not there any more.
    pub effect: String,
}

const UNHEARD: &str = "unheard";

impl Engine<'_> {
    /// Everything a session was told, judged by what came after.
    pub(super) fn judge_told(&self, events: &[Event]) -> Vec<Told> {
        let delivered: Option<BTreeSet<&str>> = delivered(events);
        let mut told = Vec::new();
        for (at, event) in events.iter().enumerate() {
            let Happening::Injected {
                point,
                memories,
                facts,
                tokens,
                fence,
            } = &event.what
            else {
                continue;
            };
            let is_delivered = |fence: &String| Some(delivered.as_ref()?.contains(fence.as_str()));
            let arrived = fence.as_ref().and_then(is_delivered);
            let mut judged = Vec::new();
            for id in memories {
                let effect = match self.judge_one(id, &events[..at], &events[at + 1..]) {
                    // What never arrived was neither heeded nor passed over, whatever was done.
                    Some(Effect::Used | Effect::Ignored) if arrived == Some(false) => UNHEARD,
                    Some(effect) => effect.as_str(),
                    None => "gone",
                };
                judged.push(ToldMemory {
                    id: id.clone(),
                    effect: effect.to_owned(),
                });
            }
            told.push(Told {
                at: event.at,
                agent: event.agent.clone(),
                point: point.clone(),
                tokens: *tokens,
                delivered: arrived,
                memories: judged,
                facts: facts.clone(),
            });
        }
        told
    }

    /// `None` where the memory is gone, or cannot be read.
    fn judge_one(&self, id: &str, before: &[Event], after: &[Event]) -> Option<Effect> {
        let id: MemoryId = id.parse().ok()?;
        let mut stores = self.shelves().map(|(_, store)| store);
        let memory = stores.find_map(|store| store.get(id).ok().flatten())?;
        Some(judge(&memory, before, after))
    }
}

/// Whether an agent's word against a memory changed what is thought of it.
pub(super) fn doubt(memory: &mut Memory) -> bool {
    let is_known = memory.needs_review
        && matches!(
            memory.review_reason,
            Some(ReviewReason::Contradicted | ReviewReason::OutsideText)
        );
    if is_known || memory.is_verified() {
        return false;
    }
    memory.await_review(ReviewReason::Contradicted);
    true
}

/// The memories that had this effect at least once.
pub(super) fn ids(told: &[Told], effect: Effect) -> BTreeSet<MemoryId> {
    let memories = told.iter().flat_map(|told| &told.memories);
    memories
        .filter(|memory| memory.effect == effect.as_str())
        .filter_map(|memory| memory.id.parse().ok())
        .collect()
}

/// The marks that transcripts showed; `None` where none was looked at.
fn delivered(events: &[Event]) -> Option<BTreeSet<&str>> {
    let mut looked = false;
    let mut marks = BTreeSet::new();
    for event in events {
        if let Happening::Delivered { fences } = &event.what {
            looked = true;
            marks.extend(fences.iter().map(String::as_str));
        }
    }
    looked.then_some(marks)
}
