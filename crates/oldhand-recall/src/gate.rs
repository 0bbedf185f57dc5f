//! What may not be said, and why: some memories are found only when asked for, some are never put before an agent.

use std::fmt;

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::vocabulary::FlaggedBy;

use crate::candidate::Candidate;

/// What an answer is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Purpose {
    /// Someone asked.
    Search { stale: Stale },
    /// An agent is told without asking: only what is sound, and sure enough.
    Inject { at_least: Confidence },
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
    pub why: W,
}

/// Splits what may be said from what is kept back.
pub fn gate(
    candidates: Vec<Candidate>,
    purpose: Purpose,
    now: Timestamp,
) -> (Vec<Candidate>, Vec<LeftOut<Refusal>>) {
    let mut kept = Vec::with_capacity(candidates.len());
    let mut left_out = Vec::new();
    for candidate in candidates {
        match refuse(&candidate.memory, purpose, now) {
            None => kept.push(candidate),
            Some(why) => left_out.push(LeftOut {
                id: candidate.memory.id,
                why,
            }),
        }
    }
    (kept, left_out)
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
        Purpose::Inject { at_least } => stale.or_else(|| refuse_to_inject(memory, at_least, now)),
    }
}

fn refuse_to_inject(memory: &Memory, at_least: Confidence, now: Timestamp) -> Option<Refusal> {
    if let Some(flag) = &memory.flagged {
        return Some(Refusal::Flagged(flag.by));
    }
    if memory.is_verified() {
        return None;
    }
    if !memory.taint.is_clean() {
        return Some(Refusal::Tainted);
    }
    if memory.needs_review {
        return Some(Refusal::NeedsReview);
    }
    let confidence = memory.confidence_now(now);
    let sure = confidence >= at_least || memory.usage.access_count >= PROVEN_USES;
    (!sure).then_some(Refusal::Unsure {
        confidence,
        at_least,
    })
}

#[cfg(test)]
mod tests {
    use oldhand_domain::memory::{Flag, Mark};
    use oldhand_domain::payload::BuiltInType;
    use oldhand_domain::taint::{OutsideText, Taint};
    use oldhand_domain::vocabulary::{Correction, FlaggedBy};
    use oldhand_testkit::memory;

    use super::*;

    fn said(change: impl FnOnce(&mut Memory), purpose: Purpose) -> String {
        let mut memory = memory(1, BuiltInType::Gotcha, "Run migrations first.");
        change(&mut memory);
        let now = memory.created_at;
        refuse(&memory, purpose, now).map_or_else(|| "said".to_owned(), |why| why.to_string())
    }

    const INJECT: Purpose = Purpose::Inject {
        at_least: Confidence::NONE,
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
            at_least: Confidence::clamped(0.95),
        };
        assert_eq!(said(|_| (), strict), "confidence 0.90 is under 0.95");
        assert_eq!(said(|memory| memory.usage.access_count = 2, strict), "said");
        assert_eq!(
            said(|memory| memory.verify(memory.created_at), strict),
            "said"
        );
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
