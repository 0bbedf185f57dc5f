//! All stages from what the lanes found to an ordered answer, in the order they belong.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;

use crate::beside::Surrounding;
use crate::boost::{best_files, boost};
use crate::candidate::{Candidate, gather, judge, lead_with_command, lead_with_named, nearest};
use crate::diversify::diversify;
use crate::fuse::{Method, fuse};
use crate::gate::{LeftOut, Purpose, Refusal, gate};
use crate::lane::{Lane, Ranked};
use crate::plan::Plan;
use crate::reread::{Reader, reread};
use crate::score::{Situation, score};

/// What the lanes found, and what is known about it.
pub struct Found<'a> {
    pub lanes: &'a [Ranked<MemoryId>],
    /// The memories the lanes name. What is missing here is left out.
    pub memories: Vec<Memory>,
    /// Their vectors, as far as there are some.
    pub vectors: &'a BTreeMap<MemoryId, Vec<f32>>,
    /// The files at hand and beside them.
    pub surrounding: &'a Surrounding,
    /// The files one step from the given ones in the code graph.
    pub neighbours: &'a dyn Fn(&BTreeSet<ProjectPath>) -> BTreeSet<ProjectPath>,
}

/// An answer, best first, and what was kept back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    pub candidates: Vec<Candidate>,
    pub left_out: Vec<LeftOut<Refusal>>,
    /// The cosine of the nearest, left out or not.
    pub nearest: f64,
}

/// The first `count` of what the lanes found, those that are `named` before others: whatever is behind them need not be read.
pub fn best_of(
    plan: &Plan,
    lanes: &[Ranked<MemoryId>],
    named: &BTreeSet<MemoryId>,
    count: usize,
) -> Vec<MemoryId> {
    if plan.wants_newest() {
        // What came at the same moment has the same age, and the lane's own order.
        let ages = lanes.iter().filter(|ranked| ranked.lane == Lane::Recent);
        let newest = ages.flat_map(|ranked| &ranked.hits);
        return newest.take(count).map(|hit| hit.key).collect();
    }
    let mut fused = fuse(lanes, plan, Method::Standardised);
    if !named.is_empty() {
        fused.sort_by_key(|item| !named.contains(&item.key));
    }
    fused.into_iter().take(count).map(|item| item.key).collect()
}

/// Fuse, gate, read closely, judge, boost, score, and diversify what is volunteered.
pub fn rank(
    plan: &Plan,
    found: Found<'_>,
    reader: Reader<'_>,
    purpose: Purpose,
    situation: &Situation<'_>,
) -> Ranking {
    let fused = fuse(found.lanes, plan, Method::Standardised);
    let mut gathered = gather(&fused, found.memories, plan);
    for candidate in &mut gathered {
        candidate.because.beside = found.surrounding.why(&candidate.memory);
    }
    let memories = reader
        .spread
        .map_or(gathered.len(), |spread| spread.memories);
    let nearest = nearest(&fused);
    // What may not be said must not stand between the question and what may: each is read and judged among its like.
    let (mut candidates, kept_back) = gate(gathered, purpose, situation.now);
    if plan.wants_newest() {
        let age = |candidate: &Candidate| (candidate.memory.created_at, candidate.memory.id);
        candidates.sort_by_key(|candidate| Reverse(age(candidate)));
        let left_out = kept_back
            .into_iter()
            .map(|(candidate, why)| LeftOut::of(&candidate, why));
        return Ranking {
            candidates,
            left_out: left_out.collect(),
            nearest,
        };
    }
    reread(&mut candidates, plan, reader);
    judge(&mut candidates, plan, memories);
    let left_out = leave_out(kept_back, plan, reader, memories);
    let neighbours = (found.neighbours)(&best_files(&candidates));
    boost(&mut candidates, &neighbours);
    score(&mut candidates, situation);
    lead_with_command(&mut candidates);
    // Who asks wants the answers, also those that are alike; who is told unasked should not be told twice.
    match purpose {
        Purpose::Inject { .. } => diversify(&mut candidates, found.vectors),
        Purpose::Search { .. } => lead_with_named(&mut candidates),
    }
    Ranking {
        candidates,
        left_out,
        nearest,
    }
}

/// How many of those that are kept back are read, to say how likely they were.
const READ_OF_KEPT_BACK: usize = 12;

fn leave_out(
    kept_back: Vec<(Candidate, Refusal)>,
    plan: &Plan,
    reader: Reader<'_>,
    memories: usize,
) -> Vec<LeftOut<Refusal>> {
    let (mut candidates, whys): (Vec<Candidate>, Vec<(MemoryId, Refusal)>) = kept_back
        .into_iter()
        .map(|(candidate, why)| {
            let id = candidate.memory.id;
            (candidate, (id, why))
        })
        .unzip();
    let mut whys: BTreeMap<MemoryId, Refusal> = whys.into_iter().collect();
    let read = candidates.len().min(READ_OF_KEPT_BACK);
    reread(&mut candidates[..read], plan, reader);
    let (first, rest) = candidates.split_at_mut(read);
    let last = first.last().map_or(0.0, |last| last.because.fused);
    // What was not read stays behind what was.
    for candidate in rest {
        candidate.because.fused = candidate.because.fused.min(last);
    }
    judge(&mut candidates, plan, memories);
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let why = whys.remove(&candidate.memory.id)?;
            Some(LeftOut::of(&candidate, why))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use oldhand_domain::memory::Mark;
    use oldhand_domain::payload::BuiltInType;
    use oldhand_testkit::memory;

    use super::*;
    use crate::candidate::tests::planned;
    use crate::gate::Stale;
    use crate::score::Emphasis;

    const READER: Reader<'_> = Reader {
        embed: None,
        spread: None,
        ahead: &[],
    };

    #[test]
    fn a_question_gets_its_answer_first_and_hears_what_was_kept_back() {
        let answer = memory(
            1,
            BuiltInType::Decision,
            "Deploys go through the staging ring first.",
        );
        let mut stale = memory(2, BuiltInType::Gotcha, "Deploys need the old flag.");
        stale.stale = Some(Mark {
            since: stale.created_at,
            reason: "flag is gone".to_owned(),
        });
        let other = memory(3, BuiltInType::Gotcha, "Logs rotate daily.");
        let now = other.created_at;
        let lanes = [
            Ranked::new(Lane::Text, [(stale.id, 7.0), (answer.id, 6.0)]),
            Ranked::new(
                Lane::Dense,
                [(answer.id, 0.6), (stale.id, 0.5), (other.id, 0.1)],
            ),
        ];
        let wanted = [answer.id, other.id];
        let kept_back = stale.id;
        let found = Found {
            lanes: &lanes,
            memories: vec![answer, stale, other],
            vectors: &BTreeMap::new(),
            surrounding: &Surrounding::default(),
            neighbours: &|_| BTreeSet::new(),
        };
        let situation = Situation {
            now,
            phase: None,
            churn: &BTreeMap::new(),
            emphasis: Emphasis::Relevance,
        };
        let plan = planned("how do we deploy");
        let ranking = rank(
            &plan,
            found,
            READER,
            Purpose::Search {
                stale: Stale::Hidden,
            },
            &situation,
        );
        let ids: Vec<MemoryId> = ranking
            .candidates
            .iter()
            .map(|candidate| candidate.memory.id)
            .collect();
        assert_eq!(ids, wanted);
        assert_eq!(ranking.left_out[0].id, kept_back);
        assert_eq!(ranking.left_out[0].why.to_string(), "stale: flag is gone");
    }

    #[test]
    fn an_empty_store_answers_kindly() {
        let found = Found {
            lanes: &[],
            memories: Vec::new(),
            vectors: &BTreeMap::new(),
            surrounding: &Surrounding::default(),
            neighbours: &|_| BTreeSet::new(),
        };
        let now = jiff::Timestamp::UNIX_EPOCH;
        let situation = Situation {
            now,
            phase: None,
            churn: &BTreeMap::new(),
            emphasis: Emphasis::Usefulness,
        };
        let plan = planned("\0\" OR 1 * NEAR(");
        assert_eq!(
            rank(
                &plan,
                found,
                READER,
                Purpose::Search {
                    stale: Stale::Shown
                },
                &situation
            ),
            Ranking::default()
        );
    }
}
