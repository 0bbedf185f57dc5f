//! Which sessions may teach what, and how much.

use oldhand_domain::event::SessionType;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::signal::SignalKind;

use super::verdict::Dropped;
use super::{is_failed, survives_failure};
use crate::distill::{Candidate, Origin};
use crate::fold::SessionAnalytics;
use crate::outcome::judgement::{Evidence, Judgement, WorkVerdict};

/// The gate a session passes through at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The type whose rules apply; a build without evidence passes the terminal gate.
    pub session_type: SessionType,
    pub state: GateState,
    /// How many memories it lets through.
    pub limit: usize,
    pub needs_review: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateState {
    Open,
    /// The work failed: only what failure teaches passes.
    FailuresOnly,
    /// What the gate waits for did not happen.
    Closed,
}

/// How a gate treats one candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GateRule {
    /// Sessions needed here, when not those of the signal.
    pub sessions: Option<u32>,
    /// How much less it is believed here.
    pub lowered: f64,
}

const PLAIN: GateRule = GateRule {
    sessions: None,
    lowered: 0.0,
};

const fn lowered(by: f64) -> GateRule {
    GateRule {
        sessions: None,
        lowered: by,
    }
}

const fn after(sessions: u32, by: f64) -> GateRule {
    GateRule {
        sessions: Some(sessions),
        lowered: by,
    }
}

impl Gate {
    pub fn of(session_type: SessionType, judgement: &Judgement) -> Self {
        use SessionType as T;
        let verdict = judgement.verdict;
        let accepted = |found: &Evidence| matches!(found, Evidence::Accepted { .. });
        let reviewed = |found: &Evidence| matches!(found, Evidence::Reviewed { .. });
        let session_type = match (session_type, verdict) {
            (T::Build, WorkVerdict::Unknown) => T::Terminal,
            (other, _) => other,
        };
        let (limit, needs_review) = match session_type {
            T::Build => (20, false),
            T::Insights => (5, true),
            T::Roadmap | T::SpecCreation => (3, false),
            T::Terminal => (3, true),
            T::Changelog => (0, false),
            T::PrReview => (8, false),
        };
        let state = match session_type {
            T::Changelog => GateState::Closed,
            _ if is_failed(verdict) => GateState::FailuresOnly,
            // A specification counts once somebody accepted it, a review once it is completed: a build that passes is neither.
            T::SpecCreation if !judgement.reaches(accepted) => GateState::Closed,
            T::PrReview if !judgement.reaches(reviewed) => GateState::Closed,
            _ => GateState::Open,
        };
        Self {
            session_type,
            state,
            limit,
            needs_review,
        }
    }

    /// Whether sessions of this kind teach such a thing at all, however the work went.
    pub fn is_for(self, candidate: &Candidate) -> bool {
        let why = self.admits(candidate).err();
        !matches!(
            why,
            Some(Dropped::NotFromHere { .. } | Dropped::GateClosed { .. })
        )
    }

    /// The rule for a candidate, or why it may not pass.
    pub(super) fn admits(self, candidate: &Candidate) -> Result<GateRule, Dropped> {
        // What many sessions show does not hang on how the one ended that happens to bring it up: it needs a review instead. Only what
        // teaches never teaches not even that.
        let is_shut = self.session_type == SessionType::Changelog;
        if candidate.origin == Origin::Many && !is_shut {
            return Ok(PLAIN);
        }
        match self.state {
            GateState::Closed => {
                return Err(Dropped::GateClosed {
                    session_type: self.session_type,
                });
            }
            GateState::FailuresOnly if !survives_failure(candidate) => {
                return Err(Dropped::WorkFailed);
            }
            GateState::FailuresOnly | GateState::Open => {}
        }
        // What the files of today bear out needs no proof of the work that found it, only that nothing speaks against that work.
        if self.session_type == SessionType::Terminal && candidate.claim.is_some() {
            return Ok(PLAIN);
        }
        self.rule(candidate).ok_or(Dropped::NotFromHere {
            session_type: self.session_type,
        })
    }

    fn rule(self, candidate: &Candidate) -> Option<GateRule> {
        use SessionType as T;
        use SignalKind as S;
        let kind = candidate.built_in();
        let explicit = matches!(kind, Some(BuiltInType::Decision | BuiltInType::Requirement));
        match (self.session_type, candidate.origin) {
            (T::Changelog, _) => None,
            // What many sessions show is as little believed of an unproved one as what it shows itself.
            (T::Terminal, Origin::Synthesis) if kind == Some(BuiltInType::WorkflowRecipe) => {
                Some(lowered(0.2))
            }
            (T::Roadmap, origin) => (origin == Origin::Note && explicit).then_some(PLAIN),
            // What a person laid down or an agent asked to keep, what a validation found and what failed outright pass anywhere else.
            (
                _,
                Origin::Note
                | Origin::Person
                | Origin::Qa
                | Origin::DeadEnd
                | Origin::Synthesis
                | Origin::Many
                | Origin::Outcome,
            )
            | (T::Build, Origin::Signal(_)) => Some(PLAIN),
            (T::Insights, Origin::Signal(signal)) => match signal {
                S::CoAccess => Some(lowered(0.15)),
                S::RepeatedGrep => Some(lowered(0.1)),
                S::SelfCorrection | S::ReadAbandon => Some(PLAIN),
                _ => None,
            },
            (T::Terminal, Origin::Signal(signal)) => match signal {
                S::ErrorRetry => Some(after(2, 0.1)),
                S::ToolSequence => Some(after(3, 0.2)),
                _ => None,
            },
            (T::SpecCreation, Origin::Signal(signal)) => match signal {
                S::FileAccess => Some(lowered(0.25)),
                _ if kind == Some(BuiltInType::ModuleInsight) => Some(PLAIN),
                _ => None,
            },
            (T::PrReview, Origin::Signal(signal)) => match signal {
                S::ErrorRetry => Some(after(1, 0.0)),
                S::SelfCorrection => Some(PLAIN),
                _ => None,
            },
        }
    }
}

/// What a closed gate still waits for.
pub(super) fn awaited(session_type: SessionType) -> &'static str {
    match session_type {
        SessionType::SpecCreation => " until somebody accepts the specification",
        SessionType::PrReview => " until the review is completed",
        _ => "",
    }
}

/// How big a task was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Complexity {
    Trivial,
    Standard,
    Complex,
}

impl Complexity {
    /// By what it took: steps and files edited.
    pub fn of(session: &SessionAnalytics) -> Self {
        let files = session.edited_files().len();
        match (session.step, files) {
            (..=10, ..=1) => Self::Trivial,
            (step, files) if step > 80 || files >= 8 => Self::Complex,
            _ => Self::Standard,
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trivial => "trivial",
            Self::Standard => "standard",
            Self::Complex => "complex",
        }
    }

    pub const fn limit(self) -> usize {
        match self {
            Self::Trivial => 2,
            Self::Standard => 10,
            Self::Complex => 25,
        }
    }
}
