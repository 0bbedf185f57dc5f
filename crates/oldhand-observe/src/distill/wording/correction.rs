//! The words for what an agent took back.

use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;

use super::Wording;
use crate::distill::phrase::{clip, is_concrete, list, shortened};

/// Words that only say that something was wrong and what the agent will look at next.
const GOES_ON: [&str; 7] = [
    ", so i'm ",
    ", so i'll ",
    ", so let me ",
    ", let me ",
    " seems incorrect",
    " may be wrong",
    " might be wrong",
];

/// Words about the task, the talk, or a slip in what the agent had just written: none of them says how the project is.
const ELSEWHERE: [&str; 24] = [
    "the user",
    "you asked",
    "you wanted",
    "your request",
    "your question",
    "requirement",
    "the task",
    "the instruction",
    "the plan",
    "i mistakenly included",
    "i mistakenly added",
    "i mistakenly used",
    "i mistakenly wrote",
    "i mistakenly removed",
    "i incorrectly stated",
    "i incorrectly used",
    "i incorrectly added",
    "i incorrectly wrote",
    "let me correct the",
    "in my summary",
    "in my report",
    "my edit",
    "subagent",
    "wakeup",
];

/// What an agent goes on to do is not part of what it learned.
fn is_plan(sentence: &str) -> bool {
    let lower = sentence.to_lowercase().replace('’', "'");
    [
        "let me", "i'm ", "i'll", "i will", "now ", "i need", "i should", "let's", "fixing",
        "updating",
    ]
    .iter()
    .any(|start| lower.starts_with(start))
        || sentence.trim_end().ends_with(':')
}

/// A correction in the agent's own words, if they name something one can act on.
pub(super) fn word(sentence: &str, next: Option<&str>, files: &[ProjectPath]) -> Option<Wording> {
    let next = next.filter(|next| !is_plan(next));
    let whole = match next {
        Some(next) => format!("{sentence} {next}"),
        None => sentence.to_owned(),
    };
    let lower = whole.to_lowercase();
    let opening = sentence.to_lowercase();
    let only_goes_on = GOES_ON.iter().any(|turn| opening.contains(turn));
    // Words about the conversation, or without any name in them, teach nothing about the project.
    if ELSEWHERE.iter().any(|turn| lower.contains(turn))
        || is_plan(sentence)
        || !is_concrete(&whole)
        || (only_goes_on && !next.is_some_and(is_concrete))
    {
        return None;
    }
    let place = files
        .first()
        .map(|file| format!(" (while working on `{file}`)"))
        .unwrap_or_default();
    let telling = next.filter(|next| is_concrete(next)).unwrap_or(sentence);
    Some(Wording::plain(
        BuiltInType::Gotcha,
        format!("An agent corrected itself{place}: {}", clip(&whole, 700)),
        clip(&shortened([whole, telling.to_owned()]), 140),
    ))
}

/// What was behind a failure, as the agent put it once it knew.
pub(super) fn cause(statement: &str, mended: &[ProjectPath]) -> Wording {
    // It was so when it was found; what was mended since may no longer be.
    let found = if mended.is_empty() {
        "The cause of a failure, as an agent found it".to_owned()
    } else {
        format!(
            "The cause of a failure that an agent mended in {}",
            list(mended)
        )
    };
    // What the line begins with is what it is about: it is cut at its end.
    let summary = shortened([140, 115, 90, 65, 40].map(|limit| clip(statement, limit)));
    Wording::plain(
        BuiltInType::Gotcha,
        format!("{found}: {statement}"),
        summary,
    )
}

#[test]
fn words_that_only_go_on_looking_teach_nothing() {
    let told = |sentence: &str, next: Option<&str>| word(sentence, next, &[]).is_some();
    let looking = "My assumption about `a.ts` seems incorrect, so I'm broadening my search.";
    assert!(!told(looking, None));
    assert!(!told(looking, Some("Let me look at the factories.")));
    assert!(told(looking, Some("It is set up in `registry.ts`.")));
    assert!(told("I was wrong about `ttl`: it is in seconds.", None));
    // Nor does what turns on the task, or on a slip of the pen.
    assert!(!told(
        "I misread the requirement: `Card` goes into the detail view.",
        None
    ));
    assert!(!told(
        "I incorrectly stated that `name` is a default.",
        None
    ));
    assert!(!told(
        "Let me look at `show` again, my first read was wrong.",
        None
    ));
    let plan = word(
        "I was wrong about `ttl`: it is in seconds.",
        Some("Let me write `ttl.rs`."),
        &[],
    );
    assert!(!plan.unwrap().content.contains("ttl.rs"));
}

#[test]
fn the_line_for_a_cause_begins_with_what_it_is_about() {
    let long = "`ShelfReader` hands out one and the same `Vec<PageOfShelf>` to everybody, but `Drain` empties its pages (`FirstRow`, `LastRow`), so that whoever comes second finds nothing to read.";
    let summary = cause(long, &[]).summary;
    assert!(
        summary.starts_with("`ShelfReader` hands out one and the same"),
        "{summary}"
    );
    assert!(oldhand_domain::tokens::count(&summary) <= oldhand_domain::text::SUMMARY_LIMIT);
}
