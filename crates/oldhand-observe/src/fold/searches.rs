//! What was searched for and listed.

use oldhand_domain::path::ProjectPath;

/// One search pattern and how often it was tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrepUse {
    /// As it was typed when it found something, or else the first time.
    pub typed: String,
    pub count: u32,
    pub steps: Vec<u32>,
    pub found: u32,
    pub empty: u32,
    pub matched: Vec<ProjectPath>,
}

/// One file listing and what it gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobUse {
    pub step: u32,
    /// The first of what it gave.
    pub matched: Vec<ProjectPath>,
    /// How many files it gave, as far as they were counted.
    pub found: u32,
    /// Whether there were more than were counted.
    pub is_cut: bool,
}
