//! A new statement meets the ones already known: is it new, the same again, or the opposite?
//!
//! Pure: the nearest known memories come in, the memories to save come out. The rules are few on
//! purpose, since a wrong merge loses words and a wrong contradiction hides a true memory.

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::{Mark, Memory};
use oldhand_domain::relation::{Extraction, Relation, RelationTarget, RelationType};

mod opposite;
mod same;

pub use opposite::{Opposition, oppose};
use same::Coverage;

/// Above this cosine two statements of one type say the same.
pub const SAME: f32 = 0.92;
/// How many of the nearest memories are compared.
pub const NEAREST: usize = 3;

/// A known memory and how near it is to the new one.
#[derive(Clone, Debug)]
pub struct Neighbour {
    pub memory: Memory,
    pub cosine: f32,
}

/// What became of a new memory, with the memories to save.
#[derive(Clone, Debug, PartialEq)]
pub enum Settlement {
    New(Box<Memory>),
    /// Known already. The known one is confirmed, or left alone when the new one is not to be trusted.
    Same {
        into: Box<Memory>,
        cosine: f32,
    },
    /// The new one says the opposite of known ones: they are deprecated, and it says so.
    Opposite {
        new: Box<Memory>,
        old: Vec<(Memory, Opposition)>,
    },
}

impl Settlement {
    pub fn id(&self) -> MemoryId {
        match self {
            Self::New(memory)
            | Self::Same { into: memory, .. }
            | Self::Opposite { new: memory, .. } => memory.id,
        }
    }

    /// Everything that has to be written for this to be true.
    pub fn changed(&self) -> Vec<Memory> {
        match self {
            Self::New(memory) | Self::Same { into: memory, .. } => vec![(**memory).clone()],
            Self::Opposite { new, old } => {
                let old = old.iter().map(|(memory, _)| memory.clone());
                std::iter::once((**new).clone()).chain(old).collect()
            }
        }
    }
}

/// Compares `new` with its neighbours, nearest first.
pub fn settle(new: Memory, neighbours: &[Neighbour], now: Timestamp) -> Settlement {
    let comparable = || {
        neighbours
            .iter()
            .take(NEAREST)
            .filter(|near| is_comparable(&new, &near.memory))
    };
    let old: Vec<(Memory, Opposition)> = comparable()
        .filter_map(|near| {
            Some((
                near,
                oppose(near.memory.content.as_str(), new.content.as_str())?,
            ))
        })
        .filter(|(near, _)| may_replace(&new, &near.memory))
        .map(|(near, opposition)| (deprecate(&near.memory, &new, opposition, now), opposition))
        .collect();
    if !old.is_empty() {
        let mut new = new;
        new.relations
            .extend(old.iter().map(|(memory, _)| supersedes(memory.id)));
        return Settlement::Opposite {
            new: Box::new(new),
            old,
        };
    }
    let same = comparable().find(|near| {
        let opposed = oppose(near.memory.content.as_str(), new.content.as_str()).is_some();
        let coverage = same::compare(near.memory.content.as_str(), new.content.as_str());
        // What a person verified is not replaced by longer words of someone else.
        let mergeable = match coverage {
            Coverage::Known => true,
            Coverage::SaysMore => may_replace(&new, &near.memory),
            Coverage::Different => false,
        };
        !opposed && mergeable && (near.cosine > SAME || near.memory.content == new.content)
    });
    match same {
        Some(near) => {
            let into = Box::new(confirm(&near.memory, &new, now));
            Settlement::Same {
                into,
                cosine: near.cosine,
            }
        }
        None => Settlement::New(Box::new(new)),
    }
}

fn is_comparable(new: &Memory, known: &Memory) -> bool {
    let about_the_same =
        new.files.is_empty() || known.files.is_empty() || !new.files.is_disjoint(&known.files);
    known.is_live()
        && known.memory_type() == new.memory_type()
        && known.scope == new.scope
        && (about_the_same || known.content == new.content)
}

/// What a person stands by is only ever replaced by a person, and nothing by tainted text.
fn may_replace(new: &Memory, known: &Memory) -> bool {
    use oldhand_domain::vocabulary::Source::UserTaught;
    let stands = known.is_verified() || known.pinned || known.source == UserTaught;
    new.taint.is_clean() && (new.source == UserTaught || !stands)
}

fn deprecate(known: &Memory, new: &Memory, opposition: Opposition, now: Timestamp) -> Memory {
    let mut old = known.clone();
    let reason = format!("superseded by {}: {}", new.id.short(), opposition.as_str());
    old.deprecated = Some(Mark { since: now, reason });
    old.updated_at = now;
    old
}

fn supersedes(id: MemoryId) -> Relation {
    Relation {
        relation_type: RelationType::Supersedes,
        target: RelationTarget::Memory(id),
        confidence: Confidence::FULL,
        extraction: Extraction::Automatic,
    }
}

/// How much surer one more confirmation makes us, and where that ends.
const CONFIRMATION: f64 = 0.05;
const SUREST: f64 = 0.95;

fn confirm(known: &Memory, new: &Memory, now: Timestamp) -> Memory {
    let mut merged = known.clone();
    // Saying a thing again after reading it somewhere proves nothing, and must not spread the taint
    // to words that do not come from there.
    if !new.taint.is_clean() {
        return merged;
    }
    // One session confirms once, however often it is finalized.
    if new
        .session
        .as_ref()
        .is_some_and(|session| known.provenance.contains(session))
    {
        return merged;
    }
    let surer = if new.confidence > known.confidence {
        new.confidence
    } else {
        known.confidence
    };
    merged.confidence = surer.raised(CONFIRMATION, SUREST);
    merged
        .provenance
        .extend(new.provenance.iter().chain(new.session.iter()).cloned());
    merged.tags.extend(new.tags.iter().cloned());
    merged.files.extend(new.files.iter().cloned());
    merged.modules.extend(new.modules.iter().cloned());
    merged.fingerprints.extend(new.fingerprints.iter().cloned());
    merged.updated_at = now;
    // The words that say more stay, and a person's own words replace what a machine wrote, never the other way round.
    let says_more =
        same::compare(known.content.as_str(), new.content.as_str()) == Coverage::SaysMore;
    let trust = new.source.trust().total_cmp(&known.source.trust());
    if !known.is_verified() && (trust.is_gt() || (trust.is_eq() && says_more)) {
        merged.content = new.content.clone();
        merged.summary = new.summary.clone();
        merged.source = new.source;
        merged.created_by = new.created_by.clone();
        merged.needs_review = known.needs_review && new.needs_review;
        if new.source == oldhand_domain::vocabulary::Source::UserTaught {
            merged.taint = new.taint.clone();
        }
    }
    merged
}

#[cfg(test)]
mod tests;
