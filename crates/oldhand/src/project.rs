//! Which project a folder belongs to, and where its memories live.
//!
//! A project is its git common directory, so every worktree and subfolder shares one memory; without git it is its
//! root folder. Start reading at [`find`], which is all a hook needs: it reads a few small files and runs nothing.

mod head;
mod locate;
mod registry;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use oldhand_code::history::identity::{self, RepositoryIdentity};

pub(crate) use head::Head;
pub(crate) use locate::{Location, Place};
pub(crate) use registry::{Entry, Registry};

use crate::failure::Failure;

/// A project that Oldhand keeps memories of, seen from one of its checkouts.
#[derive(Clone, Debug)]
pub(crate) struct Project {
    pub(crate) name: String,
    /// Where its database, backups and settings are.
    pub(crate) directory: PathBuf,
    pub(crate) location: Location,
}

impl Project {
    pub(crate) fn database(&self) -> PathBuf {
        self.directory.join("memory.db")
    }

    fn new(home: &Path, entry: &Entry, location: Location) -> Self {
        Self {
            name: entry.name.clone(),
            directory: home.join("projects").join(&entry.directory),
            location,
        }
    }
}

pub(crate) enum Found {
    Known(Project),
    /// Nothing was ever kept here.
    Unknown(Location),
}

/// Finds the project that `folder` lies in, without writing anything.
pub(crate) fn find(home: &Path, folder: &Path, user_home: Option<&Path>) -> Result<Found> {
    let registry = Registry::read(home)?;
    let location = locate::locate(folder, user_home, |place| registry.find(place).is_some())
        .with_context(|| format!("could not look for a project in {}", folder.display()))?;
    Ok(match registry.find(&location.place) {
        Some(entry) => Found::Known(Project::new(home, entry, location)),
        None => Found::Unknown(location),
    })
}

/// Another project that has the same root commits or remotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LookAlike {
    pub(crate) name: String,
    pub(crate) directory: String,
    /// A place it was last known at.
    pub(crate) place: String,
    /// Whether that place is still there: if not, the repository was probably moved.
    pub(crate) still_there: bool,
}

/// What a new project would be registered with.
pub(crate) struct Newcomer {
    location: Location,
    identity: RepositoryIdentity,
    pub(crate) look_alikes: Vec<LookAlike>,
}

/// Looks a new place over: what it is, and whether it is a known project that moved or was cloned again.
pub(crate) fn look_over(home: &Path, location: Location) -> Result<Newcomer> {
    let identity = match location.place {
        Place::Git(_) => identity::identity(&location.root),
        Place::Folder(_) => RepositoryIdentity::default(),
    };
    let look_alikes = Registry::read(home)?.look_alikes(&identity);
    Ok(Newcomer {
        location,
        identity,
        look_alikes,
    })
}

impl Newcomer {
    /// Registers the place as a project of its own. When another process was faster, theirs is used.
    pub(crate) fn register(
        self,
        home: &Path,
        now: Timestamp,
        new_tag: impl FnMut() -> String,
    ) -> Result<Project> {
        let entry = Registry::update(home, |registry| {
            if let Some(entry) = registry.find(&self.location.place) {
                return Ok(entry.clone());
            }
            let name = self.location.place.name();
            Ok(registry.add(&name, &self.location.place, &self.identity, now, new_tag))
        })?;
        Ok(Project::new(home, &entry, self.location))
    }

    /// Registers the place as one more home of the project called `name`.
    pub(crate) fn join(self, home: &Path, name: &str) -> Result<Project> {
        let entry = Registry::update(home, |registry| {
            registry.join(name, &self.location.place, &self.identity)
        })?;
        Ok(Project::new(home, &entry, self.location))
    }
}

/// Whether the repository at a known place is still the one it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Continuity {
    Same,
    /// Another repository took its place: they share no root commit.
    Replaced,
}

/// Looks a known place over again, and learns what it can be recognised by now.
pub(crate) fn look_again(home: &Path, project: &Project) -> Result<Continuity> {
    let Location { place, root, .. } = &project.location;
    if matches!(place, Place::Folder(_)) {
        return Ok(Continuity::Same);
    }
    let identity = identity::identity(root);
    Registry::update(home, |registry| Ok(registry.recognise(place, &identity)))
}

/// Takes the place of `project` away from it, so that it can become a project of its own.
pub(crate) fn leave(home: &Path, project: &Project) -> Result<()> {
    Registry::update(home, |registry| {
        registry.leave(&project.location.place);
        Ok(())
    })
}

/// Gives the places of `from` to the project called `name` and forgets `from`. The caller has moved its memories.
pub(crate) fn merge(home: &Path, from: &Project, name: &str) -> Result<Project> {
    let entry = Registry::update(home, |registry| registry.merge(&from.location.place, name))?;
    Ok(Project::new(home, &entry, from.location.clone()))
}

/// The project called `name`, by its name or by its directory's name, wherever it is.
pub(crate) fn named(home: &Path, name: &str, location: Location) -> Result<Project> {
    let registry = Registry::read(home)?;
    let entry = registry.named(name)?;
    Ok(Project::new(home, entry, location))
}

fn no_such_project(name: &str, known: &[&str]) -> anyhow::Error {
    let hint = if known.is_empty() {
        "no project is known yet; `oldhand init` registers this one".to_owned()
    } else {
        format!("known projects: {}", known.join(", "))
    };
    Failure::not_found(format!("project `{name}` does not exist"))
        .hint(hint)
        .into()
}
