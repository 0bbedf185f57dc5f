//! A memory on its way to an answer, with everything that speaks for it.

mod judged;
mod place;
mod said;

use std::fmt;

use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use rustc_hash::FxHashMap;

use crate::act::{Told, told_in};
use crate::beside::Beside;
use crate::boost::Boost;
use crate::calibration::{Likelihood, Met, Own, ToldAct, chance, log_odds};
use crate::chain::Chained;
use crate::diversify::Crowded;
use crate::fuse::{Fused, LanePart};
use crate::lane::Lane;
use crate::plan::{Day, Plan, QueryType, Time};
use crate::reread::Reading;
use crate::score::Usefulness;

pub use self::judged::{BAR, Judged, UNMEASURED, may_speak, stands_out};
pub(crate) use self::place::points;
pub use self::place::{Added, Outranked, lead_with_command, lead_with_named, say_order};

#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub memory: Memory,
    /// What candidates are ordered by: relevance until it is scored, then relevance and usefulness together.
    pub score: f64,
    pub because: Because,
}

impl Candidate {
    /// What is known of it by itself, where the best has this score.
    pub fn own(&self, best: f64) -> Own {
        let dense = self.because.lanes.iter();
        let cosines = dense.filter(|part| part.lane == Lane::Dense);
        let reading = self.because.reading;
        Own {
            cosine: cosines.map(|part| part.score).fold(0.0, f64::max),
            near: reading.map_or(0.0, |reading| reading.near),
            together: reading.map_or(0.0, |reading| reading.together),
            behind: best - self.because.fused,
        }
    }
}

/// Why something is where it is in an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Because {
    pub query_type: QueryType,
    pub judged: Judged,
    /// The day that a question counts back to that asks for nothing else.
    pub day: Option<Day>,
    pub lanes: Vec<LanePart>,
    /// The words of the question that it has, once somebody looks for them with [`Candidate::find_words`].
    pub words: Vec<String>,
    /// The lanes joined, and the lift of a close reading; comparable within one question.
    pub fused: f64,
    /// What every memory starts at that the lanes found, before they add to it.
    pub start: f64,
    pub reading: Option<Reading>,
    /// What it has to do with the files at hand.
    pub beside: Option<Beside>,
    /// What it has before all that is about no file which is named, in points.
    pub named: f64,
    /// The estimated chance that this is what was asked for; comparable across questions. Nothing unless it was judged by it.
    pub relevance: f64,
    /// What that chance is made of, where it was estimated.
    pub likelihood: Option<Likelihood>,
    pub boost: Option<Boost>,
    pub usefulness: Option<Usefulness>,
    pub crowded: Option<Crowded>,
    pub chained: Option<Chained>,
    /// The less likely answer behind which it stands, once somebody asks with [`say_order`].
    pub outranked: Option<Outranked>,
}

impl Because {
    /// Its place by age, from 1, where age alone was asked for: how likely it is what was asked for is no question then.
    pub fn newest(&self) -> Option<usize> {
        let is_by_age = self.judged == Judged::ByAge;
        let mut lanes = self.lanes.iter().filter(|_| is_by_age);
        let by_age = lanes.find(|part| part.lane == Lane::Recent);
        by_age.map(|part| part.rank)
    }

    /// What it is called where age alone was asked for: the newest of a day is not the newest.
    pub fn say_age(&self) -> Option<String> {
        Some(match (self.newest()?, self.day) {
            (_, Some(day @ Day::Of(_))) => format!("of {day}"),
            (_, Some(day)) => format!("around {day}"),
            (1, None) => "the newest".to_owned(),
            (rank, None) => format!("the {} newest", place(rank)),
        })
    }
}

/// Memories in the order the lanes put them. What the lanes found and `memories` does not hold is left out.
pub fn gather(fused: &[Fused<MemoryId>], memories: Vec<Memory>, plan: &Plan) -> Vec<Candidate> {
    let memories = memories.into_iter().map(|memory| (memory.id, memory));
    let mut memories: FxHashMap<MemoryId, Memory> = memories.collect();
    let day = match plan.time {
        Time::Around(day) if plan.wants_newest() => Some(day),
        _ => None,
    };
    let candidate = |item: &Fused<MemoryId>| {
        let memory = memories.remove(&item.key)?;
        let because = Because {
            query_type: plan.query_type,
            judged: Judged::by(plan),
            day,
            lanes: item.lanes.clone(),
            words: Vec::new(),
            fused: item.score,
            start: item.start,
            reading: None,
            beside: None,
            named: 0.0,
            relevance: 0.0,
            likelihood: None,
            boost: None,
            usefulness: None,
            crowded: None,
            chained: None,
            outranked: None,
        };
        Some(Candidate {
            memory,
            score: item.score,
            because,
        })
    };
    fused.iter().filter_map(candidate).collect()
}

/// How fast an answer counts for less behind the best, as log-odds: what was fitted before each was judged by itself.
pub(crate) const BEHIND: f64 = 0.34;

/// Says of each how likely it is what was asked for. Candidates are in order, and stay in it, but for what
/// tells the command that is asked for: how likely one is by itself says when to speak of it, how far it is behind the best where it stands.
pub fn judge(candidates: &mut [Candidate], plan: &Plan, memories: usize) {
    let Some(best) = candidates.first() else {
        return;
    };
    let fused = best.because.fused;
    let Some(calibration) = plan.calibration else {
        for candidate in candidates {
            candidate.score = chance(BEHIND * (candidate.because.fused - fused));
        }
        return;
    };
    let lift = best.because.reading.map_or(0.0, |reading| reading.lift);
    let met = Met {
        lanes: fused - lift,
        words: plan.words.len(),
        memories,
    };
    let judge = |candidate: &Candidate| calibration.likelihood(&met, &candidate.own(fused));
    let first = judge(best).sum();
    for candidate in candidates.iter_mut() {
        let likelihood = judge(candidate);
        candidate.because.relevance = likelihood.chance();
        candidate.because.likelihood = Some(likelihood);
        let behind = fused - candidate.because.fused;
        candidate.score = chance(first - BEHIND * behind);
    }
    hear_acts(candidates, plan);
}

/// How many are heard for the command that they tell: more would say the same.
const HEARD: usize = 3;

/// What tells the command for the very act that is asked for is likelier than its words say, and comes earlier; the plainest command most.
fn hear_acts(candidates: &mut [Candidate], plan: &Plan) {
    if plan.acts.is_empty() {
        return;
    }
    let told = |candidate: &Candidate| told_in(candidate.memory.content.as_str(), &plan.acts);
    let mut telling: Vec<(&mut Candidate, Told)> = candidates
        .iter_mut()
        .filter_map(|candidate| told(candidate).map(|told| (candidate, told)))
        .collect();
    let known: Vec<Told> = telling.iter().map(|(_, told)| told.clone()).collect();
    for (candidate, told) in &mut telling {
        let more = known.iter().map(|other| told.more_than(other)).max();
        if let Some(likelihood) = &mut candidate.because.likelihood {
            likelihood.act = Some(ToldAct::new(told.act, more.unwrap_or_default()));
        }
    }
    let likely = |candidate: &Candidate| {
        let likelihood = candidate.because.likelihood;
        likelihood.map_or(0.0, |likelihood| likelihood.sum())
    };
    telling.sort_by(|(a, _), (b, _)| likely(b).total_cmp(&likely(a)));
    for (at, (candidate, _)) in telling.into_iter().enumerate() {
        let because = &mut candidate.because;
        let Some(likelihood) = &mut because.likelihood else {
            continue;
        };
        if at < HEARD {
            because.relevance = likelihood.chance();
            candidate.score = chance(log_odds(candidate.score) + likelihood.tells_act());
        } else {
            likelihood.act = None;
        }
    }
    candidates.sort_by(|left, right| right.score.total_cmp(&left.score));
}

/// The cosine of the nearest item. A question that is near nothing has no answer here, however the lanes rank it.
pub fn nearest<K>(fused: &[Fused<K>]) -> f64 {
    let cosines = fused
        .iter()
        .flat_map(|item| &item.lanes)
        .filter(|part| part.lane == Lane::Dense);
    cosines.map(|part| part.score).fold(0.0, f64::max)
}

/// One line for a person: `41 % likely: the best stands out +3.1, … · ranked 3.4: every memory starts at -1.1, by meaning +1.4 (3rd, cosine 0.62), by words +3.1 (1st: deploy) · …`.
impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(age) = self.say_age() {
            return f.write_str(&age);
        }
        let likely = self.relevance * 100.0;
        // What is told for the sake of a file is not told for its words.
        match &self.beside {
            _ if self.judged == Judged::Unmeasured => f.write_str(UNMEASURED)?,
            Some(beside) if self.relevance < BAR => {
                write!(f, "{beside} · by its words {likely:.0} % likely")?;
            }
            _ => write!(f, "{likely:.0} % likely")?,
        }
        if let Some(likelihood) = &self.likelihood {
            write!(f, ": {likelihood}")?;
        }
        self.say_place(f)?;
        for part in [
            self.crowded.as_ref().map(ToString::to_string),
            self.chained.as_ref().map(ToString::to_string),
            self.outranked.as_ref().map(ToString::to_string),
        ] {
            if let Some(part) = part.filter(|part| !part.is_empty()) {
                write!(f, " · {part}")?;
            }
        }
        Ok(())
    }
}

/// What a lane added to the whole, and the place it gave; the bracket stays open.
pub fn say_lane(f: &mut impl fmt::Write, part: &LanePart) -> fmt::Result {
    let by = name_of(part.lane);
    write!(f, "{by} {:+.1} ({}", part.part, place(part.rank))
}

const fn name_of(lane: Lane) -> &'static str {
    match lane {
        Lane::Dense => "by meaning",
        Lane::Text => "by words",
        Lane::Graph => "by the files at hand",
        Lane::Recent => "by age",
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
    use oldhand_embed::StaticEmbedder;
    use oldhand_testkit::memory;

    use super::*;
    use crate::fuse::{Method, fuse};
    use crate::lane::Ranked;
    use crate::plan::{RecentWork, plan};

    /// How to look for it with the model that is used unless another is chosen.
    pub(crate) fn planned(question: &str) -> Plan {
        plan(question, RecentWork::Ordinary).for_model(StaticEmbedder::MODEL)
    }

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
                judged: Judged::ByRelevance,
                day: None,
                lanes: Vec::new(),
                words: Vec::new(),
                fused: relevance,
                start: 0.0,
                reading: None,
                beside: None,
                named: 0.0,
                relevance,
                likelihood: None,
                boost: None,
                usefulness: None,
                crowded: None,
                chained: None,
                outranked: None,
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
        let plan = planned("how do we deploy");
        let lanes = [
            Ranked::new(Lane::Text, [(found.id, 7.1), (other.id, 1.0)]),
            Ranked::new(Lane::Dense, [(found.id, 0.62), (other.id, 0.1)]),
        ];
        let fused = fuse(&lanes, &plan, Method::Standardised);
        let mut gathered = gather(&fused, vec![found, other], &plan);
        judge(&mut gathered, &plan, 2);
        gathered[0].find_words(&plan);
        insta::assert_snapshot!(gathered[0].because, @"81 % likely: the best stands out +2.6, near in meaning +4.6, words met +0.0, number of memories -0.4, start -5.3 · ranked 5.7: every memory starts at -0.7, by meaning +1.2 (1st, cosine 0.62), by words +5.2 (1st: deploy)");
        let likelihood = gathered[1].because.likelihood.unwrap();
        let relevance = gathered[1].because.relevance;
        let odds = (relevance / (1.0 - relevance)).ln();
        let (sum, behind) = (likelihood.sum(), likelihood.behind);
        assert!(
            (odds - sum).abs() < 1e-9 && behind < 0.0,
            "what is shown adds up"
        );
    }

    #[test]
    fn places_are_spelled_as_people_say_them() {
        let spelled = [1, 2, 3, 4, 11, 12, 13, 21, 102].map(place);
        assert_eq!(
            spelled.join(" "),
            "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd"
        );
    }

    #[test]
    fn of_the_commands_for_an_act_the_plainest_comes_first() {
        let texts = [
            "`make test-unit` runs the unit tests.",
            "`make test-docs` runs the tests of the docs.",
            "Tests are named after what they say.",
            "`make -C web test` runs the tests of the web.",
            "`make test`: everything.",
            "Colours of charts follow the theme.",
        ];
        let plan = planned("run the tests");
        let memories: Vec<Memory> = (1..)
            .zip(texts)
            .map(|(number, text)| memory(number, BuiltInType::Pattern, text))
            .collect();
        let near = memories.iter().zip([0.44, 0.43, 0.42, 0.41, 0.4, 0.1]);
        let near = near.map(|(memory, near)| (memory.id, near));
        let lanes = [Ranked::new(Lane::Dense, near)];
        let fused = fuse(&lanes, &plan, Method::Standardised);
        let mut found = gather(&fused, memories, &plan);
        judge(&mut found, &plan, 50);
        let said: Vec<&str> = found
            .iter()
            .map(|one| one.memory.content.as_str())
            .collect();
        assert_eq!(said[0], texts[4], "{said:?}");
        assert!(
            found.is_sorted_by(|a, b| a.because.relevance >= b.because.relevance
                || b.because.likelihood.is_some_and(|of| of.act.is_none()))
        );
        let heard = found
            .iter()
            .filter(|one| one.because.likelihood.is_some_and(|of| of.act.is_some()));
        assert_eq!(heard.count(), HEARD);
    }

    #[test]
    fn what_tells_the_command_for_the_act_that_is_asked_for_is_said_in_whichever_words() {
        let texts = [
            "Run `vp check` and `vp test` to lint, type check and test.",
            "Colours of charts follow the theme.",
        ];
        let likely = |task: &str| -> Vec<f64> {
            let plan = planned(task);
            let memories = (1..)
                .zip(texts)
                .map(|(number, text)| memory(number, BuiltInType::Pattern, text));
            let memories: Vec<Memory> = memories.collect();
            let near = memories.iter().map(|memory| (memory.id, 0.2));
            let lanes = [Ranked::new(Lane::Dense, near)];
            let fused = fuse(&lanes, &plan, Method::Standardised);
            let mut found = gather(&fused, memories.clone(), &plan);
            judge(&mut found, &plan, 50);
            found.sort_by_key(|candidate| candidate.memory.id);
            found
                .iter()
                .map(|candidate| candidate.because.relevance)
                .collect()
        };
        let [command, colours] = likely("how do I validate my changes")[..] else {
            panic!("both are found")
        };
        let [unasked, _] = likely("validate the colours of a chart")[..] else {
            panic!("both are found")
        };
        assert!(command > 5.0 * colours && command > 5.0 * unasked);
    }

    #[test]
    fn a_command_beside_the_word_counts_for_less_also_where_no_other_is_told() {
        let lift = |text: &str| {
            let plan = planned("run the tests");
            let found = memory(1, BuiltInType::Pattern, text);
            let lanes = [Ranked::new(Lane::Dense, [(found.id, 0.4)])];
            let fused = fuse(&lanes, &plan, Method::Standardised);
            let mut found = gather(&fused, vec![found], &plan);
            judge(&mut found, &plan, 50);
            let likelihood = found[0].because.likelihood.unwrap();
            likelihood.act.map(|_| likelihood.tells_act())
        };
        assert_eq!(lift("Tests are run by `make all`."), Some(2.0));
        assert_eq!(lift("Tests: `make test`."), Some(3.0));
        let flaky = "Tests of the parser are flaky, see `git log -3`.";
        assert_eq!(lift(flaky), None);
    }
}
