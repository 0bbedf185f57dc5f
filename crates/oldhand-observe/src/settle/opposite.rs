//! Whether two statements about the same thing say the opposite, judged by their words alone.
//!
//! Precision first. Three shapes are recognised: one says yes and the other no, the two trade places
//! around a "not", or the same sentence gives another number.

use std::collections::BTreeSet;

use oldhand_domain::words;

/// In what way two statements disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opposition {
    /// "Use tabs" and "Never use tabs".
    Negated,
    /// "Use pnpm, not npm" and "Use npm, not pnpm".
    Swapped,
    /// "The limit is 30" and "The limit is 60".
    OtherNumber,
}

impl Opposition {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Negated => "it says the opposite",
            Self::Swapped => "it prefers the other way round",
            Self::OtherNumber => "it gives another number",
        }
    }
}

/// How much of the two must be the same words before the rest can be a disagreement.
const SHARED: f64 = 0.8;

pub fn oppose(a: &str, b: &str) -> Option<Opposition> {
    let (a, b) = (Reading::of(a), Reading::of(b));
    if a.gives_another_number_than(&b) {
        return Some(Opposition::OtherNumber);
    }
    if overlap(&a.all(), &b.all()) < SHARED {
        return None;
    }
    let swapped = !a.rejected.is_disjoint(&b.kept) && !b.rejected.is_disjoint(&a.kept);
    if swapped {
        Some(Opposition::Swapped)
    } else if a.negations % 2 != b.negations % 2 {
        Some(Opposition::Negated)
    } else {
        None
    }
}

const NEGATIONS: &[&str] = &[
    "not",
    "never",
    "no",
    "without",
    "avoid",
    "cannot",
    "nor",
    "none",
    "dont",
    "doesnt",
    "isnt",
    "arent",
    "shouldnt",
    "wont",
    "cant",
    "mustnt",
    "stop",
    "forbid",
    "forbidden",
    "disallow",
    "disallowed",
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
pub(super) const FILLERS: &[&str] = &[
    "a", "an", "the", "is", "are", "be", "been", "to", "of", "in", "on", "for", "with", "and",
    "or", "do", "does", "it", "this", "that", "always", "must", "should", "please", "we", "you",
    "all", "any", "ever", "use", "using", "used", "will", "can", "as", "when", "at", "by", "from",
    "so", "here", "but", "only", "instead", "rather", "than",
];

/// A number after one of these is a value; after other words it may be a name, as in "error 404".
const BEFORE_VALUES: &[&str] = &[
    "is", "are", "be", "to", "at", "of", "than", "within", "under", "over", "equals", "every",
    "after", "port", "most", "least",
];

struct Reading {
    words: Vec<String>,
    kept: BTreeSet<String>,
    /// What stands after "not", "instead of", "rather than" at the end of a preference.
    rejected: BTreeSet<String>,
    negations: usize,
}

impl Reading {
    fn of(text: &str) -> Self {
        let words = words::split(&text.replace(['\'', '’'], ""));
        let mut kept = BTreeSet::new();
        let mut rejected = BTreeSet::new();
        let mut negations = 0;
        let mut rejecting = false;
        for (n, word) in words.iter().enumerate() {
            let before = n.checked_sub(1).map(|at| words[at].as_str());
            let preference_turns = matches!(
                (before, word.as_str()),
                (Some("instead"), "of") | (Some("rather"), "than")
            );
            if NEGATIONS.contains(&word.as_str()) || preference_turns {
                // "Use a, not b" rejects b; "do not use b" negates the sentence. The difference is
                // whether something was kept before.
                rejecting = !kept.is_empty() && (word == "not" || preference_turns);
                negations += usize::from(!rejecting);
                continue;
            }
            if let Some((first, _)) = OPPOSITES.iter().find(|(_, second)| second == word) {
                negations += 1;
                kept.insert((*first).to_owned());
                continue;
            }
            if FILLERS.contains(&word.as_str()) && !OPPOSITES.iter().any(|(first, _)| first == word)
            {
                continue;
            }
            let side = if rejecting { &mut rejected } else { &mut kept };
            side.insert(word.clone());
        }
        Self {
            words,
            kept,
            rejected,
            negations,
        }
    }

    fn all(&self) -> BTreeSet<&str> {
        self.kept
            .union(&self.rejected)
            .map(String::as_str)
            .collect()
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

fn overlap(a: &BTreeSet<&str>, b: &BTreeSet<&str>) -> f64 {
    let shared = a.intersection(b).count();
    let all = a.union(b).count();
    if all == 0 {
        0.0
    } else {
        shared as f64 / all as f64
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
            ("Never log passwords", "Log every request"),
            (
                "Error 404 means the route is missing",
                "Error 403 means the route is missing",
            ),
            ("Use pnpm, not npm", "Use pnpm instead of npm"),
            (
                "Tests in api need the database",
                "Tests in web need no database",
            ),
            ("Step 2 runs the linter", "Step 3 runs the linter"),
            ("", ""),
        ] {
            assert_eq!(oppose(a, b), None, "{a} / {b}");
        }
    }
}
