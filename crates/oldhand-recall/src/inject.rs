//! What an agent is told without asking: little, sure, once, and never more than a budget.
//!
//! The only way to words for a model is [`compose`], and it takes [`Cleared`] memories: what a person flagged, what waits for
//! a review, what outside text had a hand in and what is not sure enough cannot become one.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::{Event, Happening};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, MemoryType};
use oldhand_domain::seal::TextHash;

use crate::gate::{Purpose, Refusal, refuse};
use crate::pack::{Item, pack};
use crate::render::render;
use crate::tokens;

/// How many tokens a session is told in all; after that only dead ends are worth a word.
const SESSION_BUDGET: usize = 4000;
/// A memory is said in full up to this many tokens, and by its summary beyond.
const FULL_TEXT: usize = 140;
/// Texts shorter than this are found in other texts by chance.
const TELLING_LENGTH: usize = 24;

/// How sure a memory must be before an agent is told it unasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrustLevel {
    Cautious,
    #[default]
    Standard,
    Confident,
    Autonomous,
}

impl TrustLevel {
    pub const ALL: [Self; 4] = [
        Self::Cautious,
        Self::Standard,
        Self::Confident,
        Self::Autonomous,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cautious => "cautious",
            Self::Standard => "standard",
            Self::Confident => "confident",
            Self::Autonomous => "autonomous",
        }
    }

    /// What confidence has to reach, where neither a person nor use has proven a memory.
    pub fn at_least(self) -> Confidence {
        Confidence::clamped(match self {
            Self::Cautious => 0.80,
            Self::Standard => 0.65,
            Self::Confident => 0.55,
            Self::Autonomous => 0.45,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTrustLevel(String);

impl fmt::Display for UnknownTrustLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a trust level", self.0)
    }
}

impl std::error::Error for UnknownTrustLevel {}

impl FromStr for TrustLevel {
    type Err = UnknownTrustLevel;

    fn from_str(text: &str) -> Result<Self, UnknownTrustLevel> {
        let known = Self::ALL.into_iter().find(|level| level.as_str() == text);
        known.ok_or_else(|| UnknownTrustLevel(text.to_owned()))
    }
}

/// A memory that may be put before a model as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Cleared {
    memory: Memory,
    /// Of the text that was let through.
    text: TextHash,
}

impl Cleared {
    /// Lets a memory through, or says what stands against it.
    pub fn of(memory: Memory, level: TrustLevel, now: Timestamp) -> Result<Self, Refusal> {
        let at_least = level.at_least();
        match refuse(&memory, Purpose::Inject { at_least }, now) {
            Some(refusal) => Err(refusal),
            None => Ok(Self {
                text: memory.text_hash(),
                memory,
            }),
        }
    }

    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The line that is said. Words other than those that were let through are never said, whatever led to them.
    fn line(&self, about: Option<&ProjectPath>, place: usize) -> Item {
        let memory = &self.memory;
        assert!(
            memory.text_hash() == self.text,
            "a cleared memory has the text that was cleared"
        );
        let content = memory.content.as_str();
        let text = if tokens::count(content) <= FULL_TEXT {
            content
        } else {
            memory.summary.as_str()
        };
        let file = about
            .filter(|file| memory.files.contains(*file))
            .or_else(|| memory.files.first());
        Item {
            cite: memory.id.short(),
            label: memory.memory_type().to_string(),
            text: text.to_owned(),
            file: file.cloned(),
            lines: None,
            share: 1.0,
            // What comes first is worth most.
            score: 1.0 / (1.0 + place as f64),
        }
    }
}

/// The occasion on which something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    Brief,
    /// The brief again, after the client threw away what was said before.
    BriefAfterCompaction,
    File,
    Error,
    Command,
    Search,
}

impl Point {
    /// How the journal spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Brief => "brief",
            Self::BriefAfterCompaction => "brief_after_compaction",
            Self::File => "file",
            Self::Error => "error",
            Self::Command => "command",
            Self::Search => "search",
        }
    }

    /// The most tokens that are said at once.
    const fn budget(self) -> usize {
        match self {
            Self::Brief | Self::BriefAfterCompaction => 600,
            Self::File | Self::Error | Self::Command | Self::Search => 500,
        }
    }
}

/// What one agent of a session was told so far, and still has before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    since_compaction: BTreeSet<String>,
    brief_after_compaction: BTreeSet<String>,
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
                    tokens,
                } => {
                    said.tokens += *tokens as usize;
                    if point == Point::BriefAfterCompaction.as_str() {
                        said.since_compaction.clear();
                        said.brief_after_compaction = memories.iter().cloned().collect();
                    } else {
                        said.since_compaction.extend(memories.iter().cloned());
                    }
                }
                // Some clients ask for the brief first and tell of the compaction after it.
                Happening::ContextCompacted => said.since_compaction.clear(),
                _ => {}
            }
        }
        said
    }

    fn contains(&self, id: MemoryId) -> bool {
        let id = id.to_string();
        self.since_compaction.contains(&id) || self.brief_after_compaction.contains(&id)
    }
}

/// Words for a model, and what they were made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Injection {
    pub point: Point,
    pub text: String,
    pub memories: Vec<MemoryId>,
    pub tokens: usize,
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
                tokens: u32::try_from(self.tokens).unwrap_or(u32::MAX),
            },
        }
    }
}

/// What is said at `point` of the memories at hand, best first; `None` is silence.
///
/// Left out is what was said before, what the agent has before its eyes (`seen`), and what does not fit.
pub fn compose(
    point: Point,
    cleared: &[Cleared],
    about: Option<&ProjectPath>,
    said: &Said,
    seen: &str,
) -> Option<Injection> {
    let after_compaction = point == Point::BriefAfterCompaction;
    let left = SESSION_BUDGET.saturating_sub(said.tokens);
    let spent = left == 0;
    let fresh: Vec<&Cleared> = cleared
        .iter()
        .filter(|one| after_compaction || !said.contains(one.memory.id))
        .filter(|one| !is_in(one.memory.content.as_str(), seen))
        .filter(|one| !spent || is_dead_end(&one.memory))
        .collect();
    let items = fresh
        .iter()
        .enumerate()
        .map(|(place, one)| one.line(about, place))
        .collect();
    let budget = if spent {
        point.budget()
    } else {
        point.budget().min(left)
    };
    let packed = pack(items, budget);
    let cites: BTreeSet<&str> = packed
        .groups
        .iter()
        .flat_map(|group| group.items.iter().map(|item| item.cite.as_str()))
        .collect();
    let memories: Vec<MemoryId> = fresh
        .iter()
        .map(|one| one.memory.id)
        .filter(|id| cites.contains(id.short().as_str()))
        .collect();
    (!memories.is_empty()).then(|| Injection {
        point,
        text: render(&packed.groups),
        memories,
        tokens: packed.tokens,
    })
}

fn is_dead_end(memory: &Memory) -> bool {
    memory.memory_type() == MemoryType::BuiltIn(BuiltInType::DeadEnd)
}

fn is_in(text: &str, seen: &str) -> bool {
    text.len() >= TELLING_LENGTH && seen.contains(text)
}

#[cfg(test)]
mod tests;
