//! The words for what an agent took back.

use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;

use super::Wording;
use crate::distill::phrase::{clip, is_concrete};

/// Whether words only say that something was wrong and what the agent will look at next, not what is right.
fn goes_on(lower: &str) -> bool {
    [
        ", so i'm ",
        ", so i'll ",
        ", so let me ",
        ", let me ",
        " seems incorrect",
        " may be wrong",
        " might be wrong",
    ]
    .iter()
    .any(|turn| lower.contains(turn))
}

/// A correction in the agent's own words, if they name something one can act on.
pub(super) fn word(sentence: &str, next: Option<&str>, files: &[ProjectPath]) -> Option<Wording> {
    let whole = match next {
        Some(next) => format!("{sentence} {next}"),
        None => sentence.to_owned(),
    };
    // Words about the conversation, or without any name in them, teach nothing about the project.
    let lower = whole.to_lowercase();
    if lower.contains("the user")
        || lower.contains("you asked")
        || lower.contains("your request")
        || !is_concrete(&whole)
        || (goes_on(&sentence.to_lowercase()) && !next.is_some_and(is_concrete))
    {
        return None;
    }
    let place = files
        .first()
        .map(|file| format!(" (while working on `{file}`)"))
        .unwrap_or_default();
    let fits = oldhand_domain::tokens::count(&whole) <= oldhand_domain::text::SUMMARY_LIMIT;
    let telling = match next {
        _ if fits => whole.as_str(),
        Some(next) if is_concrete(next) => next,
        _ => sentence,
    };
    Some(Wording::plain(
        BuiltInType::Gotcha,
        format!("An agent corrected itself{place}: {}", clip(&whole, 700)),
        clip(telling, 140),
    ))
}

#[test]
fn words_that_only_go_on_looking_teach_nothing() {
    let told = |sentence: &str, next: Option<&str>| word(sentence, next, &[]).is_some();
    let looking = "My assumption about `a.ts` seems incorrect, so I'm broadening my search.";
    assert!(!told(looking, None));
    assert!(!told(looking, Some("Let me look at the factories.")));
    assert!(told(looking, Some("It is set up in `registry.ts`.")));
    assert!(told("I was wrong about `ttl`: it is in seconds.", None));
}
