//! Which files the tips of all branches have: work that was never merged is in the repository, too.

use std::collections::BTreeSet;
use std::path::Path;

use gix::ObjectId;

use super::git;

/// So many branches are asked, each kind of tree once.
const BRANCHES: usize = 500;

/// The trees at the tips of all branches, here and of remotes.
pub struct Branches {
    repository: Option<gix::Repository>,
    trees: BTreeSet<ObjectId>,
}

impl Branches {
    /// None where there is no repository, or where it cannot be read.
    pub fn of(root: &Path) -> Self {
        let repository = git::open(root).ok();
        let trees = repository.as_ref().and_then(tips).unwrap_or_default();
        Self { repository, trees }
    }

    /// Whether a branch has this file.
    pub fn have(&self, path: &str) -> bool {
        let Some(repository) = &self.repository else {
            return false;
        };
        self.trees.iter().any(|tree| {
            let tree = repository.find_tree(*tree);
            let entry = tree.map(|tree| tree.lookup_entry_by_path(path));
            matches!(entry, Ok(Ok(Some(_))))
        })
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
