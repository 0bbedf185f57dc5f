//! Which files were taken out of the project, and are not only left behind on another branch.

use super::log::History;

impl History {
    /// Whether the last commit that changed this path took the file away or moved it. The commits are those of every branch that was
    /// checked out: what another branch has and this one has not was never taken out.
    pub fn was_taken_out(&self, path: &str) -> bool {
        let Some(file) = self.find(path) else {
            return false;
        };
        let is_moved = self.path(file) != path;
        let changed = self
            .commits
            .iter()
            .rposition(|entry| entry.files.contains(&file));
        let filled = self.files[file as usize].contents.last();
        let is_emptied = changed
            .zip(filled)
            .is_some_and(|(changed, (_, filled))| changed > *filled as usize);
        is_moved || is_emptied
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::commit::{Change, ChangeKind, Commit};

    fn commit(id: &str, kind: ChangeKind, path: &str, after: Option<u64>) -> Commit {
        Commit {
            id: format!("{id:0<40}"),
            parents: 1,
            changes: vec![Change {
                after,
                ..Change::new(path, kind)
            }],
            changed_files: 1,
            ..Commit::default()
        }
    }

    #[test]
    fn what_a_commit_deleted_or_moved_is_taken_out() {
        let moved = ChangeKind::Renamed {
            from: "moved.rs".to_owned(),
        };
        let mut history = History::from_commits([
            commit("a", ChangeKind::Added, "deleted.rs", Some(1)),
            commit("b", ChangeKind::Added, "moved.rs", Some(2)),
            commit("c", ChangeKind::Added, "elsewhere.rs", Some(3)),
            commit("d", ChangeKind::Added, "again.rs", Some(4)),
            commit("e", ChangeKind::Deleted, "deleted.rs", None),
            commit("f", moved, "new.rs", Some(2)),
            commit("0", ChangeKind::Deleted, "again.rs", None),
            commit("1", ChangeKind::Added, "again.rs", Some(4)),
        ]);
        // As on a branch that has none of them.
        history.set_tree([]);
        let is_out = |path| history.was_taken_out(path);
        assert!(is_out("deleted.rs") && is_out("moved.rs"));
        assert!(!is_out("elsewhere.rs") && !is_out("new.rs") && !is_out("again.rs"));
        assert!(!is_out("unheard_of.rs"));
    }
}
