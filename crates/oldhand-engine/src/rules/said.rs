//! What a rules file said once and says no more: it is stale until a file says it again.

use std::collections::BTreeMap;

use jiff::Timestamp;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;

use crate::conflict::{disputed_again, undisputed};
use crate::standing::mark;
use crate::{Engine, EngineError};

/// How the reason of a stale memory begins when it is stale by this; only such a mark is taken back by itself.
const BECAUSE: &str = "no longer in ";

/// Why a rule is stale that its file does not say any more.
pub fn unsaid(file: &ProjectPath, is_gone: bool) -> String {
    let gone = if is_gone { ", which is gone" } else { "" };
    format!("{BECAUSE}{file}{gone}")
}

pub fn is_unsaid(memory: &Memory) -> bool {
    let mark = memory.stale.as_ref();
    mark.is_some_and(|mark| mark.reason.starts_with(BECAUSE))
}

/// What was found of a rule: why it is said no more, or nothing where it is said again.
pub type Found = (Memory, Option<String>);

impl Engine<'_> {
    /// Marks what no rules file says any more with the reason, and takes the mark from what has none, in one transaction. What a person
    /// confirmed, pinned or put in other words since it was read stays as it is. A dispute with what is said no more rests.
    pub fn mark_unsaid(&self, found: &[Found], now: Timestamp) -> Result<(), EngineError> {
        self.project.change(&mut |reader| {
            let mut changed: BTreeMap<MemoryId, Memory> = BTreeMap::new();
            let (mut gone, mut back) = (Vec::new(), Vec::new());
            for (read, why) in found {
                let Some(memory) = reader.get(read.id)? else {
                    continue;
                };
                let is_theirs = memory.is_verified() || memory.pinned;
                if memory.content != read.content || is_theirs && why.is_some() {
                    continue;
                }
                let mut after = memory.clone();
                let reason = why.as_deref().and_then(|why| why.strip_prefix(BECAUSE));
                mark(&mut after, BECAUSE, reason.map(str::to_owned), now);
                if after != memory {
                    match why {
                        Some(_) => gone.push(after.id),
                        None => back.push(after.clone()),
                    }
                    changed.insert(after.id, after);
                }
            }
            let mut others = undisputed(reader, &gone)?;
            for memory in &back {
                others.extend(disputed_again(reader, memory)?);
            }
            for other in others {
                // Two that are marked at once keep their marks.
                changed.entry(other.id).or_insert(other);
            }
            let mut changed: Vec<Memory> = changed.into_values().collect();
            for memory in &mut changed {
                memory.updated_at = now;
            }
            Ok(changed)
        })?;
        Ok(())
    }
}
