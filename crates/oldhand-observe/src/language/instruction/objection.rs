//! Why somebody refuses a command, in the few words that they say with it.

use super::again::{refusals, told};
use super::{clause, is_passing, plain};

/// Longer reasons are of one case.
const MOST_LETTERS: usize = 80;
/// "Too slow" and the like says it of the command itself.
const MOST_WORDS: usize = 4;

/// The words of a person that say why a command is not to run, whenever that is: "don't run integration tests, too slow".
pub fn objection<'p>(prompt: &'p str, command: &str) -> Option<&'p str> {
    let words = prompt.trim().trim_end_matches(['.', '!', ' ']);
    let lower = plain(words);
    let sentences = told(prompt);
    let is_one = sentences.len() == 1 && !words.contains('\n');
    if !is_one
        || words.len() > MOST_LETTERS
        || words.contains(['?', '"', '`'])
        || is_passing(&lower)
        || clause::points(&lower)
    {
        return None;
    }
    let is_too = lower.starts_with("too ") && lower.split_whitespace().count() <= MOST_WORDS;
    (is_too || is_refused(prompt, command)).then_some(words)
}

/// Whether a refusal names what the command is called by.
fn is_refused(prompt: &str, command: &str) -> bool {
    let command = command.to_ascii_lowercase();
    let parts: Vec<&str> = command
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !matches!(*part, "" | "run"))
        .collect();
    let is_named =
        |word: &str| parts.contains(&word) || parts.contains(&word.trim_end_matches('s'));
    refusals(prompt)
        .iter()
        .any(|refusal| is_named(&refusal.deed) || refusal.rest.iter().any(|word| is_named(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_about_the_command_say_why() {
        for (prompt, command, expected) in [
            (
                "don't run e2e or load tests, too slow.",
                "npm run e2e",
                Some("don't run e2e or load tests, too slow"),
            ),
            ("too slow.", "make e2e", Some("too slow")),
            (
                "never push from here!",
                "git push",
                Some("never push from here"),
            ),
            ("don't push this", "git push", None),
            ("too slow for now", "make e2e", None),
            ("don't run e2e yet", "npm run e2e", None),
            ("don't touch the parser", "npm run e2e", None),
            ("why run e2e?", "npm run e2e", None),
            ("i'll take it from here.", "npm run e2e", None),
            ("too slow. Use the fixtures instead", "npm run e2e", None),
        ] {
            assert_eq!(objection(prompt, command), expected, "{prompt}");
        }
    }
}
