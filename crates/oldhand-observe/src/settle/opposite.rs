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
    Statement::of(a).opposes(&Statement::of(b))
}

/// For each statement the place of the first other that says the opposite.
pub fn opposites(statements: &[&str]) -> Vec<Option<usize>> {
    if statements.len() < 2 {
        return vec![None; statements.len()];
    }
    let read: Vec<Statement> = statements.iter().map(|text| Statement::of(text)).collect();
    let other = |at: usize| {
        let mut others = (0..read.len()).filter(|other| *other != at);
        others.find(|&other| read[at].opposes(&read[other]).is_some())
    };
    (0..read.len()).map(other).collect()
}

/// A statement that is compared with many.
#[derive(Debug)]
pub(super) struct Statement(Reading);

impl Statement {
    pub(super) fn of(text: &str) -> Self {
        Self(Reading::of(text))
    }

    pub(super) fn opposes(&self, other: &Self) -> Option<Opposition> {
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

/// Pairs that turn a sentence round; the second counts as the first, negated. In code only the values `true` and `false` do: `include` and
/// `exclude` are names there, and what is said of one is not said of the other.
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

#[derive(Debug, PartialEq, Eq)]
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
            } else if word == "false" && code.contains(&word) {
                reading.negations += 1;
                reading.kept.push("true".to_owned());
            } else if let Some((first, _)) = OPPOSITES
                .iter()
                .find(|(_, second)| *second == word && !code.contains(&word))
            {
                reading.negations += 1;
                reading.kept.push(kept((*first).to_owned()));
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
mod tests;
