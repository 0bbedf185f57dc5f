//! Which commit has what somebody edited: the first soon after that changed most of those files and was not taken back.

use super::commit::Trait;
use super::log::{CommitId, Entry, FileId, History};

/// A commit that has edits in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenIn {
    /// The first seven digits of its id.
    pub commit: String,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
}

/// Later commits say more of later work.
const SOON_SECONDS: i64 = 24 * 60 * 60;

impl History {
    /// The commit that took in edits of `paths`, the last of which was made at `edited`.
    pub fn taken_in(&self, paths: &[&str], edited: i64) -> Option<TakenIn> {
        let mut files: Vec<FileId> = paths.iter().filter_map(|path| self.find(path)).collect();
        files.sort_unstable();
        files.dedup();
        let soon = edited..=edited + SOON_SECONDS;
        let holds = |entry: &Entry| {
            let shared = files.iter().filter(|file| entry.files.contains(file));
            2 * shared.count() >= paths.len().max(1)
        };
        let number = self
            .commits
            .iter()
            .enumerate()
            .position(|(number, entry)| {
                soon.contains(&entry.time)
                    && !entry.nature.is(Trait::Automatic)
                    && !entry.nature.is(Trait::Revert)
                    && !self.is_taken_back(number as CommitId)
                    && !entry.files.is_empty()
                    && holds(entry)
            })?;
        let entry = &self.commits[number];
        Some(TakenIn {
            commit: format!("{:016x}", entry.id)[..7].to_owned(),
            time: entry.time,
        })
    }

    fn is_taken_back(&self, commit: CommitId) -> bool {
        self.reverts.iter().any(|revert| revert.of == Some(commit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::commit::{Change, ChangeKind, Commit};

    const DAY: i64 = 24 * 60 * 60;

    fn commit(id: &str, time: i64, message: &str, paths: &[&str]) -> Commit {
        let change = |path: &&str| Change::new(*path, ChangeKind::Modified);
        Commit {
            id: format!("{id:0<40}"),
            time,
            author: "A. Person".to_owned(),
            message: message.to_owned(),
            parents: 1,
            changes: paths.iter().map(change).collect(),
            changed_files: paths.len(),
        }
    }

    #[test]
    fn the_first_commit_soon_after_that_has_most_of_the_files_counts() {
        let history = History::from_commits([
            commit("aaaaaaa", 100, "before", &["a.rs", "b.rs"]),
            commit("bbbbbbb", 300, "other", &["c.rs"]),
            commit("ccccccc", 400, "the work", &["a.rs"]),
            commit("ddddddd", 500, "more", &["a.rs", "b.rs"]),
        ]);
        let found = |paths: &[&str], at| history.taken_in(paths, at).map(|found| found.commit);
        assert_eq!(found(&["a.rs", "b.rs"], 200).as_deref(), Some("ccccccc"));
        assert_eq!(
            found(&["a.rs", "b.rs", "x.rs"], 200).as_deref(),
            Some("ddddddd")
        );
        assert_eq!(found(&["a.rs"], 600), None);
        assert_eq!(found(&["a.rs"], 100 - DAY - 1), None);
        assert_eq!(found(&["x.rs"], 200), None);
    }

    #[test]
    fn what_was_taken_back_or_written_by_a_program_says_nothing() {
        let reverted = format!(
            "Revert \"the work\"\n\nThis reverts commit {:0<40}.",
            "ccccccc"
        );
        let history = History::from_commits([
            commit("ccccccc", 400, "the work", &["a.rs"]),
            commit("eeeeeee", 450, &reverted, &["a.rs"]),
        ]);
        assert_eq!(history.taken_in(&["a.rs"], 200), None);
        let mut bot = commit("fffffff", 400, "bump", &["a.rs"]);
        bot.author = "dependabot[bot]".to_owned();
        assert_eq!(History::from_commits([bot]).taken_in(&["a.rs"], 200), None);
    }
}
