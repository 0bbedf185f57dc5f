//! The language of the tests: a small tree in one string, and its edges as lines of text.
//!
//! A line `//- path` starts a file; what follows up to the next such line is its content.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::extract::Extractor;
use crate::graph::EdgeKind;
use crate::index::build::{ReadFile, link_all};
use crate::language::{LanguageId, language_of};
use crate::read::{Generated, read};
use crate::scip::ScipStore;
use crate::snapshot::draft::{Draft, FileMeta};
use crate::snapshot::{NodeId, Snapshot};
use crate::walk::is_manifest;

/// The snapshot of a fixture.
pub(crate) fn snapshot(fixture: &str) -> Snapshot {
    let files = files(fixture);
    let linked = link_all(&files, &ScipStore::default(), 1, &mut Vec::new());
    let mut draft = Draft::new(
        files.iter().map(|file| file.facts.definitions.len() as u32),
        None,
    );
    for (file, linked) in files.iter().zip(&linked) {
        draft.add(&file.meta, &file.facts, linked);
    }
    Snapshot::from_bytes(draft.finish(None)).expect("just made")
}

pub(crate) fn files(fixture: &str) -> Vec<ReadFile> {
    let mut files: Vec<ReadFile> = Vec::new();
    for (path, text) in split(fixture) {
        let language = language_of(&path).unwrap_or(LanguageId::NONE);
        let bytes = text.as_bytes();
        let (facts, _) = read(
            &mut Extractor::default(),
            &path,
            language,
            bytes,
            Generated::Read,
        );
        let name = path.rsplit('/').next().unwrap_or(&path);
        files.push(ReadFile {
            manifest: is_manifest(name).then(|| text.clone()),
            meta: FileMeta {
                path,
                language,
                modified: 1,
                size: bytes.len() as u64,
                hash: *blake3::hash(bytes).as_bytes(),
            },
            facts: Arc::new(facts),
            fresh: None,
        });
    }
    files.sort_by(|a, b| a.meta.path.cmp(&b.meta.path));
    files
}

/// The files of a fixture with their contents.
pub(crate) fn split(fixture: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in fixture.lines() {
        if let Some(path) = line.trim_start().strip_prefix("//- ") {
            files.push((path.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    files
}

/// Every edge that leaves its file, one a line: `from kind to`, with the confidence when it is below certain.
pub(crate) fn edges(fixture: &str) -> String {
    shown(&snapshot(fixture), |snapshot, from, to| {
        snapshot.file_of(from) != snapshot.file_of(to)
    })
}

/// Every edge, also inside a file, except what a file imports.
pub(crate) fn all_edges(fixture: &str) -> String {
    shown(&snapshot(fixture), |snapshot, from, _| {
        !snapshot.is_file(from)
    })
}

/// Every definition, one a line: file, kind, name, what hides it, and its documentation.
pub(crate) fn definitions(fixture: &str) -> String {
    let snapshot = snapshot(fixture);
    let mut lines = Vec::new();
    for node in snapshot.symbols() {
        let symbol = snapshot.symbol(node);
        let mut line = format!("{} {}", symbol.kind.as_str(), label(&snapshot, node));
        if symbol.visibility == crate::facts::Visibility::Private {
            line.push_str(" private");
        }
        if !symbol.doc.is_empty() {
            line.push_str(" | ");
            line.push_str(symbol.doc);
        }
        lines.push(line);
    }
    lines.join("\n")
}

/// Only which file imports which.
pub(crate) fn imports(fixture: &str) -> String {
    let snapshot = snapshot(fixture);
    let mut lines = Vec::new();
    for file in snapshot.files() {
        for edge in snapshot
            .outgoing(file)
            .filter(|edge| edge.kind == EdgeKind::Imports && snapshot.is_file(edge.to))
        {
            lines.push(format!(
                "{} -> {}",
                snapshot.path(file),
                snapshot.path(edge.to)
            ));
        }
    }
    lines.join("\n")
}

pub(crate) fn shown(
    snapshot: &Snapshot,
    wanted: impl Fn(&Snapshot, NodeId, NodeId) -> bool,
) -> String {
    let mut lines = Vec::new();
    for node in snapshot.files().chain(snapshot.symbols()) {
        for edge in snapshot
            .outgoing(node)
            .filter(|edge| wanted(snapshot, edge.from, edge.to))
        {
            let mut line = format!(
                "{} {} {}",
                label(snapshot, edge.from),
                edge.kind.as_str(),
                label(snapshot, edge.to)
            );
            if edge.confidence < 95 {
                write!(line, " ({})", edge.confidence).expect("a string takes all");
            }
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// `path` or `path:Outer.inner`.
pub(crate) fn label(snapshot: &Snapshot, node: NodeId) -> String {
    if snapshot.is_file(node) {
        return snapshot.path(node).to_owned();
    }
    let symbol = snapshot.symbol(node);
    let mut name = symbol.name.to_owned();
    if !symbol.owner.is_empty() {
        name = format!("{}.{name}", symbol.owner);
    }
    let mut container = symbol.container;
    while let Some(around) = container {
        let around = snapshot.symbol(around);
        name = format!("{}.{name}", around.name);
        container = around.container;
    }
    format!("{}:{name}", snapshot.path(symbol.file))
}
