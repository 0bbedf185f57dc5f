//! What an agent is told without asking: little, sure, once, and never more than a budget.
//!
//! The only ways to words for a model are [`compose`] and [`brief_task`], and they take [`Cleared`] memories: what a person
//! flagged, what waits for a review, what outside text had a hand in and what is not sure enough cannot become one. Beside
//! memories there are [`Fact`]s, which are made of the project's own names, of commands and of numbers; the fix of an error
//! among them has to be a [`ClearedFix`].

mod cleared;
mod fact;
mod fix;
mod said;

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::event::{Event, Happening};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, MemoryType};
use oldhand_domain::vocabulary::Phase;

pub use crate::pack::Reason as Unpacked;
use crate::pack::{Item, Pack, pack};
use crate::phase;
pub use crate::render::{Fence, fences_in, is_fence, plain};
use crate::same::is_told_by;

pub use cleared::{Cleared, Whose};
pub use fact::Fact;
pub use fix::{ClearedFix, FoundFix};
pub use said::Said;

/// How many tokens a session is told beside its work; after that only dead ends are worth a word. Briefs, what is known about a task
/// and the fix of an error at hand have budgets of their own and are never kept back.
const SESSION_BUDGET: usize = 4000;
/// Texts shorter than this are found in other texts by chance.
const TELLING_LENGTH: usize = 24;

/// The occasion on which something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    Brief,
    /// The brief again, after the client threw away what was said before.
    BriefAfterCompaction,
    Task,
    File,
    Error,
    Command,
    Search,
    /// Between two steps of an agent, where its client tells of that.
    Step,
}

impl Point {
    pub(crate) const ALL: [Self; 8] = [
        Self::Brief,
        Self::BriefAfterCompaction,
        Self::Task,
        Self::File,
        Self::Error,
        Self::Command,
        Self::Search,
        Self::Step,
    ];

    /// How the journal spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Brief => "brief",
            Self::BriefAfterCompaction => "brief_after_compaction",
            Self::Task => "task",
            Self::File => "file",
            Self::Error => "error",
            Self::Command => "command",
            Self::Search => "search",
            Self::Step => "step",
        }
    }

    /// Whether it is said beside the work, and not where it begins or is stuck.
    pub(crate) const fn is_aside(self) -> bool {
        matches!(self, Self::File | Self::Command | Self::Search | Self::Step)
    }

    /// The most tokens that are said at once.
    const fn budget(self) -> usize {
        match self {
            Self::Brief | Self::BriefAfterCompaction => 600,
            Self::Task => 1200,
            Self::File | Self::Error | Self::Command | Self::Search | Self::Step => 500,
        }
    }
}

/// One thing that could be said.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    Memory(Box<Cleared>),
    Fact(Fact),
}

impl From<Cleared> for Line {
    fn from(cleared: Cleared) -> Self {
        Self::Memory(Box::new(cleared))
    }
}

impl Line {
    /// What the journal remembers it by.
    fn key(&self) -> String {
        match self {
            Self::Memory(cleared) => cleared.memory().id.to_string(),
            Self::Fact(fact) => fact.key().to_owned(),
        }
    }

    pub fn memory(&self) -> Option<&Memory> {
        match self {
            Self::Memory(cleared) => Some(cleared.memory()),
            Self::Fact(_) => None,
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Memory(cleared) => cleared.memory().content.as_str(),
            Self::Fact(fact) => fact.text(),
        }
    }

    fn item(&self, about: Option<&ProjectPath>, score: f64) -> Item {
        match self {
            Self::Memory(cleared) => cleared.item(about, score),
            Self::Fact(fact) => fact.item(score),
        }
    }
}

/// Words for a model, and what they were made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Injection {
    pub point: Point,
    pub text: String,
    pub memories: Vec<MemoryId>,
    /// The keys of the facts among what is said.
    pub facts: Vec<String>,
    pub tokens: usize,
    pub fence: Fence,
}

impl Injection {
    /// The journal's record of it.
    pub fn to_event(&self, at: Timestamp, agent: Option<String>) -> Event {
        Event {
            at,
            agent,
            what: Happening::Injected {
                point: self.point.as_str().to_owned(),
                memories: self.memories.iter().map(ToString::to_string).collect(),
                facts: self.facts.clone(),
                tokens: u32::try_from(self.tokens).unwrap_or(u32::MAX),
                fence: Some(self.fence.as_str().to_owned()),
            },
        }
    }
}

/// Where, after what, and behind which fence something is said.
#[derive(Clone, Debug)]
pub struct Occasion<'a> {
    pub point: Point,
    /// The file at hand.
    pub about: Option<&'a ProjectPath>,
    pub said: &'a Said,
    /// What memories say that were told before, as far as anybody looked.
    pub told: &'a [String],
    /// What the agent has before its eyes anyway.
    pub seen: &'a [&'a str],
    pub fence: Fence,
}

/// What is said on an occasion of the lines at hand, best first; `None` is silence.
///
/// Left out is what was said before, also in other words, what the agent has before its eyes, and what does not fit.
pub fn compose(occasion: &Occasion<'_>, lines: &[Line]) -> Option<Injection> {
    let Occasion {
        point,
        about,
        said,
        told,
        seen,
        fence,
    } = occasion;
    let after_compaction = *point == Point::BriefAfterCompaction;
    let left = if point.is_aside() {
        SESSION_BUDGET.saturating_sub(said.tokens())
    } else {
        SESSION_BUDGET
    };
    let spent = left == 0;
    let fresh: Vec<&Line> = lines
        .iter()
        .filter(|line| after_compaction || !said.contains(&line.key()))
        .filter(|line| !is_in(line.text(), seen))
        .filter(|line| !is_told_by(line.text(), told.iter().map(String::as_str)))
        .filter(|line| !spent || line.memory().is_some_and(is_dead_end))
        .collect();
    let items = fresh
        .iter()
        .enumerate()
        // What comes first is worth most.
        .map(|(place, line)| line.item(*about, 1.0 / (1.0 + place as f64)))
        .collect();
    let budget = if spent {
        point.budget()
    } else {
        point.budget().min(left)
    };
    let packed = pack(items, budget, fence);
    let lines = packed.groups.iter().flat_map(|group| &group.items);
    let said: BTreeSet<(&str, &str)> = lines
        .map(|item| (item.cite.as_str(), item.text.as_str()))
        .collect();
    let spoken = |line: &&&Line| {
        let item = line.item(None, 0.0);
        said.contains(&(item.cite.as_str(), item.text.as_str()))
    };
    let memories: Vec<MemoryId> = fresh
        .iter()
        .filter(spoken)
        .filter_map(|line| line.memory())
        .map(|memory| memory.id)
        .collect();
    let facts: Vec<String> = fresh
        .iter()
        .filter(spoken)
        .filter(|line| line.memory().is_none())
        .map(|line| line.key())
        .collect();
    let silent = memories.is_empty() && facts.is_empty();
    (!silent).then(|| Injection {
        point: *point,
        text: packed.text,
        memories,
        facts,
        tokens: packed.tokens,
        fence: fence.clone(),
    })
}

/// What is said before a task, and what does not fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskBrief {
    /// Empty is silence.
    pub text: String,
    pub tokens: usize,
    pub memories: Vec<MemoryId>,
    pub left_out: Vec<(MemoryId, Unpacked)>,
}

/// Words `chosen` within `budget` tokens, each with what it is worth; every type of memory gets its share of the phase.
pub fn brief_task(
    chosen: &[(Cleared, f64)],
    phase: Option<Phase>,
    budget: usize,
    fence: &Fence,
) -> TaskBrief {
    let item = |(cleared, score): &(Cleared, f64)| {
        let memory_type = cleared.memory().memory_type();
        Item {
            share: phase.map_or(1.0, |phase| phase::share(phase, &memory_type)),
            ..cleared.item(None, *score)
        }
    };
    let packed = pack(chosen.iter().map(item).collect(), budget, fence);
    let id_of = |cite: &str| {
        let ids = chosen.iter().map(|(cleared, _)| cleared.memory().id);
        ids.into_iter().find(|id| id.short() == cite)
    };
    TaskBrief {
        memories: said(&packed).filter_map(|item| id_of(&item.cite)).collect(),
        left_out: packed
            .left_out
            .iter()
            .filter_map(|(item, reason)| Some((id_of(&item.cite)?, reason.clone())))
            .collect(),
        tokens: if packed.text.is_empty() {
            0
        } else {
            packed.tokens
        },
        text: packed.text,
    }
}

/// The lines of a pack, in the order in which they are read.
fn said(packed: &Pack) -> impl Iterator<Item = &Item> {
    packed.groups.iter().flat_map(|group| &group.items)
}

fn is_dead_end(memory: &Memory) -> bool {
    memory.memory_type() == MemoryType::BuiltIn(BuiltInType::DeadEnd)
}

fn is_in(text: &str, seen: &[&str]) -> bool {
    text.len() >= TELLING_LENGTH && seen.iter().any(|seen| seen.contains(text))
}

#[cfg(test)]
mod tests;
