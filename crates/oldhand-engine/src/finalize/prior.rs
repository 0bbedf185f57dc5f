//! What is known about each candidate before it is weighed: the memory nearest to it, and whether it may pass at all.

use std::collections::BTreeMap;

use oldhand_domain::filter::{Filter, State};
use oldhand_domain::memory::Memory;
use oldhand_domain::session::Tombstone;
use oldhand_domain::signal::SignalKind;
use oldhand_observe::distill::{Candidate, Origin};
use oldhand_observe::fold::SessionAnalytics;
use oldhand_observe::promote::{Dropped, KNOWN, Neighbour, Says, validated_subtask};

use super::across::is_rejected;
use super::record::SessionReport;
use super::{Extent, Finalizer};
use crate::EngineError;

/// How many known memories each candidate is compared with.
const NEIGHBOURS: usize = 10;

#[derive(Default)]
pub(super) struct Prior {
    pub(super) neighbours: BTreeMap<String, Neighbour>,
    pub(super) barred: BTreeMap<String, Dropped>,
}

impl Finalizer<'_> {
    pub(super) fn prior(
        &self,
        candidates: &[Candidate],
        analytics: &SessionAnalytics,
        earlier: Option<&SessionReport>,
        extent: Extent,
    ) -> Result<Prior, EngineError> {
        let mut prior = Prior::default();
        for candidate in candidates {
            let near = self.near(candidate)?;
            if let Some(neighbour) = self.neighbour(candidate, &near)? {
                prior.neighbours.insert(candidate.key.clone(), neighbour);
            }
            let mut barred = self.barred(candidate, &near, earlier)?;
            if extent == Extent::Subtasks && validated_subtask(analytics, candidate).is_none() {
                barred = barred.or(Some(Dropped::StillOpen));
            }
            if let Some(barred) = barred {
                prior.barred.insert(candidate.key.clone(), barred);
            }
        }
        Ok(prior)
    }

    /// The memory that this very statement became, or else the one that says something most alike.
    fn neighbour(
        &self,
        candidate: &Candidate,
        near: &[(Memory, f32)],
    ) -> Result<Option<Neighbour>, EngineError> {
        let told_as = candidate.told_as();
        let told = self.across.learned.get(&told_as);
        let told = told.map(|id| self.engine.project.get(*id)).transpose()?;
        // What only grew old may be told anew.
        let told = told
            .flatten()
            .filter(|memory| memory.deleted_since.is_none() || is_rejected(memory));
        if let Some(memory) = told {
            let mut neighbour = told_before(&memory);
            // A part of what is told already adds nothing to it.
            if candidate.origin == Origin::Signal(SignalKind::FileAccess) {
                neighbour.says = Says::Settled;
            }
            return Ok(Some(neighbour));
        }
        let alike = near.iter().find(|(memory, _)| memory.is_live());
        Ok(alike.map(|(memory, cosine)| Neighbour {
            memory: memory.id,
            cosine: f64::from(*cosine),
            confidence: memory.confidence,
            says: Says::Alike,
        }))
    }

    /// Memories of the same type that share its words, forgotten ones included, nearest first.
    fn near(&self, candidate: &Candidate) -> Result<Vec<(Memory, f32)>, EngineError> {
        let filter = Filter {
            state: State::Any,
            types: vec![candidate.payload.memory_type()],
            ..Filter::default()
        };
        self.engine.nearest(
            self.engine.project,
            candidate.content.as_str(),
            filter,
            NEIGHBOURS,
        )
    }

    fn barred(
        &self,
        candidate: &Candidate,
        near: &[(Memory, f32)],
        earlier: Option<&SessionReport>,
    ) -> Result<Option<Dropped>, EngineError> {
        for tombstone in [
            Tombstone::of_words(candidate.content.as_str()),
            Tombstone::of_key(&candidate.told_as()),
        ] {
            if self.sessions.is_buried(&tombstone)? {
                return Ok(Some(Dropped::Erased));
            }
        }
        let told_as = candidate.told_as();
        let own = earlier.and_then(|report| report.learned(&told_as));
        let any = own.or_else(|| self.across.learned.get(&told_as).copied());
        if let Some(memory) = any
            .map(|id| self.engine.project.get(id))
            .transpose()?
            .flatten()
        {
            if is_rejected(&memory) {
                return Ok(Some(Dropped::Rejected { memory: memory.id }));
            }
            // How far work got changes as it goes on; everything else is learned from a session once.
            if own.is_some() && memory.is_live() && candidate.origin != Origin::Outcome {
                return Ok(Some(Dropped::LearnedBefore { memory: memory.id }));
            }
        }
        let rejected = near
            .iter()
            .find(|(memory, cosine)| f64::from(*cosine) > KNOWN && is_rejected(memory));
        Ok(rejected.map(|(memory, _)| Dropped::Rejected { memory: memory.id }))
    }
}

/// The memory that this very statement became. What a person judged, changed or removed since is theirs, and so is the answer to an
/// agent's doubt.
fn told_before(memory: &Memory) -> Neighbour {
    let open = memory.is_live() && memory.verified.is_none() && memory.flagged.is_none();
    Neighbour {
        memory: memory.id,
        cosine: 1.0,
        confidence: memory.confidence,
        says: if open { Says::TheSame } else { Says::Settled },
    }
}
