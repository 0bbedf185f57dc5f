//! Vectors of one model in one memory-mapped file: exact search by a scan over bytes.
//!
//! Each row keeps its vector twice: in full, sixteen bits a dimension, and as a sketch of two bits a dimension. A search multiplies the
//! question with all sketches, an eighth of the file, then with the full vectors of the best few hundred. On real vectors that finds what
//! brute force finds (`examples/vectors_bench.rs` measures it), and an append is one row.
//!
//! The file is derived: [`rebuild`] makes it anew from the database at any time, and any doubt about it is an error that says
//! so. Many processes may read while one writes ([`Writer`] holds a lock). A row is counted only after its bytes are on disk, and
//! carries a checksum that is compared before it is trusted. Removing overwrites the row with zeros.
//!
//! Scans read the map: a file that were shortened, or a disk that fails while it is read, would end the process. So no file is ever
//! shortened; one that is made anew takes the place of the old one, which stays as it is for those who read it.
//!
//! Start with [`Vectors::open`]; `layout` is the file's shape, `scan` the arithmetic.

mod joint;
mod layout;
mod rough;
mod scan;
mod writer;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use memmap2::Mmap;
use oldhand_domain::id::MemoryId;

use layout::{Layout, Row, Stored};

pub use joint::Search;
pub use writer::{Writer, rebuild};

/// What a vector belongs to. All zeros is nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key([u8; 16]);

impl Key {
    const NOBODY: Self = Self([0; 16]);

    /// `None` for all zeros.
    pub fn new(bytes: [u8; 16]) -> Option<Self> {
        (bytes != Self::NOBODY.0).then_some(Self(bytes))
    }

    pub const fn bytes(self) -> [u8; 16] {
        self.0
    }
}

impl From<MemoryId> for Key {
    fn from(id: MemoryId) -> Self {
        Self(id.uuid().into_bytes())
    }
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VectorsError {
    #[error("vectors {path} do not exist")]
    Missing { path: PathBuf },
    #[error("vectors {path} belong to model {found}, not to {wanted}")]
    OtherModel {
        path: PathBuf,
        found: String,
        wanted: String,
    },
    #[error("vectors {path} are damaged: {detail}")]
    Damaged { path: PathBuf, detail: &'static str },
    #[error("vectors {path} are being written by another process")]
    Busy { path: PathBuf },
    #[error("a vector has {found} dimensions, the model has {wanted}")]
    Dimensions { found: usize, wanted: usize },
    #[error("could not {doing} vectors {path}")]
    Disk {
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

impl VectorsError {
    /// Whether [`rebuild`] mends it.
    pub const fn calls_for_rebuild(&self) -> bool {
        matches!(
            self,
            Self::Missing { .. } | Self::OtherModel { .. } | Self::Damaged { .. }
        )
    }
}

/// A vector's owner and how near it is: the cosine, for unit vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    pub key: Key,
    pub cosine: f32,
}

/// Rows that may be found, one bit each. Made by [`Vectors::allow`] for this very reader.
#[derive(Clone, Debug)]
pub struct Allowed(Vec<u64>);

impl Allowed {
    fn has(&self, row: usize) -> bool {
        self.0[row / 64] >> (row % 64) & 1 == 1
    }
}

/// A reader: what was in the file when it was opened. Open it again to see what was added since.
#[derive(Debug)]
pub struct Vectors {
    /// For all but the full vectors of a long file.
    map: Mmap,
    /// Full vectors of a long file are read one by one: through the map, each would bring sixteen pages with it.
    file: File,
    layout: Layout,
    rows: usize,
    /// Whether a search met a row that is not what was written, or cannot be read.
    damaged: AtomicBool,
    /// Where the rows are that were found last, by their owners: whoever asks for a vector has nearly always just found it.
    met: Mutex<Vec<(Key, usize)>>,
    /// The same of what was last looked up.
    looked_up: Mutex<BTreeMap<Key, usize>>,
    /// What is roughly nearest to the question that was last asked how near anything is to it: whoever hears that something is asks for more.
    rough: Mutex<Option<Rough>>,
}

/// A row that was read closely.
#[derive(Clone)]
struct Close {
    near: Near,
    row: usize,
    /// Whether it is what was written, where that was looked at: a row of a long file is at hand only while it is read.
    is_sound: Option<bool>,
}

/// What is roughly nearest to a question.
#[derive(Debug)]
struct Rough {
    question: Vec<f32>,
    rows: Vec<(usize, Key)>,
}

/// So many times more than wanted are looked at in full, and [`RESCORED`] at least. On real vectors four hundred hold all of the ten nearest
/// and 98 or more of the hundred nearest.
const SPARE: usize = 4;
const RESCORED: usize = 400;
/// Full vectors of no more rows than this are read through the map: bringing in the stretches they lie in takes less than reading each, where the
/// system keeps the file in long stretches.
const FEW_ROWS: usize = 16 * layout::BLOCK;

/// How many rows are looked at in full where `limit` are wanted.
fn how_many_closely(limit: usize) -> usize {
    RESCORED.max(SPARE * limit)
}

/// What lies side by side is read sooner one after the other.
fn in_order(mut rows: Vec<(usize, Key)>) -> Vec<(usize, Key)> {
    rows.sort_unstable_by_key(|(row, _)| *row);
    rows
}

impl Vectors {
    pub fn open(path: &Path, model: &str, dimensions: usize) -> Result<Self, VectorsError> {
        let file = File::open(path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => VectorsError::Missing {
                path: path.to_owned(),
            },
            _ => VectorsError::Disk {
                doing: "open",
                path: path.to_owned(),
                source,
            },
        })?;
        // SAFETY: the file is never shortened, and a rebuild replaces it by renaming a new one over it, so that the mapped bytes
        // stay. A writer may change bytes while they are read: every value is a plain number, each row is checked before it is
        // trusted, and a torn row is only a row that is not found.
        let map = unsafe { Mmap::map(&file) }.map_err(|source| VectorsError::Disk {
            doing: "map",
            path: path.to_owned(),
            source,
        })?;
        let layout = Layout::new(dimensions);
        let rows = layout.check(&map, path, model)?;
        // What of a long file is not in the system's memory is read in long stretches, and stays there in these. One that knows none does as it always did.
        #[cfg(target_os = "linux")]
        if map.len() > layout::STRETCH {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Ok(Self {
            map,
            file,
            layout,
            rows,
            damaged: AtomicBool::new(false),
            met: Mutex::default(),
            looked_up: Mutex::default(),
            rough: Mutex::default(),
        })
    }

    /// Gives the pages of a long file back to the system, for a process that is done with them but not at its end yet: else they would be taken from it
    /// when it ends, and whoever waits for it would wait for that. What is read all the same is brought in again.
    pub fn let_go(&self) {
        #[cfg(unix)]
        if self.rows > FEW_ROWS {
            // SAFETY: the map shows a file and nobody can write to it, so that the bytes that are brought in again are the file's, as those before.
            let _ = unsafe {
                self.map
                    .unchecked_advise(memmap2::UncheckedAdvice::DontNeed)
            };
        }
    }

    /// Whether a search met a row that is not what was written or cannot be read: [`rebuild`] mends it.
    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// How many rows are not what was written. Reads all of them.
    pub fn count_damaged(&self) -> usize {
        let mut bytes = vec![0; self.layout.vector_size()];
        let mut is_damaged = |row: usize| {
            let key = self.key(row);
            let stored = self.read(row, &mut bytes);
            // One that is removed meanwhile has no owner any more.
            !stored.is_some_and(|stored| stored.is_sound(key)) && self.key(row) == key
        };
        (0..self.rows)
            .filter(|&row| self.key(row) != Key::NOBODY && is_damaged(row))
            .count()
    }

    /// Rows in the file, removed ones included.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The owners of all vectors, in the order they were added.
    pub fn keys(&self) -> impl Iterator<Item = Key> {
        (0..self.rows)
            .map(|row| self.key(row))
            .filter(|key| *key != Key::NOBODY)
    }

    /// The rows whose owner passes `test`.
    pub fn allow(&self, mut test: impl FnMut(Key) -> bool) -> Allowed {
        let mut bits = vec![0; self.rows.div_ceil(64)];
        for row in 0..self.rows {
            let key = self.key(row);
            if key != Key::NOBODY && test(key) {
                bits[row / 64] |= 1_u64 << (row % 64);
            }
        }
        Allowed(bits)
    }

    /// The `limit` nearest to `question`, nearest first; equal ones by key. `None` allows every row.
    pub fn nearest(
        &self,
        question: &[f32],
        limit: usize,
        allowed: Option<&Allowed>,
    ) -> Result<Vec<Near>, VectorsError> {
        self.check_dimensions(question)?;
        let wanted = how_many_closely(limit);
        let known = match allowed {
            None => self.take_rough(question, wanted),
            Some(_) => None,
        };
        let look = || self.roughly_nearest(question, wanted, allowed).rows(wanted);
        let rough = in_order(known.unwrap_or_else(look));
        let mut close = Vec::with_capacity(rough.len());
        self.read_closely(question, &rough, &mut close);
        Ok(self.settle(close, limit))
    }

    /// Adds to `close` how near the rows in `rough` are, by their full vectors. One that the disk does not give is damaged.
    fn read_closely(&self, question: &[f32], rough: &[(usize, Key)], close: &mut Vec<Close>) {
        let mut bytes = vec![0; self.layout.vector_size()];
        for &(row, key) in rough {
            if let Some(stored) = self.read(row, &mut bytes) {
                let cosine = stored.dot(question);
                close.push(Close {
                    near: Near { key, cosine },
                    row,
                    is_sound: (self.rows > FEW_ROWS).then(|| stored.is_sound(key)),
                });
            } else {
                self.notice_damage(row, key);
            }
        }
    }

    /// A row is not what was written, or cannot be read. One that was removed meanwhile has no owner any more.
    fn notice_damage(&self, row: usize, key: Key) {
        if self.key(row) == key {
            self.damaged.store(true, Ordering::Relaxed);
        }
    }

    /// The nearest of rows that were read closely, nearest first. Of a short file, checksums are only compared for those that are handed out.
    fn settle(&self, mut close: Vec<Close>, limit: usize) -> Vec<Near> {
        let mut bytes = vec![0; self.layout.vector_size()];
        close.sort_unstable_by(|left, right| {
            let nearer = right.near.cosine.total_cmp(&left.near.cosine);
            let by_key = nearer.then_with(|| left.near.key.cmp(&right.near.key));
            by_key.then_with(|| left.row.cmp(&right.row))
        });
        let mut found: Vec<Near> = Vec::with_capacity(limit);
        let mut met = Vec::with_capacity(limit);
        for Close {
            near,
            row,
            is_sound,
        } in close
        {
            if found.len() == limit {
                break;
            }
            let is_sound = is_sound.unwrap_or_else(|| {
                let stored = self.read(row, &mut bytes);
                stored.is_some_and(|stored| stored.is_sound(near.key))
            });
            if !is_sound {
                self.notice_damage(row, near.key);
            } else if !found.iter().any(|other| other.key == near.key) {
                found.push(near);
                met.push((near.key, row));
            }
        }
        met.sort_unstable();
        *self.met.lock().unwrap_or_else(PoisonError::into_inner) = met;
        found
    }

    /// How near each of `keys` is, for those that have a vector.
    pub fn cosines(&self, question: &[f32], keys: &[Key]) -> Result<Vec<Near>, VectorsError> {
        self.check_dimensions(question)?;
        let exact = |(key, stored): (Key, Stored<'_>)| Near {
            key,
            cosine: stored.dot(question),
        };
        Ok(self.sound(keys, exact))
    }

    /// The vectors of `keys`, for those that have one.
    pub fn get(&self, keys: &[Key]) -> BTreeMap<Key, Vec<f32>> {
        let vectors = self.sound(keys, |(key, stored)| (key, stored.vector()));
        vectors.into_iter().collect()
    }

    /// What `take` makes of the vectors of `keys` that are what was written.
    fn sound<T>(&self, keys: &[Key], mut take: impl FnMut((Key, Stored<'_>)) -> T) -> Vec<T> {
        let mut bytes = vec![0; self.layout.vector_size()];
        let mut taken = Vec::with_capacity(keys.len());
        let mut found: Vec<(Key, usize)> = self.find(keys).into_iter().collect();
        found.sort_unstable_by_key(|(_, row)| *row);
        for (key, row) in found {
            if let Some(stored) = self.read(row, &mut bytes)
                && stored.is_sound(key)
            {
                taken.push(take((key, stored)));
            } else {
                self.notice_damage(row, key);
            }
        }
        taken
    }

    /// The last row of each key: an owner's newest vector is the one that counts.
    fn find(&self, keys: &[Key]) -> BTreeMap<Key, usize> {
        let mut found = BTreeMap::new();
        let mut wanted = keys.to_vec();
        wanted.sort_unstable();
        {
            let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
            let last = self.looked_up.lock();
            let last = last.unwrap_or_else(PoisonError::into_inner);
            wanted.retain(|key| {
                let known = met.binary_search_by_key(key, |(key, _)| *key);
                let row = known.map_or_else(|_| last.get(key).copied(), |at| Some(met[at].1));
                found.extend(row.map(|row| (*key, row)));
                row.is_none()
            });
        }
        if wanted.is_empty() {
            return found;
        }
        let looked_up = self.look_up(&wanted);
        found.extend(looked_up.iter().map(|(key, row)| (*key, *row)));
        let mut last = self
            .looked_up
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *last = looked_up;
        found
    }

    /// As [`Vectors::find`], by going through all keys. `wanted` are in order.
    fn look_up(&self, wanted: &[Key]) -> BTreeMap<Key, usize> {
        // Nearly every row is somebody else's, and the end of its key tells so.
        let end = |key: &[u8; 16]| usize::from(u16::from_le_bytes([key[14], key[15]]));
        let mut is_wanted = [0_u64; 0x10000 / 64];
        for key in wanted {
            is_wanted[end(&key.0) / 64] |= 1 << (end(&key.0) % 64);
        }
        let mut found = BTreeMap::new();
        let take = |first: usize, rows: usize, keys: &[u8]| {
            for (row, key) in (first..first + rows).zip(keys.as_chunks::<16>().0) {
                let end = end(key);
                if is_wanted[end / 64] >> (end % 64) & 1 == 1
                    && wanted.binary_search(&Key(*key)).is_ok()
                {
                    found.insert(Key(*key), row);
                }
            }
        };
        self.each_block(0, self.rows, Layout::keys_size(), take);
        found
    }

    /// Gives `take` the beginning of each block that has rows before `end`, from the block that begins with row `first` on: the number of its first
    /// row, how many of its rows count, and `size` bytes.
    fn each_block(
        &self,
        first: usize,
        end: usize,
        size: usize,
        mut take: impl FnMut(usize, usize, &[u8]),
    ) {
        for first in (first..end).step_by(layout::BLOCK) {
            let rows = layout::BLOCK.min(end - first);
            let at = self.row(first).key;
            if let Some(block) = self.map.get(at..at + size) {
                take(first, rows, block);
            }
        }
    }

    /// The bytes of a row's full vector.
    fn read<'a>(&'a self, row: usize, bytes: &'a mut [u8]) -> Option<Stored<'a>> {
        let at = self.row(row).vector;
        if self.rows <= FEW_ROWS {
            return self.map.get(at..at + bytes.len()).map(Stored);
        }
        read_at(&self.file, bytes, at as u64).ok()?;
        Some(Stored(bytes))
    }

    fn row(&self, row: usize) -> Row {
        self.layout.row(row)
    }

    fn key(&self, row: usize) -> Key {
        self.row(row).key(&self.map)
    }

    fn check_dimensions(&self, vector: &[f32]) -> Result<(), VectorsError> {
        let (found, wanted) = (vector.len(), self.layout.dimensions());
        if found == wanted {
            Ok(())
        } else {
            Err(VectorsError::Dimensions { found, wanted })
        }
    }
}

#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
        read if read == bytes.len() => Ok(()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests;
