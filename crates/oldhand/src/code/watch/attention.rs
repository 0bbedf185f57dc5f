//! The folders of a tree that a watch listens to: all that a walk goes into, as they come and go.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use oldhand_code::walk::{Skip, folders};

/// More folders than this are not watched: systems allow all programs of a user only so many together, and editors need theirs.
const MOST_FOLDERS: usize = 8_000;

/// How much of a tree is listened to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// The system allows no more.
    Nothing,
    Part,
    All,
}

/// The folders that are listened to.
pub(super) struct Attention<'w> {
    pub(super) watcher: RecommendedWatcher,
    root: &'w Path,
    skip: &'w Skip,
    folders: BTreeSet<PathBuf>,
}

impl<'w> Attention<'w> {
    pub(super) fn new(watcher: RecommendedWatcher, root: &'w Path, skip: &'w Skip) -> Self {
        Self {
            watcher,
            root,
            skip,
            folders: BTreeSet::new(),
        }
    }

    /// Listens to the root and all folders in it. Where the system tells about whole trees, the root is enough.
    pub(super) fn attend(&mut self) -> Reach {
        if !cfg!(target_os = "linux") {
            if self.folders.insert(self.root.to_owned()) {
                let _ = self.watcher.watch(self.root, RecursiveMode::Recursive);
            }
            return Reach::Part;
        }
        // A folder that was made after its parent was listed and before that was watched is told by nobody: it is in the next list.
        loop {
            let mut all = folders(self.root, self.skip);
            all.retain(|folder| !self.folders.contains(folder));
            if all.is_empty() {
                return Reach::All;
            }
            for folder in all {
                if self.folders.len() == MOST_FOLDERS {
                    return Reach::Part;
                }
                // A folder that is gone by now needs no watch; should it come again, its parent tells.
                if let Err(error) = self.watcher.watch(&folder, RecursiveMode::NonRecursive)
                    && matches!(error.kind, ErrorKind::MaxFilesWatch)
                {
                    return Reach::Nothing;
                }
                self.folders.insert(folder);
            }
        }
    }

    /// Knows nothing more of a folder that changed itself and of those in it: another one may have come in its place.
    pub(super) fn forget(&mut self, folder: &Path) -> bool {
        let is_known = folder != self.root && self.folders.contains(folder);
        if is_known {
            self.folders.retain(|other| !other.starts_with(folder));
        }
        is_known
    }
}
