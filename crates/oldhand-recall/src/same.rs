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
    /// What stands between backticks, without comments.
    names: BTreeSet<String>,
    /// What it speaks of outside of them.
    outside: BTreeSet<String>,
    /// Words with a digit: a port, a version, a limit.
    numbers: BTreeSet<String>,
    is_negated: bool,
}

/// Statements that were said, ready to be compared with others.
#[derive(Default)]
pub struct Gists(Vec<Gist>);

impl Gists {
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        Self(texts.into_iter().map(Gist::of).collect())
    }

    /// Whether one of them leaves nothing of a statement to say.
    pub fn leave_nothing_of(&self, statement: &str) -> bool {
        let statement = Gist::of(statement);
        self.0.iter().any(|said| statement.is_said_by(said))
    }
}

/// Whether one of these texts leaves nothing of a statement to say.
pub fn is_said_in<'t>(statement: &str, texts: impl IntoIterator<Item = &'t str>) -> bool {
    Gists::of(texts).leave_nothing_of(statement)
}

/// What stands between backticks in a text, without the comment behind a command.
fn codes(text: &str) -> impl Iterator<Item = &str> {
    let codes = text.split('`').skip(1).step_by(2);
    codes.map(|code| code.split_once(" #").map_or(code, |(code, _)| code).trim())
}

/// The commands that a text names as code.
pub fn commands(text: &str) -> BTreeSet<&str> {
    codes(text).filter(|code| code.contains(' ')).collect()
}

fn subjects<'w>(words: impl Iterator<Item = &'w String>) -> BTreeSet<String> {
    words
        .filter(|word| words::is_telling(word))
        .map(|word| words::stem(word).to_owned())
        .filter(|word| !OF_ANY_RULE.contains(&word.as_str()))
        .collect()
}

/// Words of any rule.
const OF_ANY_RULE: [&str; 10] = [
    "alway", "don", "instead", "must", "never", "please", "project", "try", "us", "use",
];

impl Gist {
    pub(crate) fn of(text: &str) -> Self {
        let words: BTreeSet<String> = words::split(text).into_iter().collect();
        let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
        let is_not = |word: &String| {
            matches!(
                word.as_str(),
                "not" | "never" | "no" | "don" | "avoid" | "without" | "cannot"
            )
        };
        Self {
            subjects: subjects(words.iter()),
            outside: subjects(words::split(&plain).iter()),
            names: codes(text).map(str::to_owned).collect(),
            numbers: words
                .iter()
                .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
                .cloned()
                .collect(),
            is_negated: words.iter().any(is_not),
            words,
        }
    }

    /// Whether it names commands that `other` names too, and has nothing else to say.
    pub(crate) fn is_repeated_by(&self, other: &Self) -> bool {
        self.names.iter().any(|name| name.contains(' '))
            && self.is_negated == other.is_negated
            && self.names.is_subset(&other.names)
            && self.numbers.is_subset(&other.numbers)
            && self.outside.is_subset(&other.subjects)
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
    fn a_command_with_nothing_beside_it_is_repeated_by_a_rule_that_names_it() {
        let repeated = |one: &str, by: &str| Gist::of(one).is_repeated_by(&Gist::of(by));
        let rule = "Tests: always run `make test` before committing changes";
        assert!(repeated("Running tests: `make test`", rule));
        assert!(repeated("`make test # all of them`", rule));
        assert!(!repeated(rule, "Running tests: `make test`"));
        assert!(!repeated("Running tests: `make test-all`", rule));
        assert!(!repeated(
            "Running tests: `make test`",
            "Never run `make test` for tests here"
        ));
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
