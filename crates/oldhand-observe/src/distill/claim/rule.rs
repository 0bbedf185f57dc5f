//! What a rule of a linter asks for: whoever breaks it reads that in the linter's own words, and which rules stop work is counted.

use super::state::{from_verb, plain, words};
use crate::fold::SessionAnalytics;

/// Whether a statement says what a rule asks for that a check of the session had just held against its work.
pub(in crate::distill) fn is_met(statement: &str, session: &SessionAnalytics) -> bool {
    let Some(rule) = rule_asking(statement) else {
        return false;
    };
    let is_it = |named: &str| {
        let last = named.rsplit(['/', ':']).next().unwrap_or(named);
        [named, last]
            .iter()
            .any(|name| name.eq_ignore_ascii_case(rule))
    };
    let stated = format!("({rule})");
    let mut hurdles = session.hurdles.iter();
    let mut errors = session.errors.values();
    hurdles.any(|hurdle| is_it(&hurdle.rule)) || errors.any(|error| error.message.contains(&stated))
}

/// The name with which a statement begins that says what it asks for: "The `exhaustive` linter requires …".
fn rule_asking(statement: &str) -> Option<&str> {
    const ARTICLES: [&str; 3] = ["The ", "the ", ""];
    let named = ARTICLES.iter().find_map(|article| {
        let rest = statement.strip_prefix(article)?.strip_prefix('`')?;
        rest.split_once('`')
    });
    let (rule, rest) = named?;
    let plain = plain(rest);
    let said: Vec<&str> = std::iter::once("NAME").chain(words(&plain)).collect();
    let asks = match from_verb(&said) {
        ["doesn't" | "don't", verb, ..] => matches!(*verb, "allow" | "permit" | "want" | "like"),
        [verb, ..] => ASKS.contains(verb),
        [] => false,
    };
    asks.then_some(rule)
}

/// What a rule does that only repeats it.
const ASKS: [&str; 18] = [
    "requires",
    "needs",
    "wants",
    "expects",
    "demands",
    "enforces",
    "flags",
    "forbids",
    "disallows",
    "rejects",
    "complains",
    "reports",
    "checks",
    "warns",
    "bans",
    "prohibits",
    "insists",
    "must",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::{FoldOptions, fold};
    use crate::story::events;

    #[test]
    fn what_a_rule_asks_for_is_read_where_it_is_broken() {
        let broken =
            "edit a/log.go; run make lint = 1: a/log.go:10:2: missing cases in switch (exhaustive)";
        let other = "edit a/log.go; run make lint = 1: a/log.go:10:2: not checked (errcheck)";
        let asks = "The `exhaustive` linter requires all cases to be handled.";
        for (story, statement, expected) in [
            (broken, asks, true),
            (
                broken,
                "`exhaustive` doesn't allow a case to be left out.",
                true,
            ),
            (other, asks, false),
            // What it does besides is not in its words.
            (
                broken,
                "`exhaustive` doesn't see that `exit()` ends the run.",
                false,
            ),
            (
                broken,
                "The `exhaustive` linter only looks at `main`.",
                false,
            ),
            (broken, "Go requires `exhaustive` to be built.", false),
        ] {
            let session = fold(&events(story), &FoldOptions::default());
            assert_eq!(is_met(statement, &session), expected, "{statement}");
        }
    }
}
