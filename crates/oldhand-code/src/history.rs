//! What git already knows about a project before any session has been watched.
//!
//! [`read::read`] walks a repository into a [`log::History`], the compact log of its commits, and continues it when
//! there are new ones; plain [`commit::Commit`] records do as well. Everything else is a question to that log:
//! [`coupled::coupled`] and [`message::files_for_message`] predict, [`facts`] tells, [`standing`] compares with then. Start reading at [`log`].

pub mod branches;
mod bytes;
pub mod commit;
pub mod coupled;
pub mod entered;
pub mod facts;
#[cfg(test)]
mod fixture;
mod git;
mod gone;
pub mod identity;
mod index;
mod lines;
pub mod log;
pub mod merged;
pub mod message;
mod place;
mod rank;
pub mod read;
pub mod standing;
pub mod taken_in;
#[cfg(test)]
mod tests;
pub mod together;
mod tree;
pub mod versions;

/// Why the history of a project is less than whole. Data, not a failure: the rest of the answer still holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gap {
    /// There is no repository here.
    NoRepository,
    /// The repository has no commit yet.
    Unborn,
    /// The clone is shallow: what happened before its oldest commits is not here.
    Shallow,
    /// So many submodules keep their own history, which is not read.
    Submodules { count: usize },
    /// The walk stopped after this many commits; older ones were not read.
    Capped { commits: usize },
    /// Something could not be read; what it was and why.
    Unreadable { what: &'static str, why: String },
}
