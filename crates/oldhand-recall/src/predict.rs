//! Which files a task will probably touch, judged before it begins.
//!
//! Several lanes each score files their own way (named in the task, words in the path, words inside, touched by
//! like tasks before, touched lately, changed together). A linear model adds them up; its weights were learned
//! on real agent sessions and are in [`weights`]. Every file says which lanes put it where it is.

use std::collections::BTreeMap;

mod bm25;
mod lanes;
mod located;
mod task;
pub mod weights;

pub use bm25::Bm25;
pub use located::{Experience, with_located};
pub use task::{Task, task_words};

use weights::{Feature, WEIGHTS};

/// What is known before the task begins. Everything is oldest first where order matters.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// Every file of the project as it is now.
    pub files: &'a [String],
    /// Files whose contents share words with the task, with their BM25 score.
    pub contents: &'a [(String, f64)],
    pub sessions: &'a [PastSession],
    pub commits: &'a [PastCommit],
}

/// An earlier session: what was asked, what was touched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastSession {
    /// The words of its first prompt, as [`task_words`] gives them.
    pub words: Vec<String>,
    pub edited: Vec<String>,
    pub read: Vec<String>,
}

/// An earlier commit, small enough to mean something.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastCommit {
    pub words: Vec<String>,
    pub files: Vec<String>,
}

/// A file the task will probably touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicted {
    pub path: String,
    /// Comparable within one prediction only.
    pub score: f64,
    /// The lanes that speak for it, the strongest first.
    pub because: Vec<Reason>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reason {
    pub lane: PredictionLane,
    /// What the lane adds to the score.
    pub share: f64,
}

/// The ways a file can come to mind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PredictionLane {
    /// The task names it.
    Named,
    /// The task's words are in its path.
    Path,
    /// The task's words are in it.
    Contents,
    /// Edited in the last few sessions, the latest most.
    EditedLately,
    /// Edited in one of the last three sessions.
    JustEdited,
    /// Read in the last few sessions.
    ReadLately,
    /// Edited by sessions that began with a like prompt.
    EditedForLikeTasks,
    /// Read by sessions that began with a like prompt.
    ReadForLikeTasks,
    /// Changed by commits whose message is like the task.
    LikeCommits,
    /// Changed by the last commits.
    CommittedLately,
    /// Changed together with files that the other lanes put first.
    Coupled,
    /// What it defines, says and is called fits the task.
    Located,
}

impl PredictionLane {
    pub const ALL: [Self; 12] = [
        Self::Named,
        Self::Path,
        Self::Contents,
        Self::EditedLately,
        Self::JustEdited,
        Self::ReadLately,
        Self::EditedForLikeTasks,
        Self::ReadForLikeTasks,
        Self::LikeCommits,
        Self::CommittedLately,
        Self::Coupled,
        Self::Located,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Named => "named in the task",
            Self::Path => "its path has the task's words",
            Self::Contents => "it has the task's words",
            Self::EditedLately => "edited lately",
            Self::JustEdited => "edited in the last three sessions",
            Self::ReadLately => "read lately",
            Self::EditedForLikeTasks => "edited for like tasks",
            Self::ReadForLikeTasks => "read for like tasks",
            Self::LikeCommits => "changed by commits that say the like",
            Self::CommittedLately => "changed by the last commits",
            Self::Coupled => "changes together with files above",
            Self::Located => "what it says and defines fits",
        }
    }
}

/// Scores of one lane, already divided by the lane's best.
type LaneScores = BTreeMap<String, LaneScore>;

#[derive(Clone, Copy, Debug)]
struct LaneScore {
    /// Against the best of the lane, `0..=1`.
    value: f64,
    /// Falls with the place in the lane: 1 for the first, ½ for the sixth.
    place: f64,
}

/// The files this task will probably touch, likeliest first, at most `limit`.
pub fn predict(task: &Task, evidence: &Evidence<'_>, limit: usize) -> Vec<Predicted> {
    let mut scores = lanes::without_coupling(task, evidence);
    let coupled = lanes::coupled(&scores, evidence);
    scores.insert(PredictionLane::Coupled, coupled);
    let known: std::collections::BTreeSet<&str> =
        evidence.files.iter().map(String::as_str).collect();
    let candidates: std::collections::BTreeSet<&String> =
        scores.values().flat_map(LaneScores::keys).collect();
    let mut predicted: Vec<Predicted> = candidates
        .into_iter()
        .map(|path| judge(path, task, &scores, known.contains(path.as_str())))
        .collect();
    predicted.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.path.cmp(&b.path))
    });
    predicted.truncate(limit);
    predicted
}

/// What a file that is not in the tree any more can still be: created anew, or ignored by git.
fn judge(
    path: &str,
    task: &Task,
    scores: &BTreeMap<PredictionLane, LaneScores>,
    in_tree: bool,
) -> Predicted {
    let value = |lane| scores.get(&lane).and_then(|lane| lane.get(path)).copied();
    let mut shares: BTreeMap<PredictionLane, f64> = BTreeMap::new();
    let mut score = 0.0;
    for &(feature, weight) in WEIGHTS {
        let (lane, amount) = match feature {
            Feature::Value(lane) => (Some(lane), value(lane).map_or(0.0, |s| s.value)),
            Feature::Place(lane) => (Some(lane), value(lane).map_or(0.0, |s| s.place)),
            Feature::ValueIfShort(lane) => (
                Some(lane),
                value(lane).map_or(0.0, |s| s.value) * task.shortness(),
            ),
            Feature::ValueIfGone(lane) => (
                Some(lane),
                if in_tree {
                    0.0
                } else {
                    value(lane).map_or(0.0, |s| s.value)
                },
            ),
            Feature::InTree => (None, f64::from(u8::from(in_tree))),
            Feature::InTreeIfShort => (None, f64::from(u8::from(in_tree)) * task.shortness()),
            Feature::Kind(kind) => (None, f64::from(u8::from(kind.matches(path)))),
        };
        score += weight * amount;
        if let Some(lane) = lane
            && amount > 0.0
        {
            *shares.entry(lane).or_default() += weight * amount;
        }
    }
    let mut because: Vec<Reason> = shares
        .into_iter()
        .filter(|(_, share)| *share > 0.0)
        .map(|(lane, share)| Reason { lane, share })
        .collect();
    because.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.lane.cmp(&b.lane)));
    Predicted {
        path: path.to_owned(),
        score,
        because,
    }
}

#[cfg(test)]
mod tests;
