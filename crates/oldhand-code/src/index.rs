//! A project's graph and where it is kept: built when there is none, brought up to date when files changed.

pub(crate) mod build;
mod work;

use std::path::{Path, PathBuf};

use crate::facts::store::FactStore;
use crate::problem::Problem;
use crate::read::Generated;
use crate::snapshot::{Snapshot, SnapshotError};
use crate::walk::Skip;

/// How a tree is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub threads: usize,
    /// Larger files are known by name only.
    pub max_bytes: u64,
    pub skip: Skip,
    pub generated: Generated,
}

/// How far an index is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Looking through folders.
    Walking,
    /// Reading files: done, of all.
    Reading {
        done: usize,
        of: usize,
    },
    Linking {
        of: usize,
    },
    Writing,
}

/// Why there is no index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    #[error("could not {doing} {path}")]
    Io {
        doing: &'static str,
        path: String,
        source: std::io::Error,
    },
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

/// The graph of one project.
pub struct Index {
    root: PathBuf,
    state: PathBuf,
    options: Options,
    facts: FactStore,
    snapshot: Snapshot,
}

impl Index {
    /// Opens the graph kept in `state`, or builds it from the tree at `root`. An open graph may be older than the tree: see
    /// [`Index::refresh`].
    pub fn open_or_build(
        root: &Path,
        state: &Path,
        options: &Options,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Self, Vec<Problem>), IndexError> {
        if let Some(index) = Self::open(root, state, options) {
            let problems = index.snapshot.problems();
            return Ok((index, problems));
        }
        Self::build(root, state, options, progress)
    }

    /// Opens the graph kept in `state`, if there is one that this version can read.
    pub fn open(root: &Path, state: &Path, options: &Options) -> Option<Self> {
        let snapshot = Snapshot::open(&snapshot_path(state)).ok()?;
        let facts = FactStore::new(facts_path(state));
        Some(Self {
            root: root.to_owned(),
            state: state.to_owned(),
            options: options.clone(),
            facts,
            snapshot,
        })
    }

    /// Builds the graph anew. Facts of unchanged content are taken from the cache.
    pub fn build(
        root: &Path,
        state: &Path,
        options: &Options,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Self, Vec<Problem>), IndexError> {
        build::build(root, state, options, progress)
    }

    /// Brings the graph up to date with the tree.
    pub fn refresh(
        &mut self,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Problem>, IndexError> {
        let (fresh, problems) = build::build(&self.root, &self.state, &self.options, progress)?;
        *self = fresh;
        Ok(problems)
    }

    pub fn facts(&self) -> &FactStore {
        &self.facts
    }

    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    pub fn root(&self) -> &Path {
        &self.root
    }
}

fn snapshot_path(state: &Path) -> PathBuf {
    state.join("graph.snap")
}

fn facts_path(state: &Path) -> PathBuf {
    state.join("facts.bin")
}
