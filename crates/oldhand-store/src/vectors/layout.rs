//! Where everything stands in the file. All numbers are little-endian.
//!
//! ```text
//! header   4096 bytes   magic, version, dimensions, model, checksum of those; then the number of rows, alone in its 8 bytes
//! blocks   of 64 rows   keys · scales · checksums · coarse bytes · fine bytes
//! ```
//!
//! Rows of a block keep their coarse bytes together, so that a scan reads half of the file and nothing else.

use std::path::Path;

use super::{Key, VectorsError};

pub(super) const HEADER: usize = 4096;
const MAGIC: &[u8; 8] = b"ohvector";
const VERSION: u32 = 1;
const MODEL_AT: usize = 20;
const LONGEST_MODEL: usize = 200;
const CHECKSUM_AT: usize = 256;
pub(super) const ROWS_AT: usize = 512;
const BLOCK: usize = 64;

#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    dimensions: usize,
}

/// Where a row's parts begin.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) key: usize,
    pub(super) scale: usize,
    pub(super) checksum: usize,
    pub(super) coarse: usize,
    pub(super) fine: usize,
    dimensions: usize,
}

impl Layout {
    pub(super) const fn new(dimensions: usize) -> Self {
        Self { dimensions }
    }

    pub(super) const fn dimensions(self) -> usize {
        self.dimensions
    }

    /// The size of a file that holds `rows` rows: whole blocks, so that it grows rarely.
    pub(super) const fn size(self, rows: usize) -> usize {
        HEADER + rows.div_ceil(BLOCK) * self.block_size()
    }

    const fn block_size(self) -> usize {
        BLOCK * (16 + 4 + 4 + 2 * self.dimensions)
    }

    pub(super) const fn row(self, row: usize) -> Row {
        let block = HEADER + row / BLOCK * self.block_size();
        let within = row % BLOCK;
        let scales = block + 16 * BLOCK;
        let checksums = scales + 4 * BLOCK;
        let coarse = checksums + 4 * BLOCK;
        let fine = coarse + self.dimensions * BLOCK;
        Row {
            key: block + 16 * within,
            scale: scales + 4 * within,
            checksum: checksums + 4 * within,
            coarse: coarse + self.dimensions * within,
            fine: fine + self.dimensions * within,
            dimensions: self.dimensions,
        }
    }

    /// The header of an empty file.
    pub(super) fn header(self, model: &str) -> Vec<u8> {
        let model = shorten(model);
        let mut header = vec![0; HEADER];
        header[..8].copy_from_slice(MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&(self.dimensions as u32).to_le_bytes());
        header[16..20].copy_from_slice(&(model.len() as u32).to_le_bytes());
        header[MODEL_AT..MODEL_AT + model.len()].copy_from_slice(model.as_bytes());
        let sum = checksum(&[&header[..CHECKSUM_AT]]);
        header[CHECKSUM_AT..CHECKSUM_AT + 4].copy_from_slice(&sum.to_le_bytes());
        header
    }

    /// The number of rows, when the file is what it should be.
    pub(super) fn check(
        self,
        bytes: &[u8],
        path: &Path,
        model: &str,
    ) -> Result<usize, VectorsError> {
        let damaged = |detail| VectorsError::Damaged {
            path: path.to_owned(),
            detail,
        };
        if bytes.len() < HEADER || &bytes[..8] != MAGIC || number(bytes, 8) != VERSION {
            return Err(damaged("it does not begin as a file of vectors"));
        }
        if number(bytes, CHECKSUM_AT) != checksum(&[&bytes[..CHECKSUM_AT]]) {
            return Err(damaged("its header is not what was written"));
        }
        let length = (number(bytes, 16) as usize).min(LONGEST_MODEL);
        let found = String::from_utf8_lossy(&bytes[MODEL_AT..MODEL_AT + length]);
        if found != shorten(model) || number(bytes, 12) as usize != self.dimensions {
            let (found, wanted) = (found.into_owned(), model.to_owned());
            return Err(VectorsError::OtherModel {
                path: path.to_owned(),
                found,
                wanted,
            });
        }
        let rows = u64::from_le_bytes(bytes[ROWS_AT..ROWS_AT + 8].try_into().expect("eight bytes"));
        let fits = usize::try_from(rows).is_ok_and(|rows| {
            rows.checked_mul(self.dimensions).is_some() && self.size(rows) <= bytes.len()
        });
        if fits {
            Ok(rows as usize)
        } else {
            Err(damaged("it is shorter than it says"))
        }
    }
}

impl Row {
    pub(super) fn key(self, bytes: &[u8]) -> Key {
        Key(bytes[self.key..self.key + 16]
            .try_into()
            .expect("sixteen bytes"))
    }

    pub(super) fn scale(self, bytes: &[u8]) -> f32 {
        f32::from_bits(number(bytes, self.scale))
    }

    pub(super) fn coarse(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.coarse..self.coarse + self.dimensions]
    }

    fn fine(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.fine..self.fine + self.dimensions]
    }

    pub(super) fn vector(self, bytes: &[u8]) -> Vec<f32> {
        let scale = self.scale(bytes);
        let value = |(coarse, fine): (&u8, &u8)| {
            scale
                * (f32::from(coarse.cast_signed())
                    + f32::from(fine.cast_signed()) / super::scan::FINE)
        };
        self.coarse(bytes)
            .iter()
            .zip(self.fine(bytes))
            .map(value)
            .collect()
    }

    pub(super) fn is_sound(self, bytes: &[u8]) -> bool {
        let key = &bytes[self.key..self.key + 16];
        let scale = &bytes[self.scale..self.scale + 4];
        self.key(bytes) != Key::NOBODY
            && number(bytes, self.checksum)
                == checksum(&[key, scale, self.coarse(bytes), self.fine(bytes)])
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// A model's name as far as the header has room.
fn shorten(model: &str) -> &str {
    &model[..model.floor_char_boundary(LONGEST_MODEL)]
}

pub(super) fn checksum(parts: &[&[u8]]) -> u32 {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    let hash = hasher.finalize();
    u32::from_le_bytes(hash.as_bytes()[..4].try_into().expect("four bytes"))
}
