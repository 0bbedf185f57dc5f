//! One step of a walk through the graph, and which steps there are: along the links, and from a member to those that stand in
//! for it or that it stands in for.
//!
//! Whoever calls a method of an interface may run any of its implementations. So a change of an implementation reaches those
//! who call the method that it implements, and what a call depends on goes on with the implementations. What it does not do is
//! to go up from one implementation and down to another: those have nothing to do with each other.

use crate::facts::SymbolKind;
use crate::graph::EdgeKind;
use crate::snapshot::{Edge, NodeId, Snapshot};

/// A link, and the end of it at which one arrives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub edge: Edge,
    pub to: NodeId,
    /// Whether the step goes against the way in which the walk takes links: by a call that may run another's body.
    pub is_turned: bool,
}

impl Step {
    /// What the one that the step comes from has to do with the other, or the other way round when going to dependents.
    pub fn word(&self) -> &'static str {
        match (self.is_turned, self.edge.kind) {
            (true, EdgeKind::Implements) => "implemented_by",
            (true, EdgeKind::Extends) => "overridden_by",
            (_, kind) => kind.as_str(),
        }
    }

    /// How one arrived.
    pub(super) fn arrival(&self, snapshot: &Snapshot) -> Arrival {
        match is_override(snapshot, &self.edge) {
            true if self.to == self.edge.to => Arrival::FromBelow,
            true => Arrival::FromAbove,
            false => Arrival::Along,
        }
    }
}

/// How a walk came to a node; what leaves most ways open comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Arrival {
    /// It began there.
    Start,
    /// From a member that it stands in for.
    FromAbove,
    /// By any other link.
    Along,
    /// From a member that stands in for it: its other stand-ins are not meant.
    FromBelow,
}

/// Whether a link says that one member stands in for another.
pub fn is_override(snapshot: &Snapshot, edge: &Edge) -> bool {
    matches!(edge.kind, EdgeKind::Implements | EdgeKind::Extends)
        && is_member(snapshot, edge.from)
        && is_member(snapshot, edge.to)
}

pub(super) fn is_member(snapshot: &Snapshot, node: NodeId) -> bool {
    matches!(snapshot.kind(node), SymbolKind::Method | SymbolKind::Field)
}
