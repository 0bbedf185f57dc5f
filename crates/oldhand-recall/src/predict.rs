//! Which files a task will probably touch, judged before it begins.
//!
//! Several lanes each score files their own way (named in the task, words in the path, words inside, touched by
//! like tasks before, touched lately, used with the files at hand). What a branch is called is part of the task. A linear model adds them up; its weights were learned
//! on real agent sessions and are in [`weights`]. Every file says which lanes put it where it is.

use std::collections::BTreeMap;

mod bm25;
mod lanes;
mod task;
pub mod weights;

pub use bm25::Bm25;
pub(crate) use task::COURTESIES;
pub use task::{Task, said_by_branch, session_words, task_words};

use weights::{Feature, NEXT_WEIGHTS, WEIGHTS};

/// What is known before the task begins. Everything is oldest first where order matters.
#[derive(Clone, Copy, Default)]
pub struct Evidence<'a> {
    /// Every file of the project as it is now.
    pub files: &'a [String],
    /// Files whose contents share words with the task, with their BM25 score.
    pub contents: &'a [(String, f64)],
    /// Files that the code itself speaks for, with a score that compares among them.
    pub located: &'a [(String, f64)],
    /// Files that the messages of earlier commits speak for, with how probable each is.
    pub expected: &'a [(String, f64)],
    /// The same for what the branch is called.
    pub expected_of_branch: &'a [(String, f64)],
    /// Files that memories are about, with how well each memory fits the task.
    pub remembered: &'a [(String, f64)],
    /// Pairs of files of which the first uses the second, as far as one of them is at hand.
    pub uses: &'a [(String, String)],
    /// The branch that is checked out, where it has a name.
    pub branch: Option<&'a str>,
    pub sessions: &'a [PastSession],
    pub commits: &'a [PastCommit],
    /// Files that this task has touched so far, in that order; they are not predicted again.
    pub at_hand: &'a [String],
}

/// An earlier session: what was asked, what was touched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastSession {
    /// The words of its first prompt and its branch, as [`session_words`] gives them.
    pub words: Vec<String>,
    /// The branch it began on.
    pub branch: Option<String>,
    pub edited: Vec<String>,
    pub read: Vec<String>,
    /// Everything edited or read, in the order of the first touch.
    pub touched: Vec<String>,
}

/// An earlier commit, small enough to mean something.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastCommit {
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
    /// The task names a folder that it is in.
    NamedFolder,
    /// The task's words are in its path.
    Path,
    /// The task's words are in it.
    Contents,
    /// Edited in one of the last three sessions.
    JustEdited,
    /// Edited in the last session.
    EditedLast,
    /// Edited by sessions on the branch that is checked out, the latest most.
    EditedOnBranch,
    /// Read by sessions on the branch that is checked out, the latest most.
    ReadOnBranch,
    /// Edited by sessions that began with a like prompt.
    EditedForLikeTasks,
    /// Read by sessions that began with a like prompt.
    ReadForLikeTasks,
    /// Expected by the history: mostly changed by commits whose message is like the task.
    LikeCommits,
    /// The same for what the branch is called.
    BranchCommits,
    /// Changed by the last commits.
    CommittedLately,
    /// Not many commits ago it was changed.
    Fresh,
    /// What it defines, says and is called fits the task.
    Located,
    /// What is remembered about it fits the task.
    Remembered,
    /// The test of a file that the other lanes put first, or what that tests.
    Partner,
    /// Touched in the same sessions and commits as the files at hand.
    WithAtHand,
    /// Touched right after the files at hand in earlier sessions.
    AfterAtHand,
    /// Touched by earlier sessions that are like this one, by what was asked and what was touched.
    LikeThisSession,
    /// Its path has words of the files at hand.
    NamedAlike,
    /// In the folder of the files at hand.
    BesideAtHand,
    /// The test of a file at hand, or what that tests.
    PartnerAtHand,
    /// A file at hand uses it.
    UsedByAtHand,
    /// A file at hand uses it, and it fits the task.
    UsedAndFits,
    /// It uses a file at hand.
    UsesAtHand,
}

impl PredictionLane {
    pub const ALL: [Self; 27] = [
        Self::Named,
        Self::NamedNew,
        Self::NamedFolder,
        Self::Path,
        Self::Contents,
        Self::JustEdited,
        Self::EditedLast,
        Self::EditedOnBranch,
        Self::ReadOnBranch,
        Self::EditedForLikeTasks,
        Self::ReadForLikeTasks,
        Self::LikeCommits,
        Self::BranchCommits,
        Self::CommittedLately,
        Self::Fresh,
        Self::Located,
        Self::Remembered,
        Self::Partner,
        Self::WithAtHand,
        Self::AfterAtHand,
        Self::LikeThisSession,
        Self::NamedAlike,
        Self::BesideAtHand,
        Self::PartnerAtHand,
        Self::UsedByAtHand,
        Self::UsedAndFits,
        Self::UsesAtHand,
    ];

    /// Whether the file is named, or belongs to one at hand, so that no further word is needed.
    pub const fn is_certain(self) -> bool {
        matches!(
            self,
            Self::Named
                | Self::NamedNew
                | Self::NamedFolder
                | Self::WithAtHand
                | Self::AfterAtHand
                | Self::BesideAtHand
                | Self::PartnerAtHand
                | Self::UsedByAtHand
                | Self::UsesAtHand
        )
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Named => "named in the task",
            Self::NamedNew => "named in the task, not there yet",
            Self::NamedFolder => "in a folder that the task names",
            Self::Path => "its path has the task's words",
            Self::Contents => "it has the task's words",
            Self::JustEdited => "edited in the last three sessions",
            Self::EditedLast => "edited in the last session",
            Self::EditedOnBranch => "edited by earlier sessions on this branch",
            Self::ReadOnBranch => "read by earlier sessions on this branch",
            Self::EditedForLikeTasks => "edited for like tasks",
            Self::ReadForLikeTasks => "read for like tasks",
            Self::LikeCommits => "changed by commits that say the like or with their files",
            Self::BranchCommits => "changed by commits that say what the branch says",
            Self::CommittedLately => "changed by the last commits",
            Self::Fresh => "changed not long ago",
            Self::Located => "what it says and defines fits",
            Self::Remembered => "what is remembered about it fits",
            Self::Partner => "tests a file above, or is tested by it",
            Self::WithAtHand => "used with the files at hand",
            Self::AfterAtHand => "comes after the files at hand",
            Self::LikeThisSession => "touched by sessions like this one",
            Self::NamedAlike => "called like the files at hand",
            Self::BesideAtHand => "in the folder of the files at hand",
            Self::PartnerAtHand => "tests a file at hand, or is tested by it",
            Self::UsedByAtHand => "used by the files at hand",
            Self::UsedAndFits => "used by the files at hand, and fits the task",
            Self::UsesAtHand => "uses the files at hand",
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
    let seen = look(task, evidence);
    let lead = Lead::of(task, evidence, &seen);
    let mut predicted: Vec<Predicted> = seen
        .into_iter()
        .map(|file| file.weigh(weights, lead))
        .collect();
    predicted.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.path.cmp(&b.path))
    });
    predicted.truncate(limit);
    predicted
}

/// What was edited on a branch for everything counts so much less for a task that says what it is about.
const OTHER_TASKS: f64 = 0.5;

/// How far what happened lately, the code and the history lead before everything else, each `0..=1`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Lead {
    lately: f64,
    /// How far the branch that is checked out says which sessions this one goes on with.
    branch: f64,
    code: f64,
    history: f64,
}

impl Lead {
    /// Where no session is known, history leads for a text like a message and the code for any other. Where sessions are, only a
    /// report that names no file is left to the code: what people ask an agent mostly goes on with what they did.
    fn of(task: &Task, evidence: &Evidence<'_>, seen: &[Seen]) -> Self {
        let (code, history) = match Experience::of(evidence) {
            Experience::None => {
                let history = task.likeness_to_message() * trust_in_history(evidence);
                (1.0 - history, history)
            }
            Experience::Some if seen.iter().any(Seen::is_named) => (0.0, 0.0),
            Experience::Some => (task.likeness_to_report(), 0.0),
        };
        // On a branch that is there for everything the sessions before are of other tasks, and a task that says what it is about
        // does not go on with them.
        let is_shared = evidence
            .branch
            .is_none_or(|branch| said_by_branch(branch).is_empty());
        let branch = if is_shared && task.says_what() {
            OTHER_TASKS
        } else {
            1.0
        };
        Self {
            lately: task.shortness(),
            branch,
            code,
            history,
        }
    }
}

/// A young history has said little yet: near 0 for a few commits, near 1 for hundreds.
fn trust_in_history(evidence: &Evidence<'_>) -> f64 {
    /// With so many commits it is believed half.
    const HALF: f64 = 50.0;
    if evidence.expected.is_empty() {
        return 0.0;
    }
    let commits = evidence.commits.len() as f64;
    commits / (commits + HALF)
}

/// Whether earlier sessions say something about the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Experience {
    /// There are none: the code and its history are all there is to go by.
    None,
    Some,
}

impl Experience {
    fn of(evidence: &Evidence<'_>) -> Self {
        if evidence.sessions.is_empty() {
            Self::None
        } else {
            Self::Some
        }
    }
}

/// What every lane says of one file.
#[derive(Clone, Debug)]
struct Seen {
    path: String,
    lanes: BTreeMap<PredictionLane, LaneScore>,
    /// What a file that is not in the tree can still be: created anew, or ignored by git.
    in_tree: bool,
}

/// Every file that any lane speaks for, in the order of their paths.
fn look(task: &Task, evidence: &Evidence<'_>) -> Vec<Seen> {
    let mut scores = lanes::of_task(task, evidence);
    scores.insert(
        PredictionLane::Partner,
        lanes::partners_of_first(&scores, evidence),
    );
    let at_hand = lanes::at_hand(task, evidence, &scores);
    scores.extend(at_hand);
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
    for (path, score) in lanes::fresh(evidence.commits) {
        if let Some(file) = seen.get_mut(path) {
            file.lanes.insert(PredictionLane::Fresh, score);
        }
    }
    seen.into_values()
        .filter(|file| !evidence.at_hand.contains(&file.path))
        .filter(|file| file.in_tree || !is_installed(&file.path))
        .filter(|file| !is_locked(&file.path) || file.is_named() || task.speaks_of_dependencies())
        .collect()
}

/// Whether a tool put it there: it was looked into, and no task touches it.
fn is_installed(path: &str) -> bool {
    const INSTALLED: [&str; 5] = [".git", ".venv", "node_modules", "site-packages", "venv"];
    path.split('/').any(|step| INSTALLED.contains(&step))
}

/// Whether it is the list of exact versions that a package manager writes: nobody edits it by hand.
fn is_locked(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    matches!(ending, "lock" | "lockb") || stem.ends_with("-lock") || name == "go.sum"
}

impl Seen {
    /// Whether the task spells it out, and not only a name that many files have.
    fn is_named(&self) -> bool {
        const ALMOST: f64 = 0.5;
        let value = |lane| self.lanes.get(&lane).map_or(0.0, |score| score.value);
        value(PredictionLane::Named) >= ALMOST || value(PredictionLane::NamedNew) > 0.0
    }

    /// How much of a feature the file has.
    fn amount(&self, feature: Feature, lead: Lead) -> f64 {
        let lane = |lane| self.lanes.get(&lane);
        let value = |of| lane(of).map_or(0.0, |score| score.value);
        match feature {
            Feature::ValueIfGone(_) if self.in_tree => 0.0,
            Feature::Value(of) | Feature::ValueIfGone(of) => value(of),
            Feature::Place(of) => lane(of).map_or(0.0, |score| score.place),
            Feature::ValueIfShort(of @ PredictionLane::EditedOnBranch) => {
                value(of) * lead.lately * lead.branch
            }
            Feature::ValueIfShort(of) => value(of) * lead.lately,
            Feature::ValueIfHistoryLeads(of) => value(of) * lead.history,
            Feature::ValueIfCodeLeads(of) => value(of) * lead.code,
        }
    }

    fn weigh(self, weights: &[(Feature, f64)], lead: Lead) -> Predicted {
        let mut shares: BTreeMap<PredictionLane, f64> = BTreeMap::new();
        let mut score = 0.0;
        for &(feature, weight) in weights {
            let share = weight * self.amount(feature, lead);
            score += share;
            if share > 0.0 {
                *shares.entry(feature.lane()).or_default() += share;
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
