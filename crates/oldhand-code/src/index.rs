//! A project's graph and where it is kept: built when there is none, brought up to date when files changed.

mod ask;
pub(crate) mod build;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod hardship;
mod moves;
mod place;
mod shape;
mod update;
pub(crate) mod work;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::answer::find::Names;
use crate::facts::store::FactStore;
use crate::problem::Problem;
use crate::read::Generated;
use crate::scip::{NotScip, ScipIndex, ScipStore};
use crate::snapshot::{Snapshot, SnapshotError};
use crate::walk::{Skip, walk};
use place::Place;

pub use update::{Drift, Refresh};

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
    #[error(transparent)]
    Scip(#[from] NotScip),
}

/// The graph of one project.
pub struct Index {
    root: PathBuf,
    state: PathBuf,
    options: Options,
    facts: FactStore,
    snapshot: Snapshot,
    /// The words of all names, where somebody asks again and again.
    names: OnceLock<Names>,
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

    /// Opens the graph kept in `state`, if there is one that this version can read and that was read with these options.
    pub fn open(root: &Path, state: &Path, options: &Options) -> Option<Self> {
        let place = Place::new(state, root);
        if !place.was_read_with(options) {
            return None;
        }
        Self::open_at(&place.snapshot(), root, state, options)
    }

    /// While another process reads the tree for the first time: what is there of its graph so far.
    pub fn open_part(root: &Path, state: &Path, options: &Options) -> Option<Self> {
        Self::open_at(&Place::new(state, root).part(), root, state, options)
    }

    /// How far another process is that reads the tree for the first time, in files: done, of all.
    pub fn being_read(root: &Path, state: &Path) -> Option<(usize, usize)> {
        let place = Place::new(state, root);
        place.is_locked().then(|| place.reading()).flatten()
    }

    /// Whether another process is writing the graph.
    pub fn is_being_written(root: &Path, state: &Path) -> bool {
        Place::new(state, root).is_locked()
    }

    fn open_at(path: &Path, root: &Path, state: &Path, options: &Options) -> Option<Self> {
        Some(Self {
            root: root.to_owned(),
            state: state.to_owned(),
            options: options.clone(),
            facts: FactStore::new(facts_path(state)),
            snapshot: Snapshot::open(path).ok()?,
            names: OnceLock::new(),
        })
    }

    /// Builds the graph anew. Facts of unchanged content are taken from the cache. Of two at once, one waits for the other.
    pub fn build(
        root: &Path,
        state: &Path,
        options: &Options,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Self, Vec<Problem>), IndexError> {
        let _turn = Place::new(state, root).lock();
        build::build(root, state, options, progress)
    }

    /// Brings the graph up to date with the tree: reads what changed, links what that touches.
    pub fn refresh(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<Refresh, IndexError> {
        self.names = OnceLock::new();
        let place = Place::new(&self.state, &self.root);
        let _turn = place.lock();
        // Who had the turn before may have done the work.
        if let Ok(newest) = Snapshot::open(&place.snapshot())
            && newest.checksum() != self.snapshot.checksum()
        {
            self.snapshot = newest;
            self.facts = FactStore::new(facts_path(&self.state));
        }
        update::update(self, progress)
    }

    /// Keeps the words of all names at hand from now on: names are found sooner, and the same.
    pub fn keep_names(&self) {
        self.names.get_or_init(|| Names::of(&self.snapshot));
    }

    /// How many threads may work for an answer.
    pub(crate) fn threads(&self) -> usize {
        self.options.threads
    }

    /// How the tree differs from the graph, by the times and sizes of files alone: what an answer given now does not know.
    pub fn drift(&self) -> Drift {
        let seen = walk(
            &self.root,
            &self.options.skip,
            self.options.threads,
            &mut Vec::new(),
        );
        update::drift(&self.snapshot, &seen)
    }

    /// Takes what a compiler found: its references replace the guessed ones of every file it covers, until that file changes.
    /// Returns how many files it covers.
    pub fn import_scip(
        &mut self,
        bytes: &[u8],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<usize, IndexError> {
        let index = ScipIndex::decode(bytes)?;
        let mut store = ScipStore::open(&scip_path(&self.state));
        let mut covered = 0;
        for file in self.snapshot.files() {
            let entry = self.snapshot.file(file);
            if let Some(references) = index.references(entry.path) {
                store.insert(entry.hash, references.to_vec());
                covered += 1;
            }
        }
        build::replace_file(
            &scip_path(&self.state),
            store.write().as_bytes(),
            build::Flush::Yes,
        )?;
        let (fresh, _) = Self::build(&self.root, &self.state, &self.options, progress)?;
        *self = fresh;
        Ok(covered)
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

    /// The graphs of the other worktrees that share `state`, as they were when last asked.
    pub fn other_trees(root: &Path, state: &Path) -> Vec<Snapshot> {
        Place::new(state, root).graphs_of_others()
    }

    /// The file that the graph of the tree at `root` is in.
    pub fn snapshot_path(root: &Path, state: &Path) -> PathBuf {
        Place::new(state, root).snapshot()
    }
}

fn scip_path(state: &Path) -> PathBuf {
    state.join("scip.txt")
}

fn facts_path(state: &Path) -> PathBuf {
    state.join("facts.bin")
}
