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
        let list = home.join(FILE);
        if !list.exists() && card::all(home).is_empty() {
            return Ok(None);
        }
        let _lock = file::lock(&home.join(LOCK))?;
        let known = card::all(home);
        let is_damage = |error: &anyhow::Error| {
            let failure = error.downcast_ref::<Failure>();
            failure.is_some_and(|failure| failure.kind == ErrorKind::Damaged)
        };
        let (mut registry, aside) = match Self::listed(home) {
            Ok(listed) => (listed.unwrap_or_else(Self::empty), None),
            Err(error) if is_damage(&error) => {
                let mut left = Self::empty();
                left.take_in(salvage(&fs::read(&list)?));
                left.complete(&known);
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

    /// The folders that are no project of the list and would be one by [`Registry::restore`].
    pub(crate) fn lost(&self, home: &Path) -> Vec<String> {
        let known = card::all(home).into_iter().map(|entry| entry.directory);
        let is_listed = |name: &String| self.projects.iter().any(|one| one.directory == *name);
        known.filter(|name| !is_listed(name)).collect()
    }

    /// Adds to what was salvaged of each project what its own folder says: the end of it may be lost.
    fn complete(&mut self, known: &[Entry]) {
        for at in 0..self.projects.len() {
            let directory = &self.projects[at].directory;
            let Some(card) = known.iter().find(|card| card.directory == *directory) else {
                continue;
            };
            let is_free = |place: &&String| !self.has(place);
            let more: Vec<String> = card.places.iter().filter(is_free).cloned().collect();
            let entry = &mut self.projects[at];
            entry.places.extend(more);
            entry.learn(&card.identity());
        }
    }

    fn has(&self, place: &String) -> bool {
        self.projects.iter().any(|one| one.places.contains(place))
    }

    /// Adds the projects that are not in the list yet, and says which. A place that another has by now stays with that.
    pub(super) fn take_in(&mut self, known: Vec<Entry>) -> Vec<String> {
        let mut added = Vec::new();
        for mut entry in known {
            let listed = &self.projects;
            if listed.iter().any(|one| one.directory == entry.directory) {
                continue;
            }
            entry.places.retain(|place| !self.has(place));
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
    read.filter_map(|part| toml::from_str(part).ok())
        .filter(Entry::is_below)
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(directory: &str, places: &str, more: &str) -> String {
        format!(
            "name = \"shop\"\ndirectory = \"{directory}\"\ncreated_at = \"2026-01-01T00:00:00Z\"\nplaces = [{places}]\n{more}"
        )
    }

    /// A folder of projects with a database, and a card where one is given.
    fn put(home: &Path, folder: &str, card: Option<&str>) {
        let folder = home.join("projects").join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("memory.db"), "").unwrap();
        if let Some(card) = card {
            fs::write(folder.join("project.toml"), card).unwrap();
        }
    }

    #[test]
    fn a_copy_and_what_became_part_of_another_are_no_projects() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let card = entry("shop-k3", "\"folder:/a/shop\"", "");
        put(home, "shop-k3", Some(&card));
        for copy in ["shop-k3.merged", "shop-k3.bak", "shop-k3-copy"] {
            put(home, copy, Some(&card));
        }
        for copy in ["shop-k4.merged", "shop-k4.bak", "backup"] {
            put(home, copy, None);
        }
        put(home, "till-k5", None);
        let restored = Registry::restore(home).unwrap().unwrap();
        assert_eq!(restored.again, ["shop-k3", "till-k5"]);
        assert!(Registry::restore(home).unwrap().is_none());
    }

    #[test]
    fn a_list_that_points_out_of_the_folder_of_projects_is_damaged() {
        for astray in ["/somewhere/else", "../../else", "a/b", "..", ".", ""] {
            let home = tempfile::tempdir().unwrap();
            let home = home.path();
            let both = [entry(astray, "", ""), entry("shop-k4", "", "")];
            let both = both.join("[[project]]\n");
            fs::write(home.join(FILE), format!("version = 1\n[[project]]\n{both}")).unwrap();
            assert!(Registry::read(home).is_err(), "{astray}");
            let restored = Registry::restore(home).unwrap().unwrap();
            assert_eq!(restored.again, ["shop-k4"], "{astray}");
            assert!(Registry::read(home).is_ok(), "{astray}");
        }
    }

    #[test]
    fn what_is_salvaged_is_completed_by_the_card_but_takes_no_place_of_another() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let places = "\"folder:/a/shop\", \"folder:/b/shop\"";
        let identity = "root_commits = [\"c1\"]\nremotes = [\"r1\"]\n";
        put(home, "shop-k3", Some(&entry("shop-k3", places, identity)));
        let salvaged = [
            entry("shop-k3", "", ""),
            entry("shop-k4", "\"folder:/b/shop\"", ""),
        ];
        let list = format!(
            "version = 1\n[[project]]\n{}",
            salvaged.join("[[project]]\n")
        );
        fs::write(
            home.join(FILE),
            format!("{list}[[project]]\nname = \"cut o"),
        )
        .unwrap();
        let restored = Registry::restore(home).unwrap().unwrap();
        assert_eq!(restored.again, ["shop-k3", "shop-k4"]);
        let registry = Registry::read(home).unwrap();
        let shop = registry.named("shop-k3").unwrap();
        assert_eq!(shop.places, ["folder:/a/shop"]);
        assert_eq!(
            (&shop.root_commits[..], &shop.remotes[..]),
            (&["c1".to_owned()][..], &["r1".to_owned()][..])
        );
        assert_eq!(
            registry.named("shop-k4").unwrap().places,
            ["folder:/b/shop"]
        );
    }
}
