//! What became of each candidate, in words a person can check.

use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::SessionType;
use oldhand_domain::id::MemoryId;
use oldhand_domain::vocabulary::ReviewReason;

use super::gate::{Gate, awaited};
use crate::distill::Candidate;
use crate::distill::phrase;

/// What became of a session's candidates.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub gate: Gate,
    /// How many memories the session may teach, by its gate and by the size of its task.
    pub limit: usize,
    /// In the order they were looked at.
    pub verdicts: Vec<(Candidate, Verdict)>,
}

impl Report {
    pub fn promoted(&self) -> impl Iterator<Item = (&Candidate, &Promotion)> {
        self.verdicts
            .iter()
            .filter_map(|(candidate, verdict)| match verdict {
                Verdict::Promoted(promotion) => Some((candidate, promotion)),
                Verdict::Dropped(_) => None,
            })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Promoted(Promotion),
    Dropped(Dropped),
}

/// How a candidate becomes a memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promotion {
    pub confidence: Confidence,
    /// Why a person reads it first.
    pub review: Option<ReviewReason>,
    pub score: f64,
    /// Sessions that showed it, this one included.
    pub sessions: u32,
    /// Commits that make it so by themselves.
    pub commits: Option<u32>,
    /// The memory it makes surer instead of becoming a new one.
    pub updates: Option<MemoryId>,
    /// Whether that memory makes this very statement, so that it is said anew.
    pub restates: bool,
}

/// Why a candidate does not become a memory.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Dropped {
    #[error("it speaks of the moment")]
    OfTheMoment,
    #[error("the person said otherwise later")]
    TakenBack,
    #[error("it names nothing that one would recognise later")]
    NamesNothing,
    #[error("{session_type} sessions do not teach this")]
    NotFromHere { session_type: SessionType },
    #[error("the gate of {session_type} sessions is closed{}", awaited(*.session_type))]
    GateClosed { session_type: SessionType },
    #[error("the work failed")]
    WorkFailed,
    #[error("its subtask failed")]
    SubtaskFailed,
    #[error("it belongs to an approach that was given up")]
    Abandoned,
    #[error("the task was too small for a recipe")]
    TooSmall,
    #[error("a signal worth {value:.2} is not looked at")]
    Worthless { value: f64 },
    #[error("seen in {seen} of {needed} sessions needed")]
    TooFewSessions { seen: u32, needed: u32 },
    #[error("seen in one session; told once another one meets what it explains")]
    MetOnce,
    #[error("only {} worked in its module", phrase::sessions(*.of))]
    YoungModule { of: u32 },
    #[error("opened in only {seen} of {of} sessions of its module")]
    SeldomOpened { seen: u32, of: u32 },
    #[error("together in only {seen} of the {of} sessions that used the rarer file")]
    SeldomTogether { seen: u32, of: u32 },
    #[error("both were edited in only {seen} of {needed} sessions needed")]
    SeldomChanged { seen: u32, needed: u32 },
    #[error("its module has only {files} files that were ever used")]
    SmallModule { files: u32 },
    #[error("it only says that changes are read, checked and committed")]
    Common,
    #[error("files at the top, settings and entry files are everybody's")]
    Everybodys,
    #[error("a manifest is changed for every module that it names")]
    Manifest,
    #[error("what is written for people goes with all that it is about")]
    ProseBesideCode,
    #[error("a program writes one of its files")]
    ByProgram,
    #[error("git does not keep its file")]
    Unkept,
    #[error("the names of its files say it")]
    NamesSayIt,
    #[error("what one of them lacks a compiler tells: they answer to one interface")]
    Compelled,
    #[error("one uses the other, which the code graph tells")]
    Used,
    #[error("it only says that code changes when a test or a document of it does")]
    TurnedAround,
    #[error("its files are one file under several names")]
    OneFile,
    #[error("files of different parts, edited together in {seen} of {needed} sessions needed")]
    FarApart { seen: u32, needed: u32 },
    #[error("a session may teach {limit} pairs of files at most")]
    EnoughPairs { limit: usize },
    #[error("git saw both change in only {both} of the {rarer} small commits of the rarer one")]
    GitDisagrees { both: u32, rarer: u32 },
    #[error("of the latest {of} changes of the rarer file only {both} were of both")]
    NoLonger { both: u32, of: u32 },
    #[error(
        "{changes} small commits in {days} days changed one of them since the last that changed both"
    )]
    WentApart { changes: u32, days: u32 },
    #[error(
        "both changed in {both} of the {rarer} changes of the rarer one, and the other in {other} of all {all}: that may be chance"
    )]
    ByChance {
        both: u32,
        rarer: u32,
        other: u32,
        all: u32,
    },
    #[error("what it names is not there any more")]
    Gone,
    #[error("it tells of code as it was before it was mended")]
    Mended,
    #[error("one of its files is in {pairs} told pairs already")]
    Hub { pairs: usize },
    #[error("{}, the other way round in {against}", phrase::seen(*.seen))]
    OtherwiseToo { seen: u32, against: u32 },
    #[error("it helped in {}, and something else in {against}", phrase::sessions(*.seen))]
    HelpedOtherwise { seen: u32, against: u32 },
    #[error("what was needed lay there in {}, elsewhere in {against}", phrase::sessions(*.seen))]
    NeededElsewhere { seen: u32, against: u32 },
    #[error("what was needed of the listing lay in no one folder")]
    NoOneFolder,
    #[error("one search for it finds where it is defined")]
    FoundAtOnce,
    #[error("only {confidence} sure")]
    NotSure { confidence: Confidence },
    #[error("memory {memory} says it already ({cosine:.2} alike)")]
    Known { memory: MemoryId, cosine: f64 },
    #[error("memory {memory} names the same things already")]
    NamedBefore { memory: MemoryId },
    #[error("a text of the project says it already")]
    Stated,
    #[error("`{place}` says it already")]
    SaidAt { place: String },
    #[error("other sessions found `{program}` where this one did not")]
    FoundElsewhere { program: String },
    #[error("the error itself says what helped")]
    SaidByError,
    #[error("score {score:.2} is under the threshold of {threshold:.2}")]
    UnderThreshold { score: f64, threshold: f64 },
    #[error("another candidate says the same")]
    ToldAlready,
    #[error("memory {memory} was learned from this session before")]
    LearnedBefore { memory: MemoryId },
    #[error("{subtasks} subtasks had no two things in common that are worth telling")]
    LittleInCommon { subtasks: usize },
    #[error("nobody ran into the other more than once")]
    GotBy,
    #[error("its subtask is not validated yet")]
    StillOpen,
    #[error("a person rejected it as memory {memory}")]
    Rejected { memory: MemoryId },
    #[error("it says where work stood too long ago")]
    Outdated,
    #[error("the files of today say otherwise")]
    Past,
    #[error("`{name}` is no one document of the project")]
    NoOneFile { name: String },
    #[error("it was erased and stays so")]
    Erased,
    #[error("the session may teach {limit} memories at most")]
    OverLimit { limit: usize },
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Promoted(promotion) => {
                let how = if promotion.updates.is_some() {
                    "makes a known memory surer"
                } else {
                    "promoted"
                };
                // What is known keeps the mark it has.
                let review = if promotion.review.is_some() && promotion.updates.is_none() {
                    ", needs review"
                } else {
                    ""
                };
                let commits = promotion.commits.map_or_else(String::new, |commits| {
                    format!(" and in {commits} small commits")
                });
                write!(
                    f,
                    "{how}: score {:.2}, confidence {}, {}{commits}{review}",
                    promotion.score,
                    promotion.confidence,
                    phrase::seen(promotion.sessions)
                )
            }
            Self::Dropped(why) => write!(f, "dropped: {why}"),
        }
    }
}
