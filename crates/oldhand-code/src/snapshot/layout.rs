//! The bytes of a snapshot: a header, then sections of little-endian numbers.

use crate::language::FINGERPRINT;

pub(super) const NONE: u32 = u32::MAX;
/// Sizes of one record, in bytes.
pub(super) const FILE: usize = 80;
pub(super) const SYMBOL: usize = 48;
pub(super) const EDGE: usize = 12;

const MAGIC: &[u8; 8] = b"OHGRAPH\n";
const VERSION: u32 = 1;
const SECTIONS: usize = 15;
/// Magic, version, section count, language fingerprint, checksum of the sections, section bounds, checksum of the header.
const HEADER: usize = 8 + 4 + 4 + 8 + 8 + SECTIONS * 16 + 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Section {
    Texts,
    TextEnds,
    Files,
    Symbols,
    OutStarts,
    /// Target, first site, then kind, origin and confidence; one more record ends the last edge's sites.
    Edges,
    InStarts,
    /// Source and edge.
    In,
    Sites,
    ByName,
    WantedStarts,
    Wanted,
    ExternalStarts,
    Externals,
    /// Path, kind, detail.
    Problems,
}

/// Where the sections are.
#[derive(Clone, Debug)]
pub(super) struct Header {
    bounds: [(usize, usize); SECTIONS],
    checksum: u64,
}

impl Header {
    /// Nothing when this is not a whole snapshot of this version.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let head = bytes.get(..HEADER)?;
        let (told, sealed) = head.split_at(HEADER - 8);
        if !told.starts_with(MAGIC) || sealed != seal(told) {
            return None;
        }
        let long = |at: usize| Some(u64::from_le_bytes(told.get(at..at + 8)?.try_into().ok()?));
        if number(told, 2) != VERSION
            || number(told, 3) as usize != SECTIONS
            || long(16)? != FINGERPRINT
        {
            return None;
        }
        let mut bounds = [(0, 0); SECTIONS];
        for (at, bound) in bounds.iter_mut().enumerate() {
            let start = long(32 + at * 16)? as usize;
            let length = long(32 + at * 16 + 8)? as usize;
            bytes.get(start..start.checked_add(length)?)?;
            *bound = (start, length);
        }
        Some(Self {
            bounds,
            checksum: long(24)?,
        })
    }

    pub(super) fn slice<'b>(&self, bytes: &'b [u8], section: Section) -> &'b [u8] {
        let (start, length) = self.bounds[section as usize];
        &bytes[start..start + length]
    }

    pub(super) fn matches(&self, bytes: &[u8]) -> bool {
        sum(&bytes[HEADER..]) == self.checksum
    }

    pub(super) fn checksum(&self) -> u64 {
        self.checksum
    }
}

/// One file's bytes from its sections, in the order of [`Section`].
pub(super) fn join(sections: [Vec<u8>; SECTIONS]) -> Vec<u8> {
    let total: usize = sections
        .iter()
        .map(|section| section.len().next_multiple_of(8))
        .sum();
    let mut bytes = Vec::with_capacity(HEADER + total);
    bytes.resize(HEADER, 0);
    let mut bounds = Vec::with_capacity(SECTIONS);
    for section in sections {
        bounds.push((bytes.len(), section.len()));
        bytes.extend_from_slice(&section);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    let mut head = Vec::with_capacity(HEADER);
    head.extend_from_slice(MAGIC);
    head.extend_from_slice(&VERSION.to_le_bytes());
    head.extend_from_slice(&(SECTIONS as u32).to_le_bytes());
    head.extend_from_slice(&FINGERPRINT.to_le_bytes());
    head.extend_from_slice(&sum(&bytes[HEADER..]).to_le_bytes());
    for (start, length) in bounds {
        head.extend_from_slice(&(start as u64).to_le_bytes());
        head.extend_from_slice(&(length as u64).to_le_bytes());
    }
    let sealed = seal(&head);
    head.extend_from_slice(&sealed);
    bytes[..HEADER].copy_from_slice(&head);
    bytes
}

fn seal(head: &[u8]) -> [u8; 8] {
    sum(head).to_le_bytes()
}

/// Finds damage, not malice; four lanes keep it at memory speed.
fn sum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut lanes = [1_u64, 2, 3, 4];
    let mut blocks = bytes.chunks_exact(32);
    for block in &mut blocks {
        for (lane, word) in lanes.iter_mut().zip(block.chunks_exact(8)) {
            let word = u64::from_le_bytes(word.try_into().expect("eight bytes"));
            *lane = (*lane ^ word).wrapping_mul(PRIME).rotate_left(29);
        }
    }
    let mut sum = bytes.len() as u64;
    for &byte in blocks.remainder() {
        sum = (sum ^ u64::from(byte)).wrapping_mul(PRIME);
    }
    for lane in lanes {
        sum = (sum ^ lane).wrapping_mul(PRIME).rotate_left(31);
    }
    sum
}

/// The number in the given place of a section or record; 0 beyond its end.
pub(super) fn number(bytes: &[u8], at: usize) -> u32 {
    let found = bytes
        .get(at * 4..at * 4 + 4)
        .and_then(|four| four.try_into().ok());
    found.map_or(0, u32::from_le_bytes)
}

pub(super) fn optional(number: u32) -> Option<u32> {
    (number != NONE).then_some(number)
}
