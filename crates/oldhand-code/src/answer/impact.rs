//! Who is touched when something changes: a walk against the edges, strongest first.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::answer::map::ModuleMap;
use crate::answer::step::{Arrival, Step, is_member, is_override};
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
    /// The steps from the target to here, nearest to the target first.
    pub path: Vec<Step>,
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
    let mut known: FxHashMap<NodeId, Known> = FxHashMap::default();
    for &target in targets {
        known.insert(target, Known::default());
    }
    let mut answer = Impact::default();
    let mut looked = 0_usize;
    let mut order: Vec<NodeId> = Vec::new();
    let mut front: Vec<(f32, NodeId)> = parts_of(snapshot, targets);
    for depth in 1..=bounds.depth {
        let mut next: FxHashMap<NodeId, Known> = FxHashMap::default();
        for &(strength, node) in &front {
            let left = bounds
                .nodes
                .saturating_mul(EDGES_A_NODE)
                .saturating_sub(looked);
            let is_only_near =
                direction == Direction::Dependents && named_one(snapshot, node, &known);
            let arrival = known.get(&node).map_or(Arrival::Start, |way| way.arrival);
            let count = steps_from(snapshot, node, direction, arrival, left, &mut |step| {
                let edge = &step.edge;
                if edge.confidence < bounds.confidence || known.contains_key(&step.to) {
                    return;
                }
                let onward = strength
                    * edge.kind.weight()
                    * (f32::from(edge.confidence) / 100.0)
                    * if is_only_near { NEAR } else { 1.0 };
                let arrival = step.arrival(snapshot);
                let best = next.entry(step.to).or_insert(Known {
                    strength: 0.0,
                    depth,
                    step: None,
                    arrival,
                });
                // What is reached in several ways may go on by all of them.
                best.arrival = best.arrival.min(arrival);
                if onward > best.strength {
                    best.strength = onward;
                    best.step = Some(step);
                }
            });
            answer.is_cut |= count > left;
            looked += count.min(left);
        }
        front = next
            .iter()
            .map(|(&node, way)| (way.strength, node))
            .collect();
        front.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let room = bounds.nodes.saturating_sub(order.len());
        answer.is_cut |= front.len() > room;
        front.truncate(room);
        for &(_, node) in &front {
            known.insert(node, next[&node]);
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
    order.sort_by(|a, b| {
        let (a_strength, b_strength) = (known[a].strength, known[b].strength);
        b_strength.total_cmp(&a_strength).then(a.cmp(b))
    });
    for node in order {
        let Known {
            strength, depth, ..
        } = known[&node];
        if is_test(snapshot, node) {
            answer.tests.push(node);
        }
        answer.reached.push(Reached {
            node,
            depth,
            strength,
            path: path_to(node, &known, &own),
        });
    }
    answer
}

/// The best way to a node so far.
#[derive(Clone, Copy)]
struct Known {
    strength: f32,
    depth: u8,
    step: Option<Step>,
    arrival: Arrival,
}

impl Default for Known {
    fn default() -> Self {
        Self {
            strength: 1.0,
            depth: 0,
            step: None,
            arrival: Arrival::Start,
        }
    }
}

/// Gives `take` at most `left` steps that lead on from `node`; tells how many there are.
fn steps_from(
    snapshot: &Snapshot,
    node: NodeId,
    direction: Direction,
    arrival: Arrival,
    left: usize,
    take: &mut dyn FnMut(Step),
) -> usize {
    let step = |edge: Edge, is_turned: bool| {
        let forward = (direction == Direction::Dependencies) != is_turned;
        let to = if forward { edge.to } else { edge.from };
        Step {
            edge,
            to,
            is_turned,
        }
    };
    let goes_down = |edge: &Edge| edge.to == node && is_override(snapshot, edge);
    let turns = is_member(snapshot, node);
    match direction {
        Direction::Dependents => {
            // Whoever stands in for something must follow it when it is changed itself, not when what it calls is. Naming it
            // is no way down either; calling it is.
            let below: FxHashSet<NodeId> = match arrival {
                Arrival::Start | Arrival::FromAbove => FxHashSet::default(),
                Arrival::Along | Arrival::FromBelow => {
                    let down = snapshot.incoming(node).take(left).filter(goes_down);
                    down.map(|edge| edge.from).collect()
                }
            };
            let along = snapshot.incoming(node).take(left);
            along
                .filter(|edge| edge.kind == EdgeKind::Calls || !below.contains(&edge.from))
                .for_each(|edge| take(step(edge, false)));
            let mut count = snapshot.incoming_count(node);
            if turns {
                let up = snapshot.outgoing(node).take(left.saturating_sub(count));
                let up = up.filter(|edge| is_override(snapshot, edge));
                up.for_each(|edge| take(step(edge, true)));
                count += snapshot.outgoing_count(node);
            }
            count
        }
        Direction::Dependencies => {
            let along = snapshot.outgoing(node).take(left);
            along.for_each(|edge| take(step(edge, false)));
            let mut count = snapshot.outgoing_count(node);
            if turns && arrival != Arrival::FromBelow {
                // Those who merely use it are passed over, so they are not counted.
                let down = snapshot.incoming(node).take(STAND_INS).filter(goes_down);
                for edge in down.take(left.saturating_sub(count)) {
                    take(step(edge, true));
                    count += 1;
                }
            }
            count
        }
    }
}

/// Edges to a member among which those that stand in for it are sought.
const STAND_INS: usize = 1 << 14;

/// Edges looked at for each node told.
const EDGES_A_NODE: usize = 16;

/// What is left of a change in a file that imports a file that names the changed definition: whoever calls through is found by
/// the calls, so those who merely import come after them.
const NEAR: f32 = 0.5;

/// Whether `node` is a file that was reached because it imports one definition, not a whole file.
fn named_one(snapshot: &Snapshot, node: NodeId, known: &FxHashMap<NodeId, Known>) -> bool {
    let Some(Step { edge, .. }) = known.get(&node).and_then(|way| way.step) else {
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

fn path_to(node: NodeId, known: &FxHashMap<NodeId, Known>, own: &FxHashSet<NodeId>) -> Vec<Step> {
    let mut path = Vec::new();
    let mut at = node;
    while !own.contains(&at) && path.len() < 64 {
        let Some(step) = known.get(&at).and_then(|way| way.step) else {
            break;
        };
        path.push(step);
        at = if step.to == step.edge.to {
            step.edge.from
        } else {
            step.edge.to
        };
    }
    path.reverse();
    path
}
