//! Saving, replacing, erasing, counting uses.

use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, State};
use oldhand_domain::memory::{Mark, Memory, Usage};
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::port::{Counts, MemoryStore};

use super::fixture::{
    NONE, full, id, listed, minute, plain, save, searched, session, text, work_state,
};

pub fn a_saved_memory_comes_back_whole(store: &impl MemoryStore) {
    let mut state = plain(3, "Half of the log-in is done.");
    state.payload = work_state();
    let memories = [plain(1, "Run migrations first."), full(2), state];
    save(store, &memories);
    for memory in memories {
        assert_eq!(store.get(memory.id).unwrap_or(None), Some(memory));
    }
}

pub fn what_is_not_there_is_none(store: &impl MemoryStore) {
    assert!(matches!(store.get(id(1)), Ok(None)));
    assert!(matches!(store.erase(&[id(1)]), Ok(0)));
    assert!(store.touch(&[id(1)], minute(1)).is_ok());
    assert_eq!(listed(store, &Filter::default()), NONE);
}

pub fn saving_again_replaces_and_raises_the_revision(store: &impl MemoryStore) {
    save(store, &[full(1)]);
    let mut second = plain(1, "Run migrations last.");
    // What the caller thinks the revision is does not matter.
    second.revision = 40;
    save(store, &[second.clone()]);
    second.revision = 2;
    assert_eq!(store.get(id(1)).unwrap_or(None), Some(second));
    assert_eq!(searched(store, "éclair"), NONE);
    assert_eq!(searched(store, "migrations"), [1]);
}

pub fn a_plan_sees_the_store_and_all_or_nothing_is_saved(store: &impl MemoryStore) {
    save(store, &[plain(1, "Run migrations first.")]);
    let refused = store.change(&mut |reader| {
        assert!(reader.get(id(1))?.is_some());
        assert_eq!(reader.list(&Filter::default())?.memories.len(), 1);
        Err(StoreError::NoSuchMemory(id(7)))
    });
    assert!(matches!(refused, Err(StoreError::NoSuchMemory(missing)) if missing == id(7)));
    assert_eq!(listed(store, &Filter::default()), [1]);
    let both = [plain(2, "Second."), plain(3, "Third.")];
    save(store, &both);
    assert_eq!(listed(store, &Filter::default()), [3, 2, 1]);
}

pub fn an_erased_memory_is_gone_from_everywhere(store: &impl MemoryStore) {
    save(
        store,
        &[plain(1, "Canary alpha."), plain(2, "Canary beta.")],
    );
    assert!(matches!(store.erase(&[id(1), id(9)]), Ok(1)));
    assert!(matches!(store.get(id(1)), Ok(None)));
    assert_eq!(searched(store, "canary"), [2]);
    let any = Filter {
        state: State::Any,
        ..Filter::default()
    };
    assert_eq!(listed(store, &any), [2]);
    assert_eq!(store.find("019bc0d1").unwrap_or_default(), [id(2)]);
}

pub fn touching_counts_and_leaves_the_rest_alone(store: &impl MemoryStore) {
    let memory = plain(1, "Run migrations first.");
    save(store, std::slice::from_ref(&memory));
    for turn in [5, 6] {
        assert!(store.touch(&[id(1)], minute(turn)).is_ok());
    }
    let usage = Usage {
        last_accessed_at: minute(6),
        access_count: 2,
    };
    let expected = Memory { usage, ..memory };
    assert_eq!(store.get(id(1)).unwrap_or(None), Some(expected));
}

pub fn sessions_count_what_they_left_behind(store: &impl MemoryStore) {
    let learned = |number, deleted| Memory {
        session: Some(session("s-1")),
        deleted_since: deleted,
        ..plain(number, "Learned.")
    };
    save(
        store,
        &[
            learned(1, None),
            learned(2, Some(minute(9))),
            plain(3, "Taught."),
        ],
    );
    assert_eq!(store.learned_in(&session("s-1")).ok(), Some(2));
    assert_eq!(store.learned_in(&session("s-2")).ok(), Some(0));
}

pub fn counts_sort_memories_by_where_they_are_in_life(store: &impl MemoryStore) {
    let mark = Some(Mark {
        since: minute(9),
        reason: "replaced".to_owned(),
    });
    let decision = |number| Memory {
        payload: BuiltInType::Decision.into(),
        ..plain(number, "We use SQLite.")
    };
    let pinned = Memory {
        pinned: true,
        needs_review: true,
        stale: mark.clone(),
        ..plain(3, "The port is taken.")
    };
    let deprecated = Memory {
        deprecated: mark,
        pinned: true,
        ..plain(4, "The port is free.")
    };
    save(
        store,
        &[decision(1), decision(2), pinned, deprecated, full(5)],
    );
    let expected = Counts {
        live: vec![("decision".to_owned(), 2), (text("gotcha"), 1)],
        deprecated: 1,
        deleted: 1,
        needs_review: 1,
        pinned: 1,
        flagged: 0,
        stale: 1,
    };
    assert_eq!(store.counts().ok(), Some(expected));
}
