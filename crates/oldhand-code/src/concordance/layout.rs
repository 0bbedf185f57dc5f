//! How a concordance lies on disk: tables of fixed rows, then postings and strings. Everything is little-endian.
//!
//! ```text
//! header   magic 8 · version of words u32 · files u32 · terms u32 · total words u64 · postings bytes u32 · strings bytes u32
//! files    path offset u32 · path length u32 · words u32 · unused u32 · modified u64 · size u64
//! terms    text offset u32 · text length u32 · postings offset u32 · postings length u32     (sorted by text)
//! postings per term: (file number − the one before, times), both as variable-length integers
//! strings
//! ```

use std::collections::BTreeMap;

use oldhand_domain::words;

use crate::walk::Seen;

/// The last byte goes up with the layout.
const MAGIC: &[u8; 8] = b"OLDCONC\x03";
const HEADER: usize = 36;
const FILE_ROW: usize = 32;
const TERM_ROW: usize = 16;

/// Files in the order of their paths, how many words each has, and for each word the files that hold it, in their order, and how often.
pub(super) fn write(
    listed: &[Seen],
    lengths: &[u32],
    postings_of: &BTreeMap<&str, Vec<(u32, u32)>>,
) -> Vec<u8> {
    let mut strings = Vec::new();
    let mut files = Vec::with_capacity(listed.len() * FILE_ROW);
    let mut total = 0_u64;
    for (file, &length) in listed.iter().zip(lengths) {
        total += u64::from(length);
        put(
            &mut files,
            &[strings.len() as u32, file.path.len() as u32, length, 0],
        );
        files.extend(file.modified.to_le_bytes());
        files.extend(file.size.to_le_bytes());
        strings.extend(file.path.as_bytes());
    }
    let mut terms = Vec::with_capacity(postings_of.len() * TERM_ROW);
    let mut postings = Vec::new();
    for (word, files) in postings_of {
        let start = postings.len();
        let mut before = 0;
        for (file, times) in files {
            put_varint(&mut postings, file - before);
            put_varint(&mut postings, *times);
            before = *file;
        }
        put(
            &mut terms,
            &[
                strings.len() as u32,
                word.len() as u32,
                start as u32,
                (postings.len() - start) as u32,
            ],
        );
        strings.extend(word.as_bytes());
    }
    let mut bytes = MAGIC.to_vec();
    let counts = [listed.len() as u32, postings_of.len() as u32];
    put(&mut bytes, &[words::VERSION]);
    put(&mut bytes, &counts);
    bytes.extend(total.to_le_bytes());
    put(&mut bytes, &[postings.len() as u32, strings.len() as u32]);
    for section in [files, terms, postings, strings] {
        bytes.extend(section);
    }
    bytes
}

fn put(bytes: &mut Vec<u8>, numbers: &[u32]) {
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn put_varint(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// A concordance as it lies in memory. Every access is checked: a damaged file gives fewer answers, never a crash.
#[derive(Clone, Copy)]
pub(super) struct View<'b> {
    files: &'b [u8],
    terms: &'b [u8],
    postings: &'b [u8],
    strings: &'b [u8],
    total: u64,
}

impl<'b> View<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        // Words that were cut another way are not found by today's.
        let rest = rest.strip_prefix(&words::VERSION.to_le_bytes())?;
        let files = u32_at(rest, 0)? as usize * FILE_ROW;
        let terms = u32_at(rest, 4)? as usize * TERM_ROW;
        let total = u64_at(rest, 8)?;
        let postings = u32_at(rest, 16)? as usize;
        let strings = u32_at(rest, 20)? as usize;
        let body = bytes.get(HEADER..)?;
        if body.len() != files + terms + postings + strings {
            return None;
        }
        let (files, body) = body.split_at_checked(files)?;
        let (terms, body) = body.split_at_checked(terms)?;
        let (postings, strings) = body.split_at_checked(postings)?;
        Some(Self {
            files,
            terms,
            postings,
            strings,
            total,
        })
    }

    pub(super) fn file_count(self) -> u32 {
        (self.files.len() / FILE_ROW) as u32
    }

    pub(super) fn mean_length(self) -> f64 {
        self.total as f64 / f64::from(self.file_count().max(1))
    }

    fn file_row(self, file: u32) -> &'b [u8] {
        let start = file as usize * FILE_ROW;
        self.files.get(start..start + FILE_ROW).unwrap_or_default()
    }

    pub(super) fn path(self, file: u32) -> &'b str {
        self.string(self.file_row(file))
    }

    /// How many words the file has.
    pub(super) fn length(self, file: u32) -> u32 {
        u32_at(self.file_row(file), 8).unwrap_or(0)
    }

    pub(super) fn listed(self, file: u32) -> Seen {
        let row = self.file_row(file);
        Seen {
            path: self.path(file).to_owned(),
            modified: u64_at(row, 16).unwrap_or(0),
            size: u64_at(row, 24).unwrap_or(0),
        }
    }

    /// The text a row begins by pointing at.
    fn string(self, row: &[u8]) -> &'b str {
        let text = || {
            let start = u32_at(row, 0)? as usize;
            let length = u32_at(row, 4)? as usize;
            std::str::from_utf8(self.strings.get(start..start.checked_add(length)?)?).ok()
        };
        text().unwrap_or_default()
    }

    fn term_rows(self) -> impl ExactSizeIterator<Item = &'b [u8]> {
        self.terms.chunks_exact(TERM_ROW)
    }

    fn postings(self, row: &[u8]) -> Postings<'b> {
        let bytes = || {
            let start = u32_at(row, 8)? as usize;
            let length = u32_at(row, 12)? as usize;
            self.postings.get(start..start.checked_add(length)?)
        };
        Postings {
            bytes: bytes().unwrap_or_default(),
            file: 0,
            files: self.file_count(),
        }
    }

    pub(super) fn terms(self) -> impl Iterator<Item = (&'b str, Postings<'b>)> {
        self.term_rows()
            .map(move |row| (self.string(row), self.postings(row)))
    }

    /// The files that hold `word`, and how often.
    pub(super) fn find(self, word: &str) -> Option<Postings<'b>> {
        let row = self.term_row(self.place(word))?;
        (self.string(row) == word).then(|| self.postings(row))
    }

    /// The terms that begin with `letters`, in order.
    pub(super) fn beginning(self, letters: &str) -> impl Iterator<Item = &'b str> {
        let from = self.place(letters);
        let rows = (from..).map_while(move |at| self.term_row(at));
        rows.map(move |row| self.string(row))
            .take_while(move |term| term.starts_with(letters))
    }

    /// Where `word` is among the terms, or would be.
    fn place(self, word: &str) -> usize {
        let mut low = 0;
        let mut high = self.terms.len() / TERM_ROW;
        while low < high {
            let middle = usize::midpoint(low, high);
            let term = self.term_row(middle).map(|row| self.string(row));
            if term < Some(word) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn term_row(self, at: usize) -> Option<&'b [u8]> {
        self.terms.get(at * TERM_ROW..(at + 1) * TERM_ROW)
    }
}

/// (file number, times) pairs of one term.
pub(super) struct Postings<'b> {
    bytes: &'b [u8],
    file: u32,
    files: u32,
}

impl Iterator for Postings<'_> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        let step = self.varint()?;
        let times = self.varint()?;
        self.file = self
            .file
            .checked_add(step)
            .filter(|file| *file < self.files)?;
        Some((self.file, times))
    }
}

impl Postings<'_> {
    /// How many pairs there are: each number ends with a byte below 128.
    pub(super) fn spread(&self) -> usize {
        self.bytes.iter().filter(|byte| **byte < 0x80).count() / 2
    }

    fn varint(&mut self) -> Option<u32> {
        let mut number = 0_u32;
        for shift in [0, 7, 14, 21, 28] {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u32::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}
