//! Everything a finished session has to offer, in one call: what the gate then decides over.

use oldhand_domain::id::SessionId;

use crate::detect::dead_end::{self, DeadEnd};
use crate::detect::{self, SCRATCHPAD_LIMIT, Signal};
use crate::distill::{Candidate, Frequency, consolidate, distill, outcome, unfinished};
use crate::fold::SessionAnalytics;
use crate::learn::{Knowledge, SessionFacts, facts};
use crate::outcome::judgement::{Judgement, judge};
use crate::promote::Complexity;

/// What a session showed, and what might be remembered of it.
#[derive(Clone, Debug)]
pub struct Harvest {
    pub signals: Vec<Signal>,
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
/// A session that `known` has already learned is not counted again.
pub fn harvest(session_id: SessionId, session: &SessionAnalytics, known: &Knowledge) -> Harvest {
    let mut signals = detect::detect(session, &known.norms());
    let evicted = detect::evict(&mut signals, SCRATCHPAD_LIMIT);
    let dead_ends = dead_end::detect(session);
    let judgement = judge(session);
    let mut frequency = known.frequency(&signals);
    if known.sessions.contains(&session_id) {
        for signal in &signals {
            if let Some(seen) = frequency.seen.get_mut(&signal.key) {
                seen.sessions = seen.sessions.saturating_sub(1);
            }
        }
    }
    let mut candidates = distill(session, &signals, &dead_ends, &frequency);
    candidates.extend(outcome(session, &judgement));
    candidates.extend(unfinished(session, &judgement));
    candidates.extend(consolidate(session));
    let facts = facts(session_id, session, &signals, &dead_ends, &judgement);
    let complexity = Complexity::of(session);
    Harvest {
        signals,
        evicted,
        dead_ends,
        judgement,
        complexity,
        candidates,
        facts,
        frequency,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::{FoldOptions, fold};
    use crate::story::events;

    #[test]
    fn a_session_harvested_again_is_not_its_own_witness() {
        let session = fold(
            &events("read src/a.rs; edit src/b.rs; run make test = 0"),
            &FoldOptions::default(),
        );
        let id = SessionId::new("s1").unwrap();
        let mut known = Knowledge::default();
        let first = harvest(id.clone(), &session, &known);
        known.learn(&first.facts);
        let again = harvest(id, &session, &known);
        assert_eq!(first.candidates, again.candidates);
        assert_eq!(first.facts, again.facts);
        let other = harvest(SessionId::new("s2").unwrap(), &session, &known);
        assert_eq!(other.frequency.sessions("file:src/b.rs"), 2);
    }
}
