//! A memory to start a test from: `Memory { pinned: true, ..memory(1, Gotcha, "Run migrations first.") }`.

use jiff::Timestamp;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::{Draft, Memory};
use oldhand_domain::payload::{MemoryType, Payload};

use crate::sandbox::FIRST_SECOND;

/// What a person taught in plain words, `number` minutes into the first day. The number is also its id.
pub fn memory(number: u32, memory_type: impl Into<MemoryType>, content: &str) -> Memory {
    let moment = Timestamp::from_second(FIRST_SECOND + 60 * i64::from(number))
        .expect("any number of minutes is in range");
    let draft = Draft::taught(Payload::Plain(memory_type.into()), content);
    Memory::new(memory_id(number), draft, moment).expect("a test's content is valid")
}

/// The id of the memory with this number.
pub fn memory_id(number: u32) -> MemoryId {
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
