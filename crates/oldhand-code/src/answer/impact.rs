//! Who is touched when something changes: a walk against the edges, strongest first.

use rustc_hash::{FxHashMap, FxHashSet};

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

/// Everything that depends on `targets`, or that they depend on. Depth is the shortest way there; strength is that of the
/// strongest of the shortest ways.
pub fn impact(
    snapshot: &Snapshot,
    targets: &[NodeId],
    direction: Direction,
    bounds: Bounds,
) -> Impact {
    let mut known: FxHashMap<NodeId, (f32, u8, Option<Edge>)> = FxHashMap::default();
    for &target in targets {
        known.insert(target, (1.0, 0, None));
    }
    let mut answer = Impact::default();
    let mut looked = 0_usize;
    let mut order: Vec<NodeId> = Vec::new();
    let mut front: Vec<(f32, NodeId)> = parts_of(snapshot, targets);
    for depth in 1..=bounds.depth {
        let mut next: FxHashMap<NodeId, (f32, Edge)> = FxHashMap::default();
        for &(strength, node) in &front {
            let count = match direction {
                Direction::Dependents => snapshot.incoming_count(node),
                Direction::Dependencies => snapshot.outgoing_count(node),
            };
            let left = bounds
                .nodes
                .saturating_mul(EDGES_A_NODE)
                .saturating_sub(looked);
            answer.is_cut |= count > left;
            looked += count.min(left);
            let is_only_near =
                direction == Direction::Dependents && named_one(snapshot, node, &known);
            let mut take = |edge: Edge| {
                let reached = if direction == Direction::Dependents {
                    edge.from
                } else {
                    edge.to
                };
                if edge.confidence < bounds.confidence || known.contains_key(&reached) {
                    return;
                }
                let onward = strength
                    * edge.kind.weight()
                    * (f32::from(edge.confidence) / 100.0)
                    * if is_only_near { NEAR } else { 1.0 };
                let best = next.entry(reached).or_insert((onward, edge));
                if onward > best.0 {
                    *best = (onward, edge);
                }
            };
            match direction {
                Direction::Dependents => snapshot.incoming(node).take(left).for_each(&mut take),
                Direction::Dependencies => snapshot.outgoing(node).take(left).for_each(&mut take),
            }
        }
        front = next
            .iter()
            .map(|(&node, &(strength, _))| (strength, node))
            .collect();
        front.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let room = bounds.nodes.saturating_sub(order.len());
        answer.is_cut |= front.len() > room;
        front.truncate(room);
        for &(strength, node) in &front {
            known.insert(node, (strength, depth, Some(next[&node].1)));
            order.push(node);
        }
        if front.is_empty() {
            break;
        }
    }
    let own: FxHashSet<NodeId> = parts_of(snapshot, targets)
        .into_iter()
        .map(|(_, node)| node)
        .collect();
    order.retain(|node| !own.contains(node));
    order.sort_by(|a, b| known[b].0.total_cmp(&known[a].0).then(a.cmp(b)));
    for node in order {
        let (strength, depth, _) = known[&node];
        if is_test(snapshot, node) {
            answer.tests.push(node);
        }
        answer.reached.push(Reached {
            node,
            depth,
            strength,
            path: path_to(node, direction, &known, &own),
        });
    }
    answer
}

/// Edges looked at for each node told.
const EDGES_A_NODE: usize = 16;

/// What is left of a change in a file that imports a file that names the changed definition: whoever calls through is found by
/// the calls, so those who merely import come after them.
const NEAR: f32 = 0.5;

/// Whether `node` is a file that was reached because it imports one definition, not a whole file.
fn named_one(
    snapshot: &Snapshot,
    node: NodeId,
    known: &FxHashMap<NodeId, (f32, u8, Option<Edge>)>,
) -> bool {
    let Some((_, _, Some(edge))) = known.get(&node) else {
        return false;
    };
    snapshot.is_file(node)
        && matches!(edge.kind, EdgeKind::Imports | EdgeKind::Exports)
        && !snapshot.is_file(edge.to)
}

/// The targets with what they hold: a change of a file or type is a change of anything in it.
fn parts_of(snapshot: &Snapshot, targets: &[NodeId]) -> Vec<(f32, NodeId)> {
    let mut parts: Vec<(f32, NodeId)> = Vec::new();
    for &target in targets {
        parts.push((1.0, target));
        let kind = snapshot.kind(target);
        if snapshot.is_file(target) {
            parts.extend(snapshot.symbols_in(target).map(|part| (1.0, part)));
        } else if kind.is_type() || kind == SymbolKind::Module {
            let name = snapshot.name(target);
            let mut inside: FxHashSet<NodeId> = FxHashSet::from_iter([target]);
            // A container comes before what it holds.
            for part in snapshot.symbols_in(snapshot.file_of(target)) {
                let symbol = snapshot.symbol(part);
                let is_inside = symbol
                    .container
                    .is_some_and(|container| inside.contains(&container));
                if is_inside || symbol.owner == name {
                    inside.insert(part);
                    parts.push((1.0, part));
                }
            }
        }
    }
    parts.dedup();
    parts
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
    own: &FxHashSet<NodeId>,
) -> Vec<Edge> {
    let mut path = Vec::new();
    let mut at = node;
    while !own.contains(&at) && path.len() < 64 {
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

/// The kinds of edges on a path, in order, each once.
pub fn kinds(path: &[Edge]) -> Vec<EdgeKind> {
    let mut kinds: Vec<EdgeKind> = path.iter().map(|edge| edge.kind).collect();
    kinds.dedup();
    kinds
}
