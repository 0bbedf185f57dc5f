//! Whether a statement is understood alone: what it is about and what it does it to stand in it, and so does the reason it gives.

use super::state::{plain, words};
use super::subject::is_verb;

/// What of a statement has to last: of something that does not work "because …" the reason. A reason that begins with what was named
/// before ("because it's a param"), or that is no clause ("because of the guard"), is judged with what it is the reason for.
pub(super) fn reason(main: &str) -> &str {
    const BACK: [&str; 12] = [
        "of", "it", "its", "it's", "they", "they're", "their", "that's", "this", "these", "there",
        "we",
    ];
    let Some((_, reason)) = main.split_once(" because ") else {
        return main;
    };
    let first = reason.split_whitespace().next().unwrap_or_default();
    if BACK.contains(&first.to_lowercase().as_str()) {
        main
    } else {
        reason
    }
}

/// Whether it only names what a failure came of: "the tests of `x` fail because of the `Guard`".
pub(super) fn is_symptom(main: &str) -> bool {
    const FAILS: [&str; 6] = ["fail", "fails", "break", "breaks", "crash", "crashes"];
    let Some((symptom, _)) = main.split_once(" because of ") else {
        return false;
    };
    let plain = plain(symptom);
    words(&plain).iter().any(|word| FAILS.contains(word))
}

/// Whether what it does something to is only pointed at: "`init --agent` doesn't create it". Nothing but the subject was named before
/// that, and it is not itself what it creates.
pub(super) fn points_back(main: &str) -> bool {
    let first = main.split(". ").next().unwrap_or(main);
    let plain = plain(first);
    let words: Vec<&str> = plain.split_whitespace().collect();
    let Some(verb) = words.iter().skip(1).position(|word| is_verb(word)) else {
        return false;
    };
    let (subject, rest) = words.split_at(verb + 1);
    if !is_bare(subject) {
        return false;
    }
    let mut rest = rest.iter().copied().skip_while(|word| is_besides(word));
    let Some(verb) = rest.next() else {
        return false;
    };
    let mut objects = rest.skip_while(|word| is_besides(word));
    // Behind "doesn't" and "must" stands what it does.
    let object = if HELPS.contains(&verb) {
        objects.nth(1)
    } else {
        objects.next()
    };
    object.is_some_and(is_pointer)
}

/// Verbs that another one follows.
const HELPS: [&str; 12] = [
    "don't", "doesn't", "isn't", "aren't", "can't", "cannot", "won't", "must", "need", "are", "do",
    "is",
];

fn is_besides(word: &str) -> bool {
    matches!(word, "never" | "only" | "always" | "not" | "also" | "then") || word.ends_with("ly")
}

/// Whether nothing that could be meant is named beside what a sentence is about.
fn is_bare(subject: &[&str]) -> bool {
    let names = subject.iter().filter(|word| word.contains("NAME")).count();
    let mut others = subject.iter().filter(|word| !word.contains("NAME"));
    let is_small = |word: &&str| {
        let lower = word.to_lowercase();
        matches!(lower.as_str(), "the" | "a" | "an" | "each" | "every")
            || word.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit())
    };
    names <= 1 && others.all(is_small)
}

/// "It" and "them" are always somebody else; "this" and "that" only where no thing follows them.
fn is_pointer(word: &str) -> bool {
    let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    match bare {
        "it" | "them" => true,
        "this" | "that" | "these" | "those" => bare.len() < word.len(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_that_is_only_pointed_at_is_not_understood_alone() {
        for (statement, expected) in [
            ("`init --agent` doesn't create it.", true),
            ("The `init` never writes them.", true),
            ("Relay only reads it once.", true),
            ("`flush` cannot see that.", true),
            ("Relay silently drops those, whatever is set.", true),
            // What is meant stands before it, or the word begins a clause.
            ("`git` treats `.larch` as a file and keeps it.", false),
            ("`sync` with a full cache empties it.", false),
            ("`linter` doesn't see that `exit()` ends the run.", false),
            ("`flush` never waits for this call.", false),
            ("`Table` in `Store` drops it.", false),
            ("`flush` never waits for `fsync`.", false),
            ("Relay keeps its rows.", false),
            ("`flush` reads that row.", false),
        ] {
            assert_eq!(points_back(statement), expected, "{statement}");
        }
    }

    #[test]
    fn a_reason_counts_alone_where_it_is_a_clause_that_names_its_own_subject() {
        for (main, expected) in [
            ("`x` is lost because Relay drops it.", "Relay drops it."),
            (
                "`rows` is a list, but Relay takes it for a value because it's a param.",
                "`rows` is a list, but Relay takes it for a value because it's a param.",
            ),
            (
                "Tests fail because of the `Guard`.",
                "Tests fail because of the `Guard`.",
            ),
            ("Relay drops rows.", "Relay drops rows."),
        ] {
            assert_eq!(reason(main), expected);
        }
    }

    #[test]
    fn what_a_failure_came_of_alone_is_a_symptom() {
        for (main, expected) in [
            ("Relay tests fail because of the `Guard`.", true),
            ("Relay drops rows because of its time limit.", false),
            ("Relay fails because `Guard` needs a name.", false),
        ] {
            assert_eq!(is_symptom(main), expected, "{main}");
        }
    }
}
