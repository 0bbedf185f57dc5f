//! Whether a branch keeps a file that this one does not have.

use std::path::Path;

use super::git;

/// So many branches are asked.
const BRANCHES: usize = 500;

/// Whether the commit at hand has no such file and the newest of another branch has. What cannot be read has none.
pub fn is_kept_elsewhere(root: &Path, file: &str) -> bool {
    look(root, file).unwrap_or(false)
}

fn look(root: &Path, file: &str) -> Option<bool> {
    let repository = git::open(root).ok()?;
    let has = |commit: &gix::Commit<'_>| {
        let tree = commit.tree().ok();
        let found = tree.and_then(|tree| tree.lookup_entry_by_path(file).ok()?);
        found.is_some()
    };
    if repository.head_commit().is_ok_and(|commit| has(&commit)) {
        return Some(false);
    }
    let references = repository.references().ok()?;
    let branches = references.all().ok()?.flatten().filter(|reference| {
        let name = reference.name().as_bstr();
        name.starts_with(b"refs/heads/") || name.starts_with(b"refs/remotes/")
    });
    let mut newest = branches.take(BRANCHES).filter_map(|mut branch| {
        let id = branch.peel_to_id().ok()?.detach();
        repository.find_commit(id).ok()
    });
    Some(newest.any(|commit| has(&commit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::fixture::Fixture;

    #[test]
    fn a_file_of_another_branch_is_kept_there() {
        let repository = Fixture::new();
        repository.write("a.rs", "one").commit("begin");
        let asked = || is_kept_elsewhere(repository.path(), "docs/RULES.md");
        assert!(!asked(), "nobody has it");
        repository.git(&["checkout", "--quiet", "-b", "work"]);
        repository.write("docs/RULES.md", "- One.").commit("rules");
        assert!(!asked(), "it is here");
        std::fs::remove_file(repository.path().join("docs/RULES.md")).unwrap();
        assert!(!asked(), "it is removed here, and nowhere else");
        repository.git(&["checkout", "--quiet", "main"]);
        assert!(asked());
        assert!(!is_kept_elsewhere(&std::env::temp_dir(), "a.rs"));
    }
}
