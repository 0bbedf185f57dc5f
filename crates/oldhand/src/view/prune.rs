//! What was pruned, as JSON.

use jiff::Timestamp;
use oldhand_engine::{PruneMode, Pruned};
use serde::Serialize;

use super::memory::MemoryView;

#[derive(Serialize)]
pub(crate) struct PruneView<'a> {
    dry_run: bool,
    deleted: Vec<DeletedView<'a>>,
    erased: Vec<MemoryView<'a>>,
}

#[derive(Serialize)]
struct DeletedView<'a> {
    why: &'static str,
    memory: MemoryView<'a>,
}

impl<'a> PruneView<'a> {
    pub(crate) fn new(pruned: &'a Pruned, mode: PruneMode, now: Timestamp) -> Self {
        let deleted = pruned.deleted.iter().map(|(shelved, why)| DeletedView {
            why,
            memory: MemoryView::of(shelved, now),
        });
        let erased = pruned
            .erased
            .iter()
            .map(|shelved| MemoryView::of(shelved, now));
        Self {
            dry_run: mode == PruneMode::DryRun,
            deleted: deleted.collect(),
            erased: erased.collect(),
        }
    }
}
