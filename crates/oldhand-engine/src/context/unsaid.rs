//! What came to mind at a task and is not told, and why.

use std::fmt;

use oldhand_domain::id::MemoryId;
use oldhand_recall::candidate::{BAR, Candidate};
use oldhand_recall::gate::{LeftOut, Refusal};
use oldhand_recall::inject::Unpacked;

use crate::Shelf;

/// A memory that is kept back.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsaid {
    pub shelf: Shelf,
    pub id: MemoryId,
    /// What it says, for people: it is not for agents.
    pub summary: String,
    /// The estimated chance that the task needs it.
    pub relevance: f64,
    pub why: Why,
}

/// Why a memory is not told.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    Refused(Refusal),
    UnderTheBar,
    /// The task itself is near to nothing.
    NearNothing,
    /// It follows the person, and is told when a session starts.
    ToldAtStart,
    /// It follows the person, and is of a type that only a search finds.
    OnlyFound,
    Unpacked(Unpacked),
}

impl Unsaid {
    pub(super) fn of(shelf: Shelf, candidate: &Candidate, why: Why) -> Self {
        Self {
            shelf,
            id: candidate.memory.id,
            summary: candidate.memory.summary.to_string(),
            relevance: candidate.because.relevance,
            why,
        }
    }

    pub(super) fn refused(shelf: Shelf, left: &LeftOut<Refusal>) -> Self {
        Self {
            shelf,
            id: left.id,
            summary: left.summary.clone(),
            relevance: left.relevance,
            why: Why::Refused(left.why.clone()),
        }
    }
}

impl fmt::Display for Unsaid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            Why::Refused(refusal) => refusal.fmt(f),
            // Rounded down, so that it never reads as if it had reached the bar.
            Why::UnderTheBar => write!(
                f,
                "relevance {:.2} is under {BAR:.2}",
                (self.relevance * 100.0).floor() / 100.0
            ),
            Why::NearNothing => {
                f.write_str("the task comes no nearer to anything known here than chance brings it")
            }
            Why::ToldAtStart => f.write_str("follows you, and is told when a session starts"),
            Why::OnlyFound => f.write_str("follows you, and is only found by a search"),
            Why::Unpacked(reason) => reason.fmt(f),
        }
    }
}
