//! What a project's own folder says of it, `project.toml`: from these cards a list of projects that is lost or damaged is made anew.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use jiff::Timestamp;

use super::registry::Entry;
use crate::file;

const FILE: &str = "project.toml";

/// Whether the folder of a project says whose it is.
pub(super) fn is_there(directory: &Path) -> bool {
    directory.join(FILE).exists()
}

/// Has every project's folder say what the list says of it.
pub(super) fn keep(home: &Path, entries: &[Entry]) -> Result<()> {
    for entry in entries {
        let directory = folder(home).join(&entry.directory);
        if read(&directory).as_ref() != Some(entry) {
            let text = toml::to_string(entry).context("could not write down a project")?;
            file::create_private_dir(&directory)?;
            file::write_privately(&directory.join(FILE), text.as_bytes())?;
        }
    }
    Ok(())
}

/// Every project that something is kept of, by the name of its folder. Of one that has no card only its name is known. A folder that was copied,
/// or renamed because its project became part of another, carries the card of another or has no name of ours: it is none.
pub(super) fn all(home: &Path) -> Vec<Entry> {
    let there = fs::read_dir(folder(home)).into_iter().flatten().flatten();
    let mut directories: Vec<PathBuf> = there.map(|entry| entry.path()).collect();
    directories.sort();
    let kept_in = |directory: &PathBuf| {
        let name = directory.file_name()?.to_str()?;
        match read(directory) {
            Some(entry) => (entry.directory == name).then_some(entry),
            None if directory.join("memory.db").exists() => nameless(name),
            None => None,
        }
    };
    directories.iter().filter_map(kept_in).collect()
}

/// What is known of a project by the name of its folder, as [`super::Registry::add`] makes it.
fn nameless(directory: &str) -> Option<Entry> {
    let (name, tag) = directory.rsplit_once('-')?;
    tag.chars().all(char::is_alphanumeric).then(|| Entry {
        name: name.to_owned(),
        directory: directory.to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
        places: Vec::new(),
        root_commits: Vec::new(),
        remotes: Vec::new(),
    })
}

fn read(directory: &Path) -> Option<Entry> {
    toml::from_str(&fs::read_to_string(directory.join(FILE)).ok()?).ok()
}

fn folder(home: &Path) -> PathBuf {
    home.join("projects")
}
