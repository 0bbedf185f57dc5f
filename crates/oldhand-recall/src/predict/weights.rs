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
    Kind(FileKind),
}

impl Feature {
    /// The lane it comes from, if it comes from one.
    pub const fn lane(self) -> Option<L> {
        match self {
            Self::Value(lane)
            | Self::Place(lane)
            | Self::ValueIfShort(lane)
            | Self::ValueIfGone(lane) => Some(lane),
            Self::Kind(_) => None,
        }
    }
}

/// Rough kinds of files, told by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Source,
}

impl FileKind {
    pub fn matches(self, path: &str) -> bool {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        match self {
            Self::Source => matches!(
                extension,
                "go" | "ts"
                    | "tsx"
                    | "js"
                    | "jsx"
                    | "mjs"
                    | "rs"
                    | "py"
                    | "java"
                    | "c"
                    | "cc"
                    | "cpp"
                    | "cs"
                    | "rb"
                    | "php"
                    | "kt"
                    | "swift"
                    | "scala"
                    | "vue"
                    | "svelte"
            ),
        }
    }
}

/// The model at the beginning of a task: a file's score is the sum of these.
pub const WEIGHTS: &[(Feature, f64)] = &[
    (Feature::Value(L::Named), 1.61),
    (Feature::Value(L::NamedNew), 5.56),
    (Feature::Value(L::Path), 0.37),
    (Feature::Value(L::Contents), 1.73),
    (Feature::Value(L::EditedForLikeTasks), 0.30),
    (Feature::Value(L::ReadForLikeTasks), 0.19),
    (Feature::Value(L::LikeCommits), 0.43),
    (Feature::Value(L::Coupled), 0.33),
    (Feature::Value(L::Partner), 0.51),
    (Feature::Value(L::Beside), 0.66),
    (Feature::Place(L::Named), 1.03),
    (Feature::Place(L::Path), 1.21),
    (Feature::Place(L::Contents), 0.47),
    (Feature::Place(L::LikeCommits), 0.34),
    (Feature::Place(L::JustEdited), 0.22),
    (Feature::Place(L::Coupled), 0.15),
    (Feature::ValueIfShort(L::JustEdited), 2.42),
    (Feature::ValueIfShort(L::CommittedLately), 2.60),
    (Feature::ValueIfShort(L::ReadLately), 0.54),
    (Feature::ValueIfShort(L::EditedLately), 0.09),
    (Feature::ValueIfShort(L::EditedForLikeTasks), 0.17),
    (Feature::ValueIfShort(L::Coupled), 0.70),
    (Feature::ValueIfGone(L::JustEdited), 0.83),
    (Feature::ValueIfGone(L::ReadForLikeTasks), 1.44),
    (Feature::ValueIfGone(L::LikeCommits), 0.93),
    (Feature::ValueIfGone(L::ReadLately), 0.61),
    (Feature::Kind(FileKind::Source), 0.57),
];

/// The model once files are at hand.
pub const NEXT_WEIGHTS: &[(Feature, f64)] = &[
    (Feature::Value(L::Named), 3.38),
    (Feature::Value(L::NamedNew), 4.67),
    (Feature::Value(L::Path), 0.26),
    (Feature::Value(L::Contents), 1.14),
    (Feature::Value(L::LikeCommits), 0.45),
    (Feature::Value(L::JustEdited), 0.29),
    (Feature::Value(L::WithAtHand), 1.18),
    (Feature::Value(L::AfterAtHand), 0.91),
    (Feature::Value(L::BesideAtHand), 0.87),
    (Feature::Place(L::Named), 0.39),
    (Feature::Place(L::Path), 0.69),
    (Feature::Place(L::WithAtHand), 0.93),
    (Feature::Place(L::BesideAtHand), 0.28),
    (Feature::Place(L::PartnerAtHand), 0.90),
    (Feature::ValueIfShort(L::WithAtHand), 1.21),
    (Feature::ValueIfShort(L::BesideAtHand), 0.30),
    (Feature::ValueIfShort(L::JustEdited), 0.43),
    (Feature::ValueIfShort(L::CommittedLately), 0.28),
    (Feature::ValueIfShort(L::ReadLately), 0.91),
    (Feature::ValueIfShort(L::ReadForLikeTasks), 0.59),
    (Feature::ValueIfGone(L::WithAtHand), 1.86),
    (Feature::ValueIfGone(L::EditedForLikeTasks), 0.54),
    (Feature::ValueIfGone(L::ReadForLikeTasks), 0.15),
    (Feature::Kind(FileKind::Source), 0.78),
];
