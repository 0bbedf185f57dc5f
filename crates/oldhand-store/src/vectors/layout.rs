//! Where everything stands in the file. All numbers are little-endian.
//!
//! ```text
//! header   4096 bytes      magic, version, dimensions, model, checksum of those; then the number of rows, alone in its 8 bytes
//! blocks   of 1024 rows    keys · fits · sketches · vectors (checksum, scale, two bytes a dimension)
//! ```
//!
//! What a scan reads of a block lies together, an eighth of the file; vectors are read one by one.

use std::path::Path;

use super::scan::Steps;
use super::{Key, VectorsError};

pub(super) const HEADER: usize = 4096;
const MAGIC: &[u8; 8] = b"ohvector";
const VERSION: u32 = 3;
const MODEL_AT: usize = 20;
const LONGEST_MODEL: usize = 200;
pub(super) const CHECKSUM_AT: usize = 256;
pub(super) const ROWS_AT: usize = 512;
pub(super) const BLOCK: usize = 1024;
/// What Linux can keep in one piece of its memory, and show to a process by one entry of a table instead of by 512: if it was first written in one piece,
/// or is read for somebody who asked for large pages, and begins at a multiple of this in the file.
pub(super) const STRETCH: usize = 2 << 20;

#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    dimensions: usize,
}

/// Where a row's parts begin.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) key: usize,
    pub(super) fit: usize,
    pub(super) sketch: usize,
    /// Checksum, scale and steps, one behind the other.
    pub(super) vector: usize,
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
        BLOCK * (16 + 4 + self.sketch_size() + self.vector_size())
    }

    pub(super) const fn sketch_size(self) -> usize {
        self.dimensions.div_ceil(4)
    }

    pub(super) const fn vector_size(self) -> usize {
        4 + 4 + 2 * self.dimensions
    }

    pub(super) const fn row(self, row: usize) -> Row {
        let block = HEADER + row / BLOCK * self.block_size();
        let within = row % BLOCK;
        let fits = block + 16 * BLOCK;
        let sketches = fits + 4 * BLOCK;
        let vectors = sketches + self.sketch_size() * BLOCK;
        Row {
            key: block + 16 * within,
            fit: fits + 4 * within,
            sketch: sketches + self.sketch_size() * within,
            vector: vectors + self.vector_size() * within,
        }
    }

    /// How much of a block its keys take.
    pub(super) const fn keys_size() -> usize {
        16 * BLOCK
    }

    /// How much of a block a scan reads: keys, fits and sketches.
    pub(super) const fn front_size(self) -> usize {
        Self::keys_size() + (4 + self.sketch_size()) * BLOCK
    }

    /// The first `rows` rows of a block whose beginning is `front`.
    pub(super) fn stretch(self, front: &[u8], rows: usize) -> Stretch<'_> {
        let (keys, rest) = front.split_at(Self::keys_size());
        let (fits, sketches) = rest.split_at(4 * BLOCK);
        Stretch {
            keys: &keys[..16 * rows],
            fits: &fits[..4 * rows],
            sketches: &sketches[..self.sketch_size() * rows],
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
}

/// Rows that lie one behind the other.
pub(super) struct Stretch<'a> {
    keys: &'a [u8],
    pub(super) fits: &'a [u8],
    pub(super) sketches: &'a [u8],
}

impl Stretch<'_> {
    pub(super) fn key(&self, at: usize) -> Key {
        Key(self.keys.as_chunks::<16>().0[at])
    }
}

/// The bytes of a row's vector.
#[derive(Clone, Copy)]
pub(super) struct Stored<'a>(pub(super) &'a [u8]);

impl<'a> Stored<'a> {
    pub(super) fn write(key: Key, vector: &[f32]) -> Vec<u8> {
        let Steps { scale, steps } = Steps::of(vector);
        let mut bytes = vec![0; 4];
        bytes.extend(scale.to_bits().to_le_bytes());
        bytes.extend(steps.iter().flat_map(|step| step.to_le_bytes()));
        let sum = checksum(&[&key.0, &bytes[4..]]).to_le_bytes();
        bytes[..4].copy_from_slice(&sum);
        bytes
    }

    pub(super) fn is_sound(self, key: Key) -> bool {
        key != Key::NOBODY && number(self.0, 0) == checksum(&[&key.0, &self.0[4..]])
    }

    fn scale(self) -> f32 {
        f32::from_bits(number(self.0, 4))
    }

    fn steps(self) -> impl Iterator<Item = f32> + use<'a> {
        let pairs = self.0[8..].chunks_exact(2);
        pairs.map(|pair| f32::from(i16::from_le_bytes([pair[0], pair[1]])))
    }

    pub(super) fn vector(self) -> Vec<f32> {
        let scale = self.scale();
        self.steps().map(|step| scale * step).collect()
    }

    /// The cosine, for unit vectors.
    pub(super) fn dot(self, question: &[f32]) -> f32 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor was asked.
            return unsafe { wide_dot(&self.0[8..], question) } * self.scale();
        }
        plain_dot(&self.0[8..], question) * self.scale()
    }
}

/// As [`plain_dot`]. Written out, since a release that is built to be small has no loop turned into wide instructions by the compiler.
#[cfg(target_arch = "x86_64")]
#[allow(clippy::cast_ptr_alignment, reason = "the load takes any address")]
#[target_feature(enable = "avx2")]
unsafe fn wide_dot(steps: &[u8], question: &[f32]) -> f32 {
    use std::arch::x86_64::{
        __m128i, _mm_loadu_si128, _mm256_add_ps, _mm256_cvtepi16_epi32, _mm256_cvtepi32_ps,
        _mm256_loadu_ps, _mm256_mul_ps, _mm256_setzero_ps, _mm256_storeu_ps,
    };
    let (stretches, last) = steps.as_chunks::<32>();
    let (values, last_values) = question.as_chunks::<16>();
    let mut halves = [_mm256_setzero_ps(); 2];
    for (steps, values) in stretches.iter().zip(values) {
        for (half, sum) in halves.iter_mut().enumerate() {
            // SAFETY: eight steps of two bytes and eight numbers are loaded, from one half of sixteen of each.
            let (steps, values) = unsafe {
                (
                    _mm_loadu_si128(steps.as_ptr().add(16 * half).cast::<__m128i>()),
                    _mm256_loadu_ps(values.as_ptr().add(8 * half)),
                )
            };
            let steps = _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(steps));
            *sum = _mm256_add_ps(*sum, _mm256_mul_ps(steps, values));
        }
    }
    let mut sums = [0.0_f32; 16];
    // SAFETY: eight numbers are stored to each half of sixteen.
    unsafe {
        _mm256_storeu_ps(sums.as_mut_ptr(), halves[0]);
        _mm256_storeu_ps(sums.as_mut_ptr().add(8), halves[1]);
    }
    add_last(&mut sums, last, last_values);
    sums.iter().sum()
}

/// The product of steps, two bytes each, and a question. The sum is the same with wide registers and without.
fn plain_dot(steps: &[u8], question: &[f32]) -> f32 {
    // Sixteen sums side by side: one after the other would wait for each addition.
    let mut sums = [0.0_f32; 16];
    for (steps, values) in steps.chunks(32).zip(question.chunks(16)) {
        add_last(&mut sums, steps, values);
    }
    sums.iter().sum()
}

/// Adds the products of up to sixteen steps and numbers, each to its own sum.
fn add_last(sums: &mut [f32; 16], steps: &[u8], values: &[f32]) {
    for ((sum, pair), value) in sums.iter_mut().zip(steps.as_chunks::<2>().0).zip(values) {
        *sum += f32::from(i16::from_le_bytes(*pair)) * value;
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// A model's name as far as the header has room.
fn shorten(model: &str) -> &str {
    &model[..model.floor_char_boundary(LONGEST_MODEL)]
}

/// Tells bytes that a disk or a crash changed, which nobody does on purpose: two hundred rows are checked for each question, and a hash that nobody
/// could outwit takes fifteen times as long.
pub(super) fn checksum(parts: &[&[u8]]) -> u32 {
    // Each step can be undone, so that no change of one word is lost on the way.
    let add = |sum: u64, word: u64| {
        let sum = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        sum ^ sum >> 32
    };
    let mut sum = 0;
    for part in parts {
        let (words, rest) = part.as_chunks::<8>();
        for word in words {
            sum = add(sum, u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        sum = add(sum, u64::from_le_bytes(last));
        sum = add(sum, part.len() as u64);
    }
    sum as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_checksum_tells_every_changed_bit_of_a_row() {
        let row: Vec<u8> = (0..776_u32).map(|at| (at * at % 251) as u8).collect();
        let key = [7; 16];
        let sum = checksum(&[&key, &row[4..]]);
        for at in 4 * 8..row.len() * 8 {
            let mut changed = row.clone();
            changed[at / 8] ^= 1 << (at % 8);
            assert_ne!(checksum(&[&key, &changed[4..]]), sum, "bit {at}");
        }
        assert_ne!(checksum(&[&[8; 16], &row[4..]]), sum);
        assert_ne!(checksum(&[&[0; 16], &[0; 772]]), 0);
    }

    proptest! {
        #[test]
        fn a_wide_product_is_the_plain_one(rows in prop::collection::vec((any::<i16>(), -1.0_f32..1.0), 0..100)) {
            let steps: Vec<u8> = rows.iter().flat_map(|(step, _)| step.to_le_bytes()).collect();
            let question: Vec<f32> = rows.iter().map(|(_, value)| *value).collect();
            let stored = [&[0; 4], &1.0_f32.to_le_bytes()[..], &steps].concat();
            let (wide, plain) = (Stored(&stored).dot(&question), plain_dot(&steps, &question));
            prop_assert!(wide.to_bits() == plain.to_bits(), "{wide} is not {plain}");
        }
    }
}
