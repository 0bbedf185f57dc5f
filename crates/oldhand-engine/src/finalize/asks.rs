//! What a finalizer asks of the repository.

use std::rc::Rc;
use std::time::Duration;

use jiff::Timestamp;
use oldhand_domain::memory::CommitSha;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::Tree;
use oldhand_observe::distill::Company;

use super::Finalizer;

/// Finds the whole name of a commit by the beginning of it.
pub type FindCommit<'a> = &'a dyn Fn(&str) -> Option<CommitSha>;

/// Finds the commit that took in edits of these files, the last of them made at that time: its name and when it was made.
pub type FindTakenIn<'a> = &'a dyn Fn(&[&ProjectPath], Timestamp) -> Option<(String, Timestamp)>;

/// Says whether a file is not there: git knew it and it is gone, or git never knew it and no disk has it.
pub type IsGone<'a> = &'a dyn Fn(&ProjectPath) -> bool;

/// Reads what the project's own texts say to people and agents.
pub type ReadRules<'a> = &'a dyn Fn() -> Rc<str>;

/// Finds how many bytes a file of the project has today; `None` where it is gone.
pub type FindSize<'a> = &'a dyn Fn(&ProjectPath) -> Option<u64>;

/// How long it is since some moment that stays the same.
pub type Watch<'a> = &'a dyn Fn() -> Duration;

impl<'a> Finalizer<'a> {
    /// The same finalizer that also says which commit a memory was learned at.
    #[must_use]
    pub fn with_commits(self, find: FindCommit<'a>) -> Self {
        Self {
            commits: Some(find),
            ..self
        }
    }

    /// The same finalizer that takes git's history for a witness.
    #[must_use]
    pub fn with_history(
        self,
        company: &'a dyn Company,
        taken_in: FindTakenIn<'a>,
        is_gone: IsGone<'a>,
    ) -> Self {
        Self {
            company: Some(company),
            taken_in: Some(taken_in),
            is_gone: Some(is_gone),
            ..self
        }
    }

    /// The same finalizer that looks at the files of today before it says anything about them.
    #[must_use]
    pub fn with_files(self, size: FindSize<'a>, tree: &'a dyn Tree) -> Self {
        Self {
            size: Some(size),
            tree: Some(tree),
            ..self
        }
    }

    /// The same finalizer that does not tell what the project's own texts say.
    #[must_use]
    pub fn with_rules(self, rules: ReadRules<'a>) -> Self {
        Self {
            rules: Some(rules),
            ..self
        }
    }

    /// The same finalizer that notes how long it takes.
    #[must_use]
    pub fn with_watch(self, watch: Watch<'a>) -> Self {
        Self {
            watch: Some(watch),
            ..self
        }
    }
}
