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
    Lock,
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
            Self::Lock => path.ends_with("go.sum") || path.contains("lock"),
        }
    }
}

/// The model: a file's score is the sum of these.
pub const WEIGHTS: &[(Feature, f64)] = &[
    (Feature::Value(L::Named), 1.52),
    (Feature::Value(L::Path), 0.99),
    (Feature::Value(L::Contents), 2.15),
    (Feature::Value(L::EditedLately), -0.47),
    (Feature::Value(L::EditedOften), -1.14),
    (Feature::Value(L::ReadLately), 0.06),
    (Feature::Value(L::JustEdited), 0.17),
    (Feature::Value(L::EditedForLikeTasks), 0.37),
    (Feature::Value(L::ReadForLikeTasks), 0.36),
    (Feature::Value(L::LikeCommits), 0.32),
    (Feature::Value(L::CommittedLately), 0.46),
    (Feature::Value(L::CommittedOften), 0.13),
    (Feature::Value(L::Coupled), 0.85),
    (Feature::Place(L::Named), 1.04),
    (Feature::Place(L::Path), 1.00),
    (Feature::Place(L::Contents), 0.63),
    (Feature::Place(L::EditedForLikeTasks), 0.04),
    (Feature::Place(L::LikeCommits), 0.40),
    (Feature::Place(L::Coupled), 0.25),
    (Feature::Place(L::CommittedOften), 0.30),
    (Feature::Place(L::JustEdited), 0.41),
    (Feature::ValueIfShort(L::EditedLately), 0.88),
    (Feature::ValueIfShort(L::JustEdited), 1.25),
    (Feature::ValueIfShort(L::CommittedLately), 1.76),
    (Feature::ValueIfShort(L::ReadLately), 0.93),
    (Feature::ValueIfShort(L::EditedOften), 0.94),
    (Feature::ValueIfShort(L::EditedForLikeTasks), 0.17),
    (Feature::ValueIfShort(L::Coupled), 0.42),
    (Feature::ValueIfGone(L::JustEdited), 1.82),
    (Feature::ValueIfGone(L::EditedLately), 1.63),
    (Feature::InTree, 1.04),
    (Feature::InTreeIfShort, 0.56),
    (Feature::Kind(FileKind::Source), 1.08),
    (Feature::Kind(FileKind::Document), 0.20),
    (Feature::Kind(FileKind::Lock), -0.23),
];
