//! What the numbers of a search mean, model by model: cosines of one are not those of another.
//!
//! Fitted by `cargo xtask bench calibration DATA` (`docs/benchmarks/calibration.md`) on questions with known answers, each asked once of its own
//! store and once of another, where nothing answers it.

/// How far the scores and cosines of one model are to be believed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Of the lanes alone: per point of the fused score, per point of the nearest cosine, and where it starts.
    pub fused: [f64; 3],
    /// The same of the lanes and a close reading.
    pub read: [f64; 3],
    /// How near chance brings the nearest of two memories, and how much nearer with each doubling of them.
    pub chance: [f64; 2],
}

/// What a fused score was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The lanes alone.
    Fused,
    /// The lanes and a close reading.
    Read,
}

/// What is fitted, by the name of the model.
const FITTED: [(&str, Calibration); 2] = [
    (
        "static-384-2",
        Calibration {
            fused: [0.81, 5.2, -8.6],
            read: [0.35, 4.6, -7.9],
            chance: [0.20, 0.012],
        },
    ),
    (
        "static-256-2",
        Calibration {
            fused: [0.80, 5.1, -8.5],
            read: [0.36, 4.4, -7.8],
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

    /// The chance that an item with this fused score is what was asked for, when the nearest item's cosine is `nearest`: 0.3 means that
    /// three in ten such items were right.
    pub fn relevance(&self, scale: Scale, fused: f64, nearest: f64) -> f64 {
        let [slope, nearness, start] = match scale {
            Scale::Fused => self.fused,
            Scale::Read => self.read,
        };
        1.0 / (1.0 + (-(slope * fused + nearness * nearest + start)).exp())
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

    #[test]
    fn a_question_that_is_near_nothing_has_no_good_answer() {
        for (name, calibration) in FITTED {
            for scale in [Scale::Fused, Scale::Read] {
                assert!(calibration.relevance(scale, 6.0, 0.15) < BAR, "{name}");
            }
            assert!(
                calibration.relevance(Scale::Fused, 6.0, 0.8) > BAR,
                "{name}"
            );
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
