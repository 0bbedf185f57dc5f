//! Putting damaged databases right.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use oldhand_domain::error::StoreError;
use oldhand_embed::MODELS;
use oldhand_store::{Mode, Repair, RepairReport, SqliteStore, meaning, refill, repair};

use crate::config::Environment;
use crate::desk::{backups_of_gone, vectors_beside};
use crate::out::time::moment;
use crate::project::{self, Found, Registry, Restored};

/// A database or the list of projects that was put right, and how.
pub(crate) struct Mended {
    pub(crate) path: PathBuf,
    pub(crate) found: Vec<String>,
    pub(crate) done: Vec<String>,
}

impl Mended {
    fn database(path: PathBuf, report: &RepairReport) -> Self {
        Self {
            path,
            found: report.findings.iter().map(ToString::to_string).collect(),
            done: report.done.iter().map(describe).collect(),
        }
    }

    fn list(Restored { list, aside, again }: Restored) -> Self {
        let kept = aside.as_deref().map(kept_aside);
        let named = (!again.is_empty()).then(|| format!("in the list again: {}", again.join(", ")));
        Self {
            path: list,
            found: Vec::new(),
            done: kept.into_iter().chain(named).collect(),
        }
    }
}

/// Puts the list of projects and the project's and the person's database right, where they need it.
pub(crate) fn mend(environment: &Environment) -> Result<Vec<Mended>> {
    let restored = Registry::restore(&environment.home)?;
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
    let mut mended: Vec<Mended> = restored.map(Mended::list).into_iter().collect();
    // What is gone is brought back by `oldhand backup restore`; the checks say so.
    for database in databases.filter(|path| path.exists()) {
        let repaired = if backups_of_gone(&database).is_some() {
            refill(&database)?
        } else if needs_repair(&database)? {
            Some(repair(&database, environment.now)?)
        } else {
            None
        };
        let vectors = vectors_beside(&database);
        let damaged = count_damaged(&database);
        // Those of another database follow nothing that is there.
        if repaired.is_some() || damaged > 0 {
            meaning::start_over(&vectors)
                .with_context(|| format!("cannot remove {}", vectors.display()))?;
            let mut report = repaired.unwrap_or_default();
            if damaged > 0 {
                report.done.push(Repair::VectorsRemoved(damaged));
            }
            mended.push(Mended::database(database, &report));
        }
    }
    Ok(mended)
}

/// How many vectors beside a database are not what was written, of all models.
pub(super) fn count_damaged(database: &Path) -> usize {
    let folder = vectors_beside(database);
    let models = MODELS.into_iter();
    models
        .map(|model| meaning::count_damaged(&folder, model))
        .sum()
}

fn needs_repair(database: &Path) -> Result<bool, StoreError> {
    match SqliteStore::open(database, Mode::Write) {
        Ok(store) => Ok(!store.check()?.is_empty()),
        Err(StoreError::DamagedDatabase { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

fn kept_aside(path: &Path) -> String {
    format!("the damaged file is kept as {}", path.display())
}

/// One step, in words.
fn describe(step: &Repair) -> String {
    match step {
        Repair::KeptAside(path) => kept_aside(path),
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
        Repair::Restored { backup, made_at } => format!(
            "everything came back from {}, made {}; what was kept after that is lost",
            backup.display(),
            moment(*made_at)
        ),
        Repair::VectorsRemoved(number) => format!(
            "the vectors were removed, {number} of them damaged; the next search makes them anew"
        ),
        other => format!("{other:?}"),
    }
}
