//! Whether one statement says what another said already, in other words.

use std::collections::BTreeSet;

use oldhand_domain::words;

use crate::diversify::overlap;

/// Texts that share this much of their words say the same.
const SAME: f64 = 0.7;
/// So much of what a statement speaks of has to be in the other.
const COVERED: f64 = 0.8;
/// A statement of fewer such words is covered by chance.
const FEWEST: usize = 5;

/// A statement, ready to be compared.
pub(crate) struct Gist {
    words: BTreeSet<String>,
    /// What it speaks of: the words without those that any rule has.
    subjects: BTreeSet<String>,
    /// What stands between backticks.
    names: BTreeSet<String>,
    /// Words with a digit: a port, a version, a limit.
    numbers: BTreeSet<String>,
    is_negated: bool,
}

/// Whether one of these texts leaves nothing of a statement to say.
pub fn is_said_in<'t>(statement: &str, texts: impl IntoIterator<Item = &'t str>) -> bool {
    let statement = Gist::of(statement);
    let mut texts = texts.into_iter();
    texts.any(|text| statement.is_said_by(&Gist::of(text)))
}

/// Words of any rule.
const OF_ANY_RULE: [&str; 10] = [
    "alway", "don", "instead", "must", "never", "please", "project", "try", "us", "use",
];

impl Gist {
    pub(crate) fn of(text: &str) -> Self {
        let words: BTreeSet<String> = words::split(text).into_iter().collect();
        let subjects = words.iter().filter(|word| words::is_telling(word));
        let subjects = subjects
            .map(|word| words::stem(word).to_owned())
            .filter(|word| !OF_ANY_RULE.contains(&word.as_str()));
        let is_not = |word: &String| {
            matches!(
                word.as_str(),
                "not" | "never" | "no" | "don" | "avoid" | "without" | "cannot"
            )
        };
        Self {
            subjects: subjects.collect(),
            names: text
                .split('`')
                .skip(1)
                .step_by(2)
                .map(str::to_owned)
                .collect(),
            numbers: words
                .iter()
                .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
                .cloned()
                .collect(),
            is_negated: words.iter().any(is_not),
            words,
        }
    }

    /// Whether `earlier` leaves nothing of it to say.
    pub(crate) fn is_said_by(&self, earlier: &Self) -> bool {
        let shared = self.subjects.intersection(&earlier.subjects).count();
        let is_covered = self.subjects.len() >= FEWEST
            && self.is_negated == earlier.is_negated
            && shared as f64 >= COVERED * self.subjects.len() as f64;
        self.names.is_subset(&earlier.names)
            && self.numbers.is_subset(&earlier.numbers)
            && (is_covered || overlap(&self.words, &earlier.words) >= SAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_said(later: &str, earlier: &str) -> bool {
        Gist::of(later).is_said_by(&Gist::of(earlier))
    }

    #[test]
    fn a_rule_in_other_words_is_the_same_rule() {
        let rule = "Always `make slow [file]...`: never execute the slow scripts of tests directly";
        assert!(is_said(
            "Don't run slow tests by trying to execute scripts directly, make `make slow [file]...`",
            rule
        ));
        assert!(is_said(rule, rule));
    }

    #[test]
    fn what_names_another_thing_or_denies_it_is_another_rule() {
        for (later, earlier) in [
            (
                "Tests in `api/b` need a running database server",
                "Tests in `api/a` need a running database server and a cache",
            ),
            (
                "Execute the slow scripts of the tests directly",
                "Never execute the slow scripts of the tests directly on your machine at home",
            ),
            (
                "The api server of the shop listens on port 8080",
                "The admin server and the api server of the shop in staging listen on port 9090",
            ),
            ("Use tabs", "Use tabs in make files and nowhere else"),
        ] {
            assert!(!is_said(later, earlier), "{later}");
        }
    }
}
