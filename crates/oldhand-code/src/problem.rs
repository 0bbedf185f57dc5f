//! What went wrong while reading a tree: data for the reader of an answer, never a reason to stop.

use std::fmt;

/// One thing that could not be read as hoped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Relative to the project, with forward slashes; empty for the project itself.
    pub path: String,
    pub kind: ProblemKind,
    pub detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The file could not be read, or vanished while it was being read.
    Unreadable,
    /// Too large, minified or generated: known by name only.
    Skipped,
    /// Parsing took longer than allowed.
    TooSlow,
    /// The parser skipped over text that it did not understand.
    SyntaxError,
    /// The bytes were not UTF-8 and were read with replacements.
    Encoding,
    /// Two names in one folder differ in case only.
    CaseCollision,
    /// A manifest or configuration file could not be understood.
    Manifest,
    /// A cache file was broken and has been set aside.
    Cache,
}

impl ProblemKind {
    pub const ALL: [Self; 8] = [
        Self::Unreadable,
        Self::Skipped,
        Self::TooSlow,
        Self::SyntaxError,
        Self::Encoding,
        Self::CaseCollision,
        Self::Manifest,
        Self::Cache,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Skipped => "skipped",
            Self::TooSlow => "too_slow",
            Self::SyntaxError => "syntax_error",
            Self::Encoding => "encoding",
            Self::CaseCollision => "case_collision",
            Self::Manifest => "manifest",
            Self::Cache => "cache",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.path, self.detail, self.kind.as_str())
    }
}
