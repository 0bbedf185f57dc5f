//! Whether one statement says what another said already, in other words.

use std::collections::BTreeSet;

use oldhand_domain::words;

use crate::act::sentences;

/// Texts that share this much of their words say the same.
const SAME: f64 = 0.7;
/// So much of what a statement speaks of has to be in the other.
const COVERED: f64 = 0.8;
/// What speaks of so many times as much says little more.
const LITTLE_MORE: f64 = 1.5;
/// A statement of fewer such words is covered by chance.
const FEWEST: usize = 5;

/// Words that say which comes when, and when not at all.
const ORDER: [&str; 8] = [
    "after", "before", "except", "first", "last", "only", "unless", "until",
];

/// A statement, ready to be compared.
pub(crate) struct Gist {
    /// What it speaks of, in order.
    told: Vec<String>,
    /// Each once, in the order of letters.
    words: Vec<String>,
    /// What it speaks of: the words without those that any rule has. As these.
    subjects: Vec<String>,
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

/// Whether nothing, or next to nothing, of a statement is left to say to whoever was told one of these texts: they say it, or it says what one of
/// them says in a few words more.
pub fn is_told_by<'t>(statement: &str, texts: impl IntoIterator<Item = &'t str>) -> bool {
    let statement = Gist::of(statement);
    let mut texts = texts.into_iter().map(Gist::of);
    texts.any(|told| statement.is_within(&told) || statement.says_little_more_than(&told))
}

/// The sentences of a text, alone and with the heading that each stands under, in small letters too.
pub struct Sentences(Vec<(String, String)>);

impl Sentences {
    pub fn of(text: &str) -> Self {
        let mut heading = "";
        let mut all: Vec<(&str, String)> = Vec::new();
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
                Some((_, last)) if goes_on && !begins => {
                    last.push(' ');
                    last.push_str(line);
                }
                _ => {
                    all.push((heading, line.to_owned()));
                    goes_on = true;
                }
            }
        }
        let each = all.iter().flat_map(|(heading, text)| {
            let alone = sentences(text).into_iter();
            alone.flat_map(move |one| [one.to_owned(), format!("{heading}: {one}")])
        });
        let both = each.map(|text| (text.to_lowercase(), text));
        Self(both.collect())
    }

    /// Whether they leave nothing of a statement to say: there is one for each of its own in nearly the same words.
    pub fn leave_nothing_of(&self, statement: &str) -> bool {
        let own = sentences(statement).into_iter();
        let mut own = own.filter(|one| !one.is_empty()).peekable();
        own.peek().is_some() && own.all(|one| self.say(one))
    }

    /// What lacks the longest words of a sentence is not read closely.
    fn say(&self, sentence: &str) -> bool {
        let mut longest = words::split(sentence);
        longest.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        longest.dedup();
        longest.truncate(LONGEST);
        let has_them = |low: &str| {
            let shared = longest.iter().filter(|word| low.contains(word.as_str()));
            shared.count() + 1 >= longest.len()
        };
        let gist = Gist::of(sentence);
        let mut near = self.0.iter().filter(|(low, _)| has_them(low));
        near.any(|(_, text)| gist.is_as_good_as(&Gist::of(text)))
    }
}

/// So many of the longest words of a statement, but for one, are in whatever says the same.
const LONGEST: usize = 3;

/// What stands between backticks in a text, without the comment behind a command.
fn codes(text: &str) -> impl Iterator<Item = &str> {
    let codes = text.split('`').skip(1).step_by(2);
    codes.map(|code| code.split_once(" #").map_or(code, |(code, _)| code).trim())
}

fn subjects<'w, S: FromIterator<String>>(words: impl Iterator<Item = &'w String>) -> S {
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
        let split = words::split(text);
        let told: Vec<String> = subjects(split.iter());
        let names: BTreeSet<String> = codes(text).map(str::to_owned).collect();
        let outside = if names.is_empty() {
            // Nobody asks what is outside of nothing.
            BTreeSet::new()
        } else {
            let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
            subjects(words::split(&plain).iter())
        };
        let words = sorted(split);
        let is_not = |word: &String| {
            matches!(
                word.as_str(),
                "not" | "never" | "no" | "don" | "avoid" | "without" | "cannot"
            )
        };
        Self {
            subjects: sorted(told.clone()),
            told,
            outside,
            names,
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
            && self
                .outside
                .iter()
                .all(|word| other.subjects.binary_search(word).is_ok())
    }

    /// Whether `other` speaks of nearly the same in the same order, and neither of much else.
    fn is_as_good_as(&self, other: &Self) -> bool {
        let in_order = |gist: &Self| -> Vec<&'static str> {
            let words = gist.told.iter();
            let order = |word: &String| ORDER.into_iter().find(|one| one == word);
            words.filter_map(order).collect()
        };
        let longer = self.told.len().max(other.told.len());
        self.is_negated == other.is_negated
            && self.names.is_subset(&other.names)
            && self.numbers.is_subset(&other.numbers)
            && in_order(self) == in_order(other)
            && longer > 0
            && in_common(&self.told, &other.told) as f64 >= COVERED * longer as f64
    }

    /// Whether `earlier` leaves nothing of it to say.
    pub(crate) fn is_said_by(&self, earlier: &Self) -> bool {
        let is_covered = || {
            let shared = shared(&self.subjects, &earlier.subjects);
            shared as f64 >= COVERED * self.subjects.len() as f64
        };
        let is_covered = || {
            self.subjects.len() >= FEWEST && self.is_negated == earlier.is_negated && is_covered()
        };
        self.names.is_subset(&earlier.names)
            && self.numbers.is_subset(&earlier.numbers)
            && (is_covered() || overlap(&self.words, &earlier.words) >= SAME)
    }

    /// Whether `other` says all of it, and does not deny it: what nearly all words are shared with may be about another thing, such as another place to
    /// deploy to, and is no reason to be silent about this one.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        self.is_negated == other.is_negated
            && shared(&self.subjects, &other.subjects) == self.subjects.len()
            && self.is_said_by(other)
    }

    /// Whether it says what `told` says, and adds neither a name nor a number nor much else.
    fn says_little_more_than(&self, told: &Self) -> bool {
        told.is_within(self)
            && self.names.is_subset(&told.names)
            && self.numbers.is_subset(&told.numbers)
            && self.subjects.len() as f64 <= LITTLE_MORE * told.subjects.len() as f64
    }
}

/// Each word once, in the order of letters.
fn sorted(mut words: Vec<String>) -> Vec<String> {
    words.sort_unstable();
    words.dedup();
    words
}

/// How many words two such lists have in common.
fn shared(a: &[String], b: &[String]) -> usize {
    let mut others = b.iter().peekable();
    let is_there = |word: &&String| {
        while others.next_if(|other| other < word).is_some() {}
        others.next_if(|other| other == word).is_some()
    };
    a.iter().filter(is_there).count()
}

/// The part of all words of two such lists that both have.
fn overlap(a: &[String], b: &[String]) -> f64 {
    let shared = shared(a, b);
    match a.len() + b.len() - shared {
        0 => 0.0,
        all => shared as f64 / all as f64,
    }
}

/// How many words two texts have in common, in one order.
fn in_common(a: &[String], b: &[String]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for word in a {
        let mut before = 0;
        for (at, other) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if word == other {
                before + 1
            } else {
                above.max(row[at])
            };
            before = above;
        }
    }
    row[b.len()]
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
    fn who_was_told_either_of_two_that_say_the_same_is_not_told_the_other() {
        let decided = "We decided that Path extraction percent-decodes once.";
        let exactly = "Path extraction decodes percent signs exactly once, as decided.";
        assert!(is_told_by(decided, [exactly]) && is_told_by(exactly, [decided]));
        let more = "We decided that Path extraction percent-decodes once, and that the router matches before that, \
            on bytes, so that an encoded slash stays in its segment.";
        assert!(is_told_by(decided, [more]) && !is_told_by(more, [decided]));
        let other = "We decided that Path extraction of `{*rest}` percent-decodes once.";
        assert!(!is_told_by(other, [decided]), "another name");
    }

    #[test]
    fn who_was_told_of_one_thing_is_told_of_another_and_of_the_opposite() {
        let staging = "Deploy staging by tagging the commit and pushing the tag to origin.";
        let production = "Deploy production by tagging the commit and pushing the tag to origin.";
        assert!(!is_told_by(production, [staging]) && !is_told_by(staging, [production]));
        let always = "Always run the migrations before the tests in CI";
        let never = "Never run the migrations before the tests in CI";
        assert!(!is_told_by(never, [always]) && !is_told_by(always, [never]));
        assert!(is_told_by(staging, [staging]) && is_told_by(never, [never]));
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
    fn a_text_says_what_one_of_its_sentences_says_under_its_heading() {
        let text = "# Paths\n\nCommands like `git status` return paths from the top,\nwherever Claude was started.\n\n- Keep it short\n";
        let said = Sentences::of(text);
        assert!(said.leave_nothing_of(
            "Commands like `git status` return paths from the top, wherever Gemini was started."
        ));
        assert!(!said.leave_nothing_of("Commands like `git log` return paths from the top."));
        assert!(said.leave_nothing_of("Paths: Keep it short"));
        assert!(!Sentences::of("").leave_nothing_of("Keep it short"));
    }

    #[test]
    fn a_text_that_has_the_words_of_a_rule_may_say_something_else() {
        let rule =
            "Decision: always start the server before the database migrations of the shop run.";
        let is_said = |text: &str| Sentences::of(text).leave_nothing_of(rule);
        assert!(is_said(
            "Hello.\nAlways start the server before the database migrations of the shop run."
        ));
        for text in [
            "The shop has a server and a database. Migrations start with `make db`. Always write tests before you run anything else.",
            "Always run the database migrations of the shop before the server starts.",
            "Always start the server after the database migrations of the shop run.",
            "Start the server before the database migrations of the shop run, and the mail service, the printers and the queue of the office too.",
        ] {
            assert!(!is_said(text), "{text}");
        }
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
