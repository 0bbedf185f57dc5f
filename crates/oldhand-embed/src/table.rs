//! The model file, read in place: pieces by hash, a scale and a row of bytes for each. `tools/embed/pack.py` writes it.

static FILE: &[u8] = include_bytes!("../model/static-384-2.bin");

pub(crate) const DIMENSIONS: usize = number(8) as usize;
const PIECES: usize = number(12) as usize;
const STARTING: usize = number(16) as usize;
const SLOTS: usize = number(20) as usize;
const TEXT: usize = number(24) as usize;
const ROWS_AT: usize = number(28) as usize;

const SLOTS_AT: usize = 32;
const ENDS_AT: usize = SLOTS_AT + 2 * SLOTS;
const TEXT_AT: usize = ENDS_AT + 4 * PIECES;
const SCALES_AT: usize = TEXT_AT + TEXT;

// A file that does not fit its own header does not compile, so that nothing has to be checked at start.
const _: () =
    assert!(FILE.len() == ROWS_AT + PIECES * DIMENSIONS && SCALES_AT + 4 * PIECES <= ROWS_AT);
const _: () = assert!(SLOTS.is_power_of_two() && PIECES < SLOTS && PIECES < EMPTY as usize);

const EMPTY: u16 = u16::MAX;
const PRIME: u32 = 0x0100_0193;

/// Where in a word a piece stands: `##ing` and `ing` are different pieces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Start,
    Continuation,
}

/// A running FNV-1a hash of a piece's bytes.
#[derive(Clone, Copy)]
pub(crate) struct Hash(u32);

impl Hash {
    pub(crate) fn new(place: Place) -> Self {
        Self(match place {
            Place::Start => 0x811c_9dc5,
            Place::Continuation => 0x9747_b28c,
        })
    }

    pub(crate) fn with(self, byte: u8) -> Self {
        Self((self.0 ^ u32::from(byte)).wrapping_mul(PRIME))
    }
}

/// The model that is part of the program.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    bytes: &'static [u8],
}

impl Table {
    pub(crate) fn embedded() -> Self {
        Self { bytes: FILE }
    }

    /// The piece spelled `text` at that place; `hash` is the hash of its bytes.
    pub(crate) fn find(self, text: &[u8], place: Place, hash: Hash) -> Option<u16> {
        let mut slot = (hash.0 ^ (hash.0 >> 15)) as usize & (SLOTS - 1);
        loop {
            let at = SLOTS_AT + 2 * slot;
            let piece = u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]);
            if piece == EMPTY {
                return None;
            }
            let starts = usize::from(piece) < STARTING;
            if starts == (place == Place::Start) && self.text(piece) == text {
                return Some(piece);
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
    }

    pub(crate) fn scale(self, piece: u16) -> f32 {
        f32::from_bits(self.read(SCALES_AT + 4 * usize::from(piece)))
    }

    pub(crate) fn row(self, piece: u16) -> &'static [u8] {
        let at = ROWS_AT + usize::from(piece) * DIMENSIONS;
        &self.bytes[at..at + DIMENSIONS]
    }

    fn text(self, piece: u16) -> &'static [u8] {
        let piece = usize::from(piece);
        let start = if piece == 0 {
            0
        } else {
            self.read(ENDS_AT + 4 * (piece - 1)) as usize
        };
        let end = self.read(ENDS_AT + 4 * piece) as usize;
        &self.bytes[TEXT_AT + start..TEXT_AT + end]
    }

    fn read(self, at: usize) -> u32 {
        u32::from_le_bytes([
            self.bytes[at],
            self.bytes[at + 1],
            self.bytes[at + 2],
            self.bytes[at + 3],
        ])
    }
}

const fn number(at: usize) -> u32 {
    u32::from_le_bytes([FILE[at], FILE[at + 1], FILE[at + 2], FILE[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_finds_itself() {
        let table = Table::embedded();
        for piece in 0..PIECES as u16 {
            let place = if usize::from(piece) < STARTING {
                Place::Start
            } else {
                Place::Continuation
            };
            let text = table.text(piece);
            let hash = text
                .iter()
                .fold(Hash::new(place), |hash, &byte| hash.with(byte));
            assert_eq!(table.find(text, place, hash), Some(piece));
        }
    }

    #[test]
    fn every_scale_is_a_positive_number() {
        let table = Table::embedded();
        assert!(
            (0..PIECES as u16)
                .all(|piece| table.scale(piece) > 0.0 && table.scale(piece).is_finite())
        );
    }
}
