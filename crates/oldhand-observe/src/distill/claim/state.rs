//! Whether a statement tells how something works, or in which state somebody left it and what it asks for.

use super::subject::is_verb;

/// A text in which each name between backticks is one word.
pub(super) fn plain(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts
        .map(|(at, part)| if at % 2 == 0 { part } else { " NAME " })
        .collect()
}

pub(super) fn words(plain: &str) -> Vec<&str> {
    plain
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect()
}

/// The words from the verb on: behind what the sentence is about.
fn from_verb<'w>(words: &'w [&'w str]) -> &'w [&'w str] {
    let verb = words.iter().skip(1).position(|word| is_verb(word));
    verb.map_or(&[], |at| &words[at + 1..])
}

/// Whether it tells what something is, or that somebody made it so: "`x` is gitignored", "`x` is never run", "`x` is safe". That stands in the
/// files of the project, and is mended there; what something does, or is by default, is its own.
pub(super) fn is_state(statement: &str) -> bool {
    let plain = plain(statement);
    let words = words(&plain);
    let [verb, rest @ ..] = from_verb(&words) else {
        return false;
    };
    let ends = |ending: &str| rest.first().is_some_and(|word| word.ends_with(ending));
    let is_so = match *verb {
        "is" | "are" => !ends("ing"),
        "isn't" | "aren't" => ends("ed"),
        _ => false,
    };
    is_so && !plain.contains("by default")
}

/// Whether it only says what something asks for: a compiler says that, too. What nobody would think of turns: "needs an explicit …",
/// "requires … but refuses …".
pub(super) fn is_demand(statement: &str) -> bool {
    const TURNS: [&str; 12] = [
        "not",
        "only",
        "even",
        "but",
        "unless",
        "regardless",
        "refuses",
        "before",
        "never",
        "without",
        "silently",
        "too",
    ];
    let plain = plain(statement);
    let words = words(&plain);
    let demands = from_verb(&words).first().is_some_and(|verb| {
        matches!(
            *verb,
            "requires" | "require" | "needs" | "need" | "must" | "expects"
        )
    });
    let turns =
        |word: &&str| TURNS.contains(word) || word.ends_with("n't") || word.starts_with("explicit");
    demands && !words.iter().any(turns)
}
