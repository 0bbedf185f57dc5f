//! `oldhand forget --whole-project`: nothing more is kept of a project, but for a file of what was known.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use oldhand_domain::filter::{Filter, State};
use oldhand_engine::{Shelf, Shelved};
use oldhand_store::Alone;

use crate::cli::Door;
use crate::cli::export::write_lines;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::file;
use crate::ids::Ids;
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
    let project = project::named(&environment.home, name, location.clone())?;
    let ids = Ids::new(environment.seed, environment.now);
    let (of, purpose) = (Some(project.clone()), Purpose::Look);
    let desk = Desk::at(None, environment, of, location, purpose, ids)?;
    let memories = read_all(&desk, &project)?;
    let directory = project.directory.file_name().unwrap_or_default();
    let directory = directory.to_string_lossy().into_owned();
    let export = environment.home.join("removed");
    let export = export.join(format!("{directory}.jsonl"));
    if !yes && !is_wanted(&directory, memories.len(), &export, door)? {
        door.out.note("nothing was removed");
        return Ok(ExitCode::SUCCESS);
    }
    let export = (!memories.is_empty()).then_some(export);
    if let Some(export) = &export {
        let mut lines = Vec::new();
        write_lines(&mut lines, &memories, desk.now)?;
        keep(export, &lines)?;
    }
    drop(desk);
    remove(&door.environment.home, &project)?;
    if door.out.is_json() {
        let view = RemovedView::new(&directory, memories.len(), export.as_deref());
        door.out.json(&view)?;
    } else {
        writeln!(door.out, "{GOOD}removed{GOOD:#} {directory}")?;
        tell_kept(memories.len(), export.as_deref(), door);
    }
    Ok(ExitCode::SUCCESS)
}

/// Everything that is known, what was forgotten too: it goes as well.
fn read_all(desk: &Desk, project: &Project) -> Result<Vec<Shelved>> {
    let everything = Filter {
        state: State::Any,
        ..Filter::default()
    };
    let kept = desk.engine().list(Some(Shelf::Project), &everything)?;
    if !kept.damaged.is_empty() {
        let number = count(kept.damaged.len(), "memory");
        let name = &project.name;
        let folder = project.directory.display();
        return Err(
            Failure::damaged(format!("{number} of {name} cannot be read"))
                .hint(format!(
                    "`oldhand doctor --repair` there first; or remove {folder} by hand"
                ))
                .into(),
        );
    }
    Ok(kept.memories)
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

/// Takes the project out of the list, and its folder away from whoever still writes to it.
fn remove(home: &Path, project: &Project) -> Result<()> {
    project::remove(home, project)?;
    if !project.directory.exists() {
        return Ok(());
    }
    let mut leaving = project.directory.clone().into_os_string();
    leaving.push(".removed");
    let leaving = PathBuf::from(leaving);
    fs::rename(&project.directory, &leaving)
        .with_context(|| format!("could not rename {}", project.directory.display()))?;
    let alone = Alone::wait(&leaving.join("memory.db"));
    let removed = fs::remove_dir_all(&leaving);
    drop(alone);
    removed.with_context(|| format!("could not remove {}", leaving.display()))
}

fn tell_kept(memories: usize, export: Option<&Path>, door: &Door) {
    if let Some(export) = export {
        let export = export.display();
        let written = count(memories, "memory");
        door.out.note(&format!(
            "{written} written to {export}; delete it when you need it no more"
        ));
        door.out.hint(&format!(
            "`oldhand import json {export}` takes them in, in whichever project"
        ));
    }
}
