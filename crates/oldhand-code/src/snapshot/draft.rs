//! A snapshot in the making: from fresh facts and links, or copied from an older snapshot where nothing changed.

use rustc_hash::FxHashMap;

use super::layout::{self, NONE, Section};
use super::{EdgeId, NodeId, Snapshot};
use crate::facts::{FileFacts, Name};
use crate::graph::{End, Link};
use crate::language::LanguageId;
use crate::link::Linked;
use crate::problem::{Problem, ProblemKind};

/// What is known of a file besides its facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMeta {
    /// Relative to the project, with forward slashes.
    pub path: String,
    pub language: LanguageId,
    pub modified: u64,
    pub size: u64,
    pub hash: [u8; 32],
}

/// Which nodes of an older snapshot are which in the new one; [`u32::MAX`] for those that went.
pub struct Moves {
    nodes: Vec<u32>,
}

impl Moves {
    pub fn new(nodes: Vec<u32>) -> Self {
        Self { nodes }
    }

    fn get(&self, node: NodeId) -> Option<u32> {
        self.nodes
            .get(node.0 as usize)
            .copied()
            .and_then(layout::optional)
    }
}

/// Sections being filled. Files are added in the order of their paths.
pub struct Draft<'s> {
    old: Option<&'s Snapshot>,
    /// First definition of each file, and the count of all at the end.
    firsts: Vec<u32>,
    texts: Vec<u8>,
    ends: Vec<u32>,
    known: FxHashMap<Box<str>, u32>,
    files: Vec<u8>,
    symbols: Vec<u8>,
    file_rows: Rows,
    symbol_rows: Rows,
    wanted: Lists,
    externals: Lists,
    problems: Vec<u8>,
    /// Definitions that were not copied.
    fresh: Vec<u32>,
}

/// Edges in the order of the nodes they start from.
#[derive(Default)]
struct Rows {
    starts: Vec<u32>,
    edges: Vec<u8>,
    sites: Vec<u8>,
}

impl Rows {
    fn begin(&mut self) {
        self.starts.push((self.edges.len() / layout::EDGE) as u32);
    }

    fn add(
        &mut self,
        to: u32,
        kind: u8,
        origin: u8,
        confidence: u8,
        lines: impl Iterator<Item = u32>,
    ) {
        push(&mut self.edges, to);
        push(&mut self.edges, (self.sites.len() / 4) as u32);
        self.edges.extend_from_slice(&[kind, origin, confidence, 0]);
        for line in lines {
            push(&mut self.sites, line);
        }
    }
}

#[derive(Default)]
struct Lists {
    starts: Vec<u8>,
    items: Vec<u8>,
}

impl Lists {
    fn begin(&mut self) {
        push(&mut self.starts, (self.items.len() / 4) as u32);
    }
}

impl<'s> Draft<'s> {
    /// `counts` are the numbers of definitions of all files, in order. Texts of `old` keep their numbers.
    pub fn new(counts: impl Iterator<Item = u32>, old: Option<&'s Snapshot>) -> Self {
        let mut firsts = vec![0];
        for count in counts {
            firsts.push(firsts.last().expect("never empty") + count);
        }
        let (texts, ends) = match old {
            Some(old) => {
                let ends = old.section(Section::TextEnds).chunks_exact(4);
                let ends = ends
                    .map(|end| u32::from_le_bytes(end.try_into().expect("four bytes")))
                    .collect();
                (old.section(Section::Texts).to_vec(), ends)
            }
            None => (Vec::new(), Vec::new()),
        };
        Self {
            old,
            firsts,
            texts,
            ends,
            known: FxHashMap::default(),
            files: Vec::new(),
            symbols: Vec::new(),
            file_rows: Rows::default(),
            symbol_rows: Rows::default(),
            wanted: Lists::default(),
            externals: Lists::default(),
            problems: Vec::new(),
            fresh: Vec::new(),
        }
    }

    fn file_count(&self) -> u32 {
        self.firsts.len() as u32 - 1
    }

    /// The node of the definition with the number `at` in the file with the number `file`.
    pub fn node(&self, end: End) -> u32 {
        match end.definition {
            Some(at) => self.file_count() + self.firsts[end.file.0 as usize] + at,
            None => end.file.0,
        }
    }

    fn text(&mut self, text: &str) -> u32 {
        if text.is_empty() {
            return NONE;
        }
        if let Some(&known) = self.known.get(text) {
            return known;
        }
        let id = self.ends.len() as u32;
        self.texts.extend_from_slice(text.as_bytes());
        self.ends.push(self.texts.len() as u32);
        self.known.insert(text.into(), id);
        id
    }

    /// Adds the next file from its facts.
    pub fn add(&mut self, meta: &FileMeta, facts: &FileFacts, linked: &Linked) {
        let file = (self.files.len() / layout::FILE) as u32;
        let mut cache = Cache {
            facts,
            ids: vec![NONE; facts.names.len()],
        };
        let first = self.firsts[file as usize];
        let is_test = meta
            .language
            .get()
            .is_some_and(|language| language.keeps_tests_at(&meta.path));
        let path = self.text(&meta.path);
        let doc = cache.id(self, facts.doc);
        let package = cache.id(self, facts.package);
        for number in [
            path,
            u32::from(meta.language.0),
            first,
            facts.definitions.len() as u32,
            facts.lines,
            doc,
            package,
            u32::from(is_test),
        ] {
            push(&mut self.files, number);
        }
        self.files.extend_from_slice(&meta.modified.to_le_bytes());
        self.files.extend_from_slice(&meta.size.to_le_bytes());
        self.files.extend_from_slice(&meta.hash);

        let base = self.file_count() + first;
        for (at, definition) in facts.definitions.iter().enumerate() {
            self.fresh.push(base + at as u32);
            let texts = [
                cache.id(self, Some(definition.name)),
                cache.id(self, definition.owner),
                cache.id(self, Some(definition.signature)),
                cache.id(self, definition.doc),
                cache.id(self, definition.value_type),
            ];
            self.symbols.extend_from_slice(&[
                definition.kind as u8,
                definition.visibility as u8,
                0,
                0,
            ]);
            push(&mut self.symbols, file);
            push(
                &mut self.symbols,
                definition
                    .container
                    .map_or(NONE, |container| base + container),
            );
            for text in texts {
                push(&mut self.symbols, text);
            }
            push(&mut self.symbols, definition.first_line);
            push(&mut self.symbols, definition.last_line);
            self.symbols
                .extend_from_slice(&definition.body.to_le_bytes());
        }
        self.add_links(facts.definitions.len() as u32, &linked.links);
        self.wanted.begin();
        for name in &linked.wanted {
            let id = self.text(name);
            push(&mut self.wanted.items, id);
        }
        self.externals.begin();
        for name in &linked.externals {
            let id = self.text(name);
            push(&mut self.externals.items, id);
        }
    }

    /// `links` are sorted, those of the file itself first.
    fn add_links(&mut self, definitions: u32, links: &[Link]) {
        let mut rest = links;
        for from in std::iter::once(None).chain((0..definitions).map(Some)) {
            let count = rest.iter().take_while(|link| link.from == from).count();
            let (row, later) = rest.split_at(count);
            rest = later;
            let rows = if from.is_none() {
                &mut self.file_rows
            } else {
                &mut self.symbol_rows
            };
            rows.begin();
            let same = |a: &Link, b: &Link| (a.to, a.kind, a.origin) == (b.to, b.kind, b.origin);
            for group in row.chunk_by(same) {
                let mut lines: Vec<u32> = group
                    .iter()
                    .map(|link| link.line)
                    .filter(|&line| line > 0)
                    .collect();
                lines.sort_unstable();
                lines.dedup();
                let confidence = group.iter().map(|link| link.confidence).max().unwrap_or(0);
                let to = match group[0].to.definition {
                    Some(at) => {
                        self.firsts.len() as u32 - 1 + self.firsts[group[0].to.file.0 as usize] + at
                    }
                    None => group[0].to.file.0,
                };
                rows.add(
                    to,
                    group[0].kind as u8,
                    group[0].origin as u8,
                    confidence,
                    lines.into_iter(),
                );
            }
        }
    }

    /// Adds the next file as the older snapshot has it, with `meta` for its new times; `moves` says where its neighbours are now.
    pub fn copy(&mut self, from: NodeId, meta: &FileMeta, moves: &Moves) {
        let Some(old) = self.old else {
            return;
        };
        let file = (self.files.len() / layout::FILE) as u32;
        let start = self.files.len();
        self.files.extend_from_slice(old.file_record(from));
        let first = self.firsts[file as usize];
        self.files[start + 8..start + 12].copy_from_slice(&first.to_le_bytes());
        self.files[start + 32..start + 40].copy_from_slice(&meta.modified.to_le_bytes());
        self.file_rows.begin();
        copy_row(&mut self.file_rows, old, from, moves);
        for node in old.symbols_in(from) {
            let start = self.symbols.len();
            self.symbols.extend_from_slice(old.symbol_record(node));
            self.symbols[start + 4..start + 8].copy_from_slice(&file.to_le_bytes());
            let container = layout::optional(layout::number(old.symbol_record(node), 2));
            let container = container
                .and_then(|container| moves.get(NodeId(container)))
                .unwrap_or(NONE);
            self.symbols[start + 8..start + 12].copy_from_slice(&container.to_le_bytes());
            self.symbol_rows.begin();
            copy_row(&mut self.symbol_rows, old, node, moves);
        }
        for (lists, starts, items) in [
            (&mut self.wanted, Section::WantedStarts, Section::Wanted),
            (
                &mut self.externals,
                Section::ExternalStarts,
                Section::Externals,
            ),
        ] {
            lists.begin();
            let first = old.number(starts, from.0 as usize) as usize;
            let last = old.number(starts, from.0 as usize + 1) as usize;
            lists.items.extend_from_slice(
                old.section(items)
                    .get(first * 4..last * 4)
                    .unwrap_or_default(),
            );
        }
    }

    pub fn add_problem(&mut self, problem: &Problem) {
        let kind = ProblemKind::ALL
            .iter()
            .position(|kind| *kind == problem.kind)
            .unwrap_or(0) as u32;
        let (path, detail) = (self.text(&problem.path), self.text(&problem.detail));
        for number in [path, kind, detail] {
            push(&mut self.problems, number);
        }
    }

    /// The bytes of the snapshot; `moves` when files were copied.
    pub fn finish(mut self, moves: Option<&Moves>) -> Vec<u8> {
        let by_name = self.sort_by_name(moves);
        let nodes = self.file_count() as usize + *self.firsts.last().expect("never empty") as usize;
        let Rows {
            starts,
            mut edges,
            mut sites,
        } = std::mem::take(&mut self.file_rows);
        let mut out_starts = starts;
        let (file_edges, file_sites) = (
            (edges.len() / layout::EDGE) as u32,
            (sites.len() / 4) as u32,
        );
        let rows = std::mem::take(&mut self.symbol_rows);
        out_starts.extend(rows.starts.iter().map(|start| start + file_edges));
        for edge in rows.edges.chunks_exact(layout::EDGE) {
            edges.extend_from_slice(&edge[..4]);
            push(&mut edges, layout::number(edge, 1) + file_sites);
            edges.extend_from_slice(&edge[8..]);
        }
        sites.extend_from_slice(&rows.sites);
        out_starts.push((edges.len() / layout::EDGE) as u32);
        let (in_starts, incoming) = reverse(&out_starts, &edges, nodes);
        push(&mut edges, NONE);
        push(&mut edges, (sites.len() / 4) as u32);
        push(&mut edges, 0);
        self.wanted.begin();
        self.externals.begin();
        layout::join([
            self.texts,
            numbers(&self.ends),
            self.files,
            self.symbols,
            numbers(&out_starts),
            edges,
            numbers(&in_starts),
            numbers(&incoming),
            sites,
            numbers(&by_name),
            self.wanted.starts,
            self.wanted.items,
            self.externals.starts,
            self.externals.items,
            self.problems,
        ])
    }

    fn sort_by_name(&mut self, moves: Option<&Moves>) -> Vec<u32> {
        let mut fresh = std::mem::take(&mut self.fresh);
        let base = self.file_count();
        let name = |node: u32| {
            let id = layout::number(&self.symbols[(node - base) as usize * layout::SYMBOL..], 3)
                as usize;
            let end = self.ends.get(id).copied().unwrap_or(0) as usize;
            let start = if id == 0 {
                0
            } else {
                self.ends.get(id - 1).copied().unwrap_or(0) as usize
            };
            self.texts.get(start..end).unwrap_or_default()
        };
        fresh.sort_by(|&a, &b| (name(a), a).cmp(&(name(b), b)));
        let (Some(old), Some(moves)) = (self.old, moves) else {
            return fresh;
        };
        let is_fresh: rustc_hash::FxHashSet<u32> = fresh.iter().copied().collect();
        let kept = old.section(Section::ByName).chunks_exact(4);
        let kept =
            kept.filter_map(|node| moves.get(NodeId(u32::from_le_bytes(node.try_into().ok()?))));
        let mut merged = Vec::with_capacity(self.symbols.len() / layout::SYMBOL);
        let mut waiting = fresh.iter().copied().peekable();
        for node in kept.filter(|node| !is_fresh.contains(node)) {
            while let Some(next) = waiting.next_if(|&next| name(next) < name(node)) {
                merged.push(next);
            }
            merged.push(node);
        }
        merged.extend(waiting);
        merged
    }
}

/// The texts of one file by their numbers in the snapshot.
struct Cache<'f> {
    facts: &'f FileFacts,
    ids: Vec<u32>,
}

impl Cache<'_> {
    fn id(&mut self, draft: &mut Draft<'_>, name: Option<Name>) -> u32 {
        let Some(name) = name else {
            return NONE;
        };
        let at = name.0 as usize;
        if self.ids[at] == NONE {
            self.ids[at] = draft.text(self.facts.text(name));
        }
        self.ids[at]
    }
}

fn copy_row(rows: &mut Rows, old: &Snapshot, from: NodeId, moves: &Moves) {
    for edge in old.outgoing(from) {
        if let Some(to) = moves.get(edge.to) {
            rows.add(
                to,
                edge.kind as u8,
                edge.origin as u8,
                edge.confidence,
                old.lines(EdgeId(edge.id.0)),
            );
        }
    }
}

/// The same edges by where they end: a start for each node, then source and edge of each.
fn reverse(out_starts: &[u32], edges: &[u8], nodes: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; nodes + 1];
    for edge in edges.chunks_exact(layout::EDGE) {
        starts[layout::number(edge, 0) as usize + 1] += 1;
    }
    for at in 0..nodes {
        starts[at + 1] += starts[at];
    }
    let mut next = starts.clone();
    let mut incoming = vec![0_u32; edges.len() / layout::EDGE * 2];
    for (from, bounds) in out_starts.windows(2).enumerate() {
        for at in bounds[0]..bounds[1] {
            let to = layout::number(&edges[at as usize * layout::EDGE..], 0) as usize;
            let place = next[to] as usize * 2;
            next[to] += 1;
            incoming[place] = from as u32;
            incoming[place + 1] = at;
        }
    }
    (starts, incoming)
}

fn push(bytes: &mut Vec<u8>, number: u32) {
    bytes.extend_from_slice(&number.to_le_bytes());
}

fn numbers(numbers: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(numbers.len() * 4);
    for &number in numbers {
        push(&mut bytes, number);
    }
    bytes
}
