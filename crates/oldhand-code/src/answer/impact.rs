//! Who is touched when something changes: a walk against the edges, strongest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::answer::map::ModuleMap;
use crate::facts::SymbolKind;
use crate::graph::EdgeKind;
use crate::snapshot::{Edge, NodeId, Snapshot};

/// Which way a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To those who depend on the target.
    Dependents,
    /// To those the target depends on.
    Dependencies,
}

/// How far a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub depth: u8,
    /// Nodes looked at, so that a hub cannot take the whole graph.
    pub nodes: usize,
    /// Edges below this confidence, in percent, are not followed.
    pub confidence: u8,
}

/// A node that a change reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    pub node: NodeId,
    pub depth: u8,
    /// Product of the weights and confidences along the best path, in `0.0..=1.0`.
    pub strength: f32,
    /// The edges from the target to here, nearest to the target first.
    pub path: Vec<Edge>,
}

/// What a change reaches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impact {
    /// Strongest first; the targets themselves are not among them.
    pub reached: Vec<Reached>,
    /// Tests among them: the ones to run.
    pub tests: Vec<NodeId>,
    /// Whether the bounds were met before the end.
    pub is_cut: bool,
}

/// Everything that depends on `targets`, or that they depend on.
pub fn impact(
    snapshot: &Snapshot,
    targets: &[NodeId],
    direction: Direction,
    bounds: Bounds,
) -> Impact {
    let mut best: FxHashMap<NodeId, (f32, u8, Option<Edge>)> = FxHashMap::default();
    let mut waiting: BinaryHeap<(Strength, Reverse<u8>, NodeId)> = BinaryHeap::new();
    for &target in targets {
        best.insert(target, (1.0, 0, None));
        waiting.push((Strength(1.0), Reverse(0), target));
    }
    let mut order: Vec<NodeId> = Vec::new();
    let mut settled = rustc_hash::FxHashSet::default();
    let mut is_cut = false;
    let mut looked = 0_usize;
    let budget = bounds.nodes.saturating_mul(16);
    while let Some((Strength(strength), Reverse(depth), node)) = waiting.pop() {
        if !settled.insert(node) {
            continue;
        }
        if depth > 0 {
            order.push(node);
        }
        if order.len() >= bounds.nodes {
            is_cut = is_cut || !waiting.is_empty();
            break;
        }
        if depth >= bounds.depth {
            continue;
        }
        let mut take = |edge: Edge| {
            let next = if direction == Direction::Dependents {
                edge.from
            } else {
                edge.to
            };
            if edge.confidence < bounds.confidence || settled.contains(&next) {
                return;
            }
            let onward = strength * edge.kind.weight() * f32::from(edge.confidence) / 100.0;
            let known = best.get(&next).map_or(0.0, |(known, _, _)| *known);
            if onward > known {
                best.insert(next, (onward, depth + 1, Some(edge)));
                waiting.push((Strength(onward), Reverse(depth + 1), next));
            }
        };
        // A file stands for what it defines, and what it defines for the file that imports it by name.
        let members = snapshot
            .is_file(node)
            .then(|| snapshot.symbols_in(node))
            .into_iter()
            .flatten();
        for part in std::iter::once(node).chain(members.filter(|_| depth == 0)) {
            let left = budget.saturating_sub(looked);
            let count = match direction {
                Direction::Dependents => snapshot.incoming_count(part),
                Direction::Dependencies => snapshot.outgoing_count(part),
            };
            is_cut |= count > left;
            looked += count;
            match direction {
                Direction::Dependents => snapshot.incoming(part).take(left).for_each(&mut take),
                Direction::Dependencies => snapshot.outgoing(part).take(left).for_each(&mut take),
            }
        }
    }
    let mut answer = Impact {
        is_cut,
        ..Impact::default()
    };
    let mut tests: Vec<NodeId> = Vec::new();
    for node in order {
        let (strength, depth, _) = best[&node];
        if is_test(snapshot, node) {
            tests.push(node);
        }
        answer.reached.push(Reached {
            node,
            depth,
            strength,
            path: path_to(node, direction, &best, targets),
        });
    }
    answer.tests = tests;
    answer
}

impl Impact {
    /// The places in `reached` by module of `map`, strongest module first; those of no module last.
    pub fn by_module(
        &self,
        snapshot: &Snapshot,
        map: &ModuleMap,
    ) -> Vec<(Option<usize>, Vec<usize>)> {
        let mut groups: Vec<(Option<usize>, Vec<usize>)> = Vec::new();
        for (at, reached) in self.reached.iter().enumerate() {
            let module = map.module_of(snapshot.file_of(reached.node));
            match groups.iter_mut().find(|(known, _)| *known == module) {
                Some((_, places)) => places.push(at),
                None => groups.push((module, vec![at])),
            }
        }
        groups.sort_by_key(|(module, _)| module.is_none());
        groups
    }
}

/// A test, or something in a file of tests.
pub fn is_test(snapshot: &Snapshot, node: NodeId) -> bool {
    snapshot.kind(node) == SymbolKind::Test || snapshot.file(snapshot.file_of(node)).is_test
}

fn path_to(
    node: NodeId,
    direction: Direction,
    best: &FxHashMap<NodeId, (f32, u8, Option<Edge>)>,
    targets: &[NodeId],
) -> Vec<Edge> {
    let mut path = Vec::new();
    let mut at = node;
    while !targets.contains(&at) && path.len() < 64 {
        let Some((_, _, Some(edge))) = best.get(&at) else {
            break;
        };
        path.push(*edge);
        at = if direction == Direction::Dependents {
            edge.to
        } else {
            edge.from
        };
    }
    path.reverse();
    path
}

/// Orders floats that are never NaN.
#[derive(Clone, Copy, PartialEq)]
struct Strength(f32);

impl Eq for Strength {}

impl PartialOrd for Strength {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Strength {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The kinds of edges on a path, in order, each once.
pub fn kinds(path: &[Edge]) -> Vec<EdgeKind> {
    let mut kinds: Vec<EdgeKind> = path.iter().map(|edge| edge.kind).collect();
    kinds.dedup();
    kinds
}
