//! Two known projects become one: what the one learned moves to the other.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use oldhand_domain::filter::{Filter, State};
use oldhand_domain::port::{MemoryReader as _, MemoryStore as _};
use oldhand_domain::session::SessionStore as _;
use oldhand_store::{Mode, SqliteStore};

use super::Arrival;
use crate::cli::Door;
use crate::config::FILE;
use crate::desk::refuse_gone;
use crate::failure::Failure;
use crate::file;
use crate::out::time::count;
use crate::project::{self, Project};

/// Moves what `from` learned into the project called `name`; nothing is removed before everything is there.
pub(super) fn merge(from: &Project, name: &str, door: &Door) -> Result<(Project, Arrival)> {
    let home = &door.environment.home;
    let into = project::named(home, name, from.location.clone())?;
    if into.directory == from.directory {
        return Ok((into, Arrival::Known));
    }
    for project in [from, &into] {
        refuse_gone(&project.database(), Some(&project.name))?;
    }
    if from.database().exists() {
        move_learned(from, &into)?;
    }
    move_files(
        &from.directory.join("journal"),
        &into.directory.join("journal"),
    )?;
    if from.directory.join(FILE).exists() {
        door.out.note(&format!(
            "settings that only {} had are not taken over",
            from.name
        ));
    }
    let merged = project::merge(home, from, name)?;
    fs::remove_dir_all(&from.directory)
        .with_context(|| format!("could not remove {}", from.directory.display()))?;
    Ok((merged, Arrival::Merged))
}

/// Memories keep their ids; a session that both know stays as the other project has it.
fn move_learned(from: &Project, into: &Project) -> Result<()> {
    let source = SqliteStore::open(&from.database(), Mode::Read)?;
    let everything = Filter {
        state: State::Any,
        ..Filter::default()
    };
    let listing = source.list(&everything)?;
    if !listing.damaged.is_empty() {
        let number = count(listing.damaged.len(), "memory");
        return Err(
            Failure::damaged(format!("{number} of {} cannot be read", from.name))
                .hint("`oldhand doctor --repair` first; nothing was moved")
                .into(),
        );
    }
    let target = SqliteStore::open(&into.database(), Mode::Write)?;
    target.change(&mut |_| Ok(listing.memories.clone()))?;
    for record in source.sessions()? {
        if target.session(&record.id)?.is_none() {
            target.save_session(&record)?;
        }
    }
    Ok(())
}

/// Moves every file below `from`. A journal only grows, so of two with the same name the longer one holds the other.
fn move_files(from: &Path, into: &Path) -> Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    file::create_private_dir(into)?;
    let could_not = || format!("could not move {}", from.display());
    for entry in fs::read_dir(from).with_context(could_not)? {
        let path = entry.with_context(could_not)?.path();
        let Some(name) = path.file_name() else {
            continue;
        };
        let target = into.join(name);
        if path.is_dir() {
            move_files(&path, &target)?;
        } else if length(&path) > length(&target) {
            fs::rename(&path, &target).with_context(could_not)?;
        }
    }
    Ok(())
}

/// What is not there is shorter than anything.
fn length(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|found| found.len())
}
