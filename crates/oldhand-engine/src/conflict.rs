//! Two memories that say the opposite, one of which nobody may be told yet: a person's word for it settles which one holds.

use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, Only};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::{Mark, Memory};
use oldhand_domain::port::MemoryReader;
use oldhand_domain::relation::{Extraction, Relation, RelationTarget, RelationType};
use oldhand_domain::vocabulary::ReviewReason;

use crate::rules::is_unsaid;

/// The memories that this one was found to contradict when it came.
pub fn contradicted(memory: &Memory) -> impl Iterator<Item = MemoryId> {
    memory.relations.iter().filter_map(|relation| {
        is_open(relation).then_some(())?;
        match &relation.target {
            RelationTarget::Memory(id) => Some(*id),
            RelationTarget::File(_) => None,
        }
    })
}

/// The memories that this one replaced.
pub fn replaced(memory: &Memory) -> impl Iterator<Item = MemoryId> {
    let relations = memory.relations.iter();
    relations.filter_map(|relation| match &relation.target {
        RelationTarget::Memory(id) if relation.relation_type == RelationType::Supersedes => {
            Some(*id)
        }
        _ => None,
    })
}

/// What `erased` replaced, with a reason that names nobody who is not there any more.
pub(crate) fn without_successor(reader: &dyn MemoryReader, erased: &Memory) -> Vec<Memory> {
    let named = superseded_by(erased);
    let known = replaced(erased).filter_map(|id| reader.get(id).ok().flatten());
    let renamed = known.filter_map(|mut old| {
        let mark = old.deprecated.as_mut()?;
        let reason = mark
            .reason
            .replace(&named, "superseded by a memory that was erased");
        (reason != mark.reason).then(|| mark.reason = reason)?;
        Some(old)
    });
    renamed.collect()
}

/// What waited for nothing but a word on it and those that are `gone`, which take part no longer, as it should be saved.
pub(crate) fn undisputed(
    reader: &dyn MemoryReader,
    gone: &[MemoryId],
) -> Result<Vec<Memory>, StoreError> {
    let waiting = Filter {
        only: vec![Only::NeedsReview],
        ..Filter::default()
    };
    let is_there = |id: MemoryId| {
        let other = reader.get(id).ok().flatten();
        !gone.contains(&id) && other.is_some_and(|other| other.is_live() && !is_unsaid(&other))
    };
    let mut freed = reader.list(&waiting)?.memories;
    freed.retain(|memory| {
        memory.review_reason == Some(ReviewReason::Disputed)
            && contradicted(memory).any(|id| gone.contains(&id))
            && !contradicted(memory).any(is_there)
    });
    freed.iter_mut().for_each(Memory::end_review);
    Ok(freed)
}

/// What waits again for a word on it and `back`, which takes part once more, as it should be saved.
pub(crate) fn disputed_again(
    reader: &dyn MemoryReader,
    back: &Memory,
) -> Result<Vec<Memory>, StoreError> {
    let mut others = Vec::new();
    if back.review_reason != Some(ReviewReason::Disputed) {
        return Ok(others);
    }
    for id in contradicted(back) {
        let other = reader.get(id)?;
        let other = other.filter(|other| contradicted(other).any(|id| id == back.id));
        let is_open = |other: &Memory| other.is_live() && !other.is_verified() && !other.pinned;
        if let Some(mut other) = other.filter(is_open) {
            other.await_review(ReviewReason::Disputed);
            others.push(other);
        }
    }
    Ok(others)
}

fn superseded_by(memory: &Memory) -> String {
    format!("superseded by {}", memory.id.short())
}

/// Why what a person's word for `memory` replaced is gone.
fn outvoted_by(memory: &Memory) -> String {
    format!("{}: a person confirmed it", superseded_by(memory))
}

/// The later word of a person holds: what an earlier one for another memory replaced is back, and the two are in dispute again. The
/// other one, to be saved.
fn turned_round(reader: &dyn MemoryReader, memory: &mut Memory) -> Option<Memory> {
    let mark = memory.deprecated.as_ref()?;
    let standing = reader.list(&Filter::default()).ok()?.memories;
    let mut other = standing.into_iter().find(|other| {
        mark.reason == outvoted_by(other) && replaced(other).any(|id| id == memory.id)
    })?;
    let ours = RelationTarget::Memory(memory.id);
    let theirs = RelationTarget::Memory(other.id);
    let relation = other.relations.iter_mut().find(|one| one.target == ours)?;
    relation.relation_type = RelationType::ConflictsWith;
    let mut against = relation.clone();
    against.target = theirs.clone();
    memory.relations.retain(|one| one.target != theirs);
    memory.relations.push(against);
    memory.deprecated = None;
    Some(other)
}

fn is_open(relation: &Relation) -> bool {
    relation.relation_type == RelationType::ConflictsWith
        && relation.extraction == Extraction::Automatic
}

/// A person stands by this memory now: what it contradicts is replaced by it, as read in the same transaction. `changed` is what
/// is saved with it.
pub(crate) fn settle_conflicts(
    reader: &dyn MemoryReader,
    memory: &mut Memory,
    changed: &mut Vec<Memory>,
    now: Timestamp,
) {
    if let Some(mut other) = turned_round(reader, memory) {
        if let Some(place) = changed.iter().position(|one| one.id == other.id) {
            other.confidence = changed.swap_remove(place).confidence;
        }
        changed.push(other);
    }
    let against: Vec<MemoryId> = contradicted(memory).collect();
    for relation in memory.relations.iter_mut().filter(|one| is_open(one)) {
        relation.relation_type = RelationType::Supersedes;
    }
    for id in against {
        let moved = changed.iter().position(|other| other.id == id);
        let old = match moved {
            Some(place) => Some(changed.swap_remove(place)),
            // What is too damaged to be read is told to nobody, and must not keep a person's word from being kept.
            None => reader.get(id).ok().flatten(),
        };
        let Some(mut old) = old else { continue };
        if old.is_live() {
            let reason = outvoted_by(memory);
            old.deprecated = Some(Mark { since: now, reason });
            old.updated_at = now;
        } else if moved.is_none() {
            continue;
        }
        changed.push(old);
    }
}
