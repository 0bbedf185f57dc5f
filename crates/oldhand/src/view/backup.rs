//! Backups, as JSON.

use jiff::Timestamp;
use oldhand_store::{Backup, BackupReason};
use serde::Serialize;

use crate::cli::backup::{Lost, name_of};

#[derive(Serialize)]
pub(crate) struct BackupsView {
    pub(crate) backups: Vec<BackupView>,
}

#[derive(Serialize)]
pub(crate) struct BackupView {
    name: String,
    path: String,
    /// `rolling`, `restore` or `schema`.
    reason: &'static str,
    created_at: Option<Timestamp>,
    /// The version that the tables had, for `schema`.
    schema: Option<u32>,
    bytes: u64,
}

impl BackupView {
    pub(crate) fn new(backup: &Backup) -> Self {
        let (reason, created_at, schema) = match backup.reason {
            BackupReason::Rolling(at) => ("rolling", Some(at), None),
            BackupReason::Restore(at) => ("restore", Some(at), None),
            BackupReason::Schema(version) => ("schema", None, Some(version)),
        };
        Self {
            name: name_of(backup),
            path: backup.path.display().to_string(),
            reason,
            created_at,
            schema,
            bytes: backup.bytes,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct RestoredView<'a> {
    outcome: &'static str,
    backup: BackupView,
    /// What was there before is kept under this name; `None` when there was nothing.
    aside: Option<&'a str>,
    /// Memories that came since, and how many were changed since; `None` when what was there could not be read.
    lost: Option<LostView>,
}

#[derive(Serialize)]
struct LostView {
    memories: usize,
    changes: usize,
}

impl<'a> RestoredView<'a> {
    pub(crate) fn new(backup: &Backup, aside: Option<&'a str>, lost: Option<Lost>) -> Self {
        Self {
            outcome: "restored",
            backup: BackupView::new(backup),
            aside,
            lost: lost.map(|lost| LostView {
                memories: lost.memories,
                changes: lost.changes,
            }),
        }
    }
}
