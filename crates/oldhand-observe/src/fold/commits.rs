//! The commits of a session, and which of them holds what.

use std::collections::BTreeSet;

use oldhand_domain::path::ProjectPath;

use super::{LIST_LIMIT, SessionAnalytics};

/// A commit and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitUse {
    pub step: u32,
    /// As git told it, shortened or whole; `None` when nobody did.
    pub sha: Option<String>,
    /// What it was said to hold, else everything edited since the commit before.
    pub files: BTreeSet<ProjectPath>,
}

impl SessionAnalytics {
    pub(crate) fn count_commit(&mut self, sha: Option<String>, files: &[ProjectPath]) {
        // Hooks and transcripts tell one commit twice: by the command, and as an event of its own.
        let again = self
            .commits
            .last()
            .is_some_and(|last| last.step == self.step && (last.sha == sha || sha.is_none()));
        if again || self.commits.len() >= LIST_LIMIT {
            return;
        }
        let before = self.commits.last().map_or(0, |commit| commit.step);
        let files = if files.is_empty() {
            // From the end, so that a commit costs what came since the one before and no more.
            let since = self.edits.iter().rev();
            since
                .take_while(|edit| edit.step > before)
                .map(|edit| self.files.path(edit.file).clone())
                .collect()
        } else {
            files.iter().cloned().collect()
        };
        self.commits.push(CommitUse {
            step: self.step,
            sha,
            files,
        });
    }

    /// The latest commit that touched any of `files`.
    pub fn commit_of(&self, files: &BTreeSet<ProjectPath>) -> Option<&str> {
        let mut touching = self
            .commits
            .iter()
            .rev()
            .filter(|commit| !commit.files.is_disjoint(files));
        touching.find_map(|commit| commit.sha.as_deref())
    }
}
