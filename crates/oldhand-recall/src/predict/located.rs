//! What the code itself says about where a task belongs, joined with what sessions and commits say.

use std::collections::BTreeMap;

use super::{Predicted, PredictionLane, Reason};

/// Whether earlier sessions say something about the project too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experience {
    /// There are none: the code is all there is to go by.
    None,
    Some,
}

impl Experience {
    /// What the first of the located files gains.
    const fn gain(self) -> f64 {
        match self {
            Self::None => 14.0,
            Self::Some => 4.0,
        }
    }
}

/// Files further behind the first than this gain nothing.
const REACH: f64 = 7.0;

/// Adds what the code says to a prediction, and orders it anew, likeliest first, at most `limit`.
pub fn with_located(
    predicted: Vec<Predicted>,
    located: &[(String, f64)],
    experience: Experience,
    limit: usize,
) -> Vec<Predicted> {
    let top = located
        .iter()
        .map(|(_, score)| *score)
        .fold(f64::NEG_INFINITY, f64::max);
    let mut gains: BTreeMap<&str, f64> = located
        .iter()
        .map(|(path, score)| {
            let share = (1.0 + (score - top) / REACH).max(0.0);
            (path.as_str(), experience.gain() * share)
        })
        .collect();
    let mut joined = predicted;
    for file in &mut joined {
        if let Some(gain) = gains.remove(file.path.as_str()) {
            add(file, gain);
        }
    }
    for (path, gain) in gains {
        let mut file = Predicted {
            path: path.to_owned(),
            score: 0.0,
            because: Vec::new(),
        };
        add(&mut file, gain);
        joined.push(file);
    }
    joined.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.path.cmp(&b.path))
    });
    joined.truncate(limit);
    joined
}

fn add(file: &mut Predicted, share: f64) {
    if share <= 0.0 {
        return;
    }
    file.score += share;
    file.because.push(Reason {
        lane: PredictionLane::Located,
        share,
    });
    file.because
        .sort_by(|a, b| b.share.total_cmp(&a.share).then(a.lane.cmp(&b.lane)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn predicted(path: &str, score: f64) -> Predicted {
        Predicted {
            path: path.to_owned(),
            score,
            because: Vec::new(),
        }
    }

    #[test]
    fn without_sessions_the_code_decides_and_with_them_it_has_a_say() {
        let located = [("b.rs".to_owned(), 5.0), ("a.rs".to_owned(), 2.0)];
        let order = |experience| {
            let known = vec![predicted("a.rs", 5.0), predicted("c.rs", 4.5)];
            with_located(known, &located, experience, 3)
                .into_iter()
                .map(|file| file.path)
                .collect::<Vec<_>>()
        };
        assert_eq!(order(Experience::None), ["b.rs", "a.rs", "c.rs"]);
        assert_eq!(order(Experience::Some), ["a.rs", "c.rs", "b.rs"]);
    }

    #[test]
    fn nothing_located_changes_nothing() {
        let known = vec![predicted("a.rs", 5.0)];
        assert_eq!(with_located(known.clone(), &[], Experience::None, 9), known);
    }
}
