//! Everything a finished session has to offer, in one call: what the gate then decides over.

use oldhand_domain::id::SessionId;

use crate::detect::dead_end::{self, DeadEnd};
use crate::detect::{self, SCRATCHPAD_LIMIT, Signal};
use crate::distill::{Candidate, Frequency, consolidate, distill, outcome, unfinished};
use crate::fold::SessionAnalytics;
use crate::learn::{Knowledge, SessionFacts, facts, task_of};
use crate::outcome::judgement::{Judgement, judge};
use crate::promote::Complexity;

/// What a session showed, and what might be remembered of it.
#[derive(Clone, Debug)]
pub struct Harvest {
    pub signals: Vec<Signal>,
    /// The most bytes of signals the scratchpad held.
    pub peak: usize,
    /// Signals given up because the scratchpad was full.
    pub evicted: usize,
    pub dead_ends: Vec<DeadEnd>,
    pub judgement: Judgement,
    pub complexity: Complexity,
    /// For [`crate::promote::promote`], with the memories nearest to each.
    pub candidates: Vec<Candidate>,
    /// For [`Knowledge::learn`], after the gate.
    pub facts: SessionFacts,
    /// How often each signal was seen before this session.
    pub frequency: Frequency,
}

/// Looks at a whole session in the light of the earlier ones.
///
/// `known` must not have learned this very session, or it would be its own witness.
pub fn harvest(session_id: SessionId, session: &SessionAnalytics, known: &Knowledge) -> Harvest {
    harvest_judged(session_id, session, known, judge(session))
}

/// The same for work that was judged before, by more than the session itself shows.
pub fn harvest_judged(
    session_id: SessionId,
    session: &SessionAnalytics,
    known: &Knowledge,
    judgement: Judgement,
) -> Harvest {
    let mut signals = detect::detect(session, &known.norms());
    let peak = detect::size(&signals);
    let evicted = detect::evict(&mut signals, SCRATCHPAD_LIMIT);
    let dead_ends = dead_end::detect(session);
    let frequency = known.frequency(&signals, task_of(session));
    let mut candidates = distill(session, &signals, &dead_ends, &frequency);
    candidates.extend(outcome(session, &judgement));
    candidates.extend(unfinished(session, &judgement));
    candidates.extend(consolidate(session, &candidates));
    let facts = facts(session_id, session, &signals, &dead_ends, &judgement);
    let complexity = Complexity::of(session);
    Harvest {
        signals,
        peak,
        evicted,
        dead_ends,
        judgement,
        complexity,
        candidates,
        facts,
        frequency,
    }
}
