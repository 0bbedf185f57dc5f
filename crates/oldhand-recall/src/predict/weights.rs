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
    /// The lane's score where no earlier session is known.
    ValueIfUntaught(L),
    /// The lane's score where no earlier session is known, the more so the more the task is like a commit message.
    ValueIfHistoryLeads(L),
    /// The lane's score where no earlier session is known, the less so the more the task is like a commit message.
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
            | Self::ValueIfUntaught(lane)
            | Self::ValueIfHistoryLeads(lane)
            | Self::ValueIfCodeLeads(lane) => lane,
        }
    }
}

/// The model at the beginning of a task: a file's score is the sum of these. Where there are no sessions, what code says
/// was weighed on issues with known fixes and what history says on commit messages (`docs/benchmarks/messages.md`);
/// what memories say is a guess on that scale.
pub const WEIGHTS: &[(Feature, f64)] = &[
    (Feature::Value(L::Named), 1.54),
    (Feature::Value(L::NamedNew), 1.51),
    (Feature::Value(L::Path), 0.33),
    (Feature::Value(L::Contents), 0.38),
    (Feature::Value(L::EditedForLikeTasks), 0.59),
    (Feature::Value(L::ReadForLikeTasks), 0.15),
    (Feature::Value(L::LikeCommits), 0.40),
    (Feature::Value(L::Partner), 0.34),
    (Feature::Value(L::EditedOnBranch), 0.19),
    (Feature::Place(L::Named), 0.98),
    (Feature::Place(L::NamedNew), 1.29),
    (Feature::Place(L::Path), 0.94),
    (Feature::Place(L::Contents), 0.86),
    (Feature::Place(L::Located), 0.43),
    (Feature::Place(L::Partner), 0.32),
    (Feature::Place(L::EditedOnBranch), 0.25),
    (Feature::ValueIfShort(L::EditedLately), 0.24),
    (Feature::ValueIfShort(L::ReadLately), 0.34),
    (Feature::ValueIfShort(L::JustEdited), 0.85),
    (Feature::ValueIfShort(L::CommittedLately), 1.14),
    (Feature::ValueIfShort(L::Fresh), 1.55),
    (Feature::ValueIfShort(L::EditedLast), 0.56),
    (Feature::ValueIfShort(L::EditedOnBranch), 1.43),
    (Feature::ValueIfGone(L::NamedNew), 1.51),
    (Feature::ValueIfGone(L::ReadLately), 0.65),
    (Feature::ValueIfGone(L::JustEdited), 0.44),
    (Feature::ValueIfGone(L::EditedForLikeTasks), 0.22),
    (Feature::ValueIfGone(L::ReadForLikeTasks), 0.87),
    (Feature::ValueIfGone(L::EditedOnBranch), 0.52),
    (Feature::ValueIfCodeLeads(L::Located), 14.00),
    (Feature::ValueIfHistoryLeads(L::LikeCommits), 7.00),
    (Feature::Value(L::Remembered), 4.00),
    (Feature::ValueIfUntaught(L::Remembered), 12.00),
];

/// The model once files are at hand.
pub const NEXT_WEIGHTS: &[(Feature, f64)] = &[
    (Feature::Value(L::Named), 2.36),
    (Feature::Value(L::NamedNew), 1.45),
    (Feature::Value(L::Path), 0.14),
    (Feature::Value(L::JustEdited), 0.31),
    (Feature::Value(L::ReadForLikeTasks), 0.29),
    (Feature::Value(L::LikeCommits), 0.17),
    (Feature::Value(L::CommittedLately), 0.13),
    (Feature::Value(L::WithAtHand), 0.82),
    (Feature::Value(L::AfterAtHand), 0.57),
    (Feature::Value(L::BesideAtHand), 0.42),
    (Feature::Value(L::Located), 0.17),
    (Feature::Value(L::UsedByAtHand), 0.60),
    (Feature::Value(L::UsesAtHand), 0.64),
    (Feature::Place(L::Named), 0.96),
    (Feature::Place(L::NamedNew), 1.24),
    (Feature::Place(L::Path), 0.71),
    (Feature::Place(L::Contents), 0.23),
    (Feature::Place(L::WithAtHand), 0.38),
    (Feature::Place(L::AfterAtHand), 0.48),
    (Feature::Place(L::BesideAtHand), 0.31),
    (Feature::Place(L::PartnerAtHand), 0.94),
    (Feature::Place(L::Located), 0.85),
    (Feature::Place(L::UsedByAtHand), 0.86),
    (Feature::Place(L::UsesAtHand), 0.57),
    (Feature::ValueIfShort(L::Named), 0.16),
    (Feature::ValueIfShort(L::ReadLately), 0.67),
    (Feature::ValueIfShort(L::JustEdited), 0.15),
    (Feature::ValueIfShort(L::CommittedLately), 0.47),
    (Feature::ValueIfShort(L::WithAtHand), 0.54),
    (Feature::ValueIfShort(L::Fresh), 0.50),
    (Feature::ValueIfShort(L::UsedByAtHand), 0.38),
    (Feature::ValueIfShort(L::UsesAtHand), 0.20),
    (Feature::ValueIfGone(L::NamedNew), 1.45),
    (Feature::ValueIfGone(L::EditedLately), 0.15),
    (Feature::ValueIfGone(L::ReadLately), 0.22),
    (Feature::ValueIfGone(L::JustEdited), 0.22),
    (Feature::ValueIfGone(L::EditedForLikeTasks), 0.99),
    (Feature::ValueIfGone(L::ReadForLikeTasks), 0.49),
    (Feature::ValueIfGone(L::CommittedLately), 0.15),
    (Feature::ValueIfGone(L::WithAtHand), 0.85),
    (Feature::ValueIfGone(L::AfterAtHand), 0.20),
    (Feature::ValueIfGone(L::Fresh), 0.70),
];
