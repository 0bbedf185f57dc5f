//! How memories age: confidence now, and when one should go.

use jiff::{SignedDuration, Timestamp};

use crate::confidence::Confidence;
use crate::memory::{Mark, Memory};
use crate::vocabulary::Scope;

/// Days between a soft delete and the removal of the bytes.
pub const GRACE_DAYS: i64 = 30;

/// Unused for so many half-lives, a memory goes.
pub const HALF_LIVES: u32 = 3;

const SECONDS_A_DAY: f64 = 86_400.0;

/// How the mark begins that a memory bears when it went by its age and not by a person's word.
const GREW_OLD: &str = "grew old: ";

/// What should happen to a memory now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    Keep,
    /// Out of sight, restorable for [`GRACE_DAYS`].
    Delete(&'static str),
    /// The grace is over: the bytes go.
    Erase,
}

impl Memory {
    /// The half-life that applies; pinned memories and some types have none.
    pub fn half_life_days(&self) -> Option<u32> {
        if self.pinned {
            return None;
        }
        self.half_life_days
            .or_else(|| self.memory_type().half_life_days())
    }

    /// Confidence × ½^(days since last use / half-life). A clock that went back does not raise it.
    pub fn confidence_now(&self, now: Timestamp) -> Confidence {
        match self.half_life_days() {
            Some(days) if days > 0 => self
                .confidence
                .scaled(0.5_f64.powf(self.days_unused(now) / f64::from(days))),
            _ => self.confidence,
        }
    }

    fn days_unused(&self, now: Timestamp) -> f64 {
        days_between(self.usage.last_accessed_at, now)
    }

    /// Out of sight because of its age. The mark says so even of what was replaced before, or it would pass for forgotten.
    pub fn let_go(&mut self, reason: &str, now: Timestamp) {
        self.deleted_since = Some(now);
        self.updated_at = now;
        let before = self.deprecated.take();
        let before = before.map_or_else(String::new, |mark| format!("; before, {}", mark.reason));
        let reason = format!("{GREW_OLD}{reason}{before}");
        self.deprecated = Some(Mark { since: now, reason });
    }

    /// Out of sight by a person's word, even if its age had taken it before.
    pub fn forget(&mut self, now: Timestamp) {
        self.deleted_since.get_or_insert(now);
        self.deprecated = self.deprecated.take().filter(|mark| !is_of_age(mark));
    }

    /// Whether people want no more of it: they flagged it, or it was forgotten and did not merely grow old.
    pub fn is_rejected(&self) -> bool {
        let by_age = self.deprecated.as_ref().is_some_and(is_of_age);
        self.is_flagged_by_a_person() || self.deleted_since.is_some() && !by_age
    }

    pub fn fate(&self, now: Timestamp) -> Fate {
        if let Some(since) = self.deleted_since {
            let over = now.duration_since(since) > SignedDuration::from_hours(GRACE_DAYS * 24);
            return if over && !self.is_verified() {
                Fate::Erase
            } else {
                Fate::Keep
            };
        }
        if self.pinned {
            return Fate::Keep;
        }
        let unused = self.days_unused(now);
        let age = days_between(self.created_at, now).min(unused);
        match self.scope {
            Scope::Session if age > 7.0 => return Fate::Delete("its session is over for 7 days"),
            Scope::WorkUnit if age > 90.0 => {
                return Fate::Delete("its work unit is unused for 90 days");
            }
            Scope::Global if unused > 60.0 && self.confidence_now(now).get() < 0.2 => {
                return Fate::Delete("confidence under 0.2 and unused for 60 days");
            }
            _ => {}
        }
        match self.half_life_days() {
            Some(days) if unused > f64::from(HALF_LIVES * days) => {
                Fate::Delete("unused for three half-lives")
            }
            _ => Fate::Keep,
        }
    }
}

fn is_of_age(mark: &Mark) -> bool {
    mark.reason.starts_with(GREW_OLD)
}

fn days_between(from: Timestamp, to: Timestamp) -> f64 {
    (to.duration_since(from).as_secs_f64() / SECONDS_A_DAY).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::memory;
    use crate::payload::BuiltInType;

    fn day(n: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + n * 86_400).unwrap()
    }

    fn gotcha() -> Memory {
        memory(BuiltInType::Gotcha, "the port is taken", day(0))
    }

    #[test]
    fn confidence_halves_with_each_half_life() {
        let mut memory = gotcha();
        memory.confidence = Confidence::clamped(0.8);
        assert_eq!(memory.confidence_now(day(60)), Confidence::clamped(0.4));
        assert_eq!(memory.confidence_now(day(120)), Confidence::clamped(0.2));
        assert_eq!(memory.confidence_now(day(-5)), Confidence::clamped(0.8));
    }

    #[test]
    fn pinned_memories_and_decisions_do_not_age() {
        let mut pinned = gotcha();
        pinned.pinned = true;
        let decision = memory(BuiltInType::Decision, "we use SQLite", day(0));
        for memory in [pinned, decision] {
            assert_eq!(memory.confidence_now(day(5000)), memory.confidence);
            assert_eq!(memory.fate(day(5000)), Fate::Keep);
        }
    }

    #[test]
    fn three_half_lives_without_use_is_enough() {
        let mut memory = gotcha();
        memory.confidence = Confidence::FULL;
        memory.scope = Scope::Module;
        assert_eq!(memory.fate(day(180)), Fate::Keep);
        assert_eq!(
            memory.fate(day(181)),
            Fate::Delete("unused for three half-lives")
        );
    }

    #[test]
    fn what_grew_old_is_not_rejected_until_a_person_says_so() {
        let mut memory = gotcha();
        assert!(!memory.is_rejected());
        memory.let_go("unused for three half-lives", day(200));
        assert_eq!(memory.deleted_since, Some(day(200)));
        assert!(!memory.is_rejected());
        memory.forget(day(201));
        assert_eq!(memory.deleted_since, Some(day(200)));
        assert!(memory.is_rejected());
        let mut young = gotcha();
        young.forget(day(1));
        assert!(young.is_rejected());
    }

    #[test]
    fn what_was_replaced_and_then_grew_old_is_not_rejected() {
        let mut memory = gotcha();
        memory.deprecated = Some(Mark {
            since: day(3),
            reason: "superseded by 1234abcd: negation".to_owned(),
        });
        assert!(!memory.is_rejected());
        memory.let_go("unused for three half-lives", day(200));
        assert!(!memory.is_rejected());
        assert_eq!(
            memory.deprecated.as_ref().unwrap().reason,
            "grew old: unused for three half-lives; before, superseded by 1234abcd: negation"
        );
        memory.forget(day(201));
        assert!(memory.is_rejected());
    }

    #[test]
    fn scopes_have_ends_of_their_own() {
        let mut memory = gotcha();
        memory.scope = Scope::Session;
        assert_eq!(memory.fate(day(7)), Fate::Keep);
        assert!(matches!(memory.fate(day(8)), Fate::Delete(_)));
        memory.scope = Scope::WorkUnit;
        assert_eq!(memory.fate(day(90)), Fate::Keep);
        assert!(matches!(memory.fate(day(91)), Fate::Delete(_)));
        memory.scope = Scope::Global;
        memory.confidence = Confidence::clamped(0.3);
        assert_eq!(memory.fate(day(60)), Fate::Keep);
        assert!(matches!(memory.fate(day(61)), Fate::Delete(_)));
    }

    #[test]
    fn the_bytes_go_after_the_grace_unless_a_person_verified() {
        let mut memory = gotcha();
        memory.deleted_since = Some(day(0));
        assert_eq!(memory.fate(day(30)), Fate::Keep);
        assert_eq!(memory.fate(day(31)), Fate::Erase);
        memory.verify(day(0));
        assert_eq!(memory.fate(day(31)), Fate::Keep);
    }
}
