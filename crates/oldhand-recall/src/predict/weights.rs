//! What each lane is worth, learned on real agent sessions (`docs/benchmarks/sessions.md` says how and how well).

use super::PredictionLane as L;

/// One number the model looks at for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The lane's score against its best.
    Value(L),
    /// The file's place in the lane.
    Place(L),
    /// The lane's score, the more so the shorter the task.
    ValueIfShort(L),
    /// The lane's score for a file that is not in the tree.
    ValueIfGone(L),
    /// The lane's score as far as history leads.
    ValueIfHistoryLeads(L),
    /// The lane's score as far as the code leads.
    ValueIfCodeLeads(L),
}

impl Feature {
    /// The lane it comes from.
    pub const fn lane(self) -> L {
        match self {
            Self::Value(lane)
            | Self::Place(lane)
            | Self::ValueIfShort(lane)
            | Self::ValueIfGone(lane)
            | Self::ValueIfHistoryLeads(lane)
            | Self::ValueIfCodeLeads(lane) => lane,
        }
    }
}

/// The model at the beginning of a task: a file's score is the sum of these. Where the code or the history leads, what they say
/// was weighed on issues with known fixes and on commit messages (`docs/benchmarks/messages.md`);
/// what memories say on issues whose forerunners were remembered (`docs/benchmarks/localise.md`).
pub const WEIGHTS: &[(Feature, f64)] = &[
    (Feature::Value(L::Named), 1.56),
    (Feature::Value(L::NamedNew), 1.69),
    (Feature::Value(L::NamedFolder), 1.50),
    (Feature::Value(L::Path), 0.18),
    (Feature::Value(L::Contents), 0.44),
    (Feature::Value(L::EditedForLikeTasks), 0.36),
    (Feature::Value(L::ReadForLikeTasks), 0.14),
    (Feature::Value(L::CommittedLately), 0.18),
    (Feature::Value(L::Partner), 0.65),
    (Feature::Value(L::BranchCommits), 0.56),
    (Feature::Place(L::Named), 1.07),
    (Feature::Place(L::NamedNew), 1.32),
    (Feature::Place(L::Path), 1.03),
    (Feature::Place(L::Contents), 0.77),
    (Feature::Place(L::EditedLast), 0.11),
    (Feature::Place(L::ReadOnBranch), 0.08),
    (Feature::Place(L::Located), 0.56),
    (Feature::Place(L::EditedForLikeTasks), 0.56),
    (Feature::Place(L::BranchCommits), 0.34),
    (Feature::ValueIfShort(L::EditedLast), 0.91),
    (Feature::ValueIfShort(L::EditedOnBranch), 2.03),
    (Feature::ValueIfShort(L::Fresh), 1.32),
    (Feature::ValueIfGone(L::NamedNew), 1.69),
    (Feature::ValueIfGone(L::EditedOnBranch), 0.14),
    (Feature::ValueIfGone(L::ReadOnBranch), 1.27),
    (Feature::ValueIfGone(L::EditedForLikeTasks), 0.05),
    (Feature::ValueIfGone(L::ReadForLikeTasks), 0.78),
    (Feature::ValueIfCodeLeads(L::Located), 14.00),
    (Feature::ValueIfHistoryLeads(L::LikeCommits), 7.00),
    (Feature::ValueIfHistoryLeads(L::Named), 7.00),
    (Feature::ValueIfHistoryLeads(L::NamedFolder), 7.00),
    (Feature::Value(L::Remembered), 4.00),
];

/// The model once files are at hand.
pub const NEXT_WEIGHTS: &[(Feature, f64)] = &[
    (Feature::Value(L::Named), 2.59),
    (Feature::Value(L::NamedNew), 1.58),
    (Feature::Value(L::Path), 0.03),
    (Feature::Value(L::Contents), 0.33),
    (Feature::Value(L::JustEdited), 0.32),
    (Feature::Value(L::CommittedLately), 0.30),
    (Feature::Value(L::UsedByAtHand), 0.40),
    (Feature::Value(L::UsesAtHand), 0.40),
    (Feature::Value(L::NamedAlike), 0.38),
    (Feature::Value(L::WithAtHand), 0.35),
    (Feature::Value(L::UsedAndFits), 0.14),
    (Feature::Value(L::LikeThisSession), 0.69),
    (Feature::Value(L::AfterAtHand), 0.53),
    (Feature::Place(L::Named), 0.82),
    (Feature::Place(L::NamedNew), 1.14),
    (Feature::Place(L::Path), 0.55),
    (Feature::Place(L::Contents), 0.24),
    (Feature::Place(L::Located), 0.75),
    (Feature::Place(L::Partner), 0.09),
    (Feature::Place(L::BesideAtHand), 0.33),
    (Feature::Place(L::PartnerAtHand), 0.45),
    (Feature::Place(L::UsedByAtHand), 0.62),
    (Feature::Place(L::UsesAtHand), 0.60),
    (Feature::Place(L::NamedAlike), 0.87),
    (Feature::Place(L::WithAtHand), 0.82),
    (Feature::Place(L::UsedAndFits), 0.23),
    (Feature::Place(L::AfterAtHand), 0.35),
    (Feature::ValueIfGone(L::NamedNew), 1.58),
    (Feature::ValueIfGone(L::JustEdited), 0.34),
    (Feature::ValueIfGone(L::CommittedLately), 0.15),
    (Feature::ValueIfGone(L::Fresh), 0.54),
    (Feature::ValueIfGone(L::WithAtHand), 1.25),
    (Feature::ValueIfGone(L::LikeThisSession), 0.74),
    (Feature::ValueIfGone(L::AfterAtHand), 0.58),
];
