//! The sweep: what is old and unused goes by itself, when work begins on another day and after every twenty sessions.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use oldhand_code::history::merged::merged;

use crate::cli::edit;
use crate::desk::Desk;
use crate::file;
use crate::out::Out;
use crate::out::time::count;
use crate::project::Project;

/// So many sessions may be learned from between two sweeps.
const SESSIONS: usize = 20;
/// So long after a sweep the next beginning of work brings another.
const PAUSE: SignedDuration = SignedDuration::from_hours(24);

/// When the last sweep was, and how many sessions were learned from since.
struct Swept {
    at: Timestamp,
    sessions: usize,
}

impl Swept {
    fn file(project: &Project) -> PathBuf {
        project.directory.join("locks").join("swept")
    }

    fn read(project: &Project) -> Option<Self> {
        let noted = fs::read_to_string(Self::file(project)).ok()?;
        let (at, sessions) = noted.trim().split_once(' ')?;
        Some(Self {
            at: at.parse().ok()?,
            sessions: sessions.parse().ok()?,
        })
    }

    /// A note that cannot be kept costs another sweep, no more.
    fn write(&self, project: &Project) {
        let path = Self::file(project);
        let noted = format!("{} {}", self.at, self.sessions);
        let _ = file::create_private_dir(&project.directory.join("locks"))
            .and_then(|()| file::write_privately(&path, noted.as_bytes()));
    }

    fn is_long_ago(&self, now: Timestamp) -> bool {
        now.duration_since(self.at) >= PAUSE
    }
}

/// Whether work that begins now should start with a sweep. Asked by hooks: one short file.
pub(crate) fn is_due(project: &Project, now: Timestamp) -> bool {
    Swept::read(project).is_some_and(|swept| swept.is_long_ago(now))
}

/// Sweeps if it is time to, after `sessions` more were learned from. What goes can be restored for 30 days.
pub(crate) fn after_sessions(desk: &Desk, sessions: usize, home: &Path, out: &Out) {
    let Some(project) = &desk.project else {
        return;
    };
    if let Some(mut swept) = Swept::read(project) {
        swept.sessions += sessions;
        if swept.sessions < SESSIONS && !swept.is_long_ago(desk.now) {
            swept.write(project);
            return;
        }
    }
    match sweep(desk, home, out) {
        Ok(()) => Swept {
            at: desk.now,
            sessions: 0,
        }
        .write(project),
        Err(error) => out.note(&format!("what is old was not swept: {error:#}")),
    }
}

fn sweep(desk: &Desk, home: &Path, out: &Out) -> Result<()> {
    let engine = desk.engine();
    let root = &desk.location.root;
    let merged_at = |branches: &BTreeSet<String>, since: Timestamp| {
        let merged = merged(root, branches, since.as_second()).into_iter();
        let known = |(branch, at)| Some((branch, Timestamp::from_second(at).ok()?));
        merged.filter_map(known).collect()
    };
    let archived = engine.archive_merged(&merged_at, desk.now)?;
    let pruned = engine.prune_project(desk.sessions(), desk.now)?;
    for shelved in &pruned.erased {
        edit::remove_leftovers(home, shelved.memory.id)?;
        desk.forget_meaning(shelved.shelf, shelved.memory.id, out);
    }
    let gone = pruned.deleted.len();
    if gone + archived > 0 {
        out.note(&format!(
            "swept: {} unused for long, {archived} of branches that were merged; `oldhand list --all` shows them",
            count(gone, "memory")
        ));
    }
    Ok(())
}
