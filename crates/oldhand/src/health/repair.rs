//! Putting damaged databases right.

use std::path::{Path, PathBuf};

use anyhow::Result;
use oldhand_domain::error::StoreError;
use oldhand_store::{Mode, Repair, RepairReport, SqliteStore, repair};

use crate::config::Environment;
use crate::desk::backups_of_gone;
use crate::project::{self, Found};

/// A database that was put right, and how.
pub(crate) struct Mended {
    pub(crate) database: PathBuf,
    pub(crate) report: RepairReport,
}

/// Puts the project's and the person's database right, where they need it.
pub(crate) fn mend(environment: &Environment) -> Result<Vec<Mended>> {
    let found = project::find(
        &environment.home,
        &environment.folder,
        environment.user_home.as_deref(),
    )?;
    let project = match found {
        Found::Known(project) => Some(project.database()),
        Found::Unknown(_) => None,
    };
    let databases = project.into_iter().chain([environment.personal_database()]);
    let mut mended = Vec::new();
    // What is gone is brought back whole, by `oldhand backup restore`; the checks say so.
    let there = |path: &PathBuf| path.exists() && backups_of_gone(path).is_none();
    for database in databases.filter(there) {
        if needs_repair(&database)? {
            let report = repair(&database, environment.now)?;
            mended.push(Mended { database, report });
        }
    }
    Ok(mended)
}

fn needs_repair(database: &Path) -> Result<bool, StoreError> {
    match SqliteStore::open(database, Mode::Write) {
        Ok(store) => Ok(!store.check()?.is_empty()),
        Err(StoreError::DamagedDatabase { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

/// One step, in words.
pub(crate) fn describe(step: &Repair) -> String {
    match step {
        Repair::KeptAside(path) => format!("the damaged file is kept as {}", path.display()),
        Repair::CarriedOver(count) => format!("sound memories carried over: {count}"),
        Repair::Quarantined { id: Some(id), .. } => {
            format!("memory {id} is damaged and was set aside")
        }
        Repair::Quarantined { key, id: None } => {
            format!("a memory whose id cannot be read (row {key}) was set aside")
        }
        Repair::Unreadable { key } => {
            format!("a memory (row {key}) cannot be read; its bytes are in the file kept aside")
        }
        Repair::FromBackup { id, backup } => {
            format!("memory {id} came back from {}", backup.display())
        }
        Repair::DocumentQuarantined(name) => format!("document `{name}` was set aside"),
        Repair::DocumentFromBackup { name, backup } => {
            format!("document `{name}` came back from {}", backup.display())
        }
        Repair::IndexRebuilt(count) => {
            format!("the full-text index was built anew, memories in it: {count}")
        }
        other => format!("{other:?}"),
    }
}
