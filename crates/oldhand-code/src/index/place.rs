//! Where the graph of one tree is kept. Worktrees of a repository have a graph each and share what was parsed.
//!
//! ```text
//! state/facts.bin  scip.txt        by content, for every tree
//! state/trees/<hash of the root>/
//!   graph.snap                     the graph
//!   graph.part                     a part of it, while a large tree is read for the first time
//!   root  options                  whose it is, and how it was read
//!   reading                        how far a first reading is
//!   lock                           held by whoever writes
//! ```

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::Options;
use crate::facts::store::Key;
use crate::read::Generated;
use crate::snapshot::Snapshot;
use crate::walk::Skip;

pub(super) struct Place {
    state: PathBuf,
    folder: PathBuf,
}

impl Place {
    pub(super) fn new(state: &Path, root: &Path) -> Self {
        let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        Self {
            state: state.to_owned(),
            folder: state.join("trees").join(&hash.as_str()[..16]),
        }
    }

    /// Makes the folder, and lets go of trees that are no longer there.
    pub(super) fn create(&self, root: &Path) -> std::io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        fs::write(
            self.folder.join("root"),
            root.as_os_str().as_encoded_bytes(),
        )?;
        for other in self.others() {
            let root = fs::read_to_string(other.join("root")).unwrap_or_default();
            if !Path::new(&root).is_dir() {
                // A leftover only takes room; the next build tries again.
                let _ = fs::remove_dir_all(other);
            }
        }
        Ok(())
    }

    pub(super) fn snapshot(&self) -> PathBuf {
        self.folder.join("graph.snap")
    }

    pub(super) fn part(&self) -> PathBuf {
        self.folder.join("graph.part")
    }

    /// Held until it is dropped; waits for whoever holds it. Nothing where the folder cannot be written, which the
    /// writing itself will tell.
    pub(super) fn lock(&self) -> Option<File> {
        fs::create_dir_all(&self.folder).ok()?;
        let file = File::create(self.folder.join("lock")).ok()?;
        file.lock().ok()?;
        Some(file)
    }

    /// Whether somebody is writing the graph.
    pub(super) fn is_locked(&self) -> bool {
        let Ok(file) = File::open(self.folder.join("lock")) else {
            return false;
        };
        matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock))
    }

    /// Whether what is kept was read with `options`.
    pub(super) fn was_read_with(&self, options: &Options) -> bool {
        let said = fs::read_to_string(self.folder.join("options"));
        said.is_ok_and(|said| said == describe(options))
    }

    /// Notes how the tree was read. Without the note it is read again, so a failure costs time only.
    pub(super) fn note_options(&self, options: &Options) {
        let _ = fs::write(self.folder.join("options"), describe(options));
    }

    /// Notes how far a first reading is, for those who ask meanwhile.
    pub(super) fn note_reading(&self, done: usize, of: usize) {
        let _ = fs::write(self.folder.join("reading"), format!("{done} {of}"));
    }

    pub(super) fn reading(&self) -> Option<(usize, usize)> {
        let said = fs::read_to_string(self.folder.join("reading")).ok()?;
        let (done, of) = said.split_once(' ')?;
        Some((done.parse().ok()?, of.parse().ok()?))
    }

    /// The first reading is over.
    pub(super) fn finish_reading(&self) {
        for name in ["reading", "graph.part"] {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }

    /// What the graphs of the other trees stand on.
    pub(super) fn keys_of_others(&self) -> Vec<Key> {
        let mut keys = Vec::new();
        for other in self.others() {
            if let Ok(snapshot) = Snapshot::open(&other.join("graph.snap")) {
                let files = snapshot.files().map(|file| snapshot.file(file));
                keys.extend(files.map(|entry| (entry.hash, entry.language)));
            }
        }
        keys
    }

    /// The graphs of the other trees that are still there.
    pub(super) fn graphs_of_others(&self) -> Vec<Snapshot> {
        let is_there = |folder: &PathBuf| {
            let root = fs::read_to_string(folder.join("root"));
            root.is_ok_and(|root| Path::new(&root).is_dir())
        };
        let others = self.others().into_iter().filter(is_there);
        others
            .filter_map(|folder| Snapshot::open(&folder.join("graph.snap")).ok())
            .collect()
    }

    fn others(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.state.join("trees"));
        let entries = entries.into_iter().flatten().flatten();
        let folders = entries.map(|entry| entry.path());
        folders.filter(|folder| *folder != self.folder).collect()
    }
}

/// The options that decide what is read, in words that change with them.
fn describe(options: &Options) -> String {
    let skip = match &options.skip {
        Skip::Usual => "usual".to_owned(),
        Skip::Also(names) => format!("usual and {}", names.join("/")),
        Skip::Only(names) => format!("only {}", names.join("/")),
    };
    let generated = match options.generated {
        Generated::Skip => "skipped",
        Generated::Read => "read",
    };
    format!(
        "skip {skip}\nat most {} bytes\ngenerated {generated}\n",
        options.max_bytes
    )
}
