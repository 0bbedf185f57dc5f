//! What sessions show that took in no outside text is learned from them alone, whoever brought it up first.
//!
//! No mark is taken off: the words that bear it go, and a memory that nothing of them went into takes their place.

use jiff::Timestamp;
use oldhand_domain::id::SessionId;
use oldhand_domain::memory::Memory;
use oldhand_domain::port::MemoryReader;
use oldhand_domain::taint::OutsideText;
use oldhand_domain::text::InvalidText;
use oldhand_domain::vocabulary::ReviewReason;
use oldhand_observe::distill::{Candidate, Origin};
use oldhand_observe::promote::Promotion;

use super::Finalizer;
use super::record::Product;
use super::withdraw::{is_failed_use, put_away};

use super::write::{OBSERVER, hold_back_orders};
use crate::EngineError;
use crate::redaction::redact_draft;
use crate::remember::Pending;

impl Finalizer<'_> {
    /// The memory that this very statement became in a session that outside text came before, where the sessions that none came before
    /// are now enough by themselves: the candidate passed every gate without a mark. Not what a person or an agent has spoken of since.
    pub(super) fn told_by_marked(
        &self,
        product: &Product<'_>,
        candidate: &Candidate,
        promotion: &Promotion,
        reader: &dyn MemoryReader,
        pending: &Pending,
    ) -> Result<Option<Memory>, EngineError> {
        // Where work stands hangs on all that left it open.
        if !candidate.taint.is_clean() || candidate.origin == Origin::Outcome {
            return Ok(None);
        }
        let known = match promotion.updates {
            Some(id) if promotion.restates => pending.find(reader, id)?,
            // In like words another session said it, not these.
            Some(_) => None,
            None => put_away(product, candidate, reader, pending)?,
        };
        Ok(known.filter(|known| {
            is_only_marked(known)
                && known.source == candidate.source
                && !self.across.contradicted.contains(&known.id)
        }))
    }

    /// The memory as it would be had no marked session shown it: all that a session says is of this one, and those that stand behind it
    /// took nothing in. What keeps it apart from others stays.
    pub(super) fn learn_anew(
        &self,
        product: &Product<'_>,
        (candidate, promotion): (&Candidate, &Promotion),
        known: &Memory,
        witnesses: impl IntoIterator<Item = SessionId>,
        now: Timestamp,
    ) -> Result<Memory, InvalidText> {
        let (draft, _) = redact_draft(self.draft(product, candidate, promotion));
        let mut memory = Memory {
            provenance: witnesses.into_iter().collect(),
            visibility: known.visibility,
            tags: known.tags.clone(),
            relations: known.relations.clone(),
            stale: known.stale.clone().filter(|mark| !is_failed_use(mark)),
            revision: known.revision,
            ..Memory::new(known.id, draft, now)?
        };
        hold_back_orders(&mut memory, candidate);
        Ok(memory)
    }
}

/// Whether a memory that sessions of this project taught waits for a person because of outside text, and for nothing else.
fn is_only_marked(memory: &Memory) -> bool {
    let came_with_file = || memory.taint.sources().any(|by| *by == OutsideText::Import);
    !memory.taint.is_clean()
        && memory.review_reason == Some(ReviewReason::OutsideText)
        && memory.verified.is_none()
        && memory.flagged.is_none()
        && !memory.pinned
        && memory.created_by.as_str() == OBSERVER
        && !came_with_file()
}
