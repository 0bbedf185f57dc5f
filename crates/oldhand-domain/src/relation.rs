//! How memories hang together, and how a change of confidence travels along that.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::confidence::Confidence;
use crate::id::MemoryId;
use crate::path::ProjectPath;
use crate::spelled::spelled;

spelled! {
    /// What one memory says about another memory or a file.
    RelationType, "relation type", {
        RequiredWith => "required_with",
        ConflictsWith => "conflicts_with",
        Validates => "validates",
        Supersedes => "supersedes",
        DerivedFrom => "derived_from",
    }
}

impl RelationType {
    /// The part of a change of confidence that reaches the other end.
    pub const fn factor(self) -> f64 {
        match self {
            Self::RequiredWith => 0.3,
            Self::ConflictsWith => -0.4,
            Self::Validates => 0.6,
            Self::Supersedes => 0.8,
            Self::DerivedFrom => 0.5,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationTarget {
    Memory(MemoryId),
    File(ProjectPath),
}

/// Whether a person or agent stated a relation, or a rule found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extraction {
    Stated,
    Automatic,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    pub relation_type: RelationType,
    pub target: RelationTarget,
    pub confidence: Confidence,
    pub extraction: Extraction,
}

impl Relation {
    /// From a later part of a long text to the first.
    pub fn to_first_part(first: MemoryId) -> Self {
        Self {
            relation_type: RelationType::RequiredWith,
            target: RelationTarget::Memory(first),
            confidence: Confidence::FULL,
            extraction: Extraction::Automatic,
        }
    }

    /// The first part, for a relation that leads there.
    pub fn first_part(&self) -> Option<MemoryId> {
        match self.target {
            RelationTarget::Memory(first) if *self == Self::to_first_part(first) => Some(first),
            _ => None,
        }
    }
}

/// Smaller changes stay where they are.
pub const SMALLEST_CHANGE: f64 = 0.05;

/// A memory as far as propagation is concerned.
#[derive(Clone, Debug)]
pub struct Linked {
    pub confidence: Confidence,
    pub relations: Vec<Relation>,
}

/// The new confidences of all memories reached from `changed`, whose confidence moved by `delta`.
///
/// Each memory is reached at most once, by the shortest way; files do not carry confidence. `look_up`
/// returns `None` for what no longer exists.
pub fn propagate(
    changed: MemoryId,
    delta: f64,
    mut look_up: impl FnMut(MemoryId) -> Option<Linked>,
) -> BTreeMap<MemoryId, Confidence> {
    let mut updated = BTreeMap::new();
    let mut seen = std::collections::BTreeSet::from([changed]);
    let mut wave = match look_up(changed) {
        Some(start) => vec![(start.relations, delta)],
        None => return updated,
    };
    while !wave.is_empty() {
        let mut next = Vec::new();
        for (relations, delta) in wave {
            if delta.abs() <= SMALLEST_CHANGE {
                continue;
            }
            for relation in relations {
                let RelationTarget::Memory(target) = relation.target else {
                    continue;
                };
                if !seen.insert(target) {
                    continue;
                }
                let Some(linked) = look_up(target) else {
                    continue;
                };
                let wanted = Confidence::clamped(
                    linked.confidence.get() + delta * relation.relation_type.factor(),
                );
                // What the range swallowed does not travel further.
                let moved = wanted.get() - linked.confidence.get();
                updated.insert(target, wanted);
                next.push((linked.relations, moved));
            }
        }
        wave = next;
    }
    updated
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u128) -> MemoryId {
        MemoryId::new(uuid::Uuid::from_u128(n))
    }

    fn link(relation_type: RelationType, target: u128) -> Relation {
        let target = RelationTarget::Memory(id(target));
        Relation {
            relation_type,
            target,
            confidence: Confidence::FULL,
            extraction: Extraction::Stated,
        }
    }

    /// Memories 1, 2, 3… all start at 0.5.
    fn moved(delta: f64, links: &[(u128, RelationType, u128)]) -> Vec<(u128, f64)> {
        let look_up = |wanted: MemoryId| {
            let n = wanted.uuid().as_u128();
            let own = links.iter().filter(|(from, ..)| *from == n);
            let relations = own
                .map(|&(_, relation_type, to)| link(relation_type, to))
                .collect();
            Some(Linked {
                confidence: Confidence::clamped(0.5),
                relations,
            })
        };
        let updated = propagate(id(1), delta, look_up);
        updated
            .into_iter()
            .map(|(id, c)| (id.uuid().as_u128(), (c.get() * 1000.0).round() / 1000.0))
            .collect()
    }

    #[test]
    fn each_relation_passes_its_own_share() {
        use RelationType as R;
        for (relation, expected) in [
            (R::Validates, 0.62),
            (R::RequiredWith, 0.56),
            (R::ConflictsWith, 0.42),
            (R::Supersedes, 0.66),
            (R::DerivedFrom, 0.6),
        ] {
            assert_eq!(
                moved(0.2, &[(1, relation, 2)]),
                [(2, expected)],
                "{relation}"
            );
        }
    }

    #[test]
    fn small_changes_do_not_travel() {
        assert_eq!(moved(0.05, &[(1, RelationType::Supersedes, 2)]), []);
        // 0.08 × 0.6 = 0.048 reaches 2 and stops there.
        assert_eq!(
            moved(
                0.08,
                &[
                    (1, RelationType::Validates, 2),
                    (2, RelationType::Validates, 3)
                ]
            ),
            [(2, 0.548)]
        );
    }

    #[test]
    fn a_circle_is_walked_once() {
        let circle = [
            (1, RelationType::Supersedes, 2),
            (2, RelationType::Supersedes, 3),
            (3, RelationType::Supersedes, 1),
        ];
        assert_eq!(moved(0.4, &circle), [(2, 0.82), (3, 0.756)]);
    }
}
