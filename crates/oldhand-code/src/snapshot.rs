//! The linked graph in one read-only file: compressed sparse rows that are looked at where they lie.
//!
//! Opening checks the header and maps the file; nothing is read until it is asked for. A newer snapshot takes the place of an
//! older one by renaming, so whoever has the older one open goes on reading it. Reads are checked: a damaged file gives empty
//! answers, never a panic, and [`Snapshot::verify`] tells that it is damaged.

pub mod draft;
mod layout;

use std::fs::File;
use std::ops::RangeInclusive;
use std::path::Path;

use memmap2::Mmap;

use crate::facts::{SymbolKind, Visibility};
use crate::graph::{EdgeKind, Origin};
use crate::language::LanguageId;
use crate::problem::{Problem, ProblemKind};
use layout::{Header, Section};

/// A file or definition. Files come first, then the definitions of each file in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// An edge by its place in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeId(pub u32);

/// What a snapshot says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileEntry<'s> {
    pub path: &'s str,
    pub language: LanguageId,
    pub lines: u32,
    pub doc: &'s str,
    pub package: &'s str,
    pub is_test: bool,
    /// Nanoseconds since 1970, as the file system told them.
    pub modified: u64,
    pub size: u64,
    pub hash: [u8; 32],
}

/// What a snapshot says of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'s> {
    pub id: NodeId,
    pub kind: SymbolKind,
    pub visibility: Visibility,
    pub file: NodeId,
    pub container: Option<NodeId>,
    pub name: &'s str,
    /// The type it belongs to when it stands outside that type's body.
    pub owner: &'s str,
    pub signature: &'s str,
    pub doc: &'s str,
    pub first_line: u32,
    pub last_line: u32,
    pub body: u64,
}

/// An edge seen from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub id: EdgeId,
    pub from: NodeId,
    pub to: NodeId,
    pub kind: EdgeKind,
    pub origin: Origin,
    /// In percent.
    pub confidence: u8,
}

/// Why a snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    #[error("could not {doing} snapshot {path}")]
    Io {
        doing: &'static str,
        path: String,
        source: std::io::Error,
    },
    #[error("{path} is not a snapshot of this version")]
    Foreign { path: String },
    #[error("{path} is damaged")]
    Damaged { path: String },
}

enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

/// An open snapshot.
pub struct Snapshot {
    bytes: Bytes,
    header: Header,
}

impl Snapshot {
    /// Maps the snapshot at `path`.
    pub fn open(path: &Path) -> Result<Self, SnapshotError> {
        let shown = || path.display().to_string();
        let failed = |doing| {
            move |source| SnapshotError::Io {
                doing,
                path: path.display().to_string(),
                source,
            }
        };
        let file = File::open(path).map_err(failed("open"))?;
        // SAFETY: snapshots are never written in place, only replaced by renaming, so the mapped bytes do not change.
        let map = unsafe { Mmap::map(&file) }.map_err(failed("map"))?;
        let header = Header::read(&map).ok_or_else(|| SnapshotError::Foreign { path: shown() })?;
        Ok(Self {
            bytes: Bytes::Mapped(map),
            header,
        })
    }

    /// A snapshot that lives in memory only.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        let header = Header::read(&bytes)?;
        Some(Self {
            bytes: Bytes::Owned(bytes),
            header,
        })
    }

    /// Reads everything once and compares it with the checksum.
    pub fn verify(&self) -> bool {
        self.header.matches(self.bytes())
    }

    /// Changes with the content.
    pub fn checksum(&self) -> u64 {
        self.header.checksum()
    }

    fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }

    fn section(&self, section: Section) -> &[u8] {
        self.header.slice(self.bytes(), section)
    }

    /// Whether most of its texts are left over from files that changed since it was built as a whole.
    pub(crate) fn is_bloated(&self) -> bool {
        let texts = self.section(Section::TextEnds).len() / 4;
        let wanted =
            (self.section(Section::Wanted).len() + self.section(Section::Externals).len()) / 4;
        texts > 2 * (self.symbol_count() * 3 + self.file_count() * 2 + wanted) + 10_000
    }

    fn number(&self, section: Section, at: usize) -> u32 {
        layout::number(self.section(section), at)
    }

    fn text(&self, id: u32) -> &str {
        if id == layout::NONE {
            return "";
        }
        let end = self.number(Section::TextEnds, id as usize) as usize;
        let start = if id == 0 {
            0
        } else {
            self.number(Section::TextEnds, id as usize - 1) as usize
        };
        let bytes = self
            .section(Section::Texts)
            .get(start..end)
            .unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    pub fn file_count(&self) -> usize {
        self.section(Section::Files).len() / layout::FILE
    }

    pub fn symbol_count(&self) -> usize {
        self.section(Section::Symbols).len() / layout::SYMBOL
    }

    pub fn node_count(&self) -> usize {
        self.file_count() + self.symbol_count()
    }

    pub fn edge_count(&self) -> usize {
        (self.section(Section::Edges).len() / layout::EDGE).saturating_sub(1)
    }

    /// All files, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.file_count() as u32).map(NodeId)
    }

    pub fn is_file(&self, node: NodeId) -> bool {
        (node.0 as usize) < self.file_count()
    }

    /// The file itself, or the file around a definition.
    pub fn file_of(&self, node: NodeId) -> NodeId {
        if self.is_file(node) {
            return node;
        }
        let record = self.symbol_record(node);
        NodeId(layout::number(record, 1))
    }

    fn symbol_record(&self, node: NodeId) -> &[u8] {
        let at = (node.0 as usize).saturating_sub(self.file_count()) * layout::SYMBOL;
        self.section(Section::Symbols)
            .get(at..at + layout::SYMBOL)
            .unwrap_or(&[0; layout::SYMBOL])
    }

    fn file_record(&self, file: NodeId) -> &[u8] {
        let at = file.0 as usize * layout::FILE;
        self.section(Section::Files)
            .get(at..at + layout::FILE)
            .unwrap_or(&[0; layout::FILE])
    }

    pub fn file(&self, file: NodeId) -> FileEntry<'_> {
        let record = self.file_record(file);
        let long = |at: usize| {
            u64::from(layout::number(record, at)) | u64::from(layout::number(record, at + 1)) << 32
        };
        FileEntry {
            path: self.text(layout::number(record, 0)),
            language: LanguageId(layout::number(record, 1) as u8),
            lines: layout::number(record, 4),
            doc: self.text(layout::number(record, 5)),
            package: self.text(layout::number(record, 6)),
            is_test: layout::number(record, 7) & 1 == 1,
            modified: long(8),
            size: long(10),
            hash: record[48..80].try_into().unwrap_or_default(),
        }
    }

    pub fn path(&self, file: NodeId) -> &str {
        self.text(layout::number(self.file_record(file), 0))
    }

    /// The file at `path`, relative to the project.
    pub fn find_file(&self, path: &str) -> Option<NodeId> {
        let (mut low, mut high) = (0, self.file_count() as u32);
        while low < high {
            let middle = low.midpoint(high);
            if self.path(NodeId(middle)) < path {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let found = NodeId(low);
        ((low as usize) < self.file_count() && self.path(found) == path).then_some(found)
    }

    /// The definitions of `file`, in the order of their first byte.
    pub fn symbols_in(&self, file: NodeId) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        let record = self.file_record(file);
        let first = layout::number(record, 2);
        let count = layout::number(record, 3).min(self.symbol_count() as u32);
        let base = self.file_count() as u32;
        (first..first.saturating_add(count)).map(move |at| NodeId(base + at))
    }

    pub fn symbols(&self) -> impl Iterator<Item = NodeId> + use<> {
        (self.file_count() as u32..self.node_count() as u32).map(NodeId)
    }

    pub fn symbol(&self, node: NodeId) -> Symbol<'_> {
        let record = self.symbol_record(node);
        let body =
            u64::from(layout::number(record, 10)) | u64::from(layout::number(record, 11)) << 32;
        let visibility = match record[1] {
            0 => Visibility::Private,
            1 => Visibility::Inner,
            _ => Visibility::Public,
        };
        Symbol {
            id: node,
            kind: SymbolKind::ALL
                .get(usize::from(record[0]))
                .copied()
                .unwrap_or(SymbolKind::Variable),
            visibility,
            file: NodeId(layout::number(record, 1)),
            container: layout::optional(layout::number(record, 2)).map(NodeId),
            name: self.text(layout::number(record, 3)),
            owner: self.text(layout::number(record, 4)),
            signature: self.text(layout::number(record, 5)),
            doc: self.text(layout::number(record, 6)),
            first_line: layout::number(record, 8),
            last_line: layout::number(record, 9),
            body,
        }
    }

    pub fn name(&self, node: NodeId) -> &str {
        if self.is_file(node) {
            self.path(node)
        } else {
            self.text(layout::number(self.symbol_record(node), 3))
        }
    }

    /// The lines of a definition, counted from 1.
    pub fn lines_of(&self, node: NodeId) -> RangeInclusive<u32> {
        let record = self.symbol_record(node);
        layout::number(record, 8)..=layout::number(record, 9)
    }

    /// What is said about it where it is defined.
    pub fn doc(&self, node: NodeId) -> &str {
        if self.is_file(node) {
            self.text(layout::number(self.file_record(node), 5))
        } else {
            self.text(layout::number(self.symbol_record(node), 6))
        }
    }

    pub fn kind(&self, node: NodeId) -> SymbolKind {
        if self.is_file(node) {
            return SymbolKind::File;
        }
        let kind = self.symbol_record(node)[0];
        SymbolKind::ALL
            .get(usize::from(kind))
            .copied()
            .unwrap_or(SymbolKind::Variable)
    }

    /// Every definition called `name`.
    pub fn named<'s>(&'s self, name: &'s str) -> impl Iterator<Item = NodeId> + 's {
        let id = |at: u32| NodeId(self.number(Section::ByName, at as usize));
        let (mut low, mut high) = (0, self.symbol_count() as u32);
        while low < high {
            let middle = low.midpoint(high);
            if self.name(id(middle)) < name {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low..self.symbol_count() as u32)
            .map(id)
            .take_while(move |&node| self.name(node) == name)
    }

    /// Edges that start at `node`.
    pub fn outgoing(&self, node: NodeId) -> impl Iterator<Item = Edge> + '_ {
        let first = self.number(Section::OutStarts, node.0 as usize);
        let last = self
            .number(Section::OutStarts, node.0 as usize + 1)
            .min(self.edge_count() as u32);
        (first..last).map(move |at| self.edge(EdgeId(at), node))
    }

    pub fn outgoing_count(&self, node: NodeId) -> usize {
        let first = self.number(Section::OutStarts, node.0 as usize);
        self.number(Section::OutStarts, node.0 as usize + 1)
            .saturating_sub(first) as usize
    }

    /// Edges that end at `node`.
    pub fn incoming(&self, node: NodeId) -> impl Iterator<Item = Edge> + '_ {
        let first = self.number(Section::InStarts, node.0 as usize);
        let last = self
            .number(Section::InStarts, node.0 as usize + 1)
            .min(self.edge_count() as u32);
        (first..last).map(move |at| {
            let from = self.number(Section::In, at as usize * 2);
            self.edge(
                EdgeId(self.number(Section::In, at as usize * 2 + 1)),
                NodeId(from),
            )
        })
    }

    pub fn incoming_count(&self, node: NodeId) -> usize {
        let first = self.number(Section::InStarts, node.0 as usize);
        self.number(Section::InStarts, node.0 as usize + 1)
            .saturating_sub(first) as usize
    }

    fn edge(&self, id: EdgeId, from: NodeId) -> Edge {
        let at = id.0 as usize * layout::EDGE;
        let record = self
            .section(Section::Edges)
            .get(at..at + layout::EDGE)
            .unwrap_or(&[0; layout::EDGE]);
        Edge {
            id,
            from,
            to: NodeId(layout::number(record, 0).min(self.node_count().saturating_sub(1) as u32)),
            kind: EdgeKind::ALL
                .get(usize::from(record[8]))
                .copied()
                .unwrap_or(EdgeKind::Uses),
            origin: Origin::ALL
                .get(usize::from(record[9]))
                .copied()
                .unwrap_or(Origin::Ast),
            confidence: record[10],
        }
    }

    /// The lines of the edge's first file on which it is written.
    pub fn lines(&self, edge: EdgeId) -> impl Iterator<Item = u32> + '_ {
        let site = |edge: u32| self.number(Section::Edges, edge as usize * 3 + 1);
        let last = site(edge.0 + 1).min((self.section(Section::Sites).len() / 4) as u32);
        (site(edge.0)..last).map(|at| self.number(Section::Sites, at as usize))
    }

    /// Names whose coming or going elsewhere may change the edges of `file`.
    pub fn wanted(&self, file: NodeId) -> impl Iterator<Item = &str> + '_ {
        self.list(Section::WantedStarts, Section::Wanted, file)
    }

    /// Packages outside the project that `file` imports.
    pub fn externals(&self, file: NodeId) -> impl Iterator<Item = &str> + '_ {
        self.list(Section::ExternalStarts, Section::Externals, file)
    }

    fn list(
        &self,
        starts: Section,
        items: Section,
        file: NodeId,
    ) -> impl Iterator<Item = &str> + '_ {
        let first = self.number(starts, file.0 as usize);
        let last = self
            .number(starts, file.0 as usize + 1)
            .min((self.section(items).len() / 4) as u32);
        (first..last).map(move |at| self.text(self.number(items, at as usize)))
    }

    /// What went wrong when the snapshot was made.
    pub fn problems(&self) -> Vec<Problem> {
        let count = self.section(Section::Problems).len() / 12;
        let problem = |at: usize| Problem {
            path: self.text(self.number(Section::Problems, at * 3)).to_owned(),
            kind: ProblemKind::ALL
                .get(self.number(Section::Problems, at * 3 + 1) as usize)
                .copied()
                .unwrap_or(ProblemKind::Cache),
            detail: self
                .text(self.number(Section::Problems, at * 3 + 2))
                .to_owned(),
        };
        (0..count).map(problem).collect()
    }
}
