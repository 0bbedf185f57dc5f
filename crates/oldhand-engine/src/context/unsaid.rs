//! What came to mind at a task and is not told, and why.

use std::fmt;

use oldhand_domain::id::MemoryId;
use oldhand_recall::candidate::{BAR, Candidate, UNMEASURED};
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
    /// Nobody measured what the numbers of the model mean.
    Unmeasured,
    /// The task shares the sentence that all statements of its kind are made of, and none of the names it is about.
    OnlyTheSentence,
    /// As many as a task is told are likelier.
    Enough,
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

impl Why {
    /// What is true of one that is kept back, to be read after "and".
    pub fn of_one(&self) -> String {
        match self {
            Self::Refused(Refusal::NeedsReview) => "waits for a review".to_owned(),
            Self::Refused(Refusal::Unsure { .. } | Refusal::Deleted) | Self::UnderTheBar => {
                self.of_several().replacen("are", "is", 1)
            }
            Self::Refused(refusal @ Refusal::Elsewhere { .. }) => refusal.to_string(),
            Self::Refused(Refusal::Tainted) => {
                "had outside text in it and nobody reviewed it".to_owned()
            }
            Self::OnlyTheSentence => {
                "is about other files: only the sentence around their names is like the task"
                    .to_owned()
            }
            Self::Refused(_) => self.of_several().replacen("are ", "is ", 1),
            _ => self.of_several(),
        }
    }

    /// What is true of several that are kept back for the same, to be read after their number.
    pub fn of_several(&self) -> String {
        match self {
            Self::Refused(refusal) => match refusal {
                Refusal::Deleted => "are deleted".to_owned(),
                Refusal::Deprecated { reason } => format!("are replaced: {reason}"),
                Refusal::Stale { reason } => format!("are stale: {reason}"),
                Refusal::Flagged(by) => format!("are flagged by {}", by.in_words()),
                Refusal::Tainted => "had outside text in them and nobody reviewed them".to_owned(),
                Refusal::NeedsReview => "wait for a review".to_owned(),
                Refusal::Elsewhere { at } => format!("hold only {at}"),
                Refusal::Unsure { at_least, .. } => {
                    format!("are under a confidence of {:.2}", at_least.get())
                }
            },
            Self::UnderTheBar => format!("are under a relevance of {BAR:.2}"),
            Self::NearNothing => "come no nearer to the task than chance brings them".to_owned(),
            Self::Unmeasured => format!("are only found by a search: {UNMEASURED}"),
            Self::OnlyTheSentence => {
                "are about other files: only the sentence around their names is like the task"
                    .to_owned()
            }
            Self::Enough => "are less likely than those that are told".to_owned(),
            Self::ToldAtStart => "follow you, and are told when a session starts".to_owned(),
            Self::OnlyFound => "follow you, and are only found by a search".to_owned(),
            Self::Unpacked(Unpacked::NoRoom) => "have no room in the budget".to_owned(),
            Self::Unpacked(Unpacked::SaysTheSameAs { cite }) => format!("say the same as {cite}"),
            Self::Unpacked(Unpacked::Covers { cite }) => {
                format!("cover the same lines as {cite}")
            }
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
            Why::Unmeasured => f.write_str(UNMEASURED),
            Why::OnlyTheSentence => f.write_str(
                "about other files: only the sentence around their names is like the task",
            ),
            Why::Enough => f.write_str("less likely than those that are told"),
            Why::ToldAtStart => f.write_str("follows you, and is told when a session starts"),
            Why::OnlyFound => f.write_str("follows you, and is only found by a search"),
            Why::Unpacked(reason) => reason.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use oldhand_domain::confidence::Confidence;

    use super::*;

    #[test]
    fn what_several_are_left_out_for_reads_after_their_number() {
        let cite = || "a1".to_owned();
        let under = |share: f64| Confidence::new(share).unwrap();
        for (why, said) in [
            (
                Why::Refused(Refusal::Tainted),
                "had outside text in them and nobody reviewed them",
            ),
            (Why::Refused(Refusal::NeedsReview), "wait for a review"),
            (
                Why::Refused(Refusal::Stale {
                    reason: "src/a.rs went this way".to_owned(),
                }),
                "are stale: src/a.rs went this way",
            ),
            (
                Why::Refused(Refusal::Unsure {
                    confidence: under(0.3),
                    at_least: under(0.5),
                }),
                "are under a confidence of 0.50",
            ),
            (Why::UnderTheBar, "are under a relevance of 0.40"),
            (
                Why::ToldAtStart,
                "follow you, and are told when a session starts",
            ),
            (
                Why::Unpacked(Unpacked::NoRoom),
                "have no room in the budget",
            ),
            (
                Why::Unpacked(Unpacked::SaysTheSameAs { cite: cite() }),
                "say the same as a1",
            ),
        ] {
            assert_eq!(why.of_several(), said);
        }
    }
}
