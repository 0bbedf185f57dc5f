//! Hot spots: files where much depends on what changes often.

use std::collections::BTreeMap;

use crate::snapshot::{NodeId, Snapshot};

/// How often each path changed, as the caller counts.
pub type Churn = BTreeMap<String, f32>;

/// A file and why it is hot.
#[derive(Clone, Debug, PartialEq)]
pub struct HotSpot {
    pub file: NodeId,
    /// Files that use it.
    pub dependents: usize,
    /// Files it uses.
    pub dependencies: usize,
    pub lines: u32,
    /// How often it changed, as the caller counts; 0 when unknown.
    pub churn: f32,
    /// Larger is hotter; comparable within one answer only.
    pub score: f32,
}

/// At most `limit` files, hottest first. `churn` is how often each path changed; without any the graph alone speaks.
pub fn hot_spots(snapshot: &Snapshot, churn: &Churn, limit: usize) -> Vec<HotSpot> {
    let mut spots: Vec<HotSpot> = Vec::new();
    for file in snapshot.files() {
        let entry = snapshot.file(file);
        if entry.is_test || entry.language.get().is_none() {
            continue;
        }
        let neighbours = super::dependencies::dependencies(snapshot, file);
        let (dependents, dependencies) = (neighbours.used_by.len(), neighbours.uses.len());
        let changed = churn.get(entry.path).copied().unwrap_or(0.0);
        let size = (1.0 + entry.lines as f32).ln();
        let reach = (1.0 + dependents as f32) * (1.0 + dependencies as f32 * 0.25);
        let changes = if churn.is_empty() { 1.0 } else { changed };
        let score = reach.ln_1p() * size * changes.ln_1p();
        spots.push(HotSpot {
            file,
            dependents,
            dependencies,
            lines: entry.lines,
            churn: changed,
            score,
        });
    }
    spots.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    spots.truncate(limit);
    spots
}
