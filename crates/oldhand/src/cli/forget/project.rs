//! `oldhand forget --whole-project`: nothing more is kept of a project, but for a file of what was known.

use std::cmp::Reverse;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use oldhand_domain::error::ErrorKind;
use oldhand_domain::filter::{Filter, State};
use oldhand_domain::port::MemoryReader as _;
use oldhand_engine::{Shelf, Shelved};
use oldhand_store::{Alone, Mode, SqliteStore};

use crate::cli::Door;
use crate::cli::export::write_lines;
use crate::desk::backups_of_gone;
use crate::failure::Failure;
use crate::file;
use crate::out::style::GOOD;
use crate::out::time::count;
use crate::project::{self, Found, Project};
use crate::view::receipt::RemovedView;

pub(super) fn run(name: &str, yes: bool, door: &mut Door) -> Result<ExitCode> {
    let environment = &door.environment;
    let user_home = environment.user_home.as_deref();
    let location = match project::find(&environment.home, &environment.folder, user_home)? {
        Found::Known(project) => project.location,
        Found::Unknown(location) => location,
    };
    let project = project::named(&environment.home, name, location)?;
    let directory = project.directory.file_name().unwrap_or_default();
    let directory = directory.to_string_lossy().into_owned();
    let export = environment.home.join("removed");
    let export = export.join(format!("{directory}.jsonl"));
    let known = read_all(&project)?.len();
    if !yes && !is_wanted(&directory, known, &export, door)? {
        door.out.note("nothing was removed");
        return Ok(ExitCode::SUCCESS);
    }
    let alone = alone_in(&project)?;
    // Read again: others may have written until now.
    let memories = read_all(&project)?;
    let export = (!memories.is_empty()).then_some(export);
    if let Some(export) = &export {
        let mut lines = Vec::new();
        write_lines(&mut lines, &memories, door.environment.now)?;
        keep(export, &lines)?;
    }
    let led_to = fs::read_link(&project.directory).ok();
    remove(&door.environment.home, &project)?;
    drop(alone);
    if let Some(led_to) = led_to {
        let led_to = led_to.display();
        let told = format!("{directory} was a link; what it led to stays: {led_to}");
        door.out.note(&told);
    }
    if door.out.is_json() {
        let view = RemovedView::new(&directory, memories.len(), export.as_deref());
        door.out.json(&view)?;
    } else {
        writeln!(door.out, "{GOOD}removed{GOOD:#} {directory}")?;
        tell_kept(memories.len(), export.as_deref(), door);
    }
    Ok(ExitCode::SUCCESS)
}

/// Everything that is known, newest first, what was forgotten too: it goes as well.
fn read_all(project: &Project) -> Result<Vec<Shelved>> {
    let (name, database) = (&project.name, project.database());
    if backups_of_gone(&database).is_some() {
        return Err(unreadable(&format!("the database of {name} is gone"), project).into());
    }
    if !database.exists() {
        return Ok(Vec::new());
    }
    let everything = Filter {
        state: State::Any,
        ..Filter::default()
    };
    let opened = SqliteStore::open(&database, Mode::Read);
    let kept = match opened.and_then(|store| store.list(&everything)) {
        Err(error) if error.kind() == ErrorKind::Damaged => {
            let message = format!("the database of {name} cannot be read");
            return Err(unreadable(&message, project).because(error).into());
        }
        kept => kept?,
    };
    if !kept.damaged.is_empty() {
        let number = count(kept.damaged.len(), "memory");
        return Err(unreadable(&format!("{number} of {name} cannot be read"), project).into());
    }
    let mut memories = kept.memories;
    memories.sort_by_key(|memory| Reverse((memory.created_at, memory.id)));
    let shelf = Shelf::Project;
    let shelved = |memory| Shelved { shelf, memory };
    Ok(memories.into_iter().map(shelved).collect())
}

/// What is repaired here, in whichever project this is, would be another one.
fn unreadable(message: &str, project: &Project) -> Failure {
    let folder = project.directory.display();
    Failure::damaged(message).hint(format!(
        "`oldhand doctor --repair` there first; or remove {folder} by hand, then say this again"
    ))
}

/// Waits for those who write; who comes now waits in turn. `None` where nothing is kept.
fn alone_in(project: &Project) -> Result<Option<Alone>> {
    if !project.directory.exists() {
        return Ok(None);
    }
    let alone = Alone::wait(&project.database()).map_err(|error| {
        Failure::unavailable(format!("{} is being written to", project.name))
            .because(error)
            .hint("nothing was removed; try again later")
    })?;
    Ok(Some(alone))
}

fn is_wanted(directory: &str, memories: usize, export: &Path, door: &mut Door) -> Result<bool> {
    let first = match memories {
        0 => String::new(),
        _ => format!(
            " (what it knows, {}, is written to {} before)",
            count(memories, "memory"),
            export.display()
        ),
    };
    let question = format!("Remove {directory} and all that is kept of it?{first}");
    let answer = door.out.ask(&question)?;
    Ok(answer.ok_or_else(|| {
        Failure::invalid("removing a project needs a yes").hint(format!(
            "`oldhand forget --whole-project {directory} --yes`"
        ))
    })?)
}

fn keep(export: &Path, lines: &[u8]) -> Result<()> {
    let folder = export.parent().context("an export lies in a folder")?;
    file::create_private_dir(folder)?;
    file::write_privately(export, lines)
}

/// How the name of a folder ends that is about to go.
const LEAVING: &str = ".removed";

/// Folders of projects whose removal was cut short.
pub(crate) fn half_removed(home: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(home.join("projects")).into_iter().flatten();
    let folders = folders.flatten().map(|entry| entry.path());
    let is_leaving = |path: &PathBuf| path.to_string_lossy().ends_with(LEAVING);
    folders.filter(is_leaving).collect()
}

/// Takes the project out of the list, and its folder away from whoever still writes to it.
fn remove(home: &Path, project: &Project) -> Result<()> {
    project::remove(home, project)?;
    if !project.directory.exists() {
        return Ok(());
    }
    let mut leaving = project.directory.clone().into_os_string();
    leaving.push(LEAVING);
    let leaving = PathBuf::from(leaving);
    // Where an open file holds it, it goes from where it is.
    let leaving = match fs::rename(&project.directory, &leaving) {
        Ok(()) => leaving,
        Err(_) => project.directory.clone(),
    };
    fs::remove_dir_all(&leaving).with_context(|| format!("could not remove {}", leaving.display()))
}

fn tell_kept(memories: usize, export: Option<&Path>, door: &Door) {
    if let Some(export) = export {
        let export = export.display();
        let written = count(memories, "memory");
        door.out.note(&format!(
            "{written} written to {export}; delete it when you need it no more"
        ));
        door.out.hint(&format!(
            "`oldhand import json --trusted {export}` takes them in, in whichever project"
        ));
    }
}
