//! The words for an option that a program refused.

use oldhand_domain::payload::BuiltInType;

use super::Wording;
use crate::detect::SolvedBy;
use crate::distill::phrase::{clip, without_plumbing};
use crate::distill::refused_option;

/// An option that a program does not know: the program and the option are what is worth knowing, not what it was to do that day.
pub(super) fn word(message: &str, command: &str, by: &SolvedBy, seen: &str) -> Option<Wording> {
    let option = refused_option(message)?;
    let (SolvedBy::First(answer) | SolvedBy::Command(answer)) = by else {
        return None;
    };
    let verbs: Vec<&str> = without_plumbing(command)
        .split_whitespace()
        .take(3)
        .take_while(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        .take_while(|word| !word.starts_with('-'))
        .collect();
    // In a line of several programs the one that complains names itself.
    let complains = message.split_once(": ").map(|(name, _)| name);
    let complains = complains.filter(|name| command.split_whitespace().any(|word| word == *name));
    let program = match verbs.as_slice() {
        _ if complains.is_some() => complains.unwrap_or_default().to_owned(),
        [] => clip(command, 40),
        verbs => verbs.join(" "),
    };
    let answer = clip(without_plumbing(answer), 100);
    Some(Wording::plain(
        BuiltInType::ErrorPattern,
        format!(
            "`{program}` does not know `{option}` (\"{}\"). What worked instead: `{answer}` ({seen}).",
            clip(message, 120)
        ),
        format!(
            "`{program}` has no `{option}`; `{}` worked",
            clip(&answer, 60)
        ),
    ))
}
