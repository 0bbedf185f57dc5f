//! What may not be said, and why: some memories are found only when asked for, some are never put before an agent.

use std::fmt;

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, MemoryType};
use oldhand_domain::vocabulary::{FlaggedBy, Scope};

use crate::candidate::Candidate;
use crate::subject::spoken_for;
use crate::trust::TrustLevel;

/// What an answer is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Purpose {
    /// Someone asked.
    Search { stale: Stale },
    /// An agent is told without asking: only what is sound, and sure enough for the level of trust.
    Inject { level: TrustLevel },
}

/// Whether memories that no longer fit the code are shown. They carry their mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stale {
    Hidden,
    Shown,
}

/// Uses without correction after which a memory has proven itself.
const PROVEN_USES: u64 = 2;

/// Why a memory is kept back.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    Deleted,
    Deprecated {
        reason: String,
    },
    Stale {
        reason: String,
    },
    Flagged(FlaggedBy),
    Tainted,
    NeedsReview,
    /// It holds on another branch, or in another session.
    Elsewhere {
        at: String,
    },
    Unsure {
        confidence: Confidence,
        at_least: Confidence,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deleted => f.write_str("deleted"),
            Self::Deprecated { reason } => write!(f, "replaced: {reason}"),
            Self::Stale { reason } => write!(f, "stale: {reason}"),
            Self::Flagged(by) => write!(f, "flagged by {}", by.in_words()),
            Self::Tainted => f.write_str("outside text had a hand in it and nobody reviewed it"),
            Self::NeedsReview => f.write_str("waits for a review"),
            Self::Elsewhere { at } => write!(f, "holds only {at}"),
            Self::Unsure {
                confidence,
                at_least,
            } => {
                write!(
                    f,
                    "confidence {:.2} is under {:.2}",
                    confidence.get(),
                    at_least.get()
                )
            }
        }
    }
}

/// Something that was found and is not said.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut<W> {
    pub id: MemoryId,
    /// What it says, for people.
    pub summary: String,
    pub why: W,
    /// The files it is about, which are no secret, and how likely it is what was asked.
    pub about: Vec<ProjectPath>,
    pub relevance: f64,
}

/// Splits what may be said from what is kept back, each in its order.
pub fn gate(
    candidates: Vec<Candidate>,
    purpose: Purpose,
    now: Timestamp,
) -> (Vec<Candidate>, Vec<(Candidate, Refusal)>) {
    let mut kept = Vec::with_capacity(candidates.len());
    let mut kept_back = Vec::new();
    for candidate in candidates {
        match refuse(&candidate.memory, purpose, now) {
            None => kept.push(candidate),
            Some(why) => kept_back.push((candidate, why)),
        }
    }
    (kept, kept_back)
}

impl LeftOut<Refusal> {
    pub fn of(candidate: &Candidate, why: Refusal) -> Self {
        Self {
            id: candidate.memory.id,
            summary: candidate.memory.summary.to_string(),
            why,
            about: spoken_for(&candidate.memory).cloned().collect(),
            relevance: candidate.because.relevance,
        }
    }
}

/// Why `memory` may not be said for this purpose; `None` when it may.
pub fn refuse(memory: &Memory, purpose: Purpose, now: Timestamp) -> Option<Refusal> {
    if memory.deleted_since.is_some() {
        return Some(Refusal::Deleted);
    }
    if let Some(mark) = &memory.deprecated {
        return Some(Refusal::Deprecated {
            reason: mark.reason.clone(),
        });
    }
    let stale = memory.stale.as_ref().map(|mark| Refusal::Stale {
        reason: mark.reason.clone(),
    });
    match purpose {
        Purpose::Search {
            stale: Stale::Shown,
        } => None,
        Purpose::Search {
            stale: Stale::Hidden,
        } => stale,
        Purpose::Inject { level } => stale.or_else(|| refuse_to_inject(memory, level, now)),
    }
}

fn refuse_to_inject(memory: &Memory, level: TrustLevel, now: Timestamp) -> Option<Refusal> {
    if let Some(flag) = &memory.flagged {
        return Some(Refusal::Flagged(flag.by));
    }
    if memory.is_verified() {
        return None;
    }
    if !memory.taint.is_clean() {
        return Some(Refusal::Tainted);
    }
    if memory.needs_review || level.asks_first(memory) {
        return Some(Refusal::NeedsReview);
    }
    let (confidence, at_least) = (memory.confidence_now(now), level.at_least());
    let sure = confidence >= at_least || memory.usage.access_count >= PROVEN_USES;
    (!sure).then_some(Refusal::Unsure {
        confidence,
        at_least,
    })
}

/// Who is told something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience<'a> {
    /// Someone who asked, about whatever they like.
    Asking,
    /// Someone at work, who should hear what bears on it.
    AtWork {
        /// Nothing where there is no session yet.
        session: Option<&'a SessionId>,
        /// The one that is checked out.
        branch: Option<&'a str>,
    },
}

/// Why a memory is not for this audience: what is unfinished on a branch is unfinished there and nowhere else, a piece of work has
/// its branch, and what was for one session is over with it.
pub fn is_elsewhere(memory: &Memory, audience: Audience<'_>) -> Option<Refusal> {
    let Audience::AtWork { session, branch } = audience else {
        return None;
    };
    let bound_to_branch = memory.scope == Scope::WorkUnit
        || memory.memory_type() == MemoryType::BuiltIn(BuiltInType::WorkState)
            && memory.branch.is_some();
    let at = if memory.scope == Scope::Session {
        let own = session.is_some_and(|session| memory.session.as_ref() == Some(session));
        (!own).then(|| "in the session it is of".to_owned())
    } else if bound_to_branch && memory.branch.as_deref() != branch {
        Some(match &memory.branch {
            Some(branch) => format!("on branch {branch}"),
            None => "in the piece of work it is of".to_owned(),
        })
    } else {
        None
    };
    at.map(|at| Refusal::Elsewhere { at })
}

#[cfg(test)]
mod tests {
    use oldhand_domain::memory::{Flag, Mark};
    use oldhand_domain::taint::{OutsideText, Taint};
    use oldhand_domain::vocabulary::{Correction, FlaggedBy, Source};
    use oldhand_testkit::memory;

    use super::*;

    fn said(change: impl FnOnce(&mut Memory), purpose: Purpose) -> String {
        let mut memory = memory(1, BuiltInType::Gotcha, "Run migrations first.");
        change(&mut memory);
        let now = memory.created_at;
        refuse(&memory, purpose, now).map_or_else(|| "said".to_owned(), |why| why.to_string())
    }

    const INJECT: Purpose = Purpose::Inject {
        level: TrustLevel::Autonomous,
    };
    const SEARCH: Purpose = Purpose::Search {
        stale: Stale::Hidden,
    };

    fn mark(reason: &str) -> Mark {
        Mark {
            since: Timestamp::UNIX_EPOCH,
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn stale_is_found_only_when_asked_for_and_never_injected() {
        let stale = |memory: &mut Memory| memory.stale = Some(mark("file gone"));
        assert_eq!(said(stale, SEARCH), "stale: file gone");
        assert_eq!(
            said(
                stale,
                Purpose::Search {
                    stale: Stale::Shown
                }
            ),
            "said"
        );
        assert_eq!(said(stale, INJECT), "stale: file gone");
    }

    #[test]
    fn what_a_person_or_the_rules_distrust_is_searchable_but_not_injected() {
        let flagged = |memory: &mut Memory| {
            memory.flagged = Some(Flag {
                since: memory.created_at,
                correction: Correction::Outdated,
                note: None,
                by: FlaggedBy::Person,
            });
        };
        let tainted = |memory: &mut Memory| memory.taint = Taint::by(OutsideText::Web);
        let waiting = |memory: &mut Memory| memory.needs_review = true;
        assert_eq!(said(flagged, INJECT), "flagged by a person");
        assert_eq!(
            said(tainted, INJECT),
            "outside text had a hand in it and nobody reviewed it"
        );
        assert_eq!(said(waiting, INJECT), "waits for a review");
        assert_eq!(said(flagged, SEARCH), "said");
        assert_eq!(said(tainted, SEARCH), "said");
    }

    #[test]
    fn doubt_keeps_back_unless_use_or_a_person_proved_it() {
        let strict = Purpose::Inject {
            level: TrustLevel::Cautious,
        };
        let unsure = |memory: &mut Memory| memory.confidence = Confidence::clamped(0.7);
        assert_eq!(said(|_| (), strict), "said");
        assert_eq!(said(unsure, strict), "confidence 0.70 is under 0.80");
        let used = |memory: &mut Memory| {
            unsure(memory);
            memory.usage.access_count = 2;
        };
        assert_eq!(said(used, strict), "said");
        let verified = |memory: &mut Memory| {
            unsure(memory);
            memory.verify(memory.created_at);
        };
        assert_eq!(said(verified, strict), "said");
    }

    #[test]
    fn a_cautious_project_says_nothing_it_learned_before_a_person_confirms_it() {
        let inferred = |memory: &mut Memory| memory.source = Source::ObserverInferred;
        for (level, expected) in [
            (TrustLevel::Cautious, "waits for a review"),
            (TrustLevel::Standard, "said"),
            (TrustLevel::Confident, "said"),
            (TrustLevel::Autonomous, "said"),
        ] {
            assert_eq!(said(inferred, Purpose::Inject { level }), expected);
        }
        let cautious = Purpose::Inject {
            level: TrustLevel::Cautious,
        };
        let verified = |memory: &mut Memory| {
            inferred(memory);
            memory.verify(memory.created_at);
        };
        assert_eq!(said(verified, cautious), "said");
        let proven = |memory: &mut Memory| {
            inferred(memory);
            memory.confidence = Confidence::clamped(0.95);
            memory.usage.access_count = 3;
        };
        assert_eq!(said(proven, cautious), "said");
        assert_eq!(
            said(|memory| memory.source = Source::CommitAuto, cautious),
            "said"
        );
    }

    #[test]
    fn what_holds_elsewhere_is_not_for_who_works_here() {
        let here = SessionId::new("here").unwrap();
        let there = SessionId::new("there").unwrap();
        let on = |branch| Audience::AtWork {
            session: Some(&here),
            branch,
        };
        let heard = |memory: &Memory, audience| {
            is_elsewhere(memory, audience)
                .map_or_else(|| "said".to_owned(), |refusal| refusal.to_string())
        };
        let mut state = memory(1, BuiltInType::WorkState, "The parser is half done.");
        assert_eq!(heard(&state, on(Some("main"))), "said");
        state.branch = Some("feature-x".to_owned());
        assert_eq!(heard(&state, on(Some("feature-x"))), "said");
        assert_eq!(
            heard(&state, on(Some("main"))),
            "holds only on branch feature-x"
        );
        assert_eq!(heard(&state, on(None)), "holds only on branch feature-x");
        assert_eq!(heard(&state, Audience::Asking), "said");
        let mut trap = memory(2, BuiltInType::Gotcha, "Run migrations first.");
        trap.branch = Some("feature-x".to_owned());
        assert_eq!(heard(&trap, on(Some("main"))), "said");
        trap.scope = Scope::WorkUnit;
        assert_eq!(
            heard(&trap, on(Some("main"))),
            "holds only on branch feature-x"
        );
        assert_eq!(heard(&trap, on(Some("feature-x"))), "said");
        trap.scope = Scope::Session;
        trap.session = Some(there);
        assert_eq!(
            heard(&trap, on(Some("feature-x"))),
            "holds only in the session it is of"
        );
        trap.session = Some(here.clone());
        assert_eq!(heard(&trap, on(None)), "said");
    }

    #[test]
    fn replaced_and_deleted_are_never_said() {
        assert_eq!(
            said(
                |memory| memory.deprecated = Some(mark("newer decision")),
                SEARCH
            ),
            "replaced: newer decision"
        );
        assert_eq!(
            said(
                |memory| memory.deleted_since = Some(memory.created_at),
                SEARCH
            ),
            "deleted"
        );
    }
}
