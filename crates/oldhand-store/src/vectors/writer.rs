//! Adding, removing and making anew. One process at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::layout::{BLOCK, Layout, ROWS_AT, Row, STRETCH, Stored};
use super::scan::Sketch;
use super::{Key, Vectors, VectorsError};

/// The one process that may change the file; the lock ends with it.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    model: String,
    layout: Layout,
    file: File,
    rows: usize,
    _lock: File,
}

impl Writer {
    /// Opens the file for writing, and makes an empty one where there is none.
    pub fn open(path: &Path, model: &str, dimensions: usize) -> Result<Self, VectorsError> {
        let lock = lock(path)?;
        let layout = Layout::new(dimensions);
        let rows = match Vectors::open(path, model, dimensions) {
            Ok(vectors) => vectors.rows(),
            Err(VectorsError::Missing { .. }) => {
                replace(path, model, dimensions, std::iter::empty())?;
                0
            }
            Err(error) => return Err(error),
        };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(disk("open", path))?;
        Ok(Self {
            path: path.to_owned(),
            model: model.to_owned(),
            layout,
            file,
            rows,
            _lock: lock,
        })
    }

    /// Adds vectors; one that its owner already had is replaced. A power cut may take the last ones: compare [`Vectors::keys`] with
    /// the database to know whose vector is missing.
    pub fn put(&mut self, vectors: &[(Key, &[f32])]) -> Result<(), VectorsError> {
        let wanted = self.layout.dimensions();
        if let Some((_, wrong)) = vectors.iter().find(|(_, vector)| vector.len() != wanted) {
            return Err(VectorsError::Dimensions {
                found: wrong.len(),
                wanted,
            });
        }
        let before = self.rows;
        let rows = before + vectors.len();
        self.write_rows(vectors, rows)
            .map_err(disk("write", &self.path))?;
        self.rows = rows;
        let keys: Vec<Key> = vectors.iter().map(|(key, _)| *key).collect();
        self.clear(&keys, before)
    }

    /// Overwrites the vectors of `keys` with zeros.
    pub fn remove(&mut self, keys: &[Key]) -> Result<(), VectorsError> {
        self.clear(keys, self.rows)
    }

    fn write_rows(&mut self, vectors: &[(Key, &[f32])], rows: usize) -> io::Result<()> {
        self.grow(self.layout.size(rows) as u64)?;
        let parts = vectors.iter().map(|(key, vector)| Parts::of(*key, vector));
        let parts: Vec<Parts> = parts.collect();
        // In as few writes as can be: what is written in long ones lies in long stretches of the system's memory, and is read there in half the time.
        let left = self.rows.next_multiple_of(BLOCK) - self.rows;
        let (begun, whole) = parts.split_at(left.min(parts.len()));
        if let Some(first) = begun.first() {
            for (which, (at, _)) in first.at(self.layout.row(self.rows)).iter().enumerate() {
                let run = begun.iter().map(|parts| parts.all()[which]);
                self.write_at(*at, &run.collect::<Vec<_>>().concat())?;
            }
        }
        if !whole.is_empty() {
            let at = self.layout.row(rows - whole.len()).key;
            self.write_at(at, &join(whole, self.layout, rows))?;
        }
        // The count is what makes rows exist, so that they must be there before it.
        self.file.sync_data()?;
        self.write_at(ROWS_AT, &(rows as u64).to_le_bytes())
    }

    /// Makes the file `size` long at least. A long one grows by whole stretches, each of which is first written in one piece.
    fn grow(&mut self, size: u64) -> io::Result<()> {
        let mut end = self.file.metadata()?.len();
        if end >= size {
            return Ok(());
        }
        let stretch = STRETCH as u64;
        if size <= stretch {
            return self.file.set_len(size);
        }
        let zeros = vec![0; STRETCH];
        self.file.seek(SeekFrom::Start(end))?;
        while end < size {
            let next = (end + 1).next_multiple_of(stretch);
            self.file.write_all(&zeros[..(next - end) as usize])?;
            end = next;
        }
        Ok(())
    }

    /// Overwrites rows of `keys` before row `end`.
    fn clear(&mut self, keys: &[Key], end: usize) -> Result<(), VectorsError> {
        let mut keys = keys.to_vec();
        keys.sort_unstable();
        let vectors = Vectors::open(&self.path, &self.model, self.layout.dimensions())?;
        let dead: Vec<usize> = (0..end.min(vectors.rows()))
            .filter(|&row| keys.binary_search(&vectors.key(row)).is_ok())
            .collect();
        drop(vectors);
        if dead.is_empty() {
            return Ok(());
        }
        let zeros = Parts::nobody(self.layout);
        let clear = || {
            for row in dead {
                for (at, bytes) in zeros.at(self.layout.row(row)) {
                    self.write_at(at, bytes)?;
                }
            }
            self.file.sync_data()
        };
        clear().map_err(disk("write", &self.path))
    }

    fn write_at(&mut self, at: usize, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at as u64))?;
        self.file.write_all(bytes)
    }
}

/// Makes the file anew from all vectors there are. Readers of the old one keep reading it undisturbed.
pub fn rebuild(
    path: &Path,
    model: &str,
    dimensions: usize,
    vectors: impl IntoIterator<Item = (Key, Vec<f32>)>,
) -> Result<usize, VectorsError> {
    let _lock = lock(path)?;
    replace(path, model, dimensions, vectors.into_iter())
}

fn replace(
    path: &Path,
    model: &str,
    dimensions: usize,
    vectors: impl Iterator<Item = (Key, Vec<f32>)>,
) -> Result<usize, VectorsError> {
    let layout = Layout::new(dimensions);
    let fresh = path.with_extension("vec.new");
    let file = File::create(&fresh).map_err(disk("create", &fresh))?;
    let mut file = BufWriter::new(file);
    let mut block = Vec::new();
    let mut rows = 0;
    let mut write = |bytes: &[u8]| file.write_all(bytes).map_err(disk("write", &fresh));
    write(&layout.header(model))?;
    for (key, vector) in vectors {
        if vector.len() != dimensions {
            return Err(VectorsError::Dimensions {
                found: vector.len(),
                wanted: dimensions,
            });
        }
        block.push(Parts::of(key, &vector));
        rows += 1;
        if layout.size(rows) != layout.size(rows + 1) {
            write(&join(&block, layout, rows))?;
            block.clear();
        }
    }
    if !block.is_empty() {
        write(&join(&block, layout, rows))?;
    }
    let finish = || {
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(ROWS_AT as u64))?;
        file.write_all(&(rows as u64).to_le_bytes())?;
        file.sync_all()?;
        fs::rename(&fresh, path)
    };
    finish().map_err(disk("write", path))?;
    Ok(rows)
}

/// What is written of a row. The key comes first: a half-cleared row belongs to nobody.
struct Parts {
    key: [u8; 16],
    fit: [u8; 4],
    sketch: Vec<u8>,
    vector: Vec<u8>,
}

impl Parts {
    fn of(key: Key, vector: &[f32]) -> Self {
        let vector = Stored::write(key, vector);
        // The sketch is one of what is stored, so that it can be checked against it.
        let Sketch { fit, bytes } = Sketch::of(&Stored(&vector).vector());
        Self {
            key: key.0,
            fit: fit.to_bits().to_le_bytes(),
            sketch: bytes,
            vector,
        }
    }

    fn nobody(layout: Layout) -> Self {
        Self {
            key: Key::NOBODY.0,
            fit: [0; 4],
            sketch: vec![0; layout.sketch_size()],
            vector: vec![0; layout.vector_size()],
        }
    }

    fn at(&self, row: Row) -> [(usize, &[u8]); 4] {
        let [key, fit, sketch, vector] = self.all();
        [
            (row.key, key),
            (row.fit, fit),
            (row.sketch, sketch),
            (row.vector, vector),
        ]
    }

    fn all(&self) -> [&[u8]; 4] {
        [&self.key, &self.fit, &self.sketch, &self.vector]
    }
}

/// The bytes of whole blocks, the last of which ends with row `rows` or is not full yet.
fn join(block: &[Parts], layout: Layout, rows: usize) -> Vec<u8> {
    let first = layout.size(rows - block.len()).max(layout.size(0));
    let start = layout.row(rows - block.len()).key;
    let mut bytes = vec![0; layout.size(rows) - first];
    for (offset, parts) in block.iter().enumerate() {
        for (at, part) in parts.at(layout.row(rows - block.len() + offset)) {
            bytes[at - start..at - start + part.len()].copy_from_slice(part);
        }
    }
    bytes
}

fn lock(path: &Path) -> Result<File, VectorsError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(disk("make room for", path))?;
    }
    let file = File::create(path.with_extension("vec.lock")).map_err(disk("lock", path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(VectorsError::Busy {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(disk("lock", path)(source)),
    }
}

fn disk<'a>(
    doing: &'static str,
    path: &'a Path,
) -> impl FnOnce(io::Error) -> VectorsError + use<'a> {
    move |source| VectorsError::Disk {
        doing,
        path: path.to_owned(),
        source,
    }
}
