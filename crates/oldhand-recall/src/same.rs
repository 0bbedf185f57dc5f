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

/// Whether one of these texts leaves nothing of a statement to say.
pub fn is_said_in<'t>(statement: &str, texts: impl IntoIterator<Item = &'t str>) -> bool {
    let statement = Gist::of(statement);
    let mut texts = texts.into_iter();
    texts.any(|text| statement.is_said_by(&Gist::of(text)))
}

/// The paragraphs and bullets of a text, each with the heading it stands under and in small letters too.
pub struct Paragraphs(Vec<(String, String)>);

impl Paragraphs {
    pub fn of(text: &str) -> Self {
        let mut heading = "";
        let mut all: Vec<String> = Vec::new();
        let mut goes_on = false;
        for line in text.lines().map(str::trim) {
            let begins = line.starts_with(['-', '*', '+', '#'])
                || line.starts_with(|c: char| c.is_ascii_digit());
            match all.last_mut() {
                _ if line.is_empty() => goes_on = false,
                _ if line.starts_with('#') => {
                    heading = line.trim_start_matches('#').trim();
                    goes_on = false;
                }
                Some(last) if goes_on && !begins => {
                    last.push(' ');
                    last.push_str(line);
                }
                _ => {
                    all.push(format!("{heading}: {line}"));
                    goes_on = true;
                }
            }
        }
        let both = all.into_iter().map(|text| (text.to_lowercase(), text));
        Self(both.collect())
    }

    /// Whether one of them leaves nothing of a statement to say. What lacks its longest words is not read closely.
    pub fn leave_nothing_of(&self, statement: &str) -> bool {
        let mut longest = words::split(statement);
        longest.sort_by_key(|word| std::cmp::Reverse(word.len()));
        longest.dedup();
        longest.truncate(LONGEST);
        let has_them = |low: &str| {
            let shared = longest.iter().filter(|word| low.contains(word.as_str()));
            shared.count() + 1 >= longest.len()
        };
        let near = self.0.iter().filter(|(low, _)| has_them(low));
        is_said_in(statement, near.map(|(_, text)| text.as_str()))
    }
}

/// So many of the longest words of a statement, but for one, are in whatever says the same.
const LONGEST: usize = 3;

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
    fn a_text_says_what_one_of_its_paragraphs_says_under_its_heading() {
        let text = "# Paths\n\nCommands like `git status` return paths from the top,\nwherever Claude was started.\n\n- Keep it short\n";
        let said = Paragraphs::of(text);
        assert!(said.leave_nothing_of(
            "Commands like `git status` return paths from the top, wherever Gemini was started."
        ));
        assert!(!said.leave_nothing_of("Commands like `git log` return paths from the top."));
        assert!(!Paragraphs::of("").leave_nothing_of("Keep it short"));
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
