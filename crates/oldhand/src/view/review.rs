//! Reviews and trust as JSON.

use jiff::Timestamp;
use oldhand_domain::id::MemoryId;
use oldhand_domain::taint::OutsideText;
use oldhand_engine::{Shelved, contradicted};
use oldhand_recall::trust::{TrackRecord, TrustLevel};
use serde::Serialize;

use super::memory::{MemoryView, rounded};

#[derive(Serialize)]
pub(crate) struct QueueView<'a> {
    waiting: Vec<WaitingView<'a>>,
    total: usize,
}

#[derive(Serialize)]
struct WaitingView<'a> {
    /// Why it waits: `flagged`, `outside_text`, `needs_review` or `not_confirmed`.
    why: &'static str,
    #[serde(flatten)]
    memory: MemoryView<'a>,
}

impl<'a> QueueView<'a> {
    pub(crate) fn new(queue: &'a [Shelved], limit: usize, now: Timestamp) -> Self {
        let waiting = queue.iter().take(limit).map(|shelved| WaitingView {
            why: why(shelved),
            memory: MemoryView::of(shelved, now),
        });
        Self {
            waiting: waiting.collect(),
            total: queue.len(),
        }
    }
}

/// Why a memory waits for a person.
pub(crate) fn why(shelved: &Shelved) -> &'static str {
    let memory = &shelved.memory;
    if memory.flagged.is_some() {
        "flagged"
    } else if contradicted(memory).next().is_some() {
        "contradicts"
    } else if memory
        .taint
        .sources()
        .any(|source| *source == OutsideText::Orders)
    {
        "orders"
    } else if !memory.taint.is_clean() {
        "outside_text"
    } else if memory.needs_review {
        "needs_review"
    } else {
        "not_confirmed"
    }
}

#[derive(Serialize)]
pub(crate) struct ReviewedView {
    pub(crate) answers: Vec<AnswerView>,
    /// How many still wait.
    pub(crate) left: usize,
}

#[derive(Serialize)]
pub(crate) struct AnswerView {
    pub(crate) id: MemoryId,
    /// `confirmed`, `edited`, `rejected` or `later`.
    pub(crate) outcome: &'static str,
}

#[derive(Serialize)]
pub(crate) struct TrustView {
    level: &'static str,
    /// `set` by a person or `earned`.
    by: &'static str,
    at_least: f64,
    sessions: usize,
    learned: usize,
    /// Of these, those that were forgotten or replaced since.
    gone: usize,
    confirmed: usize,
    corrected: usize,
    to_review: usize,
}

impl TrustView {
    pub(crate) fn new(
        level: TrustLevel,
        is_set: bool,
        record: &TrackRecord,
        to_review: usize,
    ) -> Self {
        Self {
            level: level.as_str(),
            by: if is_set { "set" } else { "earned" },
            at_least: rounded(level.at_least().get()),
            sessions: record.sessions,
            learned: record.learned,
            gone: record.gone,
            confirmed: record.confirmed,
            corrected: record.corrected,
            to_review,
        }
    }
}
