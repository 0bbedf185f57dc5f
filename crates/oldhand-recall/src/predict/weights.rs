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
    InTree,
    InTreeIfShort,
    Kind(FileKind),
}

/// Rough kinds of files, told by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Source,
    Document,
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
            Self::Document => extension == "md",
        }
    }
}

/// The model: a file's score is the sum of these.
pub const WEIGHTS: &[(Feature, f64)] = &[
    (Feature::Value(L::Named), 1.48),
    (Feature::Value(L::Path), 1.04),
    (Feature::Value(L::Contents), 2.08),
    (Feature::Value(L::EditedForLikeTasks), 0.22),
    (Feature::Value(L::ReadForLikeTasks), 0.21),
    (Feature::Value(L::LikeCommits), 0.36),
    (Feature::Value(L::CommittedLately), 0.31),
    (Feature::Value(L::Coupled), 0.65),
    (Feature::Place(L::Named), 1.05),
    (Feature::Place(L::Path), 0.99),
    (Feature::Place(L::Contents), 0.69),
    (Feature::Place(L::LikeCommits), 0.40),
    (Feature::Place(L::JustEdited), 0.28),
    (Feature::Place(L::Coupled), 0.18),
    (Feature::ValueIfShort(L::EditedLately), 0.61),
    (Feature::ValueIfShort(L::JustEdited), 1.40),
    (Feature::ValueIfShort(L::CommittedLately), 2.00),
    (Feature::ValueIfShort(L::ReadLately), 0.84),
    (Feature::ValueIfShort(L::EditedForLikeTasks), 0.42),
    (Feature::ValueIfShort(L::Coupled), 0.58),
    (Feature::ValueIfGone(L::JustEdited), 1.82),
    (Feature::ValueIfGone(L::EditedLately), 1.58),
    (Feature::InTree, 1.03),
    (Feature::InTreeIfShort, 0.58),
    (Feature::Kind(FileKind::Source), 1.04),
    (Feature::Kind(FileKind::Document), 0.18),
];
