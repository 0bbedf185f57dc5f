//! Where work stands once a session is over: one state for one work, and none for what is finished.

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::payload::{BuiltInType, MemoryType};
use oldhand_domain::port::MemoryReader;
use oldhand_domain::vocabulary::Source;
use oldhand_observe::distill::goes_on_with;
use oldhand_observe::outcome::judgement::WorkVerdict;

use super::record::{Product, ReportLine};
use super::withdraw::{finished_in, went_on};
use super::write::deprecate;
use super::{Extent, Finalizer, Promoted};
use crate::EngineError;
use crate::remember::Pending;

impl Finalizer<'_> {
    /// How far work got is told once: a later state takes the place of the one before, and finished work has none. What a later
    /// session left open as well stays open, and is no longer of this one. Says which states of this session are over.
    pub(super) fn replace_state(
        &self,
        product: &Product<'_>,
        reader: &dyn MemoryReader,
        pending: &mut Pending,
        written: &[Promoted],
        now: Timestamp,
    ) -> Result<Vec<MemoryId>, EngineError> {
        let is_state = |kind: &MemoryType| *kind == BuiltInType::WorkState.into();
        let promoted = product.report.promoted().zip(written);
        let new = promoted
            .filter(|((candidate, _), _)| is_state(&candidate.payload.memory_type()))
            .find_map(|(_, written)| written.id());
        let finished = product.judgement.verdict == WorkVerdict::Passed;
        let mut over = Vec::new();
        if product.extent == Extent::Subtasks || !finished && new.is_none() {
            return Ok(over);
        }
        let reason = if finished {
            finished_in(product.session)
        } else {
            went_on(product.session)
        };
        let earlier_lines = || product.earlier.iter().flat_map(|report| &report.lines);
        let own: BTreeSet<MemoryId> = earlier_lines().filter_map(ReportLine::memory).collect();
        let open = observed_states(reader)?;
        for state in &open {
            let goes_on = own.contains(&state.id)
                || goes_on_with(product.pad.analytics(), Some(product.judgement), state);
            if !goes_on || Some(state.id) == new {
                continue;
            }
            over.extend(own.get(&state.id));
            if self.is_open_later(product, state) {
                if let Some(mut known) = pending.find(reader, state.id)?
                    && known.provenance.remove(product.session)
                {
                    known.updated_at = now;
                    pending.take(vec![known]);
                }
            } else {
                deprecate(reader, pending, state.id, reason.clone(), now)?;
            }
        }
        // Another session may have finished what this one had left.
        let is_open = |id: &MemoryId| open.iter().any(|state| state.id == *id);
        let kind = MemoryType::from(BuiltInType::WorkState).to_string();
        let states = earlier_lines().filter(|line| line.memory_type == kind);
        let ended = states.filter_map(ReportLine::memory);
        over.extend(ended.filter(|id| !is_open(id) && Some(*id) != new));
        Ok(over)
    }

    /// Whether a later session left the same work open, and nobody said since that it was right.
    fn is_open_later(&self, product: &Product<'_>, state: &Memory) -> bool {
        let mut others = state.provenance.iter();
        others.any(|session| {
            let at = self.across.not_passed(session);
            session != product.session && at.is_some_and(|at| at > product.facts.at)
        })
    }
}

/// What sessions left unfinished.
pub(super) fn observed_states(reader: &dyn MemoryReader) -> Result<Vec<Memory>, StoreError> {
    let states = reader.list(&Filter {
        types: vec![BuiltInType::WorkState.into()],
        sources: vec![Source::ObserverInferred],
        ..Filter::default()
    })?;
    Ok(states.memories)
}
