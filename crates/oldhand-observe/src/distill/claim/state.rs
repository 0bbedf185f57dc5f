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

/// Whether somebody made it so: "`x` is gitignored", "`x` is never run". That stands in the files of the project, and is mended
/// there; how something is by default is its own.
pub(super) fn is_made(statement: &str) -> bool {
    const MADE: [&str; 10] = [
        "run", "set", "kept", "built", "made", "written", "read", "sent", "put", "shown",
    ];
    const BETWEEN: [&str; 7] = ["not", "never", "only", "always", "also", "just", "been"];
    let plain = plain(statement);
    let words = words(&plain);
    let [verb, rest @ ..] = from_verb(&words) else {
        return false;
    };
    let besides = |word: &&&str| BETWEEN.contains(word) || word.ends_with("ly");
    let made = rest.iter().find(|word| !besides(word));
    matches!(*verb, "is" | "are" | "isn't" | "aren't")
        && made.is_some_and(|word| {
            MADE.contains(word) || word.ends_with("ed") && !word.ends_with("eed")
        })
        && !plain.contains("by default")
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
