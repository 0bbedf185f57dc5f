//! Files that changed by themselves: cut logs and flipped bits.

use std::collections::BTreeMap;
use std::fs;

use oldhand_domain::filter::{Filter, State, TextQuery};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::{Memory, Usage};
use oldhand_domain::port::MemoryReader;
use oldhand_store::{Mode, SqliteStore};

use crate::fixture::{Home, Noise, everything, gotcha, ids, save};

fn numbered(number: u32) -> Memory {
    Memory {
        files: [format!("src/m{number}.rs").parse().unwrap()].into(),
        tags: ["damage".parse().unwrap()].into(),
        session: "s-1".parse().ok(),
        ..gotcha(
            number,
            &format!("Turn {number} of the damage that is done to a log."),
        )
    }
}

#[test]
fn a_log_cut_anywhere_leaves_a_committed_prefix() {
    const SAVED: u32 = 4;
    let home = Home::new();
    // Closed and opened again, so that the log holds nothing but what is saved.
    drop(home.writer());
    let store = home.writer();
    for number in 1..=SAVED {
        save(&store, &[numbered(number)]);
    }
    let database = fs::read(home.path()).unwrap();
    let log = fs::read(home.folder().join("memory.db-wal")).unwrap();
    let cut = Home::new();
    let mut longest = 0;
    for end in (0..log.len()).step_by(512).chain([log.len()]) {
        for name in ["memory.db-shm", "memory.db-lock"] {
            let _ = fs::remove_file(cut.folder().join(name));
        }
        fs::write(cut.path(), &database).unwrap();
        fs::write(cut.folder().join("memory.db-wal"), &log[..end]).unwrap();
        let memories = everything(&cut.reader());
        let count = memories.len() as u32;
        let prefix: Vec<MemoryId> = (1..=count).map(|n| numbered(n).id).collect();
        assert_eq!(ids(&memories), prefix, "cut at {end}");
        assert!(count >= longest, "cut at {end}: {count} after {longest}");
        longest = count;
    }
    assert_eq!(longest, SAVED);
}

/// What is compared: everything but the counters, which carry no seal.
fn sealed(memory: &Memory) -> Memory {
    let usage = Usage {
        last_accessed_at: memory.created_at,
        access_count: 0,
    };
    Memory {
        usage,
        ..memory.clone()
    }
}

#[test]
fn no_flipped_bit_ever_hands_out_other_words() {
    const FLIPS: usize = 300;
    let home = Home::new();
    let store = home.writer();
    let memories: Vec<Memory> = (1..=16).map(numbered).collect();
    save(&store, &memories);
    let written: BTreeMap<MemoryId, Memory> = everything(&store)
        .into_iter()
        .map(|memory| (memory.id, sealed(&memory)))
        .collect();
    drop(store);
    let sound = fs::read(home.path()).unwrap();
    // Half of a small file is empty; bits are flipped where something is written.
    let places: Vec<usize> = (0..sound.len()).filter(|&at| sound[at] != 0).collect();
    let flipped = Home::new();
    let mut noise = Noise(5);
    let mut noticed = 0;
    for _ in 0..FLIPS {
        let mut bytes = sound.clone();
        let at = places[noise.below(places.len() as u64) as usize];
        let bit = noise.below(8);
        bytes[at] ^= 1 << bit;
        for name in ["memory.db-wal", "memory.db-shm"] {
            let _ = fs::remove_file(flipped.folder().join(name));
        }
        fs::write(flipped.path(), bytes).unwrap();
        noticed += usize::from(read_all_ways(&flipped, &written, at));
    }
    assert!(noticed > FLIPS / 10, "{noticed}");
}

/// Whether the damage was noticed. What is handed out must be what was written.
fn read_all_ways(home: &Home, written: &BTreeMap<MemoryId, Memory>, at: usize) -> bool {
    let Ok(store) = SqliteStore::open(&home.path(), Mode::Read) else {
        return true;
    };
    let check = |memory: &Memory, how: &str| {
        assert_eq!(
            written.get(&memory.id),
            Some(&sealed(memory)),
            "{how} at byte {at}"
        );
    };
    let mut noticed = false;
    for id in written.keys() {
        match store.get(*id) {
            Ok(Some(memory)) => {
                assert_eq!(memory.id, *id);
                check(&memory, "get");
            }
            Ok(None) | Err(_) => noticed = true,
        }
    }
    let any = Filter {
        state: State::Any,
        ..Filter::default()
    };
    let files = Filter {
        files: vec!["src/m7.rs".parse().unwrap()],
        ..Filter::default()
    };
    for filter in [any, Filter::default(), files.clone()] {
        match store.list(&filter) {
            Ok(listing) => {
                noticed |= !listing.damaged.is_empty();
                listing
                    .memories
                    .iter()
                    .for_each(|memory| check(memory, "list"));
                if filter == files {
                    assert!(
                        listing
                            .memories
                            .iter()
                            .all(|memory| memory.id == numbered(7).id)
                    );
                }
            }
            Err(_) => noticed = true,
        }
    }
    let query = TextQuery {
        text: "damage log turn".to_owned(),
        filter: Filter::default(),
        limit: 100,
    };
    match store.search(&query) {
        Ok(found) => {
            noticed |= !found.damaged.is_empty();
            found
                .hits
                .iter()
                .for_each(|hit| check(&hit.memory, "search"));
        }
        Err(_) => noticed = true,
    }
    noticed
}
