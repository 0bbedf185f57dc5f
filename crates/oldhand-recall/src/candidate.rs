//! A memory on its way to an answer, with everything that speaks for it.

use std::collections::BTreeMap;
use std::fmt;

use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;

use crate::boost::Boost;
use crate::chain::Chained;
use crate::diversify::Crowded;
use crate::fuse::{Fused, LanePart};
use crate::lane::Lane;
use crate::plan::QueryType;
use crate::reread::Reading;
use crate::score::Usefulness;

#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub memory: Memory,
    /// What candidates are ordered by: relevance until it is scored, then relevance and usefulness together.
    pub score: f64,
    pub because: Because,
}

/// Why something is where it is in an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Because {
    pub query_type: QueryType,
    pub lanes: Vec<LanePart>,
    /// The lanes joined, and the lift of a close reading; comparable within one question.
    pub fused: f64,
    pub reading: Option<Reading>,
    /// The estimated chance that this is what was asked for; comparable across questions.
    pub relevance: f64,
    pub boost: Option<Boost>,
    pub usefulness: Option<Usefulness>,
    pub crowded: Option<Crowded>,
    pub chained: Option<Chained>,
}

/// Memories in the order of their relevance. What the lanes found and `memories` does not hold is left out.
pub fn gather(
    fused: &[Fused<MemoryId>],
    mut memories: BTreeMap<MemoryId, Memory>,
    query_type: QueryType,
) -> Vec<Candidate> {
    let nearest = nearest(fused);
    let candidate = |item: &Fused<MemoryId>| {
        let memory = memories.remove(&item.key)?;
        let relevance = relevance(Scale::Fused, item.score, nearest);
        let because = Because {
            query_type,
            lanes: item.lanes.clone(),
            fused: item.score,
            reading: None,
            relevance,
            boost: None,
            usefulness: None,
            crowded: None,
            chained: None,
        };
        Some(Candidate {
            memory,
            score: relevance,
            because,
        })
    };
    fused.iter().filter_map(candidate).collect()
}

/// The cosine of the nearest item. A question that is near nothing has no answer here, however the lanes rank it.
pub fn nearest<K>(fused: &[Fused<K>]) -> f64 {
    let cosines = fused
        .iter()
        .flat_map(|item| &item.lanes)
        .filter(|part| part.lane == Lane::Dense);
    cosines.map(|part| part.score).fold(0.0, f64::max)
}

/// Whether a candidate speaks for itself: it shares a word with the question, or it is nearer than chance would bring the nearest of so many
/// memories. Nonsense asked of seven thousand memories comes as near as 0.3 to one of them, of twenty-five as near as 0.2.
pub fn stands_out(candidate: &Candidate, memories: usize) -> bool {
    let near = 0.19 + 0.013 * (memories.max(2) as f64).log2();
    candidate.because.lanes.iter().any(|part| match part.lane {
        Lane::Text => true,
        Lane::Dense => part.score >= near,
        Lane::Graph | Lane::Recent => false,
    })
}

/// What a fused score was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The lanes alone.
    Fused,
    /// The lanes and a close reading.
    Read,
}

/// The chance that an item with this fused score is what was asked for, when the nearest item's cosine is `nearest`.
///
/// Fitted on questions with known answers, each asked once of its own store and once of another, where nothing answers it:
/// 0.3 means that three in ten such items were right. `docs/benchmarks/retrieval.md` has the table.
pub fn relevance(scale: Scale, fused: f64, nearest: f64) -> f64 {
    let (slope, nearness, start) = match scale {
        Scale::Fused => (0.82, 5.4, -8.8),
        Scale::Read => (0.36, 4.9, -8.1),
    };
    1.0 / (1.0 + (-(slope * fused + nearness * nearest + start)).exp())
}

/// The relevance from which something is said unasked. With it, three in a hundred questions that nothing answers are answered all
/// the same, and somewhat under half of those that have an answer are; the other half stays silent.
pub const BAR: f64 = 0.3;

/// One line for a person: `41 % likely what was asked: 1st by words (7.10 × 1.00), 3rd by meaning (0.62 × 0.60) · …`.
impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} % likely what was asked", self.relevance * 100.0)?;
        for (at, part) in self.lanes.iter().enumerate() {
            let by = match part.lane {
                Lane::Dense => "by meaning",
                Lane::Text => "by words",
                Lane::Graph => "by neighbouring files",
                Lane::Recent => "by age",
            };
            write!(
                f,
                "{} {} {by} ({:.2} × {:.2})",
                if at == 0 { ":" } else { "," },
                place(part.rank),
                part.score,
                part.weight
            )?;
        }
        for part in [
            self.reading.as_ref().map(ToString::to_string),
            self.boost.as_ref().map(ToString::to_string),
            self.usefulness.as_ref().map(ToString::to_string),
            self.crowded.as_ref().map(ToString::to_string),
            self.chained.as_ref().map(ToString::to_string),
        ] {
            if let Some(part) = part.filter(|part| !part.is_empty()) {
                write!(f, " · {part}")?;
            }
        }
        Ok(())
    }
}

fn place(rank: usize) -> String {
    let ending = match (rank % 10, rank % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{rank}{ending}")
}

/// Best first; equal scores are ordered by id, so that an answer is the same every time.
pub(crate) fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|left, right| {
        right
            .score
            .total_cmp(&left.score)
            .then_with(|| left.memory.id.cmp(&right.memory.id))
    });
}

#[cfg(test)]
pub(crate) mod tests {
    use oldhand_domain::payload::BuiltInType;
    use oldhand_testkit::memory;

    use super::*;
    use crate::fuse::{Method, fuse};
    use crate::lane::Ranked;
    use crate::plan::{RecentWork, plan};

    /// Candidates numbered from 1 with these relevances.
    pub(crate) fn candidates(relevances: &[f64]) -> Vec<Candidate> {
        let one = |(index, &relevance): (usize, &f64)| Candidate {
            memory: memory(
                index as u32 + 1,
                BuiltInType::Gotcha,
                &format!("Lesson number {index} of the day."),
            ),
            score: relevance,
            because: Because {
                query_type: QueryType::Semantic,
                lanes: Vec::new(),
                fused: relevance,
                reading: None,
                relevance,
                boost: None,
                usefulness: None,
                crowded: None,
                chained: None,
            },
        };
        relevances.iter().enumerate().map(one).collect()
    }

    /// The numbers of candidates, in their order.
    pub(crate) fn order(candidates: &[Candidate]) -> Vec<usize> {
        candidates
            .iter()
            .map(|candidate| (candidate.memory.id.uuid().as_u128() & 0xffff) as usize)
            .collect()
    }

    #[test]
    fn a_candidate_explains_itself_in_one_line() {
        let found = memory(1, BuiltInType::Gotcha, "Deploys need the staging flag.");
        let other = memory(2, BuiltInType::Gotcha, "Logs rotate daily.");
        let plan = plan("how do we deploy", RecentWork::Ordinary);
        let lanes = [
            Ranked::new(Lane::Text, [(found.id, 7.1), (other.id, 1.0)]),
            Ranked::new(Lane::Dense, [(found.id, 0.62), (other.id, 0.1)]),
        ];
        let fused = fuse(&lanes, &plan, Method::Standardised);
        let memories = [found, other]
            .into_iter()
            .map(|memory| (memory.id, memory))
            .collect();
        let gathered = gather(&fused, memories, plan.query_type);
        insta::assert_snapshot!(gathered[0].because, @"31 % likely what was asked: 1st by meaning (0.62 × 0.60), 1st by words (7.10 × 1.00)");
    }

    #[test]
    fn a_question_that_is_near_nothing_has_no_good_answer() {
        assert!(relevance(Scale::Fused, 6.0, 0.15) < BAR);
        assert!(relevance(Scale::Fused, 6.0, 0.8) > BAR);
    }

    #[test]
    fn places_are_spelled_as_people_say_them() {
        let spelled = [1, 2, 3, 4, 11, 12, 13, 21, 102].map(place);
        assert_eq!(
            spelled.join(" "),
            "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd"
        );
    }
}
