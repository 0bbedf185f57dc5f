//! Precise references from a SCIP index: read from its protobuf without a schema compiler, kept per content hash.
//!
//! Only what the graph needs is read: documents, and which symbol is defined or named on which line.

use std::fmt::Write as _;
use std::path::Path;

use rustc_hash::FxHashMap;

/// A reference found by a compiler.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScipReference {
    pub line: u32,
    /// Where the symbol is defined.
    pub path: String,
    pub defined_on: u32,
    /// The symbol's own name.
    pub name: String,
}

/// The references of every document of an index, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScipIndex {
    documents: FxHashMap<String, Vec<ScipReference>>,
}

/// Bytes that are not a SCIP index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a SCIP index")]
pub struct NotScip;

const DEFINITION: u64 = 1;

impl ScipIndex {
    /// Reads the protobuf of an index. Local symbols and symbols of other projects are left out.
    pub fn decode(bytes: &[u8]) -> Result<Self, NotScip> {
        let mut defined: FxHashMap<&str, (&str, u32)> = FxHashMap::default();
        let mut documents: Vec<Document<'_>> = Vec::new();
        for field in Fields(bytes) {
            if let (2, Value::Bytes(document)) = field? {
                documents.push(Document::read(document)?);
            }
        }
        for document in &documents {
            for occurrence in document
                .occurrences
                .iter()
                .filter(|occurrence| occurrence.roles & DEFINITION != 0)
            {
                defined
                    .entry(occurrence.symbol)
                    .or_insert((document.path, occurrence.line));
            }
        }
        let mut index = Self::default();
        for document in &documents {
            let named = document
                .occurrences
                .iter()
                .filter(|occurrence| occurrence.roles & DEFINITION == 0);
            let mut references: Vec<ScipReference> = named
                .filter_map(|occurrence| {
                    let &(path, defined_on) = defined.get(occurrence.symbol)?;
                    let name = symbol_name(occurrence.symbol)?;
                    Some(ScipReference {
                        line: occurrence.line,
                        path: path.to_owned(),
                        defined_on,
                        name,
                    })
                })
                .collect();
            references.sort_unstable();
            references.dedup();
            index.documents.insert(document.path.to_owned(), references);
        }
        Ok(index)
    }

    /// Paths of all documents.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.documents.keys().map(String::as_str)
    }

    /// What the index says of the document at `path`; nothing when it does not cover it.
    pub fn references(&self, path: &str) -> Option<&[ScipReference]> {
        self.documents.get(path).map(Vec::as_slice)
    }

    /// Keeps only documents whose paths `keep` says yes to.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.documents.retain(|path, _| keep(path));
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }
}

struct Document<'b> {
    path: &'b str,
    occurrences: Vec<Occurrence<'b>>,
}

struct Occurrence<'b> {
    line: u32,
    symbol: &'b str,
    roles: u64,
}

impl<'b> Document<'b> {
    fn read(bytes: &'b [u8]) -> Result<Self, NotScip> {
        let mut document = Self {
            path: "",
            occurrences: Vec::new(),
        };
        for field in Fields(bytes) {
            match field? {
                (1, Value::Bytes(path)) => {
                    document.path = std::str::from_utf8(path).map_err(|_| NotScip)?;
                }
                (2, Value::Bytes(bytes)) => {
                    let occurrence = Occurrence::read(bytes)?;
                    if !occurrence.symbol.is_empty() && !occurrence.symbol.starts_with("local ") {
                        document.occurrences.push(occurrence);
                    }
                }
                _ => {}
            }
        }
        Ok(document)
    }
}

impl<'b> Occurrence<'b> {
    fn read(bytes: &'b [u8]) -> Result<Self, NotScip> {
        let mut occurrence = Self {
            line: 0,
            symbol: "",
            roles: 0,
        };
        let mut has_line = false;
        for field in Fields(bytes) {
            match field? {
                // The range is packed; its first number is the line, from 0.
                (1, Value::Bytes(range)) => {
                    let (line, _) = varint(range).ok_or(NotScip)?;
                    occurrence.line = line as u32 + 1;
                    has_line = true;
                }
                (1, Value::Number(line)) if !has_line => {
                    occurrence.line = line as u32 + 1;
                    has_line = true;
                }
                (2, Value::Bytes(symbol)) => {
                    occurrence.symbol = std::str::from_utf8(symbol).map_err(|_| NotScip)?;
                }
                (3, Value::Number(roles)) => occurrence.roles = roles,
                _ => {}
            }
        }
        Ok(occurrence)
    }
}

/// The last name of a symbol: `… src/`a.ts`/Class#method().` is `method`.
fn symbol_name(symbol: &str) -> Option<String> {
    let plain = symbol.replace("<get>", "").replace("<set>", "");
    let plain = plain.trim_end_matches(['.', '#', '/', ':', '!']);
    let plain = plain
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once('('))
        .map_or(plain, |(text, _)| text);
    let plain = plain.trim_end_matches('`');
    let name = plain
        .rsplit(['#', '/', '.', '`', ' ', ':', '[', ']'])
        .next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

enum Value<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

/// The fields of a protobuf message, in order.
struct Fields<'b>(&'b [u8]);

impl<'b> Iterator for Fields<'b> {
    type Item = Result<(u64, Value<'b>), NotScip>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let read = self.read();
        if read.is_none() {
            self.0 = &[];
        }
        Some(read.ok_or(NotScip))
    }
}

impl<'b> Fields<'b> {
    fn read(&mut self) -> Option<(u64, Value<'b>)> {
        let (key, rest) = varint(self.0)?;
        let (value, rest) = match key & 7 {
            0 => {
                let (number, rest) = varint(rest)?;
                (Value::Number(number), rest)
            }
            1 => (Value::Bytes(rest.get(..8)?), rest.get(8..)?),
            2 => {
                let (length, rest) = varint(rest)?;
                let length = usize::try_from(length).ok()?;
                (Value::Bytes(rest.get(..length)?), rest.get(length..)?)
            }
            5 => (Value::Bytes(rest.get(..4)?), rest.get(4..)?),
            _ => return None,
        };
        self.0 = rest;
        Some((key >> 3, value))
    }
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0_u64;
    for (at, &byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f).checked_shl(at as u32 * 7)?;
        if byte & 0x80 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

/// What is kept of imported indexes: for each content hash what a compiler found in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScipStore {
    by_hash: FxHashMap<[u8; 32], Vec<ScipReference>>,
}

impl ScipStore {
    /// The store kept at `path`; empty when there is none.
    pub(crate) fn open(path: &Path) -> Self {
        std::fs::read(path)
            .ok()
            .and_then(|bytes| Self::read(&bytes))
            .unwrap_or_default()
    }

    pub(crate) fn get(&self, hash: &[u8; 32]) -> Option<&[ScipReference]> {
        self.by_hash.get(hash).map(Vec::as_slice)
    }

    pub(crate) fn insert(&mut self, hash: [u8; 32], references: Vec<ScipReference>) {
        self.by_hash.insert(hash, references);
    }

    /// One line for each file and reference: readable, and small beside the index it came from.
    pub(crate) fn write(&self) -> String {
        let mut hashes: Vec<&[u8; 32]> = self.by_hash.keys().collect();
        hashes.sort_unstable();
        let mut text = String::new();
        for hash in hashes {
            text.push('@');
            for byte in hash {
                let _ = write!(text, "{byte:02x}");
            }
            text.push('\n');
            for reference in &self.by_hash[hash] {
                let ScipReference {
                    line,
                    path,
                    defined_on,
                    name,
                } = reference;
                let _ = writeln!(text, "{line}\t{defined_on}\t{name}\t{path}");
            }
        }
        text
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut store = Self::default();
        let mut current: Option<[u8; 32]> = None;
        for line in std::str::from_utf8(bytes).ok()?.lines() {
            if let Some(digits) = line.strip_prefix('@') {
                let mut hash = [0; 32];
                for (at, byte) in hash.iter_mut().enumerate() {
                    *byte = u8::from_str_radix(digits.get(at * 2..at * 2 + 2)?, 16).ok()?;
                }
                store.by_hash.insert(hash, Vec::new());
                current = Some(hash);
                continue;
            }
            let mut parts = line.splitn(4, '\t');
            let (line, defined_on) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            let (name, path) = (parts.next()?.to_owned(), parts.next()?.to_owned());
            store.by_hash.get_mut(&current?)?.push(ScipReference {
                line,
                path,
                defined_on,
                name,
            });
        }
        Some(store)
    }
}

#[cfg(test)]
pub(crate) mod sample {
    //! A small index for tests.

    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, bytes.len() as u8][..], bytes].concat()
    }

    fn occurrence(line: u8, symbol: &str, roles: u8) -> Vec<u8> {
        field(
            2,
            &[
                field(1, &[line, 0, 3]),
                field(2, symbol.as_bytes()),
                vec![3 << 3, roles],
            ]
            .concat(),
        )
    }

    /// An index of two files: line 5 of `a.ts` names `K.go`, which is defined on line 2 of `b.ts`.
    pub(crate) fn sample() -> Vec<u8> {
        let a = [
            field(1, b"a.ts"),
            occurrence(4, "s . `b.ts`/K#go().", 0),
            occurrence(5, "local 1", 0),
        ]
        .concat();
        let b = [field(1, b"b.ts"), occurrence(1, "s . `b.ts`/K#go().", 1)].concat();
        [field(1, b""), field(2, &a), field(2, &b)].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::sample::sample;
    use super::{NotScip, ScipIndex, ScipReference, ScipStore, symbol_name};

    #[test]
    fn references_lead_to_the_line_of_the_definition() {
        let index = ScipIndex::decode(&sample()).expect("well formed");
        let expected = ScipReference {
            line: 5,
            path: "b.ts".to_owned(),
            defined_on: 2,
            name: "go".to_owned(),
        };
        assert_eq!(index.references("a.ts"), Some(&[expected][..]));
        assert_eq!(index.references("b.ts"), Some(&[][..]));
        assert_eq!(index.references("c.ts"), None);
    }

    #[test]
    fn broken_bytes_are_refused() {
        let whole = sample();
        assert_eq!(ScipIndex::decode(&whole[..whole.len() - 3]), Err(NotScip));
        assert_eq!(ScipIndex::decode(b"{\"json\": true}"), Err(NotScip));
    }

    #[test]
    fn a_symbol_is_known_by_its_last_name() {
        let name = |symbol| symbol_name(symbol);
        assert_eq!(
            name("scip-typescript npm . . src/`a.ts`/Class#method().").as_deref(),
            Some("method")
        );
        assert_eq!(
            name("rust-analyzer cargo x 1 module/Type#").as_deref(),
            Some("Type")
        );
        assert_eq!(
            name("x . . src/`a.ts`/Ref#`<get>value`().").as_deref(),
            Some("value")
        );
    }

    #[test]
    fn what_is_kept_comes_back() {
        let index = ScipIndex::decode(&sample()).expect("well formed");
        let mut store = ScipStore::default();
        store.insert([7; 32], index.references("a.ts").expect("covered").to_vec());
        assert_eq!(ScipStore::read(store.write().as_bytes()), Some(store));
    }
}
