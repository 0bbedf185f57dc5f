//! Facts on disk, by the hash of the content they were read from. Appended to, never changed in place.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memmap2::Mmap;
use rustc_hash::FxHashMap;

use super::FileFacts;
use super::codec::decode;
use crate::language::{FINGERPRINT, LanguageId};

const MAGIC: &[u8; 8] = b"OHFACTS\n";
const HEADER: usize = 16;
/// Hash, language, three zero bytes, length, checksum.
const RECORD: usize = 32 + 4 + 4 + 4;

/// Content and the language it was read as.
pub type Key = ([u8; 32], LanguageId);

/// The cache of one project.
pub struct FactStore {
    path: PathBuf,
    opened: OnceLock<Option<Opened>>,
}

struct Opened {
    map: Mmap,
    places: FxHashMap<Key, (usize, usize)>,
}

impl FactStore {
    /// The cache at `path`; read when first asked.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            opened: OnceLock::new(),
        }
    }

    fn opened(&self) -> Option<&Opened> {
        self.opened.get_or_init(|| open(&self.path)).as_ref()
    }

    /// The facts kept for `key`, with the bytes that a caller may keep again.
    pub fn get(&self, key: &Key) -> Option<FileFacts> {
        decode(self.bytes(key)?)
    }

    fn bytes(&self, key: &Key) -> Option<&[u8]> {
        let opened = self.opened()?;
        let &(start, end) = opened.places.get(key)?;
        opened.map.get(start..end)
    }

    pub fn contains(&self, key: &Key) -> bool {
        self.opened()
            .is_some_and(|opened| opened.places.contains_key(key))
    }

    /// How many bytes the cache takes.
    pub fn size(&self) -> u64 {
        self.opened().map_or(0, |opened| opened.map.len() as u64)
    }

    /// Adds `fresh`, which [`encode`](super::codec::encode) made, to what is kept.
    pub fn append<'f>(&self, fresh: impl Iterator<Item = (Key, &'f [u8])>) -> io::Result<()> {
        let mut bytes = Vec::new();
        for (key, encoded) in fresh {
            write_record(&mut bytes, &key, encoded);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        if self.opened().is_none() {
            return replace(&self.path, &bytes);
        }
        let mut file = OpenOptions::new().append(true).open(&self.path)?;
        file.lock()?;
        file.write_all(&bytes)
    }

    /// Adds `fresh`, and looks whether the file could be halved whenever it has grown by another few megabytes.
    pub fn append_and_tidy<'f>(
        &self,
        fresh: impl Iterator<Item = (Key, &'f [u8])>,
        keys: impl Fn() -> Vec<Key>,
    ) -> io::Result<()> {
        const STEP: u64 = 8 << 20;
        self.append(fresh)?;
        let now = self.path.metadata().map_or(0, |metadata| metadata.len());
        if now / STEP > self.size() / STEP {
            self.compact(&keys())
        } else {
            Ok(())
        }
    }

    /// Keeps only what `keys` name, when that halves the file.
    pub fn compact(&self, keys: &[Key]) -> io::Result<()> {
        let Some(opened) = open(&self.path) else {
            return Ok(());
        };
        let place = |key: &Key| {
            opened
                .places
                .get(key)
                .map(|&(start, end)| (*key, &opened.map[start..end]))
        };
        let live: usize = keys
            .iter()
            .filter_map(place)
            .map(|(_, bytes)| bytes.len() + RECORD)
            .sum();
        if opened.map.len() < (live + HEADER) * 2 + (1 << 20) {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(live);
        for (key, payload) in keys.iter().filter_map(place) {
            write_record(&mut bytes, &key, payload);
        }
        replace(&self.path, &bytes)
    }
}

fn write_record(bytes: &mut Vec<u8>, key: &Key, payload: &[u8]) {
    bytes.extend_from_slice(&key.0);
    bytes.extend_from_slice(&[key.1.0, 0, 0, 0]);
    bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&check(payload).to_le_bytes());
    bytes.extend_from_slice(payload);
}

/// A new file with a header takes the place of what was there; readers of the old one are not disturbed.
fn replace(path: &Path, records: &[u8]) -> io::Result<()> {
    let beside = path.with_extension(format!("new-{}", std::process::id()));
    let mut file = File::create(&beside)?;
    file.write_all(MAGIC)?;
    file.write_all(&FINGERPRINT.to_le_bytes())?;
    file.write_all(records)?;
    drop(file);
    std::fs::rename(&beside, path)
}

/// Nothing when there is no cache, or one of another version.
fn open(path: &Path) -> Option<Opened> {
    let file = File::open(path).ok()?;
    // SAFETY: the file is only appended to or replaced by renaming; bytes already there do not change.
    let map = unsafe { Mmap::map(&file) }.ok()?;
    if map.len() < HEADER || !map.starts_with(MAGIC) || map[8..16] != FINGERPRINT.to_le_bytes() {
        return None;
    }
    let mut places = FxHashMap::default();
    let mut at = HEADER;
    while let Some(record) = map.get(at..at + RECORD) {
        let number = |from: usize| {
            record[from..from + 4]
                .try_into()
                .map_or(0, u32::from_le_bytes)
        };
        let hash: [u8; 32] = record[..32].try_into().unwrap_or_default();
        let start = at + RECORD;
        let end = start + number(36) as usize;
        // An append that was cut off ends the file.
        let Some(payload) = map.get(start..end) else {
            break;
        };
        if check(payload) == number(40) {
            places.insert((hash, LanguageId(record[32])), (start, end));
        }
        at = end;
    }
    Some(Opened { map, places })
}

/// Looks at the length and both ends: enough to see a torn write without reading everything.
fn check(payload: &[u8]) -> u32 {
    let mut sum = payload.len() as u32;
    let edge = payload.len().min(64);
    for &byte in payload[..edge]
        .iter()
        .chain(&payload[payload.len() - edge..])
    {
        sum = (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::{FactStore, Key};
    use crate::extract::extract_for_tests;
    use crate::facts::codec::encode;
    use crate::language::LanguageId;

    #[test]
    fn facts_are_kept_by_content_and_a_torn_write_costs_only_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("facts.bin");
        let facts = extract_for_tests("a.ts", "export function f() {}");
        let bytes = encode(&facts);
        let key = |number: u8| -> Key { ([number; 32], LanguageId(0)) };
        FactStore::new(path.clone())
            .append([(key(1), &*bytes), (key(2), &*bytes)].into_iter())
            .expect("writable");
        let store = FactStore::new(path.clone());
        assert_eq!(store.get(&key(1)), Some(facts.clone()));
        assert_eq!(store.get(&key(3)), None);
        let whole = std::fs::read(&path).expect("written");
        std::fs::write(&path, &whole[..whole.len() - 5]).expect("writable");
        let store = FactStore::new(path);
        assert_eq!(store.get(&key(1)), Some(facts));
        assert_eq!(store.get(&key(2)), None);
    }

    #[test]
    fn what_nobody_needs_goes_when_that_halves_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("facts.bin");
        let long = format!("export const text = '{}'", "word ".repeat(100));
        let bytes = encode(&extract_for_tests("a.ts", &long));
        let many: Vec<u8> = bytes.repeat(1 + (3 << 20) / bytes.len());
        let key = |number: u8| -> Key { ([number; 32], LanguageId(0)) };
        FactStore::new(path.clone())
            .append([(key(1), &*many), (key(2), &*bytes)].into_iter())
            .expect("writable");
        FactStore::new(path.clone())
            .compact(&[key(2)])
            .expect("writable");
        let store = FactStore::new(path);
        assert!(!store.contains(&key(1)) && store.contains(&key(2)));
        assert!(store.size() < 1 << 20);
    }
}
