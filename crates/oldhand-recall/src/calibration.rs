//! What the numbers of a search mean, model by model: cosines of one are not those of another.
//!
//! Fitted by `cargo xtask bench calibration DATA` (`docs/benchmarks/calibration.md`) on questions about talk and on tasks in real projects, of
//! which it is known what answers them, and on ones that nothing there answers.

use std::fmt;

use crate::act::Act;

/// How far the scores and cosines of one model are to be believed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// What each thing that is known of an answer counts for, in the order of [`Met::weigh`], as log-odds.
    pub relevance: [f64; KNOWN],
    /// How near chance brings the nearest of two memories, and how much nearer with each doubling of them.
    pub chance: [f64; 2],
}

/// What a question met with, whichever answer is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met {
    /// What the lanes say of the best.
    pub lanes: f64,
    /// How many words of the question say something.
    pub words: usize,
    /// How many memories there are.
    pub memories: usize,
}

/// What is known of one answer by itself. None of it changes because other memories are there, so that a right one is not silenced by their
/// number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Own {
    /// Its cosine.
    pub cosine: f64,
    /// How near the words of the question are to words of it, from 0 to 1.
    pub near: f64,
    /// How many neighbouring words of the question are neighbours in it, from 0 to 1.
    pub together: f64,
    /// How far it stands behind the best.
    pub behind: f64,
}

/// How many things are known of an answer.
pub const KNOWN: usize = 7;

/// A question of one word is met by whatever has it. Each is judged as if it had so many words more that nothing meets.
const UNMET: f64 = 2.0;

/// Among fewer memories than these a chance likeness is rarer; more of them make no difference.
const FEW: usize = 64;

/// So many memories are as good as any number of them, but for [`CROWD`].
const MANY: f64 = 100.0;

/// What each doubling of the memories costs beyond `MANY`: the more strangers, the more often one of them says just what was asked. Chosen on
/// the projects to tune on, as little as keeps foreign tasks unanswered in stores of a thousand.
pub const CROWD: f64 = -0.15;

impl Met {
    /// What is known of an answer: the numbers that are fitted.
    pub fn weigh(&self, own: &Own) -> [f64; KNOWN] {
        let words = self.words as f64;
        [
            self.lanes,
            own.cosine,
            own.near * words / (words + UNMET),
            own.together,
            (self.memories.clamp(2, FEW) as f64).log2(),
            own.behind,
            1.0,
        ]
    }

    /// How often the memories double beyond what makes a difference otherwise.
    pub fn crowd(&self) -> f64 {
        (self.memories as f64).max(MANY).log2() - MANY.log2()
    }
}

/// What speaks for an answer and against it, as log-odds: their sum is how likely it is what was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Likelihood {
    /// How far the best answer stands out of the lanes.
    pub stands_out: f64,
    /// How near it is in meaning.
    pub near: f64,
    /// How many words of the question it meets, and how nearly.
    pub words_met: f64,
    /// How many of them stand side by side in it, too.
    pub together: f64,
    /// How many memories there are to stand out of.
    pub memories: f64,
    /// How far it is behind the best.
    pub behind: f64,
    /// What every answer starts at.
    pub start: f64,
    /// The act for which it tells the command, where a task asks for nothing else.
    pub act: Option<ToldAct>,
}

/// The act for which an answer tells the command, and what that counts for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToldAct {
    act: Act,
    lift: f64,
    /// Whether its command is the plainest one for the act.
    is_plain: bool,
    /// What brought it before all that tell no command; this says nothing of how likely it is.
    ahead: f64,
}

impl ToldAct {
    /// `more` is how many words its command says more than one of which it is a variant.
    pub(crate) fn new(act: Act, more: usize) -> Self {
        let lift = TELLS_ACT - MORE * more.min(MOST_MORE) as f64;
        Self {
            act,
            lift,
            is_plain: more == 0,
            ahead: 0.0,
        }
    }

    pub(crate) const fn is_plain(self) -> bool {
        self.is_plain
    }

    /// What it counts for in the order, as log-odds.
    pub(crate) const fn moves(self) -> f64 {
        self.lift + self.ahead
    }

    pub(crate) const fn move_by(&mut self, log_odds: f64) {
        self.ahead += log_odds;
    }
}

/// What it counts for to tell the command for the very act that is asked for. Chosen so that an answer is told which meets the task in other
/// words, and not one that has nothing else to do with it.
const TELLS_ACT: f64 = 3.0;
/// What each word costs that its command says more than a plainer one: who asks for nothing narrower wants that. More words than these cost no
/// more.
const MORE: f64 = 0.5;
const MOST_MORE: usize = 2;

impl Likelihood {
    /// All of it together.
    pub fn sum(&self) -> f64 {
        let Self {
            stands_out,
            near,
            words_met,
            together,
            memories,
            behind,
            start,
            act: _,
        } = self;
        let rest = stands_out + near + words_met + together + memories + behind + start;
        rest + self.tells_act()
    }

    /// What it counts for that it tells the command for the act that is asked for.
    pub fn tells_act(&self) -> f64 {
        self.act.map_or(0.0, |told| told.lift)
    }

    /// The chance that it is what was asked for: 0.3 means that three in ten such answers were right.
    pub fn chance(&self) -> f64 {
        chance(self.sum())
    }
}

/// The chance that log-odds stand for.
pub fn chance(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// The log-odds of a chance. What was moved ahead of something certain may have a score over 1, and is no more than certain.
pub(crate) fn log_odds(chance: f64) -> f64 {
    let chance = chance.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON);
    (chance / (1.0 - chance)).ln()
}

impl fmt::Display for Likelihood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the best stands out {:+.1}, near in meaning {:+.1}, words met {:+.1}",
            self.stands_out, self.near, self.words_met
        )?;
        if self.together > 0.05 {
            write!(f, ", side by side {:+.1}", self.together)?;
        }
        write!(f, ", number of memories {:+.1}", self.memories)?;
        if self.behind < -0.05 {
            write!(f, ", behind the best {:+.1}", self.behind)?;
        }
        write!(f, ", start {:+.1}", self.start)?;
        match self.act {
            Some(ToldAct { act, lift, .. }) => write!(f, ", tells the command to {act} {lift:+.1}"),
            None => Ok(()),
        }
    }
}

/// What is fitted, by the name of the model.
const FITTED: [(&str, Calibration); 2] = [
    (
        "static-384-2",
        Calibration {
            relevance: [0.46, 7.4, 5.6, 0.41, -0.44, -0.09, -5.3],
            chance: [0.20, 0.012],
        },
    ),
    (
        "static-256-2",
        Calibration {
            relevance: [0.45, 7.6, 5.5, 0.58, -0.44, -0.09, -5.4],
            chance: [0.16, 0.015],
        },
    ),
];

impl Calibration {
    /// That of a model. None of one that nobody has fitted: what its numbers mean is not known, and what those of another mean does not hold for it.
    pub fn of(model: &str) -> Option<Self> {
        let fitted = FITTED.iter().find(|(name, _)| *name == model);
        fitted.map(|(_, calibration)| *calibration)
    }

    /// What speaks for an answer.
    pub fn likelihood(&self, met: &Met, own: &Own) -> Likelihood {
        let mut terms = met.weigh(own);
        for (term, weight) in terms.iter_mut().zip(self.relevance) {
            *term *= weight;
        }
        let [
            stands_out,
            near,
            words_met,
            together,
            memories,
            behind,
            start,
        ] = terms;
        Likelihood {
            stands_out,
            near,
            words_met,
            together,
            memories: memories + CROWD * met.crowd(),
            behind,
            start,
            act: None,
        }
    }

    /// The chance that such an answer is what was asked for.
    pub fn relevance(&self, met: &Met, own: &Own) -> f64 {
        self.likelihood(met, own).chance()
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
                Calibration::of(name).is_some(),
                "`cargo xtask bench calibration` fits {name}"
            );
        }
        assert_eq!(Calibration::of("a model that nobody has fitted"), None);
    }

    #[test]
    fn what_is_more_than_certain_has_odds_too() {
        for score in [-0.1, 0.0, 0.5, 1.0, 1.0 + f64::EPSILON, 1.3] {
            let moved = chance(log_odds(score) + 0.5);
            assert!((0.0..=1.0).contains(&moved), "{score}: {moved}");
        }
    }

    const MET: Met = Met {
        lanes: 6.0,
        words: 4,
        memories: 200,
    };
    const OWN: Own = Own {
        cosine: 0.6,
        near: 0.7,
        together: 0.0,
        behind: 0.0,
    };

    #[test]
    fn what_fits_is_said_and_what_fits_less_well_behind_it_is_not() {
        let behind = Own {
            cosine: 0.35,
            near: 0.4,
            behind: 12.0,
            ..OWN
        };
        for (name, calibration) in FITTED {
            assert!(calibration.relevance(&MET, &OWN) > BAR, "{name}");
            assert!(calibration.relevance(&MET, &behind) < BAR, "{name}");
        }
    }

    #[test]
    fn one_word_that_a_memory_happens_to_have_is_no_answer() {
        let time = Met { words: 1, ..MET };
        let own = Own {
            cosine: 0.2,
            near: 1.0,
            ..OWN
        };
        for (name, calibration) in FITTED {
            assert!(calibration.relevance(&time, &own) < BAR, "{name}");
        }
    }

    #[test]
    fn a_single_memory_can_be_the_answer() {
        let only = Met {
            lanes: 5.0,
            words: 3,
            memories: 1,
        };
        let own = Own {
            cosine: 0.4,
            near: 0.6,
            ..OWN
        };
        for (name, calibration) in FITTED {
            assert!(calibration.relevance(&only, &own) > BAR, "{name}");
        }
    }

    #[test]
    fn the_number_of_memories_alone_silences_nothing() {
        for (name, calibration) in FITTED {
            let among = |memories| calibration.relevance(&Met { memories, ..MET }, &OWN);
            assert!(among(20_000) > BAR, "{name}");
            assert!(among(100) - among(1_600) < 0.15, "{name}");
            assert!(among(12) - among(230) < 0.25, "{name}");
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
