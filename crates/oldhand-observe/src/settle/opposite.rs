//! Whether two statements about the same thing say the opposite, judged by their words alone.
//!
//! Precision first. Three shapes are recognised: one says yes and the other no, the two trade places around an "instead of",
//! or the same sentence gives another number. Apart from that the words must be the same, in the same order; only their endings
//! may differ, and not where they are code.

use std::collections::BTreeSet;

use oldhand_domain::words;

/// In what way two statements disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opposition {
    /// "Use tabs" and "Never use tabs".
    Negated,
    /// "Use pnpm, not npm" and "Use npm, not pnpm".
    Swapped,
    /// "Use tabs" and "Use spaces, not tabs".
    Refused,
    /// "The limit is 30" and "The limit is 60".
    OtherNumber,
}

impl Opposition {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Negated => "it says the opposite",
            Self::Swapped => "it prefers the other way round",
            Self::Refused => "it refuses what that asks for",
            Self::OtherNumber => "it gives another number",
        }
    }
}

pub fn oppose(a: &str, b: &str) -> Option<Opposition> {
    Statement::of(a).opposes(b)
}

/// For each statement the place of the first other that says the opposite.
pub fn opposites(statements: &[&str]) -> Vec<Option<usize>> {
    if statements.len() < 2 {
        return vec![None; statements.len()];
    }
    let read: Vec<Statement> = statements.iter().map(|text| Statement::of(text)).collect();
    let other = |at: usize| {
        let mut others = (0..read.len()).filter(|other| *other != at);
        others.find(|&other| read[at].opposes_read(&read[other]).is_some())
    };
    (0..read.len()).map(other).collect()
}

/// A statement that is compared with many.
pub(super) struct Statement(Reading);

impl Statement {
    pub(super) fn of(text: &str) -> Self {
        Self(Reading::of(text))
    }

    pub(super) fn opposes(&self, other: &str) -> Option<Opposition> {
        self.opposes_read(&Self::of(other))
    }

    fn opposes_read(&self, other: &Self) -> Option<Opposition> {
        let (a, b) = (&self.0, &other.0);
        if a == b {
            return None;
        }
        if a.is_swapped(b) {
            return Some(Opposition::Swapped);
        }
        if a.refuses(b) || b.refuses(a) {
            return Some(Opposition::Refused);
        }
        let same_words = a.kept == b.kept && a.rejected == b.rejected && !a.kept.is_empty();
        if same_words && a.negations % 2 != b.negations % 2 {
            return Some(Opposition::Negated);
        }
        a.gives_another_number_than(b)
            .then_some(Opposition::OtherNumber)
    }
}

const NEGATIONS: &[&str] = &[
    "not", "never", "no", "without", "avoid", "cannot", "dont", "doesnt", "isnt", "arent",
    "shouldnt", "wont", "cant", "mustnt", "stop", "forbid", "disallow",
];

/// Pairs that turn a sentence round; the second counts as the first, negated.
const OPPOSITES: &[(&str, &str)] = &[
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("on", "off"),
    ("before", "after"),
    ("true", "false"),
    ("required", "optional"),
    ("allow", "deny"),
    ("allowed", "denied"),
    ("include", "exclude"),
    ("first", "last"),
    ("safe", "unsafe"),
    ("public", "private"),
    ("sync", "async"),
    ("passes", "fails"),
];

/// Words that carry no content of their own.
const FILLERS: &[&str] = &[
    "a", "an", "the", "is", "are", "be", "been", "do", "does", "it", "this", "that", "always",
    "must", "should", "please", "we", "you", "ever", "use", "using", "used", "will", "can", "just",
    "also", "here",
];

/// A number after one of these is a value; after other words it may be a name, as in "error 404".
const BEFORE_VALUES: &[&str] = &[
    "is", "are", "be", "to", "at", "than", "within", "under", "over", "equals", "every", "port",
    "most", "least",
];

/// What turns "use a" into "use a, not b".
const TURNS: [(&str, &str); 7] = [
    (" = ", " equals "),
    (", not ", " INSTEAD "),
    (" instead of ", " INSTEAD "),
    (" rather than ", " INSTEAD "),
    (", never ", " INSTEAD "),
    (" no longer ", " not "),
    (" do not ", " not "),
];

/// The two halves of "never use a, always b", the one that is chosen first.
fn refused_first(plain: &str) -> Option<(&str, &str)> {
    const REFUSING: &[&str] = &[" never ", " not ", " dont ", " avoid "];
    const CHOOSING: &[&str] = &[
        ", always ",
        "; always ",
        ". always ",
        ", use ",
        "; use ",
        ". use ",
        ", prefer ",
        "; prefer ",
        ". prefer ",
    ];
    let rest = REFUSING.iter().find_map(|word| plain.strip_prefix(word))?;
    let halves = CHOOSING.iter().find_map(|turn| rest.split_once(turn));
    halves.map(|(refused, chosen)| (chosen, refused))
}

/// The two halves of "a must not be called. use b", as linters put it, the one that is chosen first.
fn refused_by_a_tool(plain: &str) -> Option<(&str, &str)> {
    const REFUSED: &[&str] = &[
        " must not be called",
        " must not be used",
        " should not be called",
        " should not be used",
    ];
    let (refused, chosen) = REFUSED.iter().find_map(|words| plain.split_once(words))?;
    let clause = refused.rsplit([':', ';']).next().unwrap_or(refused);
    Some((chosen, clause))
}

#[derive(PartialEq, Eq)]
struct Reading {
    /// Everything, in order.
    words: Vec<String>,
    /// What carries meaning, in order.
    kept: Vec<String>,
    /// What stands after "instead of".
    rejected: Vec<String>,
    negations: usize,
}

impl Reading {
    fn of(text: &str) -> Self {
        let mut plain = format!(" {} ", text.to_lowercase());
        if plain.contains('\'') || plain.contains('’') {
            plain = plain.replace(['\'', '’'], "");
        }
        for (from, to) in TURNS {
            plain = plain.replace(from, to);
        }
        if plain.contains(" prefer ") {
            plain = plain.replace(" over ", " INSTEAD ");
        }
        let (chosen, refused) = plain
            .split_once(" INSTEAD ")
            .or_else(|| refused_first(&plain))
            .or_else(|| refused_by_a_tool(&plain))
            .unwrap_or((&plain, ""));
        let code: BTreeSet<String> = plain
            .split('`')
            .skip(1)
            .step_by(2)
            .flat_map(words::split)
            .collect();
        let kept = |word: String| {
            if code.contains(&word) {
                word
            } else {
                bare(&word).to_owned()
            }
        };
        let all = words::split(&plain);
        let chosen = if chosen.len() == plain.len() {
            all.clone()
        } else {
            words::split(chosen)
        };
        let mut reading = Self {
            words: all,
            kept: Vec::new(),
            rejected: Vec::new(),
            negations: 0,
        };
        for word in chosen {
            if NEGATIONS.contains(&word.as_str()) {
                reading.negations += 1;
            } else if let Some((first, _)) = OPPOSITES.iter().find(|(_, second)| *second == word) {
                reading.negations += 1;
                // In code both are written out.
                reading.kept.push(if code.contains(&word) {
                    (*first).to_owned()
                } else {
                    kept((*first).to_owned())
                });
            } else if !FILLERS.contains(&word.as_str()) {
                reading.kept.push(kept(word));
            }
        }
        reading.rejected.extend(
            words::split(refused)
                .into_iter()
                .filter(|word| !FILLERS.contains(&word.as_str()))
                .map(kept),
        );
        reading
    }

    /// Each prefers what the other rejects, and they speak of the same things.
    fn is_swapped(&self, other: &Self) -> bool {
        // Nearly always, and comparing the words takes longer than reading them.
        if self.rejected.is_empty() || other.rejected.is_empty() {
            return false;
        }
        let set = |words: &[String]| words.iter().cloned().collect::<BTreeSet<String>>();
        let only = |a: &[String], b: &[String]| {
            set(a)
                .difference(&set(b))
                .cloned()
                .collect::<BTreeSet<String>>()
        };
        let all = |reading: &Self| set(&[reading.kept.clone(), reading.rejected.clone()].concat());
        let (chosen, refused) = (
            only(&self.kept, &self.rejected),
            only(&self.rejected, &self.kept),
        );
        let (other_chosen, other_refused) = (
            only(&other.kept, &other.rejected),
            only(&other.rejected, &other.kept),
        );
        !refused.is_empty()
            && all(self) == all(other)
            && !refused.is_disjoint(&other_chosen)
            && !other_refused.is_disjoint(&chosen)
    }

    /// It chooses something else instead of the very thing that the other asks for.
    fn refuses(&self, other: &Self) -> bool {
        let is_plain = |reading: &Self| reading.negations == 0 && !reading.kept.is_empty();
        if self.rejected.is_empty() || !other.rejected.is_empty() || !is_plain(other) {
            return false;
        }
        // "Indent with spaces, not tabs" says only once what both halves share, wherever that stands. What is chosen with more words than
        // were given up is chosen for some case: "use axios in the admin app, not fetch".
        let length = self.rejected.len();
        let mut places = other.kept.windows(length).enumerate();
        self.negations == 0
            && self.kept.len() == other.kept.len()
            && places.any(|(at, words)| {
                words == self.rejected
                    && self.kept[..at] == other.kept[..at]
                    && self.kept[at + length..] == other.kept[at + length..]
            })
    }

    fn gives_another_number_than(&self, other: &Self) -> bool {
        if self.words.len() != other.words.len() || self.words.len() < 4 {
            return false;
        }
        let is_number = |word: &str| word.chars().all(char::is_numeric);
        let mut differing = 0;
        for (n, (a, b)) in self.words.iter().zip(&other.words).enumerate() {
            if a == b {
                continue;
            }
            let value = n
                .checked_sub(1)
                .is_some_and(|at| BEFORE_VALUES.contains(&self.words[at].as_str()));
            if !(is_number(a) && is_number(b) && value) {
                return false;
            }
            differing += 1;
        }
        differing == 1
    }
}

/// A word without the ending that number, tense or person give it: "committing" and "commit", "files" and "file".
fn bare(word: &str) -> &str {
    let cut = words::stem(word);
    let mut letters = cut.chars().rev();
    let (last, before) = (letters.next(), letters.next());
    let doubled = cut.len() < word.len() && last == before;
    if doubled || last == Some('e') {
        &cut[..cut.len() - last.map_or(0, char::len_utf8)]
    } else {
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_are_recognised() {
        for (a, b, expected) in [
            (
                "Use tabs for indentation",
                "Never use tabs for indentation",
                Opposition::Negated,
            ),
            (
                "Tests must be run with --release",
                "Tests must not be run with --release",
                Opposition::Negated,
            ),
            (
                "`isOpen()` returns `true` for a new shop",
                "`isOpen()` returns `false` for a new shop",
                Opposition::Negated,
            ),
            (
                "Keep `strict = true` in the settings",
                "Keep `strict = false` in the settings",
                Opposition::Negated,
            ),
            (
                "Use tabs for indentation.",
                "Use spaces for indentation, not tabs.",
                Opposition::Refused,
            ),
            (
                "Keep `retries = 3` in the settings",
                "Keep `retries = 5` in the settings",
                Opposition::OtherNumber,
            ),
            (
                "Run the migrations before the tests",
                "Run the migrations after the tests",
                Opposition::Negated,
            ),
            (
                "Enable strict mode in tsconfig",
                "Disable strict mode in tsconfig",
                Opposition::Negated,
            ),
            (
                "The cache is safe to delete",
                "The cache isn't safe to delete",
                Opposition::Negated,
            ),
            (
                "We use Postgres for the queue",
                "We do not use Postgres for the queue",
                Opposition::Negated,
            ),
            (
                "Do not run the tests in parallel",
                "Run the tests in parallel",
                Opposition::Negated,
            ),
            (
                "Don't mock the database",
                "Mock the database",
                Opposition::Negated,
            ),
            (
                "We use Redis for sessions",
                "We no longer use Redis for sessions",
                Opposition::Negated,
            ),
            (
                "Commit the generated files",
                "Never committing generated file",
                Opposition::Negated,
            ),
            (
                "Tests need the database",
                "The test doesn't need a database",
                Opposition::Negated,
            ),
            (
                "Use pnpm, not npm",
                "Use npm, not pnpm",
                Opposition::Swapped,
            ),
            (
                "Use pnpm instead of npm here",
                "Use npm rather than pnpm here",
                Opposition::Swapped,
            ),
            (
                "Prefer tabs over spaces",
                "Prefer spaces over tabs",
                Opposition::Swapped,
            ),
            (
                "Never use os/exec.Command, always CommandContext",
                "Always use os/exec.Command, never CommandContext",
                Opposition::Swapped,
            ),
            (
                "Do not use npm; use pnpm",
                "Use npm, not pnpm",
                Opposition::Swapped,
            ),
            (
                "Avoid npm, use pnpm.",
                "Never use pnpm. Always use npm.",
                Opposition::Swapped,
            ),
            ("Use spaces, not tabs", "Use tabs", Opposition::Refused),
            (
                "Indent with spaces, not tabs",
                "Indent with tabs.",
                Opposition::Refused,
            ),
            (
                "Never use npm, always pnpm",
                "Always use npm",
                Opposition::Refused,
            ),
            (
                "noctx: os/exec.Command must not be called. use os/exec.CommandContext",
                "Always use os/exec.Command",
                Opposition::Refused,
            ),
            (
                "The request timeout is 30 seconds",
                "The request timeout is 60 seconds",
                Opposition::OtherNumber,
            ),
            (
                "The API listens on port 8080",
                "The API listens on port 9090",
                Opposition::OtherNumber,
            ),
        ] {
            assert_eq!(oppose(a, b), Some(expected), "{a} / {b}");
            assert_eq!(oppose(b, a), Some(expected), "{b} / {a}");
        }
    }

    #[test]
    fn agreement_and_other_subjects_are_left_alone() {
        for (a, b) in [
            ("Use tabs for indentation", "Use tabs for indentation"),
            (
                "Use tabs for indentation",
                "Always use tabs for indentation",
            ),
            (
                "Never use tabs for indentation",
                "Do not use tabs for indentation",
            ),
            (
                "Use open_pane() instead of bare.open_pane()",
                "Use open_pane() instead of bare.open_pane()",
            ),
            ("Never log passwords", "Log every request"),
            (
                "Error 404 means the route is missing",
                "Error 403 means the route is missing",
            ),
            ("Use pnpm, not npm", "Use pnpm instead of npm"),
            ("Never use npm, always pnpm", "Always use pnpm, never npm"),
            ("Never use npm, always pnpm", "Use pnpm, not yarn"),
            ("Use spaces, not tabs", "Never use tabs"),
            ("Use spaces, not tabs", "Use spaces"),
            ("Use spaces, not tabs", "Use tabs in make files"),
            ("Use bun in api, not npm", "Use npm in web"),
            ("Use axios in the admin app, not fetch", "Use fetch"),
            (
                "Use the mock client in tests, not the client",
                "Use the client",
            ),
            (
                "Tests in api need the database",
                "Tests in web need no database",
            ),
            ("Run lint before commit", "Run commit after lint"),
            ("Run `make test` in CI", "Never run `make tests` in CI"),
            ("Step 2 runs the linter", "Step 3 runs the linter"),
            ("Never", "Always"),
            ("", ""),
        ] {
            assert_eq!(oppose(a, b), None, "{a} / {b}");
        }
    }
}
