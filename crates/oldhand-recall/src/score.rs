//! From relevant to worth saying: the phase of work, who said it, how fresh and how proven it is, how sure we are now.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, MemoryType};
use oldhand_domain::vocabulary::Phase;

use crate::calibration::{chance, log_odds};
use crate::candidate::{Candidate, points, sort};
use crate::phase;

/// What is known about the moment of asking.
#[derive(Clone, Debug)]
pub struct Situation<'a> {
    pub now: Timestamp,
    pub phase: Option<Phase>,
    /// Changes in the last 30 days, per file. Knowledge about files that change often ages faster.
    pub churn: &'a BTreeMap<ProjectPath, f64>,
    pub emphasis: Emphasis,
}

/// How much usefulness may move what relevance ordered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Emphasis {
    /// A question was asked: the answer to it comes first, and an old answer is still the answer.
    Relevance,
    /// Something is volunteered: it must be worth the tokens.
    Usefulness,
}

impl Emphasis {
    /// The power that usefulness is raised to.
    const fn power(self) -> f64 {
        match self {
            Self::Relevance => 0.05,
            Self::Usefulness => 1.0,
        }
    }
}

/// The factors that relevance is multiplied with, each around 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usefulness {
    pub recency: f64,
    pub frequency: f64,
    /// What its type counts for in the phase of work, where that is known.
    pub phase: f64,
    /// What its type counts for where no phase is known.
    pub binding: f64,
    pub trust: f64,
    /// What is left of it now.
    pub confidence: f64,
    /// What it was before it aged.
    pub once: f64,
    pub emphasis: Emphasis,
    pub pinned: bool,
    /// All of it, after emphasis.
    pub factor: f64,
}

impl fmt::Display for Usefulness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.emphasis {
            Emphasis::Relevance => write!(f, "usefulness {:+.1} (", points(self.log_odds()))?,
            Emphasis::Usefulness => write!(f, "usefulness × {:.2} (", self.factor)?,
        }
        if self.pinned {
            f.write_str("pinned, ")?;
        }
        let (by, weight) = if self.binding > 1.0 {
            ("type", self.binding)
        } else {
            ("phase", self.phase)
        };
        write!(
            f,
            "recency {:.2}, use {:.2}, {by} {weight:.1}, trust {:.2}, confidence {:.2}",
            self.recency, self.frequency, self.trust, self.confidence
        )?;
        if self.once - self.confidence >= 0.01 {
            write!(f, ", once {:.2}", self.once)?;
        }
        f.write_str(match self.emphasis {
            Emphasis::Relevance => "; in a search it only breaks ties)",
            Emphasis::Usefulness => ")",
        })
    }
}

impl Usefulness {
    /// What it adds to a search's answer, as log-odds: by so much relevance has to differ so that it decides nothing.
    pub(crate) fn log_odds(&self) -> f64 {
        self.factor.ln()
    }
}

/// Multiplies what is volunteered with its usefulness, moves an answer of a search by a little, and orders anew.
pub fn score(candidates: &mut [Candidate], situation: &Situation<'_>) {
    for candidate in candidates.iter_mut() {
        let usefulness = usefulness(&candidate.memory, situation);
        candidate.score = match situation.emphasis {
            Emphasis::Relevance => chance(log_odds(candidate.score) + usefulness.log_odds()),
            Emphasis::Usefulness => candidate.score * usefulness.factor,
        };
        candidate.because.usefulness = Some(usefulness);
    }
    sort(candidates);
}

fn usefulness(memory: &Memory, situation: &Situation<'_>) -> Usefulness {
    let recency = recency(memory, situation);
    let frequency = (memory.usage.access_count as f64).ln_1p() / 100_f64.ln_1p();
    let frequency = frequency.min(1.0);
    let (phase, binding) = match (situation.phase, situation.emphasis) {
        (Some(phase), _) => (phase::weight(phase, &memory.memory_type()), 1.0),
        (None, Emphasis::Usefulness) if binds(&memory.memory_type()) => (1.0, BINDING),
        (None, _) => (1.0, 1.0),
    };
    let trust = memory.source.trust();
    let confidence = memory.confidence_now(situation.now).get();
    let worth = (0.6 + 0.25 * recency + 0.15 * frequency) * phase * binding * trust * confidence;
    // Even a confidence of nothing must not turn an exact answer into none when someone asks for it.
    let factor = worth.max(1e-3).powf(situation.emphasis.power());
    Usefulness {
        recency,
        frequency,
        phase,
        binding,
        trust,
        confidence,
        once: memory.confidence.get(),
        emphasis: situation.emphasis,
        pinned: memory.pinned,
        factor,
    }
}

/// What must be done or left counts so much more than an aside that is as likely: in tasks of real projects it was so much oftener what should be
/// heard (`docs/benchmarks/calibration.md`).
const BINDING: f64 = 1.2;

fn binds(memory_type: &MemoryType) -> bool {
    use BuiltInType as T;
    let binding = [T::Requirement, T::Gotcha, T::DeadEnd, T::ErrorPattern];
    binding
        .iter()
        .any(|known| MemoryType::BuiltIn(*known) == *memory_type)
}

/// 1 when just used, falling by days; faster where the files change often. Pinned memories do not age.
fn recency(memory: &Memory, situation: &Situation<'_>) -> f64 {
    const STILL_DAYS: f64 = 90.0;
    const FASTEST_DAYS: f64 = 7.0;
    if memory.pinned {
        return 1.0;
    }
    let seconds = situation
        .now
        .duration_since(memory.usage.last_accessed_at)
        .as_secs_f64();
    let days = (seconds / 86_400.0).max(0.0);
    let changes = memory
        .files
        .iter()
        .filter_map(|file| situation.churn.get(file))
        .copied()
        .fold(0.0, f64::max);
    let span = (STILL_DAYS / (1.0 + changes)).max(FASTEST_DAYS);
    (-days / span).exp()
}

/// How lately a memory came about: 1 just now, half of it for each week.
pub fn recent(memory: &Memory, now: Timestamp) -> f64 {
    const HALF_DAYS: f64 = 7.0;
    let days = now.duration_since(memory.created_at).as_secs_f64() / 86_400.0;
    0.5_f64.powf(days.max(0.0) / HALF_DAYS)
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;
    use oldhand_domain::confidence::Confidence;
    use oldhand_domain::payload::{BuiltInType, Payload};
    use oldhand_domain::vocabulary::Source;

    use super::*;
    use crate::candidate::tests::{candidates, order};

    fn scored(
        change: impl FnOnce(&mut [Candidate]),
        phase: Option<Phase>,
        emphasis: Emphasis,
    ) -> Vec<Candidate> {
        let mut all = candidates(&[0.5, 0.5]);
        let now = all[0].memory.created_at + 24.hours();
        for candidate in &mut all {
            candidate.memory.usage.last_accessed_at = now;
        }
        change(&mut all);
        let churn = BTreeMap::from([(ProjectPath::new("hot.rs").unwrap(), 20.0)]);
        score(
            &mut all,
            &Situation {
                now,
                phase,
                churn: &churn,
                emphasis,
            },
        );
        all
    }

    fn first(change: impl FnOnce(&mut [Candidate]), phase: Option<Phase>) -> usize {
        order(&scored(change, phase, Emphasis::Usefulness))[0]
    }

    #[test]
    fn the_phase_prefers_its_kinds() {
        let recipe = |all: &mut [Candidate]| {
            all[1].memory.payload = Payload::Plain(BuiltInType::TaskCalibration.into());
        };
        assert_eq!(first(recipe, Some(Phase::Define)), 2);
        assert_eq!(first(recipe, Some(Phase::Implement)), 1);
    }

    #[test]
    fn what_a_type_counts_for_without_a_phase_is_not_called_a_phase() {
        let said = |phase| {
            let all = scored(|_| (), phase, Emphasis::Usefulness);
            let usefulness = all[0].because.usefulness;
            usefulness.map_or_else(String::new, |usefulness| usefulness.to_string())
        };
        let (unknown, known) = (said(None), said(Some(Phase::Implement)));
        assert!(unknown.contains("type 1.2") && !unknown.contains("phase"));
        assert!(known.contains("phase") && !known.contains("type"));
    }

    #[test]
    fn a_person_is_trusted_more_than_an_inference() {
        assert_eq!(
            first(|all| all[0].memory.source = Source::ObserverInferred, None),
            2
        );
    }

    #[test]
    fn what_was_used_lately_and_often_comes_first() {
        assert_eq!(
            first(
                |all| all[0].memory.usage.last_accessed_at -= 240.hours(),
                None
            ),
            2
        );
        assert_eq!(first(|all| all[1].memory.usage.access_count = 9, None), 2);
    }

    #[test]
    fn knowledge_about_busy_files_ages_faster() {
        let change = |all: &mut [Candidate]| {
            for (candidate, file) in all.iter_mut().zip(["hot.rs", "cold.rs"]) {
                candidate
                    .memory
                    .files
                    .insert(ProjectPath::new(file).unwrap());
                candidate.memory.usage.last_accessed_at -= 120.hours();
            }
        };
        assert_eq!(first(change, None), 2);
    }

    #[test]
    fn pinned_does_not_age() {
        let change = |all: &mut [Candidate]| {
            all[0].memory.usage.last_accessed_at -= 24_000.hours();
            all[0].memory.pinned = true;
        };
        let all = scored(change, None, Emphasis::Usefulness);
        assert!(
            all.iter()
                .all(|candidate| candidate.because.usefulness.unwrap().recency > 0.99)
        );
    }

    #[test]
    fn an_old_answer_is_still_the_answer_to_a_question() {
        let change = |all: &mut [Candidate]| {
            all[0].score = 0.6;
            all[0].memory.usage.last_accessed_at -= 4_800.hours();
            all[0].memory.confidence = Confidence::clamped(0.5);
        };
        assert_eq!(order(&scored(change, None, Emphasis::Relevance))[0], 1);
        assert_eq!(order(&scored(change, None, Emphasis::Usefulness))[0], 2);
    }
}
