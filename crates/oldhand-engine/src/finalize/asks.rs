//! What a finalizer asks of the repository.

use std::rc::Rc;
use std::time::Duration;

use jiff::Timestamp;
use oldhand_domain::memory::CommitSha;
use oldhand_domain::path::ProjectPath;

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
