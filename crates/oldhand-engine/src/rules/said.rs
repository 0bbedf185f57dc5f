//! What a rules file said once and says no more: it is stale until a file says it again.

use std::collections::BTreeMap;

use jiff::Timestamp;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;

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

impl Engine<'_> {
    /// Marks what no rules file says any more with the reason, and takes the mark from what has none, in one transaction.
    pub fn mark_unsaid(
        &self,
        said: &BTreeMap<MemoryId, Option<String>>,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        self.project.change(&mut |reader| {
            let mut changed = Vec::new();
            for (id, why) in said {
                let Some(memory) = reader.get(*id)? else {
                    continue;
                };
                let mut after = memory.clone();
                let why = why.as_deref().and_then(|why| why.strip_prefix(BECAUSE));
                mark(&mut after, BECAUSE, why.map(str::to_owned), now);
                if after != memory {
                    after.updated_at = now;
                    changed.push(after);
                }
            }
            Ok(changed)
        })?;
        Ok(())
    }
}
