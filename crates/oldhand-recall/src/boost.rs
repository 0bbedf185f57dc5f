//! What is next to the best answers in the code is likelier to matter than its words say.

use std::collections::BTreeSet;
use std::fmt;

use oldhand_domain::path::ProjectPath;

use crate::calibration::{chance, log_odds};
use crate::candidate::{Candidate, points, sort};

/// The answers whose surroundings count.
const BEST: usize = 10;
/// The last candidate that can be lifted.
const REACH: usize = 50;
/// How much a candidate gains that names as many neighbouring files as there are best answers.
const LIFT: f64 = 0.3;

/// A lift from the neighbourhood of the best answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Boost {
    /// How many of its files are next to a file of the best answers.
    pub shared: usize,
    /// Added to what it is ordered by, as log-odds.
    pub lift: f64,
}

impl fmt::Display for Boost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = if self.shared == 1 { "file" } else { "files" };
        write!(
            f,
            "{} {files} next to the best answers {:+.1}",
            self.shared,
            points(self.lift)
        )
    }
}

/// The files of the best answers: ask the code graph for what is one step from these.
pub fn best_files(candidates: &[Candidate]) -> BTreeSet<ProjectPath> {
    candidates
        .iter()
        .take(BEST)
        .flat_map(|candidate| candidate.memory.files.iter().cloned())
        .collect()
}

/// Lifts candidates below the best ones that name one of `neighbours`. Candidates must be in order, and are afterwards.
pub fn boost(candidates: &mut [Candidate], neighbours: &BTreeSet<ProjectPath>) {
    for candidate in candidates.iter_mut().take(REACH).skip(BEST) {
        let shared = candidate
            .memory
            .files
            .iter()
            .filter(|file| neighbours.contains(*file))
            .count()
            .min(BEST);
        if shared > 0 {
            // In proportion to the relevance it has: a neighbour that has nothing to do with the question stays where it is.
            let lift = (LIFT * shared as f64 / BEST as f64).ln_1p();
            candidate.score = chance(log_odds(candidate.score) + lift);
            candidate.because.boost = Some(Boost { shared, lift });
        }
    }
    sort(candidates);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::tests::{candidates, order};

    fn with_file(candidate: &mut Candidate, file: &str) {
        candidate
            .memory
            .files
            .insert(ProjectPath::new(file).unwrap());
    }

    #[test]
    fn a_neighbour_of_the_best_passes_its_equal() {
        let mut all = candidates(&[
            0.9, 0.8, 0.7, 0.6, 0.5, 0.45, 0.44, 0.43, 0.42, 0.41, 0.2, 0.2, 0.2,
        ]);
        with_file(&mut all[0], "src/a.rs");
        with_file(&mut all[12], "src/b.rs");
        assert_eq!(
            best_files(&all)
                .into_iter()
                .map(|file| file.to_string())
                .collect::<Vec<_>>(),
            ["src/a.rs"]
        );
        boost(
            &mut all,
            &BTreeSet::from([ProjectPath::new("src/b.rs").unwrap()]),
        );
        assert_eq!(order(&all)[10..], [13, 11, 12]);
        assert_eq!(
            all[10].because.boost.as_ref().unwrap().to_string(),
            "1 file next to the best answers +0.1"
        );
    }

    #[test]
    fn the_best_need_no_lift() {
        let mut all = candidates(&[0.9, 0.8]);
        with_file(&mut all[1], "src/b.rs");
        boost(
            &mut all,
            &BTreeSet::from([ProjectPath::new("src/b.rs").unwrap()]),
        );
        assert_eq!(all[1].because.boost, None);
    }
}
