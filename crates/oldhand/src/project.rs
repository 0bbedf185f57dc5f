//! Which project a folder belongs to, and where its memories live.
//!
//! A project is its git common directory, so every worktree and subfolder shares one memory; without git it is its
//! root folder. Start reading at [`find`], which is all a hook needs: it reads a few small files and runs nothing.

mod aside;
mod card;
mod head;
mod locate;
mod registry;
mod restore;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use oldhand_code::history::identity::{self, RepositoryIdentity};

pub(crate) use aside::{aside, tidy_asides};
pub(crate) use head::Head;
pub(crate) use locate::{Location, Place, checkouts, locate};
pub(crate) use registry::{Entry, Registry};
pub(crate) use restore::Restored;

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

/// Finds the project that `folder` lies in, without writing anything. A folder that became a repository is the project it was.
pub(crate) fn find(home: &Path, folder: &Path, user_home: Option<&Path>) -> Result<Found> {
    let registry = Registry::read(home)?;
    let location = locate(folder, user_home, |place| registry.find(place).is_some())
        .with_context(|| format!("could not look for a project in {}", folder.display()))?;
    let before_git = || {
        let folder = registry.find(&location.place.before_git()?)?;
        head::was_begun_here(&location).then_some(folder)
    };
    Ok(
        match registry.find(&location.place).or_else(before_git).cloned() {
            Some(entry) => Found::Known(Project::new(home, &entry, location)),
            None => Found::Unknown(location),
        },
    )
}

/// Another project that this could be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LookAlike {
    pub(crate) name: String,
    pub(crate) directory: String,
    /// A place it was last known at.
    pub(crate) place: String,
    /// Whether that place is still there: if not, the repository was probably moved.
    pub(crate) still_there: bool,
    pub(crate) resemblance: Resemblance,
}

/// What two projects have in common, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Resemblance {
    /// Root commits or remotes.
    History,
    /// The folder, which was a project before a repository came into it from elsewhere.
    Folder,
    /// The name, or the folder above; the other one is gone, and nothing else is known to tell it by.
    Whereabouts,
}

impl Resemblance {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::History => "history",
            Self::Folder => "folder",
            Self::Whereabouts => "whereabouts",
        }
    }
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
    let look_alikes = Registry::read(home)?.look_alikes(&location.place, &identity);
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
        Ok(Self::settle(home, &entry, self.location))
    }

    /// Registers the place as one more home of the project called `name`.
    pub(crate) fn join(self, home: &Path, name: &str) -> Result<Project> {
        let entry = Registry::update(home, |registry| {
            registry.join(name, &self.location.place, &self.identity)
        })?;
        Ok(Self::settle(home, &entry, self.location))
    }

    fn settle(home: &Path, entry: &Entry, location: Location) -> Project {
        let project = Project::new(home, entry, location);
        aside::move_in(home, &project.location.place, &project.directory);
        project
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

/// Writes down what a known project can be recognised by and was not before: that its folder is a repository by now, or its
/// first commits.
pub(crate) fn learn(home: &Path, project: &Project) -> Result<()> {
    let Location { place, root, .. } = &project.location;
    let registry = Registry::read(home)?;
    let is_written_down = match registry.find(place) {
        Some(entry) => {
            matches!(place, Place::Folder(_))
                || !entry.root_commits.is_empty()
                || Head::read(&project.location).commit.is_none()
        }
        None => false,
    };
    if is_written_down && card::is_there(&project.directory) {
        return Ok(());
    }
    if is_written_down {
        return Registry::update(home, |_| Ok(()));
    }
    let identity = identity::identity(root);
    Registry::update(home, |registry| {
        registry.grow(&project.directory, place, &identity);
        Ok(())
    })
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

/// Takes a project out of the list, with all its places. What is kept of it stays in its directory.
pub(crate) fn remove(home: &Path, project: &Project) -> Result<()> {
    let directory = project.directory.file_name().unwrap_or_default();
    let directory = directory.to_string_lossy();
    Registry::update(home, |registry| {
        registry.remove(&directory);
        Ok(())
    })
}

/// The project called `name`, by its name or by its directory's name, wherever it is.
pub(crate) fn named(home: &Path, name: &str, location: Location) -> Result<Project> {
    let registry = Registry::read(home)?;
    let entry = registry.named(name)?;
    Ok(Project::new(home, entry, location))
}

fn no_such_project(name: &str, known: &[String]) -> anyhow::Error {
    let hint = if known.is_empty() {
        "no project is known yet; `oldhand init` registers this one".to_owned()
    } else {
        format!("known projects: {}", known.join(", "))
    };
    Failure::not_found(format!("project `{name}` does not exist"))
        .hint(hint)
        .into()
}
