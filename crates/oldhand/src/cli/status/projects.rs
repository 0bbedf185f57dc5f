//! `oldhand status --projects`: every project that something is kept of.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use jiff::Timestamp;
use oldhand_domain::port::MemoryReader as _;
use oldhand_store::{Mode, SqliteStore};

use crate::card::fact;
use crate::cli::{Door, NOTHING_FOUND};
use crate::out::Out;
use crate::out::size::bytes;
use crate::out::style::{FAINT, STRONG};
use crate::out::time::{ago, count};
use crate::project::{Entry, Registry};
use crate::view::status::ProjectsView;

/// A project, and how much is kept of it.
pub(crate) struct Kept {
    pub(crate) entry: Entry,
    /// Its folders, and whether each is there.
    pub(crate) places: Vec<(PathBuf, bool)>,
    /// How many live memories it has; `None` when its database cannot be read.
    pub(crate) memories: Option<usize>,
    pub(crate) bytes: u64,
}

pub(super) fn run(door: &mut Door) -> Result<ExitCode> {
    let home = &door.environment.home;
    let registry = Registry::read(home)?;
    let mut projects: Vec<Kept> = registry
        .projects()
        .iter()
        .map(|entry| look(entry, home))
        .collect();
    projects.sort_by(|one, other| one.entry.directory.cmp(&other.entry.directory));
    let is_empty = projects.is_empty();
    if door.out.is_json() {
        door.out.json(&ProjectsView::new(&projects))?;
    } else {
        for project in &projects {
            show(project, door.environment.now, &mut door.out)?;
        }
        if is_empty {
            door.out.note("no project is known yet");
        } else if projects.iter().any(|one| one.entry.is_gone()) {
            door.out.hint("`oldhand forget --whole-project NAME` removes one that you need no more; `oldhand init --same-as NAME`, in its new place, tells where it went");
        }
    }
    Ok(ExitCode::from(if is_empty { NOTHING_FOUND } else { 0 }))
}

fn look(entry: &Entry, home: &Path) -> Kept {
    let folder = home.join("projects").join(&entry.directory);
    let database = folder.join("memory.db");
    let count = || {
        let store = SqliteStore::open(&database, Mode::Read).ok()?;
        let counts = store.counts().ok()?;
        Some(counts.live.iter().map(|(_, number)| number).sum())
    };
    Kept {
        entry: entry.clone(),
        places: entry.folders(),
        memories: if database.exists() { count() } else { Some(0) },
        bytes: size_of_all(&folder),
    }
}

/// What removing it would free: also what is derived, and the room that is kept in reserve.
fn size_of_all(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => size_of_all(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

fn show(project: &Kept, now: Timestamp, out: &mut Out) -> Result<()> {
    let Entry {
        name,
        directory,
        created_at,
        ..
    } = &project.entry;
    writeln!(out, "{STRONG}{name}{STRONG:#} {FAINT}{directory}{FAINT:#}")?;
    for (folder, is_there) in &project.places {
        let gone = if *is_there { "" } else { ", which is gone" };
        // Never broken, so that it can be copied.
        let folder = folder.display();
        writeln!(out, "  {STRONG}at{STRONG:#}          {folder}{gone}")?;
    }
    if project.places.is_empty() {
        fact(out, "at", "nobody knows any more where that was")?;
    }
    let memories = match project.memories {
        Some(number) => count(number, "memory"),
        None => "a database that cannot be read".to_owned(),
    };
    let kept = format!(
        "{memories} ({}), made known {}",
        bytes(project.bytes),
        ago(*created_at, now)
    );
    fact(out, "kept", &kept)?;
    Ok(())
}
