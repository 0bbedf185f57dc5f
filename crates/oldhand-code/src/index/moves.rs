//! Where the nodes of an older snapshot are in the new one.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::facts::{FileFacts, SymbolKind};
use crate::graph::End;
use crate::project::FileId;
use crate::snapshot::draft::{Draft, Moves};
use crate::snapshot::{NodeId, Snapshot};

/// `new_of_old` says which file is which; `fresh` gives the facts of files that were read again. A definition of such a file is
/// the one with the same kind and the same names around it.
pub(super) fn moves<'f>(
    snapshot: &Snapshot,
    draft: &Draft<'_>,
    new_of_old: &[Option<u32>],
    fresh: &dyn Fn(u32) -> Option<&'f FileFacts>,
) -> Moves {
    let mut nodes = vec![u32::MAX; snapshot.node_count()];
    for old in snapshot.files() {
        let Some(number) = new_of_old[old.0 as usize] else {
            continue;
        };
        nodes[old.0 as usize] = number;
        let first = draft.node(End {
            file: FileId(number),
            definition: Some(0),
        });
        if let Some(facts) = fresh(number) {
            let mut places = places_by_path(facts);
            for node in snapshot.symbols_in(old) {
                let path = path_of(snapshot, node);
                if let Some(at) = places.get_mut(&path).and_then(VecDeque::pop_front) {
                    nodes[node.0 as usize] = first + at;
                }
            }
        } else {
            for (at, node) in snapshot.symbols_in(old).enumerate() {
                nodes[node.0 as usize] = first + at as u32;
            }
        }
    }
    Moves::new(nodes)
}

type SymbolPath = (SymbolKind, String);

fn places_by_path(facts: &FileFacts) -> FxHashMap<SymbolPath, VecDeque<u32>> {
    let mut places: FxHashMap<SymbolPath, VecDeque<u32>> = FxHashMap::default();
    for (at, definition) in facts.definitions.iter().enumerate() {
        let mut path = definition
            .owner
            .map_or(String::new(), |owner| facts.text(owner).to_owned());
        path.push('/');
        path.push_str(facts.text(definition.name));
        let mut around = definition.container;
        while let Some(outer) = around {
            let outer = &facts.definitions[outer as usize];
            path.push('/');
            path.push_str(facts.text(outer.name));
            around = outer.container;
        }
        places
            .entry((definition.kind, path))
            .or_default()
            .push_back(at as u32);
    }
    places
}

fn path_of(snapshot: &Snapshot, node: NodeId) -> SymbolPath {
    let symbol = snapshot.symbol(node);
    let mut path = format!("{}/{}", symbol.owner, symbol.name);
    let mut around = symbol.container;
    while let Some(outer) = around {
        let outer = snapshot.symbol(outer);
        path.push('/');
        path.push_str(outer.name);
        around = outer.container;
    }
    (symbol.kind, path)
}
