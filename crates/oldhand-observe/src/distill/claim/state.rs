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
pub(super) fn from_verb<'w>(words: &'w [&'w str]) -> &'w [&'w str] {
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

/// Whether it says that a program is not found, which is so on one machine: "`x` isn't on PATH", "not in the PATH".
pub(super) fn is_off_path(statement: &str) -> bool {
    /// So many words before it deny it.
    const NEAR: usize = 4;
    let plain = statement.replace('`', "");
    let words = words(&plain);
    let is_path = |at: usize| {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| words[at]);
        match words[at] {
            "PATH" => true,
            "path" => before(2) == "on" && matches!(before(1), "the" | "your" | "its"),
            _ => false,
        }
    };
    (0..words.len()).any(|at| {
        let near = &words[at.saturating_sub(NEAR)..at];
        let denies =
            |word: &&str| matches!(*word, "not" | "no" | "without") || word.ends_with("n't");
        is_path(at)
            && near.iter().any(|word| matches!(*word, "on" | "in"))
            && near.iter().any(denies)
    })
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

#[test]
fn that_a_program_is_not_found_is_of_one_machine() {
    for (statement, expected) in [
        (
            "Relay can't find `larch` because `rill` isn't on PATH.",
            true,
        ),
        ("`larch` is not installed or not on `PATH`.", true),
        ("`larch` is not on the path.", true),
        ("`larch` isn't in your `$PATH`.", true),
        // Where a program looks for others is its own, and so are the paths of a product.
        (
            "Relay looks for `larch` on PATH before its own folder.",
            false,
        ),
        ("Relay doesn't decode `:id` in the path.", false),
        ("Relay does not pass PATH to its children.", false),
    ] {
        assert_eq!(is_off_path(statement), expected, "{statement}");
    }
}
