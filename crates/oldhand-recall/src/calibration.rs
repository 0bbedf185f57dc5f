//! What the numbers of a search mean, model by model: cosines of one are not those of another.
//!
//! Fitted by `cargo xtask bench calibration DATA` (`docs/benchmarks/calibration.md`) on questions about talk and on tasks in real projects, of
//! which it is known what answers them, and on ones that nothing there answers.

use std::fmt;

use crate::plan::DEPTH;

/// How far the scores and cosines of one model are to be believed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// What each thing that is known of an answer counts for, in the order of [`Met::weigh`], as log-odds.
    pub relevance: [f64; 6],
    /// How near chance brings the nearest of two memories, and how much nearer with each doubling of them.
    pub chance: [f64; 2],
}

/// What a question met with: how good its best answer looks, and among how many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met {
    /// What the lanes say of the best.
    pub lanes: f64,
    /// The cosine of the nearest.
    pub nearest: f64,
    /// How near the words of the question are to words of the best, from 0 to 1.
    pub near: f64,
    /// How many words of the question say something.
    pub words: usize,
    /// How many memories there are.
    pub memories: usize,
}

/// A question of one word is met by whatever has it. Each is judged as if it had so many words more that nothing meets.
const UNMET: f64 = 2.0;

/// What each doubling of the memories costs beyond [`DEPTH`], where lanes show no more of them. Fitted freely it would cost half a point, since
/// more strangers are more often nearest, and the right memory would fall silent for the mere number of others; so little keeps foreign tasks
/// unanswered in stores of ten thousand.
pub const CROWD: f64 = -0.1;

impl Met {
    /// What is known of an answer that stands so far behind the best: the numbers that are fitted.
    pub fn weigh(&self, behind: f64) -> [f64; 6] {
        let words = self.words as f64;
        [
            self.lanes,
            self.nearest,
            self.near * words / (words + UNMET),
            (self.memories.clamp(2, DEPTH) as f64).log2(),
            behind,
            1.0,
        ]
    }

    /// How often the memories double beyond what lanes show of them.
    pub fn crowd(&self) -> f64 {
        (self.memories.max(DEPTH) as f64 / DEPTH as f64).log2()
    }
}

/// What speaks for an answer and against it, as log-odds: their sum is how likely it is what was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Likelihood {
    /// How far the best answer stands out of the lanes.
    pub stands_out: f64,
    /// How near the nearest memory is.
    pub nearest: f64,
    /// How many words of the question the best answer meets, and how nearly.
    pub words_met: f64,
    /// How many memories there are to stand out of.
    pub memories: f64,
    /// How far it is behind the best.
    pub behind: f64,
    /// What every answer starts at.
    pub start: f64,
}

impl Likelihood {
    /// The chance that it is what was asked for: 0.3 means that three in ten such answers were right.
    pub fn chance(&self) -> f64 {
        let Self {
            stands_out,
            nearest,
            words_met,
            memories,
            behind,
            start,
        } = self;
        let sum = stands_out + nearest + words_met + memories + behind + start;
        1.0 / (1.0 + (-sum).exp())
    }
}

impl fmt::Display for Likelihood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the best stands out {:+.1}, nearest {:+.1}, words met {:+.1}, number of memories {:+.1}",
            self.stands_out, self.nearest, self.words_met, self.memories
        )?;
        if self.behind < -0.05 {
            write!(f, ", behind the best {:+.1}", self.behind)?;
        }
        write!(f, ", start {:+.1}", self.start)
    }
}

/// What is fitted, by the name of the model.
const FITTED: [(&str, Calibration); 2] = [
    (
        "static-384-2",
        Calibration {
            relevance: [0.52, 5.2, 5.6, -0.36, -0.34, -5.4],
            chance: [0.20, 0.012],
        },
    ),
    (
        "static-256-2",
        Calibration {
            relevance: [0.53, 4.8, 6.1, -0.36, -0.35, -5.5],
            chance: [0.16, 0.015],
        },
    ),
];

impl Calibration {
    /// That of a model, or of the first one for a model that nobody has fitted.
    pub fn of(model: &str) -> Self {
        let fitted = FITTED.iter().find(|(name, _)| *name == model);
        fitted.unwrap_or(&FITTED[0]).1
    }

    /// What speaks for an answer that stands so far behind the best.
    pub fn likelihood(&self, met: &Met, behind: f64) -> Likelihood {
        let mut terms = met.weigh(behind);
        for (term, weight) in terms.iter_mut().zip(self.relevance) {
            *term *= weight;
        }
        let [stands_out, nearest, words_met, memories, behind, start] = terms;
        Likelihood {
            stands_out,
            nearest,
            words_met,
            memories: memories + CROWD * met.crowd(),
            behind,
            start,
        }
    }

    /// The chance that such an answer is what was asked for.
    pub fn relevance(&self, met: &Met, behind: f64) -> f64 {
        self.likelihood(met, behind).chance()
    }

    /// How near the nearest of so many memories comes to nonsense, but for one time in four.
    pub fn by_chance(&self, memories: usize) -> f64 {
        let [start, doubling] = self.chance;
        start + doubling * (memories.max(2) as f64).log2()
    }
}

#[cfg(test)]
mod tests {
    use oldhand_embed::MODELS;

    use super::*;
    use crate::candidate::BAR;

    #[test]
    fn every_model_of_the_binary_is_fitted() {
        for model in MODELS {
            let name = model.model();
            assert!(
                FITTED.iter().any(|(fitted, _)| *fitted == name),
                "`cargo xtask bench calibration` fits {name}"
            );
        }
    }

    const MET: Met = Met {
        lanes: 6.0,
        nearest: 0.6,
        near: 0.7,
        words: 4,
        memories: 200,
    };

    #[test]
    fn what_fits_is_said_and_what_stands_far_behind_it_is_not() {
        for (name, calibration) in FITTED {
            assert!(calibration.relevance(&MET, 0.0) > BAR, "{name}");
            assert!(calibration.relevance(&MET, 12.0) < BAR, "{name}");
        }
    }

    #[test]
    fn one_word_that_a_memory_happens_to_have_is_no_answer() {
        let time = Met {
            nearest: 0.2,
            near: 1.0,
            words: 1,
            ..MET
        };
        for (name, calibration) in FITTED {
            assert!(calibration.relevance(&time, 0.0) < BAR, "{name}");
        }
    }

    #[test]
    fn a_single_memory_can_be_the_answer() {
        let only = Met {
            lanes: 5.0,
            nearest: 0.4,
            near: 0.6,
            words: 3,
            memories: 1,
        };
        for (name, calibration) in FITTED {
            assert!(calibration.relevance(&only, 0.0) > BAR, "{name}");
        }
    }

    #[test]
    fn the_number_of_memories_alone_silences_nothing() {
        for (name, calibration) in FITTED {
            let among = |memories| calibration.relevance(&Met { memories, ..MET }, 0.0);
            assert!(among(20_000) > BAR, "{name}");
            assert!(among(100) - among(1_600) < 0.1, "{name}");
        }
    }

    #[test]
    fn more_memories_come_nearer_by_chance() {
        for (name, calibration) in FITTED {
            assert!(
                calibration.by_chance(10_000) > calibration.by_chance(10),
                "{name}"
            );
        }
    }
}
