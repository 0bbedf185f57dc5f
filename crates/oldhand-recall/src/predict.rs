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

use weights::{Feature, NEXT_WEIGHTS, WEIGHTS};

/// What is known before the task begins. Everything is oldest first where order matters.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// Every file of the project as it is now.
    pub files: &'a [String],
    /// Files whose contents share words with the task, with their BM25 score.
    pub contents: &'a [(String, f64)],
    pub sessions: &'a [PastSession],
    pub commits: &'a [PastCommit],
    /// Files that this task has touched so far, in that order; they are not predicted again.
    pub at_hand: &'a [String],
}

/// An earlier session: what was asked, what was touched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastSession {
    /// The words of its first prompt, as [`task_words`] gives them.
    pub words: Vec<String>,
    pub edited: Vec<String>,
    pub read: Vec<String>,
    /// Everything edited or read, in the order of the first touch.
    pub touched: Vec<String>,
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
    /// The task names it, and it is not there yet.
    NamedNew,
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
    /// The test of a file that the other lanes put first, or what that tests.
    Partner,
    /// In the folder of files that the other lanes put first.
    Beside,
    /// Touched in the same sessions and commits as the files at hand.
    WithAtHand,
    /// Touched soon after the files at hand in earlier sessions.
    AfterAtHand,
    /// In the folder of the files at hand.
    BesideAtHand,
    /// The test of a file at hand, or what that tests.
    PartnerAtHand,
}

impl PredictionLane {
    pub const ALL: [Self; 19] = [
        Self::Named,
        Self::NamedNew,
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
        Self::Partner,
        Self::Beside,
        Self::WithAtHand,
        Self::AfterAtHand,
        Self::BesideAtHand,
        Self::PartnerAtHand,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Named => "named in the task",
            Self::NamedNew => "named in the task, not there yet",
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
            Self::Partner => "tests a file above, or is tested by it",
            Self::Beside => "in the folder of files above",
            Self::WithAtHand => "used with the files at hand",
            Self::AfterAtHand => "comes after the files at hand",
            Self::BesideAtHand => "in the folder of the files at hand",
            Self::PartnerAtHand => "tests a file at hand, or is tested by it",
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
    let weights = if evidence.at_hand.is_empty() {
        WEIGHTS
    } else {
        NEXT_WEIGHTS
    };
    let mut predicted: Vec<Predicted> = look(task, evidence)
        .into_iter()
        .map(|seen| seen.weigh(weights, task.shortness()))
        .collect();
    predicted.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.path.cmp(&b.path))
    });
    predicted.truncate(limit);
    predicted
}

/// What every lane says of one file.
#[derive(Clone, Debug)]
pub struct Seen {
    pub path: String,
    lanes: BTreeMap<PredictionLane, LaneScore>,
    /// What a file that is not in the tree can still be: created anew, or ignored by git.
    in_tree: bool,
}

/// Every file that any lane speaks for, in the order of their paths. Learning the weights starts here.
pub fn look(task: &Task, evidence: &Evidence<'_>) -> Vec<Seen> {
    let mut scores = lanes::without_coupling(task, evidence);
    scores.extend(lanes::beside_first(&scores, evidence));
    scores.extend(lanes::at_hand(evidence));
    let known: std::collections::BTreeSet<&str> =
        evidence.files.iter().map(String::as_str).collect();
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    for (lane, files) in scores {
        for (path, score) in files {
            let of_file = || Seen {
                in_tree: known.contains(path.as_str()),
                path: path.clone(),
                lanes: BTreeMap::new(),
            };
            let file = seen.entry(path.clone()).or_insert_with(of_file);
            file.lanes.insert(lane, score);
        }
    }
    seen.into_values()
        .filter(|file| !evidence.at_hand.contains(&file.path))
        .collect()
}

impl Seen {
    /// How much of a feature the file has; `shortness` is the task's.
    pub fn amount(&self, feature: Feature, shortness: f64) -> f64 {
        let lane = |lane| self.lanes.get(&lane);
        let value = |of| lane(of).map_or(0.0, |score| score.value);
        match feature {
            Feature::ValueIfGone(_) if self.in_tree => 0.0,
            Feature::Value(of) | Feature::ValueIfGone(of) => value(of),
            Feature::Place(of) => lane(of).map_or(0.0, |score| score.place),
            Feature::ValueIfShort(of) => value(of) * shortness,
            Feature::Kind(kind) => f64::from(u8::from(kind.matches(&self.path))),
        }
    }

    fn weigh(self, weights: &[(Feature, f64)], shortness: f64) -> Predicted {
        let mut shares: BTreeMap<PredictionLane, f64> = BTreeMap::new();
        let mut score = 0.0;
        for &(feature, weight) in weights {
            let share = weight * self.amount(feature, shortness);
            score += share;
            if let Some(lane) = feature.lane()
                && share > 0.0
            {
                *shares.entry(lane).or_default() += share;
            }
        }
        let mut because: Vec<Reason> = shares
            .into_iter()
            .map(|(lane, share)| Reason { lane, share })
            .collect();
        because.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.lane.cmp(&b.lane)));
        Predicted {
            path: self.path,
            score,
            because,
        }
    }
}

#[cfg(test)]
mod tests;
