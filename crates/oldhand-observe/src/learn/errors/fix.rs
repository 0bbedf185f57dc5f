//! One way in which an error went away, over all sessions that went it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::SessionId;
use oldhand_domain::taint::Taint;

/// One way in which an error went away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixRecord {
    pub sessions: BTreeSet<SessionId>,
    /// Sessions in which it held, mostly by their work that passed, not counting those that outside text had a hand in.
    pub passed: u32,
    /// Sessions whose work failed.
    pub failed: u32,
    /// The fewest steps it took.
    pub steps: u32,
    /// The options that the failing line had and this one has not.
    pub(super) left_out: Vec<String>,
    /// Sessions in which the error itself had advised it.
    pub(super) advised: BTreeSet<SessionId>,
    /// Whether a command that did it instead was about just what the failing one was about.
    pub(super) same_aim: bool,
    /// What the agent last said before it did that.
    pub words: Option<String>,
    /// Outside text that had a hand in any of them.
    pub taint: Taint,
    pub last_at: Option<Timestamp>,
}

/// How sure one validated session makes a fix, what each further one adds and each failure takes.
const ONE_SESSION: f64 = 0.7;
const ANOTHER: f64 = 0.07;
const AGAINST: f64 = 0.2;
const SUREST: f64 = 0.92;

impl FixRecord {
    /// How sure it is that this fixes it: nothing is known before a session that used it was validated.
    pub fn confidence(&self) -> Confidence {
        if self.passed == 0 {
            return Confidence::clamped(0.0);
        }
        let more = ANOTHER * f64::from(self.passed - 1);
        let sure = (ONE_SESSION + more).min(SUREST) - AGAINST * f64::from(self.failed);
        Confidence::clamped(sure)
    }

    /// Whether it held twice, and more often than not: what held once may be chance.
    pub fn is_tested(&self) -> bool {
        self.passed >= 2 && self.passed > self.failed
    }

    /// Whether the error itself advised it in half of the sessions that did it: what one printed is not what all saw.
    pub(super) fn is_advised(&self) -> bool {
        2 * self.advised.len() >= self.sessions.len()
    }

    /// Adds what other sessions did in much the same way.
    pub(super) fn join(&mut self, other: &Self) {
        self.steps = if self.sessions.is_empty() {
            other.steps
        } else {
            self.steps.min(other.steps)
        };
        self.sessions.extend(other.sessions.iter().cloned());
        self.passed += other.passed;
        self.failed += other.failed;
        self.same_aim |= other.same_aim;
        self.advised.extend(other.advised.iter().cloned());
        self.taint = std::mem::take(&mut self.taint).join(&other.taint);
        if other.words.is_some() && (self.words.is_none() || other.last_at >= self.last_at) {
            self.words.clone_from(&other.words);
        }
        self.last_at = self.last_at.max(other.last_at);
    }
}
