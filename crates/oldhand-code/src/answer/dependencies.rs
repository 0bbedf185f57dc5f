//! What a file stands on and who stands on it, one step away.

use std::collections::BTreeMap;

use crate::snapshot::{NodeId, Snapshot};

/// A neighbouring file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    pub file: NodeId,
    /// Definitions used, in the order of their names.
    pub symbols: Vec<NodeId>,
    /// Lines of the using file, in order.
    pub lines: Vec<u32>,
}

/// The neighbours of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Files it uses, in the order of their paths.
    pub uses: Vec<Neighbour>,
    /// Files that use it, in the order of their paths.
    pub used_by: Vec<Neighbour>,
    /// Packages outside the project.
    pub externals: Vec<String>,
}

/// Edges below this confidence are guesses by name, not dependencies.
const SURE: u8 = 50;

pub fn dependencies(snapshot: &Snapshot, file: NodeId) -> Dependencies {
    let mut uses: BTreeMap<NodeId, Neighbour> = BTreeMap::new();
    let mut used_by: BTreeMap<NodeId, Neighbour> = BTreeMap::new();
    for part in std::iter::once(file).chain(snapshot.symbols_in(file)) {
        for edge in snapshot
            .outgoing(part)
            .filter(|edge| edge.confidence >= SURE)
        {
            note(
                &mut uses,
                snapshot,
                snapshot.file_of(edge.to),
                file,
                edge.to,
                edge.id,
            );
        }
        for edge in snapshot
            .incoming(part)
            .filter(|edge| edge.confidence >= SURE)
        {
            note(
                &mut used_by,
                snapshot,
                snapshot.file_of(edge.from),
                file,
                edge.to,
                edge.id,
            );
        }
    }
    let sorted = |neighbours: BTreeMap<NodeId, Neighbour>| {
        let mut neighbours: Vec<Neighbour> = neighbours.into_values().collect();
        for neighbour in &mut neighbours {
            neighbour.lines.sort_unstable();
            neighbour.lines.dedup();
            neighbour
                .symbols
                .sort_by(|&a, &b| snapshot.name(a).cmp(snapshot.name(b)).then(a.cmp(&b)));
            neighbour.symbols.dedup();
        }
        neighbours
    };
    Dependencies {
        uses: sorted(uses),
        used_by: sorted(used_by),
        externals: snapshot.externals(file).map(str::to_owned).collect(),
    }
}

fn note(
    neighbours: &mut BTreeMap<NodeId, Neighbour>,
    snapshot: &Snapshot,
    other: NodeId,
    own: NodeId,
    used: NodeId,
    edge: crate::snapshot::EdgeId,
) {
    if other == own {
        return;
    }
    let new = || Neighbour {
        file: other,
        symbols: Vec::new(),
        lines: Vec::new(),
    };
    let neighbour = neighbours.entry(other).or_insert_with(new);
    if !snapshot.is_file(used) {
        neighbour.symbols.push(used);
    }
    neighbour.lines.extend(snapshot.lines(edge));
}
