//! Errors that are told with what to do about them.

use super::{has_one, places};

/// Whether a text names an error and says what to do about it, in words or in code below it. `Exception: …` at the beginning is one to a rule, and what ends in `error:` only
/// announces.
pub(super) fn mends_an_error(said: &str, text: &str) -> bool {
    const ERRORS: &[&str] = &["fails with", "throws", "error:", "exception:"];
    const REMEDIES: &[&str] = &[
        "add",
        "check",
        "clear",
        "delete",
        "downgrade",
        "ensure",
        "fix",
        "fixed by",
        "increase",
        "install",
        "instead",
        "make sure",
        "means",
        "rebuild",
        "remove",
        "rerun",
        "re-run",
        "reset",
        "restart",
        "retry",
        "run",
        "set",
        "solution",
        "solved by",
        "switch",
        "try",
        "upgrade",
        "use",
    ];
    let begins = said.trim_start_matches(|c: char| !c.is_alphanumeric());
    let behind = ERRORS.iter().filter_map(|error| {
        let named = places(said, error)
            .find(|at| *error != "exception:" || *at > said.len() - begins.len())?;
        let behind = said[named + error.len()..].trim_start_matches(['*', '_', ' ']);
        let is_named = behind.starts_with(|c: char| c.is_alphanumeric() || "`'\"(".contains(c));
        is_named.then_some(())
    });
    behind.count() > 0 && (text.contains("\n```") || has_one(said, REMEDIES))
}
