//! What made an error go away before, and what nothing stands against: the only kind of fix that can be said.

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::memory::Memory;

use crate::gate::{Purpose, Refusal, refuse};
use crate::trust::TrustLevel;

/// A fix that sessions found, and everything that is to be weighed before it is said.
#[derive(Clone, Copy, Debug)]
pub struct FoundFix<'a> {
    /// Names the error.
    pub error: &'a str,
    /// What was done: an edit of files, or a command.
    pub deed: &'a str,
    /// In how many sessions it made the error go away.
    pub sessions: usize,
    /// In how many of them the work held.
    pub held: u32,
    pub confidence: Confidence,
    /// The memories about the same error.
    pub about: &'a [Memory],
}

/// A fix that may be put before a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClearedFix {
    pub(super) error: String,
    pub(super) deed: String,
    pub(super) sessions: usize,
    pub(super) held: u32,
}

impl ClearedFix {
    /// Lets a fix through, or says what stands against it: what a person said against a memory of the same error, or has still
    /// to say about one, holds for the fix too. Otherwise no fix would ever wait for a review.
    pub fn of(fix: FoundFix<'_>, level: TrustLevel, now: Timestamp) -> Result<Self, Refusal> {
        // How sure a fix is does not depend on what else is said about its error.
        let is_sureness = |refusal: &Refusal| matches!(refusal, Refusal::Unsure { .. });
        let against = fix
            .about
            .iter()
            .filter_map(|memory| refuse(memory, Purpose::Inject { level }, now))
            .find(|refusal| !is_sureness(refusal));
        if let Some(refusal) = against {
            return Err(refusal);
        }
        // Where all that was learned is confirmed first, a fix that no memory tells of has nobody's word.
        if level == TrustLevel::Cautious && fix.about.is_empty() {
            return Err(Refusal::NeedsReview);
        }
        if fix.confidence < level.at_least() {
            return Err(Refusal::Unsure {
                confidence: fix.confidence,
                at_least: level.at_least(),
            });
        }
        Ok(Self {
            error: fix.error.to_owned(),
            deed: fix.deed.to_owned(),
            sessions: fix.sessions,
            held: fix.held,
        })
    }
}

#[cfg(test)]
mod tests {
    use oldhand_domain::memory::Mark;
    use oldhand_domain::payload::BuiltInType;
    use oldhand_domain::taint::{OutsideText, Taint};
    use oldhand_testkit::memory;

    use super::*;

    fn said(confidence: f64, level: TrustLevel, change: impl FnOnce(&mut Memory)) -> String {
        let mut about = memory(1, BuiltInType::ErrorPattern, "Run migrations first.");
        change(&mut about);
        let found = FoundFix {
            error: "no such table",
            deed: "`make migrate` before it",
            sessions: 1,
            held: 1,
            confidence: Confidence::clamped(confidence),
            about: &[about],
        };
        let cleared = ClearedFix::of(found, level, Timestamp::UNIX_EPOCH);
        cleared.map_or_else(|why| why.to_string(), |_| "said".to_owned())
    }

    #[test]
    fn a_fix_is_said_when_the_level_lets_it_and_no_memory_of_its_error_waits() {
        use TrustLevel::{Autonomous, Cautious, Standard};
        assert_eq!(said(0.7, Standard, |_| ()), "said");
        assert_eq!(said(0.7, Cautious, |_| ()), "confidence 0.70 is under 0.80");
        assert_eq!(
            said(0.7, Autonomous, |memory| memory.needs_review = true),
            "waits for a review"
        );
        assert_eq!(
            said(0.9, Autonomous, |memory| memory.taint =
                Taint::by(OutsideText::Web)),
            "outside text had a hand in it and nobody reviewed it"
        );
        assert_eq!(
            said(0.9, Autonomous, |memory| memory.stale = Some(Mark {
                since: memory.created_at,
                reason: "file gone".to_owned(),
            })),
            "stale: file gone"
        );
        let reviewed = |memory: &mut Memory| {
            memory.needs_review = true;
            memory.verify(memory.created_at);
        };
        assert_eq!(said(0.7, Standard, reviewed), "said");
    }
}
