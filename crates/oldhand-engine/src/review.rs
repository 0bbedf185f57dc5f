//! What waits for a person's word, and what that word does to trust.

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::filter::{Filter, Only, State};
use oldhand_domain::memory::Memory;
use oldhand_domain::session::SessionStore;
use oldhand_domain::vocabulary::{Correction, FlaggedBy, ReviewReason, Source};
use oldhand_recall::trust::{TrackRecord, TrustLevel, is_proven_by_use};

use crate::finalize::SessionBody;
use crate::keep::flag_by;
use crate::{Engine, EngineError, Shelved};

/// Everything that sessions teach without being asked.
const LEARNED: [Source; 5] = [
    Source::AgentExplicit,
    Source::QaAuto,
    Source::McpAuto,
    Source::CommitAuto,
    Source::ObserverInferred,
];

/// Uses after which a memory is believed a little more, again and again.
const USES_TO_GROW: u64 = 5;
const GROWTH: f64 = 0.05;
const MOST_GROWN: f64 = 0.95;
/// Uses after which nobody need be asked any more.
const USES_TO_CONFIRM: u64 = 10;

impl Engine<'_> {
    /// What waits for a review: the flagged first, then the newest. At the cautious level everything learned does.
    pub fn review_queue(&self, level: TrustLevel) -> Result<Vec<Shelved>, EngineError> {
        let mut filters = vec![
            Filter {
                only: vec![Only::Flagged],
                ..Filter::default()
            },
            Filter {
                only: vec![Only::NeedsReview],
                ..Filter::default()
            },
        ];
        if level == TrustLevel::Cautious {
            filters.push(Filter {
                sources: LEARNED.to_vec(),
                ..Filter::default()
            });
        }
        let waits = |memory: &Memory| {
            memory.flagged.is_some()
                || !memory.is_verified() && (memory.needs_review || level.asks_first(memory))
        };
        let mut queue: Vec<Shelved> = Vec::new();
        for filter in filters {
            for (shelf, store) in self.shelves() {
                let waiting = store.list(&filter)?.memories.into_iter();
                // What a person confirmed waits again only when an agent has doubts.
                for memory in waiting.filter(|memory| waits(memory)) {
                    if queue.iter().all(|known| known.memory.id != memory.id) {
                        queue.push(Shelved { shelf, memory });
                    }
                }
            }
        }
        Ok(queue)
    }

    /// A person says no: it is not injected or found any more, and goes after the grace. Why is kept with it, because what
    /// people reject raises the bar for what is learned next.
    pub fn reject(
        &self,
        given: &str,
        correction: Correction,
        note: Option<&str>,
        now: Timestamp,
    ) -> Result<Shelved, EngineError> {
        let flag = flag_by(FlaggedBy::Person, correction, note, now);
        self.change_one(given, now, |memory| {
            memory.flagged = Some(flag.clone());
            memory.verified = None;
            memory.forget(now);
            Ok(())
        })
    }

    /// What people made of what was learned here since then.
    pub fn track_record(
        &self,
        sessions: &dyn SessionStore,
        since: Timestamp,
    ) -> Result<TrackRecord, EngineError> {
        let learned = self
            .project
            .list(&Filter {
                state: State::Any,
                sources: LEARNED
                    .into_iter()
                    // What files of the project say nobody had to learn.
                    .filter(|source| *source != Source::CommitAuto)
                    .collect(),
                created_since: Some(since),
                ..Filter::default()
            })?
            .memories;
        let count = |is: fn(&Memory) -> bool| learned.iter().filter(|memory| is(memory)).count();
        Ok(TrackRecord {
            sessions: told_in(sessions, since)?,
            learned: learned.len(),
            gone: count(|memory| !memory.is_live()),
            // Who forgets what they confirmed stands by it no more.
            confirmed: count(|memory| memory.is_verified() && memory.deleted_since.is_none()),
            corrected: count(Memory::is_flagged_by_a_person),
        })
    }

    /// How many memories people flagged since then.
    pub fn flags_since(&self, since: Timestamp) -> Result<usize, EngineError> {
        let filter = Filter {
            state: State::Any,
            only: vec![Only::Flagged],
            ..Filter::default()
        };
        let mut count = 0;
        for (_, store) in self.shelves() {
            let flagged = store.list(&filter)?.memories.into_iter();
            let flags = flagged
                .filter(Memory::is_flagged_by_a_person)
                .filter_map(|memory| memory.flagged);
            count += flags.filter(|flag| flag.since >= since).count();
        }
        Ok(count)
    }
}

/// What use without correction earns: a little more confidence, and in the end no review where only something was missing. What
/// speaks against a memory, and outside text, is for a person to weigh. Whether the uses of a memory changed what is thought of it.
pub(crate) fn rewarded(memory: &mut Memory) -> bool {
    if memory.flagged.is_some() || !memory.is_live() {
        return false;
    }
    let uses = memory.usage.access_count;
    let mut changed = false;
    let grown = (memory.confidence.get() + GROWTH).min(MOST_GROWN);
    if uses > 0 && uses.is_multiple_of(USES_TO_GROW) && grown > memory.confidence.get() {
        memory.confidence = Confidence::clamped(grown);
        changed = true;
    }
    let proven = uses >= USES_TO_CONFIRM || is_proven_by_use(memory);
    let is_only_unproven = matches!(
        memory.review_reason,
        None | Some(ReviewReason::FewSessions | ReviewReason::Guess)
    );
    if memory.needs_review && proven && is_only_unproven && memory.taint.is_clean() {
        memory.end_review();
        changed = true;
    }
    changed
}

/// Sessions whose agents were told something, so that somebody could object. What transcripts tell of the time before says
/// nothing about what is remembered now.
fn told_in(sessions: &dyn SessionStore, since: Timestamp) -> Result<usize, EngineError> {
    let mut records = sessions.sessions()?;
    records.retain(|record| record.ended_at >= since);
    let bodies = records.iter().filter_map(SessionBody::read);
    Ok(bodies.filter(|body| !body.told.is_empty()).count())
}

#[cfg(test)]
mod tests {
    use oldhand_domain::memory::Draft;
    use oldhand_domain::payload::BuiltInType;
    use oldhand_domain::taint::{OutsideText, Taint};

    use super::*;

    fn used(uses: u64, confidence: f64) -> Memory {
        let draft = Draft::taught(
            BuiltInType::Gotcha.into(),
            "Run migrations before the tests.",
        );
        let id = "00000000-0000-7000-8000-000000000001".parse().unwrap();
        let mut memory = Memory::new(id, draft, Timestamp::UNIX_EPOCH).unwrap();
        memory.source = Source::ObserverInferred;
        memory.needs_review = true;
        memory.confidence = Confidence::clamped(confidence);
        memory.usage.access_count = uses;
        memory
    }

    #[test]
    fn use_without_correction_earns_confidence_and_in_the_end_the_review() {
        let after = |uses, confidence| {
            let mut memory = used(uses, confidence);
            rewarded(&mut memory);
            (memory.confidence.get(), memory.needs_review)
        };
        assert_eq!(after(4, 0.6), (0.6, true));
        assert_eq!(after(5, 0.6), (0.65, true));
        assert_eq!(after(5, 0.94), (0.95, false));
        assert_eq!(after(9, 0.6), (0.6, true));
        assert_eq!(after(10, 0.6), (0.65, false));
        assert_eq!(after(3, 0.91), (0.91, false));
        assert_eq!(after(3, 0.9), (0.9, true));
        assert_eq!(after(2, 0.91), (0.91, true));
    }

    #[test]
    fn what_a_commit_taught_needs_no_review_and_what_a_person_confirmed_has_had_it() {
        let mut by_commit = used(1, 0.6);
        by_commit.source = Source::CommitAuto;
        assert!(rewarded(&mut by_commit) && !by_commit.needs_review);
        let mut confirmed = used(0, 0.6);
        confirmed.verify(confirmed.created_at);
        assert!(!confirmed.needs_review && confirmed.is_verified());
    }

    #[test]
    fn use_frees_what_was_unproven_and_not_what_was_denied_or_is_about_other_code_by_now() {
        for (reason, waits) in [
            (ReviewReason::FewSessions, false),
            (ReviewReason::Guess, false),
            (ReviewReason::OutsideText, true),
            (ReviewReason::Contradicted, true),
            (ReviewReason::CodeChanged, true),
        ] {
            let mut memory = used(13, 0.6);
            memory.await_review(reason);
            rewarded(&mut memory);
            assert_eq!(memory.needs_review, waits, "{reason}");
        }
    }

    #[test]
    fn outside_text_and_a_flag_are_not_outlived_by_use() {
        let mut tainted = used(500, 0.95);
        tainted.taint = Taint::by(OutsideText::Web);
        rewarded(&mut tainted);
        assert!(tainted.needs_review);
        let mut flagged = used(500, 0.6);
        let wrong = Correction::Outdated;
        flagged.flagged = Some(flag_by(FlaggedBy::Agent, wrong, None, flagged.created_at));
        assert!(!rewarded(&mut flagged));
    }
}
