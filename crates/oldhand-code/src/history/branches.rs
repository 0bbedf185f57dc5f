//! Which files the tips of all branches have: work that was never merged is in the repository, too.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

use gix::ObjectId;

use super::git;

/// So many branches are asked.
const BRANCHES: usize = 500;
const CACHE_BYTES: usize = 32 * 1024 * 1024;

/// The trees at the tips of all branches, here and of remotes.
pub struct Branches {
    repository: Option<gix::Repository>,
    /// What a folder was on all of them, each state once: what no branch has is known by its first step.
    folders: RefCell<BTreeMap<String, States>>,
}

type States = Rc<BTreeSet<ObjectId>>;

impl Branches {
    /// None where there is no repository, or where it cannot be read.
    pub fn of(root: &Path) -> Self {
        let mut repository = git::open(root).ok();
        if let Some(repository) = &mut repository {
            repository.object_cache_size_if_unset(CACHE_BYTES);
        }
        let tips = repository.as_ref().and_then(tips).unwrap_or_default();
        Self {
            repository,
            folders: RefCell::new([(String::new(), Rc::new(tips))].into()),
        }
    }

    /// Whether a branch has this file.
    pub fn have(&self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = self.folder(folder);
        folder.iter().any(|tree| self.entry(*tree, name).is_some())
    }

    fn folder(&self, path: &str) -> States {
        if let Some(known) = self.folders.borrow().get(path) {
            return Rc::clone(known);
        }
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let above = self.folder(above);
        let states = above.iter().filter_map(|tree| self.entry(*tree, name));
        let states = states.filter(|(_, is_folder)| *is_folder);
        let states: States = Rc::new(states.map(|(id, _)| id).collect());
        let mut folders = self.folders.borrow_mut();
        folders.insert(path.to_owned(), Rc::clone(&states));
        states
    }

    /// What a tree has by this name, and whether that is a folder.
    fn entry(&self, tree: ObjectId, name: &str) -> Option<(ObjectId, bool)> {
        let tree = self.repository.as_ref()?.find_tree(tree).ok()?;
        let entry = tree.lookup_entry([name]).ok()??;
        Some((entry.object_id(), entry.mode().is_tree()))
    }
}

fn tips(repository: &gix::Repository) -> Option<BTreeSet<ObjectId>> {
    let references = repository.references().ok()?;
    let branches = references.all().ok()?.flatten().filter(|reference| {
        let name = reference.name().as_bstr();
        name.starts_with(b"refs/heads/") || name.starts_with(b"refs/remotes/")
    });
    let trees = branches.take(BRANCHES).filter_map(|mut branch| {
        let commit = branch.peel_to_commit().ok()?;
        Some(commit.tree_id().ok()?.detach())
    });
    Some(trees.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::fixture::Fixture;

    #[test]
    fn a_file_of_a_branch_that_was_never_merged_is_known() {
        let repository = Fixture::new();
        repository.write("src/a.rs", "one").commit("begin");
        repository.git(&["checkout", "--quiet", "-b", "tried"]);
        repository.write("src/tried.rs", "two").commit("try it");
        repository.git(&["checkout", "--quiet", "main"]);
        let branches = Branches::of(repository.path());
        for (path, is_had) in [
            ("src/a.rs", true),
            ("src/tried.rs", true),
            ("src/never.rs", false),
            ("src/a.rs/b", false),
        ] {
            assert_eq!(branches.have(path), is_had, "{path}");
        }
        assert!(!Branches::of(&std::env::temp_dir()).have("src/a.rs"));
    }
}
