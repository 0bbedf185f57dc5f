//! The list of projects, `projects.toml`: which places belong to which project.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use oldhand_code::history::identity::RepositoryIdentity;
use serde::{Deserialize, Serialize};

use super::{Continuity, LookAlike, Place, Resemblance, card, no_such_project};
use crate::failure::Failure;
use crate::file;

pub(super) const FILE: &str = "projects.toml";
pub(super) const LOCK: &str = "projects.lock";
const VERSION: u32 = 1;

/// Read first: a newer list may hold what this version does not know.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Registry {
    version: u32,
    #[serde(default, rename = "project")]
    pub(super) projects: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// The folder below `projects/`. Unlike the name, no two projects share it.
    pub(crate) directory: String,
    pub(crate) created_at: Timestamp,
    /// Where it is, as [`Place::key`] spells it.
    pub(crate) places: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) root_commits: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) remotes: Vec<String>,
}

impl Registry {
    /// Reads the list. Where there is none, the projects' own folders say what was in it; without any it is empty.
    pub(crate) fn read(home: &Path) -> Result<Self> {
        if let Some(listed) = Self::listed(home)? {
            return Ok(listed);
        }
        let mut found = Self::empty();
        found.take_in(card::all(home));
        Ok(found)
    }

    /// Whether there is a list, in whichever state.
    pub(crate) fn is_there(home: &Path) -> bool {
        home.join(FILE).exists()
    }

    pub(super) const fn empty() -> Self {
        Self {
            version: VERSION,
            projects: Vec::new(),
        }
    }

    /// The list itself. `None` where there is none.
    pub(super) fn listed(home: &Path) -> Result<Option<Self>> {
        let path = home.join(FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("could not read {}", path.display()));
            }
        };
        let damaged = |why: &str| {
            Failure::damaged(format!("{} is damaged: {why}", path.display())).hint(
                "`oldhand doctor --repair` makes it anew; the databases below `projects/` are not touched",
            )
        };
        let text = std::str::from_utf8(&bytes).map_err(|_| damaged("it is not text"))?;
        let unreadable = |error: toml::de::Error| damaged(error.message());
        let Version { version } = toml::from_str(text).map_err(unreadable)?;
        if version > VERSION {
            let message = format!("{} was written by a newer Oldhand", path.display());
            return Err(Failure::invalid(message)
                .hint("update Oldhand on this machine")
                .into());
        }
        let listed: Self = toml::from_str(text).map_err(unreadable)?;
        if let Some(astray) = listed.projects.iter().find(|entry| !entry.is_below()) {
            let directory = &astray.directory;
            return Err(damaged(&format!("`{directory}` is no folder below `projects/`")).into());
        }
        Ok(Some(listed))
    }

    /// Changes the list while no other process can; nothing is written when `change` fails or changes nothing.
    pub(super) fn update<T>(home: &Path, change: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        file::create_private_dir(home)?;
        let _lock = file::lock(&home.join(LOCK))?;
        let before = Self::read(home)?;
        let mut after = before.clone();
        let answer = change(&mut after)?;
        if after != before {
            after.write(home)?;
        }
        // The list counts; what the folders say of themselves is for the day it is lost.
        let _ = card::keep(home, &after.projects);
        Ok(answer)
    }

    pub(super) fn write(&self, home: &Path) -> Result<()> {
        let text = toml::to_string(self).context("could not write down the projects")?;
        file::write_privately(&home.join(FILE), text.as_bytes())
    }

    pub(crate) fn projects(&self) -> &[Entry] {
        &self.projects
    }

    pub(crate) fn find(&self, place: &Place) -> Option<&Entry> {
        let key = place.key();
        self.projects
            .iter()
            .find(|entry| entry.places.contains(&key))
    }

    /// The project of this directory, place or name.
    pub(super) fn named(&self, name: &str) -> Result<&Entry> {
        let place = Path::new(name);
        let is_place = |path: &Path| path == place || top_of(path) == place;
        let is_at = |entry: &&Entry| entry.paths().any(|path| is_place(Path::new(path)));
        let only = |entry: &&Entry| entry.directory == name;
        let mut projects = self.projects.iter();
        if let Some(entry) = projects.clone().find(only).or_else(|| projects.find(is_at)) {
            return Ok(entry);
        }
        let same: Vec<&Entry> = self
            .projects
            .iter()
            .filter(|entry| entry.name == name)
            .collect();
        match same.as_slice() {
            [entry] => Ok(entry),
            [] => {
                let known: Vec<String> = self.projects.iter().map(Entry::describe).collect();
                Err(no_such_project(name, &known))
            }
            several => {
                let each: Vec<String> = several.iter().map(|entry| entry.describe()).collect();
                Err(
                    Failure::invalid(format!("{} projects are called `{name}`", several.len()))
                        .hint(format!("say which one: {}", each.join(", ")))
                        .into(),
                )
            }
        }
    }

    /// What a new place could be, the likeliest first.
    pub(super) fn look_alikes(
        &self,
        place: &Place,
        identity: &RepositoryIdentity,
    ) -> Vec<LookAlike> {
        let before_git = place.before_git().map(|folder| folder.key());
        let resembles = |entry: &Entry| {
            if identity.is_same_project(&entry.identity()) {
                return Some(Resemblance::History);
            }
            if before_git
                .as_ref()
                .is_some_and(|key| entry.places.contains(key))
            {
                return Some(Resemblance::Folder);
            }
            entry.is_lost().then_some(Resemblance::Whereabouts)
        };
        let mut alike: Vec<(Resemblance, &Entry)> = self
            .projects
            .iter()
            .filter_map(|entry| Some((resembles(entry)?, entry)))
            .collect();
        let is_lost = |one: &(Resemblance, &Entry)| one.0 == Resemblance::Whereabouts;
        let near = |entry: &Entry| {
            let above = top_of(place.path()).parent();
            entry.paths().any(|path| {
                let top = top_of(Path::new(path));
                above.is_some_and(|above| top.parent() == Some(above))
            })
        };
        let neighbours = alike.iter().filter(|one| is_lost(one) && near(one.1));
        let is_only = neighbours.count() == 1;
        let name = place.name();
        alike.retain(|one| !is_lost(one) || one.1.name == name || (is_only && near(one.1)));
        // What is still where it was did not move here.
        let is_there = |entry: &Entry| entry.last_path().exists();
        alike.sort_by_key(|(resemblance, entry)| {
            (
                *resemblance,
                is_there(entry),
                !near(entry),
                entry.name != name,
            )
        });
        let look_alike = |(resemblance, entry): &(Resemblance, &Entry)| LookAlike {
            name: entry.name.clone(),
            directory: entry.directory.clone(),
            still_there: is_there(entry),
            place: entry.paths().last().unwrap_or_default().to_owned(),
            resemblance: *resemblance,
        };
        alike.iter().map(look_alike).collect()
    }

    pub(super) fn add(
        &mut self,
        name: &str,
        place: &Place,
        identity: &RepositoryIdentity,
        now: Timestamp,
        mut new_tag: impl FnMut() -> String,
    ) -> Entry {
        let mut directory = format!("{name}-{}", new_tag());
        while self
            .projects
            .iter()
            .any(|entry| entry.directory == directory)
        {
            directory = format!("{name}-{}", new_tag());
        }
        let entry = Entry {
            name: name.to_owned(),
            directory,
            created_at: now,
            places: vec![place.key()],
            root_commits: identity.root_commits.clone(),
            remotes: identity.remotes.clone(),
        };
        self.projects.push(entry.clone());
        entry
    }

    pub(super) fn join(
        &mut self,
        name: &str,
        place: &Place,
        identity: &RepositoryIdentity,
    ) -> Result<Entry> {
        let directory = self.named(name)?.directory.clone();
        self.leave(place);
        let entry = self.entry(&directory);
        entry.places.push(place.key());
        entry.learn(identity);
        Ok(entry.clone())
    }

    /// Takes a project out of the list.
    pub(super) fn remove(&mut self, directory: &str) {
        self.projects.retain(|entry| entry.directory != directory);
    }

    /// Adds what the repository at a known place is recognised by, unless it is another one by now.
    pub(super) fn recognise(&mut self, place: &Place, identity: &RepositoryIdentity) -> Continuity {
        let key = place.key();
        let mut projects = self.projects.iter_mut();
        let Some(entry) = projects.find(|entry| entry.places.contains(&key)) else {
            return Continuity::Same;
        };
        let (known, found) = (&entry.root_commits, &identity.root_commits);
        let shared = known.iter().any(|commit| found.contains(commit));
        if !known.is_empty() && !found.is_empty() && !shared {
            return Continuity::Replaced;
        }
        entry.learn(identity);
        Continuity::Same
    }

    /// Adds a place and what it is recognised by to the project that is kept in `directory`.
    pub(super) fn grow(&mut self, directory: &Path, place: &Place, identity: &RepositoryIdentity) {
        let is_kept_there = |entry: &&mut Entry| directory.ends_with(&entry.directory);
        if let Some(entry) = self.projects.iter_mut().find(is_kept_there) {
            let key = place.key();
            if !entry.places.contains(&key) {
                entry.places.push(key);
            }
            entry.learn(identity);
        }
    }

    pub(super) fn leave(&mut self, place: &Place) {
        let key = place.key();
        for entry in &mut self.projects {
            entry.places.retain(|known| *known != key);
        }
    }

    pub(super) fn merge(&mut self, from: &Place, name: &str) -> Result<Entry> {
        let directory = self.named(name)?.directory.clone();
        let key = from.key();
        let at = self
            .projects
            .iter()
            .position(|entry| entry.places.contains(&key) && entry.directory != directory);
        if let Some(at) = at {
            let gone = self.projects.remove(at);
            let identity = gone.identity();
            let entry = self.entry(&directory);
            entry.places.extend(gone.places);
            entry.learn(&identity);
        }
        Ok(self.entry(&directory).clone())
    }

    fn entry(&mut self, directory: &str) -> &mut Entry {
        self.projects
            .iter_mut()
            .find(|entry| entry.directory == directory)
            .expect("the directory was taken from this list")
    }
}

/// The folder that a path of a place stands for: a repository's is the one around its `.git`.
fn top_of(path: &Path) -> &Path {
    match (path.file_name(), path.parent()) {
        (Some(name), Some(above)) if name == ".git" => above,
        _ => path,
    }
}

impl Entry {
    /// Whether its folder lies in `projects/` itself: elsewhere nothing is ours to change or remove.
    pub(super) fn is_below(&self) -> bool {
        let mut parts = Path::new(&self.directory).components();
        let first = parts.next();
        matches!(first, Some(Component::Normal(name)) if name == self.directory.as_str())
    }

    /// Its places that are text, without what kind each is.
    fn paths(&self) -> impl Iterator<Item = &str> {
        self.places
            .iter()
            .filter_map(|place| match place.split_once(':') {
                Some(("git" | "folder", path)) => Some(path),
                _ => None,
            })
    }

    /// Where it was last known; empty where nobody knows.
    pub(crate) fn last_path(&self) -> &Path {
        Path::new(self.paths().last().unwrap_or_default())
    }

    /// Its folders, and whether each is there.
    pub(crate) fn folders(&self) -> Vec<(PathBuf, bool)> {
        self.paths()
            .map(|path| (top_of(Path::new(path)).to_owned(), Path::new(path).exists()))
            .collect()
    }

    /// Whether nothing is left of it where it was.
    pub(crate) fn is_gone(&self) -> bool {
        self.paths().all(|path| !Path::new(path).exists())
    }

    /// How a person tells it from others of the same name.
    pub(crate) fn describe(&self) -> String {
        match self.paths().last() {
            Some(path) => format!(
                "{} (at {})",
                self.directory,
                top_of(Path::new(path)).display()
            ),
            None => self.directory.clone(),
        }
    }

    /// Whether nothing is left that it could be recognised by.
    fn is_lost(&self) -> bool {
        let mut gone = self.paths().filter(|path| !Path::new(path).exists());
        self.root_commits.is_empty() && gone.by_ref().count() == self.places.len()
    }

    pub(super) fn identity(&self) -> RepositoryIdentity {
        RepositoryIdentity {
            root_commits: self.root_commits.clone(),
            remotes: self.remotes.clone(),
            gaps: Vec::new(),
        }
    }

    pub(super) fn learn(&mut self, identity: &RepositoryIdentity) {
        for (known, new) in [
            (&mut self.root_commits, &identity.root_commits),
            (&mut self.remotes, &identity.remotes),
        ] {
            known.extend(new.iter().cloned());
            known.sort();
            known.dedup();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(path: &str) -> Place {
        Place::Folder(PathBuf::from(path))
    }

    fn add(registry: &mut Registry, path: &str, tag: &str) -> Entry {
        let place = folder(path);
        let identity = RepositoryIdentity::default();
        let tag = || tag.to_owned();
        registry.add(&place.name(), &place, &identity, Timestamp::UNIX_EPOCH, tag)
    }

    #[test]
    fn what_is_written_is_read_again() {
        let home = tempfile::tempdir().unwrap();
        let entry = Registry::update(home.path(), |registry| Ok(add(registry, "/a/api", "1")));
        let read = Registry::read(home.path()).unwrap();
        assert_eq!(read.find(&folder("/a/api")), Some(&entry.unwrap()));
        assert_eq!(read.find(&folder("/a")), None);
    }

    #[test]
    fn a_name_shared_by_two_projects_asks_which() {
        let home = tempfile::tempdir().unwrap();
        let mut registry = Registry::read(home.path()).unwrap();
        add(&mut registry, "/a/api", "1");
        add(&mut registry, "/b/api", "2");
        let error = registry.named("api").unwrap_err();
        assert_eq!(error.to_string(), "2 projects are called `api`");
        let failure: &Failure = error.downcast_ref().unwrap();
        let which = "say which one: api-1 (at /a/api), api-2 (at /b/api)";
        assert_eq!(failure.hint.as_deref(), Some(which));
        for told in ["api-2", "/b/api"] {
            assert_eq!(registry.named(told).unwrap().places, ["folder:/b/api"]);
        }
    }

    #[test]
    fn a_merged_project_keeps_every_place_and_a_place_has_one_project() {
        let home = tempfile::tempdir().unwrap();
        let mut registry = Registry::read(home.path()).unwrap();
        add(&mut registry, "/old/api", "1");
        add(&mut registry, "/new/api", "2");
        let merged = registry.merge(&folder("/new/api"), "api-1").unwrap();
        assert_eq!(merged.places, ["folder:/old/api", "folder:/new/api"]);
        assert_eq!(registry.projects().len(), 1);
    }

    #[test]
    fn a_damaged_or_newer_list_is_said_and_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(FILE);
        for (text, expected) in [
            ("version = 1\n[[project]]\nname = 3\n", "is damaged"),
            ("version = 2\nshape = \"new\"\n", "newer Oldhand"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Registry::update(home.path(), |r| Ok(add(r, "/a", "1"))).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}
