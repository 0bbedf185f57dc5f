//! How sure a candidate is, by the sessions that show it and those that might have.

use oldhand_domain::confidence::Confidence;
use oldhand_domain::signal::SignalKind;

use super::TOLD_UNASKED;
use crate::distill::{Candidate, Frequency, Origin, Together};

/// Nothing that is counted is surer.
const SUREST: f64 = 0.95;
/// What it adds to a pair that both files were changed.
pub(crate) const CHANGED: f64 = 0.1;

/// What it adds to a person's rule that they said it in another session as well, and how sure that makes it at most.
const SAID_AGAIN: f64 = 0.07;
const SUREST_SAID: f64 = 0.92;

/// What it adds that git's history says the same, if not often enough by itself.
const AGREED: f64 = 0.1;

/// How sure a candidate is. What rests on counting is as sure as its numbers, seen from their cautious
/// end: a file by the share of its module's sessions, a pair by the share of the rarer file's.
pub(super) fn sureness(candidate: &Candidate, frequency: &Frequency) -> Confidence {
    let by_git = frequency.borne_out(candidate).map_or(0.0, borne_out);
    if candidate.origin == Origin::Person {
        let again = f64::from(frequency.before(&candidate.key).sessions);
        let sure = candidate.confidence.get() + SAID_AGAIN * again;
        return Confidence::clamped(sure.min(SUREST_SAID));
    }
    let Origin::Signal(kind) = candidate.origin else {
        let together = frequency.together.get(&candidate.key);
        let agreed = together.is_some_and(|together| together.agrees());
        let counted = candidate.confidence.get() + if agreed { AGREED } else { 0.0 };
        return Confidence::clamped(counted.max(by_git).min(SUREST));
    };
    let seen = frequency.before(&candidate.key);
    let sessions = seen.sessions + 1;
    let (of, kinds) = match kind {
        SignalKind::FileAccess => (module_sessions(candidate, frequency), 3.0),
        // The same pair under three kinds of task says more than under one.
        SignalKind::CoAccess => (
            rarer_sessions(candidate, frequency),
            f64::from(seen.task_types.clamp(1, 3)),
        ),
        // Tests first are a habit if most sessions that changed the module began with them.
        SignalKind::TestOrder => (habit_sessions(candidate, frequency), 3.0),
        // Settings go with a module if most sessions that worked there changed them.
        SignalKind::ConfigTouch => (settled_sessions(candidate, frequency), 3.0),
        _ => return candidate.confidence,
    };
    let edited = seen.edited_sessions + u32::from(candidate.edited);
    let changes = kind == SignalKind::CoAccess && edited >= 2;
    let share = cautious_share(sessions, of.max(sessions));
    let mut by_sessions = share * (0.7 + 0.1 * kinds);
    if changes {
        by_sessions += CHANGED;
    }
    let together = frequency.together.get(&candidate.key);
    if together.is_some_and(|together| together.agrees()) {
        by_sessions += AGREED;
    }
    Confidence::clamped(by_sessions.max(by_git).min(SUREST))
}

/// How sure git's history makes a pair that it bears out: sure enough to be told, and the more the more often both changed.
fn borne_out(together: Together) -> f64 {
    TOLD_UNASKED + 0.6 * (together.share() - Together::SHARE)
}

/// Sessions that worked in the module of a candidate's file, this one included.
pub(super) fn module_sessions(candidate: &Candidate, frequency: &Frequency) -> u32 {
    let module = candidate
        .files
        .first()
        .map_or(".", |file| crate::paths::module_of(file.as_str()));
    frequency.modules.get(module).copied().unwrap_or(0) + 1
}

/// Sessions that worked in the module that a habit of testing is of, this one included. Its key is `tests:module:order`.
fn habit_sessions(candidate: &Candidate, frequency: &Frequency) -> u32 {
    let module = candidate.key.split(':').nth(1).unwrap_or_default();
    frequency.modules.get(module).copied().unwrap_or(0) + 1
}

/// Sessions that worked in the module that settings go with, this one included. Its key is `config:settings+module`.
fn settled_sessions(candidate: &Candidate, frequency: &Frequency) -> u32 {
    let module = candidate.key.rsplit('+').next().unwrap_or_default();
    frequency.modules.get(module).copied().unwrap_or(0) + 1
}

/// Sessions that used the rarer of a candidate's files, this one included.
pub(super) fn rarer_sessions(candidate: &Candidate, frequency: &Frequency) -> u32 {
    let used = candidate
        .files
        .iter()
        .map(|file| frequency.files.get(file).copied().unwrap_or(0) + 1);
    used.min().unwrap_or(1)
}

/// The lower end of the 95 % interval (Wilson) around `part` of `whole`.
pub(crate) fn cautious_share(part: u32, whole: u32) -> f64 {
    const Z2: f64 = 1.96 * 1.96;
    let n = f64::from(whole.max(1));
    let p = f64::from(part) / n;
    let spread = (Z2 * (p * (1.0 - p) / n + Z2 / (4.0 * n * n))).sqrt();
    ((p + Z2 / (2.0 * n) - spread) / (1.0 + Z2 / n)).max(0.0)
}
