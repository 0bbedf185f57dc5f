//! How one thing reaches another: the shortest and surest paths along calls, uses and inheritance.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::answer::step::{Arrival, Step, is_member, is_override};
use crate::graph::EdgeKind;
use crate::snapshot::{Edge, NodeId, Snapshot};

/// One way from start to end.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    pub start: NodeId,
    pub steps: Vec<Step>,
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

/// Paths from any of `from` to any of `to`, at most `depth` steps long.
pub fn flow(snapshot: &Snapshot, from: &[NodeId], to: &[NodeId], depth: u8) -> Flow {
    // Distances to the end first, so that the walk from the start only takes steps that lead there.
    let (distance, mut is_cut) = distances(snapshot, to, depth);
    let mut paths = Vec::new();
    let mut starts: Vec<NodeId> = from
        .iter()
        .copied()
        .filter(|&node| distance.contains_key(&(node, Way::Open)))
        .collect();
    starts.sort_by_key(|&node| distance[&(node, Way::Open)]);
    for start in starts {
        if to.contains(&start) {
            continue;
        }
        let mut open: Vec<Vec<Step>> = vec![Vec::new()];
        while let Some(path) = open.pop() {
            if paths.len() >= PATHS * 8 {
                is_cut = true;
                break;
            }
            let place = path.last().map_or((start, Way::Open), |step| {
                (step.to, Way::of(snapshot, step))
            });
            if distance[&place] == 0 {
                let confidence = path
                    .iter()
                    .map(|step| f32::from(step.edge.confidence) / 100.0)
                    .product();
                paths.push(Path {
                    start,
                    steps: path,
                    confidence,
                });
                continue;
            }
            let leads_there = |step: &Step| {
                let next = (step.to, Way::of(snapshot, step));
                let left = distance.get(&next);
                left.is_some_and(|&left| left < distance[&place])
            };
            let mut next = steps_from(snapshot, place);
            next.retain(leads_there);
            next.sort_by_key(|step| (step.to, std::cmp::Reverse(step.edge.confidence)));
            next.dedup_by_key(|step| step.to);
            next.sort_by_key(|step| step.edge.confidence);
            for step in next {
                let mut longer = path.clone();
                longer.push(step);
                open.push(longer);
            }
        }
    }
    paths.sort_by(|a, b| {
        a.steps
            .len()
            .cmp(&b.steps.len())
            .then(b.confidence.total_cmp(&a.confidence))
    });
    paths.truncate(PATHS);
    Flow { paths, is_cut }
}

/// How many steps each place within `depth` steps of `to` is away from it, and whether there are more than were looked at.
fn distances(snapshot: &Snapshot, to: &[NodeId], depth: u8) -> (FxHashMap<Place, u8>, bool) {
    let mut distance: FxHashMap<Place, u8> = FxHashMap::default();
    let mut waiting: VecDeque<Place> = VecDeque::new();
    for &node in to {
        for way in [Way::Open, Way::Up] {
            distance.insert((node, way), 0);
            waiting.push_back((node, way));
        }
    }
    while let Some(place @ (node, way)) = waiting.pop_front() {
        let so_far = distance[&place];
        if so_far >= depth {
            continue;
        }
        if distance.len() > LOOKED_AT {
            return (distance, true);
        }
        let mut add = |place: Place| {
            distance.entry(place).or_insert_with(|| {
                waiting.push_back(place);
                so_far + 1
            });
        };
        for edge in snapshot.incoming(node).filter(travels) {
            if (way == Way::Up) == is_override(snapshot, &edge) {
                add((edge.from, Way::Open));
                add((edge.from, Way::Up));
            }
        }
        if way == Way::Open && is_member(snapshot, node) {
            let up = snapshot.outgoing(node);
            for edge in up.filter(|edge| is_override(snapshot, edge)) {
                add((edge.to, Way::Open));
            }
        }
    }
    (distance, false)
}

/// A node, and how one came to it.
type Place = (NodeId, Way);

/// Which steps are left at a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Way {
    Open,
    /// One came up from a member that stands in for it, so the way down to another is closed.
    Up,
}

impl Way {
    fn of(snapshot: &Snapshot, step: &Step) -> Self {
        match step.arrival(snapshot) {
            Arrival::FromBelow => Self::Up,
            Arrival::Start | Arrival::FromAbove | Arrival::Along => Self::Open,
        }
    }
}

fn steps_from(snapshot: &Snapshot, (node, way): Place) -> Vec<Step> {
    let along = snapshot.outgoing(node).filter(travels).map(|edge| Step {
        edge,
        to: edge.to,
        is_turned: false,
    });
    let mut steps: Vec<Step> = along.collect();
    if way == Way::Open && is_member(snapshot, node) {
        let down = snapshot.incoming(node);
        let down = down.filter(|edge| is_override(snapshot, edge));
        steps.extend(down.map(|edge| Step {
            edge,
            to: edge.from,
            is_turned: true,
        }));
    }
    steps
}

/// Data and control move along these; merely exporting a name moves nothing.
fn travels(edge: &Edge) -> bool {
    edge.kind != EdgeKind::Exports
}
