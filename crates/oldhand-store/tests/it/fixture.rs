//! A home for a database, memories to put there, and a look at the bytes it leaves.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use oldhand_domain::filter::{Filter, State};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::port::{MemoryReader, MemoryStore};
use oldhand_store::{Mode, SqliteStore};
use tempfile::TempDir;

pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder().join("memory.db")
    }

    /// Lets the database be older than what a look without locks may trust.
    pub(crate) fn settle(&self) {
        let file = fs::File::options().write(true).open(self.path()).unwrap();
        let written = file.metadata().unwrap().modified().unwrap();
        file.set_modified(written - Duration::from_secs(9)).unwrap();
    }

    pub(crate) fn writer(&self) -> SqliteStore {
        SqliteStore::open(&self.path(), Mode::Write).unwrap()
    }

    pub(crate) fn reader(&self) -> SqliteStore {
        SqliteStore::open(&self.path(), Mode::Read).unwrap()
    }

    /// The files in which `text` stands, whatever kind of file it is.
    pub(crate) fn files_with(&self, text: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for file in files_below(self.folder()) {
            let bytes = fs::read(&file).unwrap();
            if holds(&bytes, text) {
                found.push(file);
            }
        }
        found
    }
}

pub(crate) fn holds(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

pub(crate) fn gotcha(number: u32, content: &str) -> Memory {
    oldhand_testkit::memory(number, BuiltInType::Gotcha, content)
}

pub(crate) fn save(store: &impl MemoryStore, memories: &[Memory]) {
    store.change(&mut |_| Ok(memories.to_vec())).unwrap();
}

/// Every memory there is, by id.
pub(crate) fn everything(store: &impl MemoryReader) -> Vec<Memory> {
    let filter = Filter {
        state: State::Any,
        ..Filter::default()
    };
    let listing = store.list(&filter).unwrap();
    assert_eq!(listing.damaged, []);
    let mut memories = listing.memories;
    memories.sort_by_key(|memory| memory.id);
    memories
}

pub(crate) fn ids(memories: &[Memory]) -> Vec<MemoryId> {
    memories.iter().map(|memory| memory.id).collect()
}

pub(crate) fn day(number: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap() + SignedDuration::from_hours(24 * number)
}

/// A stream of numbers that is the same every time.
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Twelve letters that no other text holds.
    pub(crate) fn word(&mut self) -> String {
        let letter = |_| char::from(b'a' + self.below(26) as u8);
        (0..12).map(letter).collect()
    }
}
