//! Which files belong together, from what was last read of the code and its history. Nothing is read again for it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use oldhand_code::history::coupled::coupled;
use oldhand_code::history::facts::file_facts;
use oldhand_code::history::log::History;
use oldhand_code::index::Index;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::Surroundings;

use crate::config::Settings;
use crate::project::Project;

/// The graph and the history of a project, opened when they are first asked.
pub(crate) struct KnownCode {
    project: Option<Project>,
    settings: Settings,
    index: OnceCell<Option<Index>>,
    history: OnceCell<Option<History>>,
}

/// Files that go with one file at most.
const COMPANIONS: usize = 5;

impl KnownCode {
    pub(crate) fn of(project: Option<&Project>, settings: &Settings) -> Self {
        Self {
            project: project.cloned(),
            settings: settings.clone(),
            index: OnceCell::new(),
            history: OnceCell::new(),
        }
    }

    fn index(&self) -> Option<&Index> {
        let open = || super::peek(self.project.as_ref()?, &self.settings).map(|(index, _)| index);
        self.index.get_or_init(open).as_ref()
    }

    fn history(&self) -> Option<&History> {
        let read = || {
            let folder = super::folder_in(&self.project.as_ref()?.directory);
            let bytes = fs::read(folder.join(super::history::FILE)).ok()?;
            History::from_bytes(&bytes)
        };
        self.history.get_or_init(read).as_ref()
    }
}

impl Surroundings for KnownCode {
    fn neighbours(&self, files: &BTreeSet<ProjectPath>) -> BTreeSet<ProjectPath> {
        let Some(index) = self.index() else {
            return BTreeSet::new();
        };
        let snapshot = index.snapshot();
        let around = files
            .iter()
            .filter_map(|file| snapshot.find_file(file.as_str()))
            .flat_map(|file| {
                let around = index.dependencies(file);
                around.uses.into_iter().chain(around.used_by)
            });
        around
            .filter_map(|neighbour| ProjectPath::new(snapshot.path(neighbour.file)).ok())
            .collect()
    }

    fn companions(&self, files: &BTreeSet<ProjectPath>) -> Vec<(ProjectPath, ProjectPath, f64)> {
        let Some(history) = self.history() else {
            return Vec::new();
        };
        let together = files.iter().flat_map(|file| {
            coupled(history, file.as_str(), COMPANIONS)
                .into_iter()
                .filter_map(|other| {
                    let path = ProjectPath::new(&other.path).ok()?;
                    Some((file.clone(), path, f64::from(other.strength)))
                })
                .collect::<Vec<_>>()
        });
        together.collect()
    }

    fn churn(&self, files: &BTreeSet<ProjectPath>) -> BTreeMap<ProjectPath, f64> {
        if files.is_empty() {
            return BTreeMap::new();
        }
        let Some(history) = self.history() else {
            return BTreeMap::new();
        };
        let known = file_facts(history).into_iter().filter_map(|facts| {
            let path = ProjectPath::new(&facts.path).ok()?;
            Some((path, f64::from(facts.volatility)))
        });
        known.filter(|(path, _)| files.contains(path)).collect()
    }
}
