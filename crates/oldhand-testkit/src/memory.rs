//! A memory to start a test from: `Memory { pinned: true, ..memory(1, Gotcha, "Run migrations first.") }`.

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::{Author, Memory, Usage};
use oldhand_domain::payload::{MemoryType, Payload};
use oldhand_domain::taint::Taint;
use oldhand_domain::text::{Content, Summary};
use oldhand_domain::vocabulary::{Scope, Source, Visibility};

use crate::sandbox::FIRST_SECOND;

/// What a person taught in plain words, `number` minutes into the day. The number is also its id.
pub fn memory(number: u16, memory_type: impl Into<MemoryType>, content: &str) -> Memory {
    let content = Content::new(content).expect("a test's content is valid");
    let moment = Timestamp::from_second(FIRST_SECOND + 60 * i64::from(number))
        .expect("a day after the first second is in range");
    Memory {
        id: memory_id(number),
        payload: Payload::Plain(memory_type.into()),
        summary: Summary::of(&content),
        content,
        citation: None,
        confidence: Confidence::clamped(0.9),
        tags: BTreeSet::new(),
        files: BTreeSet::new(),
        modules: BTreeSet::new(),
        fingerprints: BTreeSet::new(),
        created_at: moment,
        updated_at: moment,
        usage: Usage {
            last_accessed_at: moment,
            access_count: 0,
        },
        session: None,
        provenance: BTreeSet::new(),
        commit: None,
        branch: None,
        work_unit: None,
        methodology: None,
        scope: Scope::Global,
        source: Source::UserTaught,
        created_by: Author::user(),
        visibility: Visibility::Private,
        target_node: None,
        impacted_nodes: BTreeSet::new(),
        relations: Vec::new(),
        half_life_days: None,
        needs_review: false,
        verified: None,
        pinned: false,
        flagged: None,
        stale: None,
        deprecated: None,
        deleted_since: None,
        chunk: None,
        embedding_model: None,
        revision: 1,
        taint: Taint::CLEAN,
    }
}

/// The id of the memory with this number.
pub fn memory_id(number: u16) -> MemoryId {
    let text = format!("019bc0d1-3a80-7000-8000-{number:012x}");
    text.parse().expect("the text has the shape of an id")
}

#[cfg(test)]
mod tests {
    use oldhand_domain::payload::BuiltInType;

    use super::*;

    #[test]
    fn a_later_number_is_a_later_memory() {
        let [first, second] =
            [1, 2].map(|n| memory(n, BuiltInType::Gotcha, "Run migrations first."));
        assert!(first.id < second.id);
        assert!(first.created_at < second.created_at);
    }
}
