//! How one thing reaches another: the shortest and surest paths along calls, uses and inheritance.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::graph::EdgeKind;
use crate::snapshot::{Edge, NodeId, Snapshot};

/// One way from start to end.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    pub edges: Vec<Edge>,
    /// Product of the confidences along the way, in `0.0..=1.0`.
    pub confidence: f32,
}

/// What was found between two things.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    /// Shortest first, then surest.
    pub paths: Vec<Path>,
    /// Whether the search stopped before it had seen everything in reach.
    pub is_cut: bool,
}

/// Nodes looked at before a search gives up.
const LOOKED_AT: usize = 200_000;
/// Paths told.
const PATHS: usize = 5;

/// Paths from any of `from` to any of `to`, at most `depth` edges long.
pub fn flow(snapshot: &Snapshot, from: &[NodeId], to: &[NodeId], depth: u8) -> Flow {
    // Distances to the end first, so that the walk from the start only takes steps that lead there.
    let mut distance: FxHashMap<NodeId, u8> = FxHashMap::default();
    let mut waiting: VecDeque<NodeId> = VecDeque::new();
    for &node in to {
        distance.insert(node, 0);
        waiting.push_back(node);
    }
    let mut is_cut = false;
    while let Some(node) = waiting.pop_front() {
        let so_far = distance[&node];
        if so_far >= depth {
            continue;
        }
        if distance.len() > LOOKED_AT {
            is_cut = true;
            break;
        }
        for edge in snapshot.incoming(node).filter(travels) {
            distance.entry(edge.from).or_insert_with(|| {
                waiting.push_back(edge.from);
                so_far + 1
            });
        }
    }
    let mut paths = Vec::new();
    let mut open: Vec<Vec<Edge>> = Vec::new();
    let mut starts: Vec<NodeId> = from
        .iter()
        .copied()
        .filter(|node| distance.contains_key(node))
        .collect();
    starts.sort_by_key(|node| distance[node]);
    for start in starts {
        if to.contains(&start) {
            continue;
        }
        open.push(Vec::new());
        while let Some(path) = open.pop() {
            if paths.len() >= PATHS * 8 {
                is_cut = true;
                break;
            }
            let at = path.last().map_or(start, |edge: &Edge| edge.to);
            if distance[&at] == 0 {
                let confidence = path
                    .iter()
                    .map(|edge| f32::from(edge.confidence) / 100.0)
                    .product();
                paths.push(Path {
                    edges: path,
                    confidence,
                });
                continue;
            }
            let mut next: Vec<Edge> = snapshot
                .outgoing(at)
                .filter(travels)
                .filter(|edge| {
                    distance
                        .get(&edge.to)
                        .is_some_and(|&left| left < distance[&at])
                })
                .collect();
            next.sort_by_key(|edge| edge.confidence);
            next.dedup_by_key(|edge| edge.to);
            for edge in next {
                let mut longer = path.clone();
                longer.push(edge);
                open.push(longer);
            }
        }
        open.clear();
    }
    paths.sort_by(|a, b| {
        a.edges
            .len()
            .cmp(&b.edges.len())
            .then(b.confidence.total_cmp(&a.confidence))
    });
    paths.truncate(PATHS);
    Flow { paths, is_cut }
}

/// Data and control move along these; merely exporting a name moves nothing.
fn travels(edge: &Edge) -> bool {
    edge.kind != EdgeKind::Exports
}
