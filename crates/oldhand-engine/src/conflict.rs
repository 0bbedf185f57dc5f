//! Two memories that say the opposite, one of which nobody may be told yet: a person's word for it settles which one holds.

use jiff::Timestamp;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::{Mark, Memory};
use oldhand_domain::relation::{Extraction, Relation, RelationTarget, RelationType};

use crate::{Engine, EngineError, Shelved};

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

fn is_open(relation: &Relation) -> bool {
    relation.relation_type == RelationType::ConflictsWith
        && relation.extraction == Extraction::Automatic
}

impl Engine<'_> {
    /// A person stands by this memory now: what it contradicts is replaced by it.
    pub(crate) fn settle_conflicts(
        &self,
        shelved: Shelved,
        now: Timestamp,
    ) -> Result<Shelved, EngineError> {
        if contradicted(&shelved.memory).next().is_none() {
            return Ok(shelved);
        }
        let Shelved { shelf, mut memory } = shelved;
        let against: Vec<MemoryId> = contradicted(&memory).collect();
        for relation in memory.relations.iter_mut().filter(|one| is_open(one)) {
            relation.relation_type = RelationType::Supersedes;
        }
        self.store(shelf)?.change(&mut |reader| {
            let mut changed = vec![memory.clone()];
            for id in &against {
                if let Some(mut old) = reader.get(*id)?.filter(Memory::is_live) {
                    let reason =
                        format!("superseded by {}: a person confirmed it", memory.id.short());
                    old.deprecated = Some(Mark { since: now, reason });
                    old.updated_at = now;
                    changed.push(old);
                }
            }
            Ok(changed)
        })?;
        self.show(&memory.id.to_string())
    }
}
