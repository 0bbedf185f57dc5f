//! A list of projects that is lost or damaged, made anew from what is left of it and from what the projects' own folders say.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use oldhand_domain::error::ErrorKind;

use super::card;
use super::registry::{Entry, FILE, LOCK, Registry};
use crate::failure::Failure;
use crate::file;

/// How a list was put right.
pub(crate) struct Restored {
    pub(crate) list: PathBuf,
    /// Where the damaged list is kept now.
    pub(crate) aside: Option<PathBuf>,
    /// The projects that are in the list again.
    pub(crate) again: Vec<String>,
}

impl Registry {
    /// Puts the list right: every project is in it whose folder is there, and a damaged list is kept aside. `None` where nothing
    /// was wrong.
    pub(crate) fn restore(home: &Path) -> Result<Option<Restored>> {
        let known = card::all(home);
        let list = home.join(FILE);
        if known.is_empty() && !list.exists() {
            return Ok(None);
        }
        let _lock = file::lock(&home.join(LOCK))?;
        let is_damage = |error: &anyhow::Error| {
            let failure = error.downcast_ref::<Failure>();
            failure.is_some_and(|failure| failure.kind == ErrorKind::Damaged)
        };
        let (mut registry, aside) = match Self::listed(home) {
            Ok(listed) => (listed.unwrap_or_else(Self::empty), None),
            Err(error) if is_damage(&error) => {
                let mut left = Self::empty();
                left.take_in(salvage(&fs::read(&list)?));
                (left, Some(set_aside(&list)?))
            }
            Err(error) => return Err(error),
        };
        let mut again: Vec<String> = Vec::new();
        if aside.is_some() {
            again.extend(
                registry
                    .projects
                    .iter()
                    .map(|entry| entry.directory.clone()),
            );
        }
        again.extend(registry.take_in(known));
        if again.is_empty() && aside.is_none() {
            return Ok(None);
        }
        registry.write(home)?;
        Ok(Some(Restored { list, aside, again }))
    }

    /// Adds the projects that are not in the list yet, and says which. A place that another has by now stays with that.
    pub(super) fn take_in(&mut self, known: Vec<Entry>) -> Vec<String> {
        let mut added = Vec::new();
        for mut entry in known {
            let listed = &self.projects;
            if listed.iter().any(|one| one.directory == entry.directory) {
                continue;
            }
            let is_taken = |place: &String| listed.iter().any(|one| one.places.contains(place));
            entry.places.retain(|place| !is_taken(place));
            added.push(entry.directory.clone());
            self.projects.push(entry);
        }
        added
    }
}

/// What can still be read of a damaged list: each project stands by itself in it.
fn salvage(bytes: &[u8]) -> Vec<Entry> {
    let text = String::from_utf8_lossy(bytes);
    let each = text.split("[[project]]").skip(1);
    let read = each.filter(|part| !part.contains(char::REPLACEMENT_CHARACTER));
    read.filter_map(|part| toml::from_str(part).ok()).collect()
}

fn set_aside(path: &Path) -> Result<PathBuf> {
    let mut number = 1;
    let numbered = |number: u32| path.with_file_name(format!("{FILE}-damaged-{number}"));
    while numbered(number).exists() {
        number += 1;
    }
    let aside = numbered(number);
    fs::rename(path, &aside).with_context(|| format!("could not rename {}", path.display()))?;
    Ok(aside)
}
