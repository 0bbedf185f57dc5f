//! What is already known, each line with where it comes from.

use anyhow::Result;
use oldhand_domain::filter::Filter;
use oldhand_domain::memory::Memory;
use oldhand_domain::payload::{BuiltInType, MemoryType};
use oldhand_engine::Shelf;

use crate::desk::Desk;
use crate::out::time::count;

/// How many memories are told.
const TOLD: usize = 5;

/// What matters most to somebody who begins here, in this order.
const FIRST: [BuiltInType; 6] = [
    BuiltInType::Gotcha,
    BuiltInType::ErrorPattern,
    BuiltInType::DeadEnd,
    BuiltInType::Decision,
    BuiltInType::Requirement,
    BuiltInType::Preference,
];

/// The surest memories of what matters most, as lines with their evidence.
pub(super) fn lines(desk: &Desk) -> Result<Vec<String>> {
    let types = FIRST.map(MemoryType::BuiltIn).to_vec();
    let filter = Filter {
        types,
        ..Filter::default()
    };
    let mut memories = desk.engine().list(Some(Shelf::Project), &filter)?.memories;
    let place = |memory: &Memory| {
        FIRST
            .iter()
            .position(|first| memory.memory_type() == MemoryType::BuiltIn(*first))
    };
    memories.retain(|shelved| {
        let memory = &shelved.memory;
        memory.stale.is_none() && memory.flagged.is_none() && !memory.needs_review
    });
    memories.sort_by(|a, b| {
        let sure = |memory: &Memory| memory.confidence_now(desk.now).get();
        let (a, b) = (&a.memory, &b.memory);
        // What sessions taught is news; what a rules file says its readers know.
        let taught = |memory: &Memory| memory.provenance.is_empty();
        taught(a)
            .cmp(&taught(b))
            .then(place(a).cmp(&place(b)))
            .then(sure(b).total_cmp(&sure(a)))
            .then(a.id.cmp(&b.id))
    });
    let told = memories.iter().take(TOLD).map(|shelved| {
        let memory = &shelved.memory;
        format!("{} ({})", memory.summary, evidence(memory))
    });
    Ok(told.collect())
}

fn evidence(memory: &Memory) -> String {
    let author = memory.created_by.as_str();
    match (memory.provenance.len(), author.strip_prefix("import:")) {
        (0, Some(file)) => format!("{}, {file}", memory.memory_type()),
        (0, None) => format!("{}, taught", memory.memory_type()),
        (sessions, _) => format!("{}, {}", memory.memory_type(), count(sessions, "session")),
    }
}
