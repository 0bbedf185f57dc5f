//! What a memory may be, and what ends when it changes.

use super::*;
use crate::seal::Seal;

pub(crate) fn memory(memory_type: impl Into<MemoryType>, content: &str, now: Timestamp) -> Memory {
    let draft = Draft::taught(Payload::Plain(memory_type.into()), content);
    Memory::new(MemoryId::new(uuid::Uuid::from_u128(7)), draft, now).unwrap()
}

fn some() -> Memory {
    memory(
        BuiltInType::Gotcha,
        "Run migrations first.",
        Timestamp::UNIX_EPOCH,
    )
}

#[test]
fn a_review_ends_when_the_text_changes() {
    let mut memory = some();
    memory.verify(Timestamp::UNIX_EPOCH);
    assert!(memory.is_verified());
    memory.content = Content::new("Run migrations last.").unwrap();
    assert!(!memory.is_verified());
}

#[test]
fn verifying_clears_what_stood_against_the_memory() {
    let mut memory = some();
    memory.needs_review = true;
    memory.taint = Taint::by(crate::taint::OutsideText::Web);
    memory.flagged = Some(Flag {
        since: Timestamp::UNIX_EPOCH,
        correction: Correction::Outdated,
        note: None,
        by: FlaggedBy::Person,
    });
    memory.stale = Some(Mark {
        since: Timestamp::UNIX_EPOCH,
        reason: "its file is gone".to_owned(),
    });
    memory.verify(Timestamp::UNIX_EPOCH);
    assert!(!memory.needs_review && memory.flagged.is_none() && memory.taint.is_clean());
    assert_eq!(memory.stale, None);
}

#[test]
fn the_seal_covers_all_but_usage() {
    let memory = some();
    let seal = Seal::of(&memory);
    let mut used = memory.clone();
    used.usage.access_count = 9;
    assert_eq!(Seal::of(&used), seal);
    let changes: [fn(&mut Memory); 6] = [
        |m| m.confidence = Confidence::clamped(0.91),
        |m| m.needs_review = true,
        |m| m.branch = Some("main".to_owned()),
        |m| m.files = BTreeSet::from([ProjectPath::new("a.rs").unwrap()]),
        |m| m.revision = 2,
        |m| m.verify(Timestamp::UNIX_EPOCH),
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let mut other = memory.clone();
        change(&mut other);
        assert_ne!(Seal::of(&other), seal, "change {n}");
    }
}
