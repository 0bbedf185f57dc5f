//! What git already knows about a project before any session has been watched.

#[cfg(test)]
mod fixture;
mod git;
pub mod identity;

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
    /// The walk stopped after this many commits; older ones were not read.
    Capped { commits: usize },
    /// Something could not be read; what it was and why.
    Unreadable { what: &'static str, why: String },
}
