//! The words for what an agent took back, and for what it found behind a failure.

use oldhand_domain::path::ProjectPath;

use super::Wording;
use crate::distill::claim::{gotcha, head, is_commit, lasting, line, names};
use crate::distill::phrase::clip;
use crate::promote::Dropped;

/// Words about the task, the talk, a plan, a moment or a slip in what the agent had just written: none of them says how the project is.
const ELSEWHERE: [&str; 50] = [
    "the user",
    "you ",
    "your ",
    "you'",
    "told",
    "reviewer",
    "requirement",
    "the task",
    "the instruction",
    "the plan",
    "the question",
    " fix ",
    "todo",
    "should ",
    "could ",
    "might ",
    "may ",
    "seem",
    "maybe",
    "probabl",
    "plausib",
    "mistakenly",
    "incorrectly",
    "let me",
    "let's",
    "my summary",
    "my report",
    "my edit",
    "my plan",
    "subagent",
    "still ",
    " now ",
    "currently",
    "today",
    "this session",
    "last turn",
    "merged",
    "in progress",
    "stale",
    "this change",
    "this pr",
    "pull request",
    "checking the",
    "read tool",
    "verif",
    "my earlier",
    "being called",
    "is live",
    "at line",
    "under test",
];

/// What a sentence begins with that goes on to do something, or that says nothing by itself.
const GOES_ON: [&str; 7] = ["now ", "fixing", "updating", "so ", "it ", "that ", "this "];

/// What the agent did, saw or is about to do is of its work.
const FIRST_PERSON: [&str; 8] = ["i", "i'm", "i'll", "i've", "i'd", "we", "we're", "we've"];

/// What an agent admits with; what follows is what is right, or about what it was wrong.
const ADMITS: [&str; 9] = [
    "i was wrong",
    "i was mistaken",
    "i was incorrect",
    "i misread",
    "i had assumed",
    "i assumed",
    "correction",
    "i stand corrected",
    "actually",
];

/// What an agent once thought, before what it knows by then.
const THOUGHT: [&str; 8] = [
    "i initially thought",
    "i initially assumed",
    "i originally thought",
    "i originally assumed",
    "i first thought",
    "i previously thought",
    "i previously assumed",
    "i'd assumed",
];

/// A correction as the fact that is left of it, if that names things of the project; else why it can become nothing.
pub(super) fn word(sentence: &str, next: Option<&str>) -> Result<Wording, Dropped> {
    let told = what_is_so(sentence, next).ok_or(Dropped::OfTheMoment)?;
    // Names that could be anything (`from`, `name`) are found in every project, and a piece of a line is no name.
    let is_distinct = |name: &String| {
        let letters = name.chars().filter(|c| c.is_alphabetic()).count();
        let is_plain = name.chars().all(|c| c.is_ascii_lowercase());
        let is_elsewhere = name.contains("://") || name.starts_with(|c: char| c.is_ascii_digit());
        let is_line = name.contains(['"', '\\', ';']);
        letters >= 5 && !is_plain && !is_elsewhere && !is_line
    };
    let named = names(&told);
    if !named.iter().any(is_distinct) || named.iter().any(|name| is_commit(name)) {
        return Err(Dropped::NamesNothing);
    }
    Ok(gotcha(
        format!("Easily got wrong: {}", clip(&told, 700)),
        line(&told),
    ))
}

/// What is right by the agent's words, if it says that of the project.
fn what_is_so(sentence: &str, next: Option<&str>) -> Option<String> {
    let plain = |text: &str| text.replace("**", "").replace('’', "'");
    let (sentence, next) = (plain(sentence), next.map(plain));
    match (fact_of(&sentence), next) {
        (Some(fact), Some(next)) if says_how_it_is(&next) => Some(format!("{fact} {next}")),
        (Some(fact), _) => Some(fact),
        (None, Some(next)) if says_how_it_is(&next) => Some(next),
        // `I was wrong about x. It is y.`
        (None, Some(next)) => {
            let about = sentence.split_once(" about ")?.1.trim_end_matches('.');
            let is = next.strip_prefix("It ").filter(|is| says_how_it_is(is))?;
            told_of(about, is)
        }
        (None, None) => None,
    }
}

/// A correction in the agent's own words.
pub(super) fn as_said(sentence: &str) -> Wording {
    gotcha(clip(sentence, 700), line(sentence))
}

/// What is right, out of the sentence that says that something was wrong.
fn fact_of(sentence: &str) -> Option<String> {
    let lower = sentence.to_lowercase();
    if let Some(thought) = THOUGHT.iter().find_map(|words| after(sentence, words)) {
        return instead_of(thought);
    }
    // `Actually, x is y, not z`: all behind the word is what is so.
    if let Some(right) = after(sentence, "actually").filter(|_| lower.starts_with("actually")) {
        let right = right.trim_start_matches([',', ' ']);
        return says_how_it_is(right).then(|| upper(right))?;
    }
    let admitted = ADMITS.iter().filter_map(|words| lower.find(words)).min()?;
    let rest = sentence.get(admitted..)?;
    let (about, right) = [" — ", ": ", ", ", "; "]
        .iter()
        .filter_map(|joint| rest.split_once(joint))
        .min_by_key(|(about, _)| about.len())?;
    let about_lower = about.to_lowercase();
    if ELSEWHERE.iter().any(|words| about_lower.contains(words)) {
        return None;
    }
    if !says_how_it_is(right) {
        // `I was wrong about x — it is y`: what `it` is stands before.
        let about = about.split_once(" about ")?.1;
        let is = right.strip_prefix("it ").filter(|is| says_how_it_is(is))?;
        return told_of(about, is);
    }
    if let Some((_, about)) = about.split_once(" about ") {
        return Some(format!("As to {about}: {right}"));
    }
    upper(right)
}

/// What stands behind these words.
fn after<'a>(sentence: &'a str, words: &str) -> Option<&'a str> {
    let at = sentence.to_ascii_lowercase().find(words)?;
    sentence.get(at + words.len()..)
}

fn upper(text: &str) -> Option<String> {
    let mut letters = text.chars();
    let first = letters.next()?;
    Some(format!("{}{}", first.to_uppercase(), letters.as_str()))
}

/// What is so instead of what was thought: `that `x` was y, but it is z` is told of `x`.
fn instead_of(thought: &str) -> Option<String> {
    let (was, right) = thought
        .split_once(", but ")
        .or_else(|| thought.split_once(" but "))?;
    let right = right.replacen("actually ", "", 1);
    let Some(is) = right.strip_prefix("it ") else {
        return says_how_it_is(&right).then(|| upper(&right))?;
    };
    let was = was.trim_start();
    let was = was.strip_prefix("that ").unwrap_or(was);
    // What was thought of must be a name, and what `it` is the same one.
    let (name, rest) = was.strip_prefix('`')?.split_once('`')?;
    let is_told = says_how_it_is(is) && !rest.contains('`');
    is_told.then(|| format!("`{name}` {is}"))
}

/// What is so of what the agent was wrong about: of the name alone where that is what `it` is ("the `x` flag", "`x` helping"), else in
/// its own words.
fn told_of(about: &str, is: &str) -> Option<String> {
    let about = about.trim();
    let Some((before, (name, after))) = about
        .split_once('`')
        .and_then(|(before, rest)| Some((before, rest.split_once('`')?)))
    else {
        return Some(format!("{} {is}", upper(about)?));
    };
    let is_leading = before.is_empty() || before.eq_ignore_ascii_case("the ");
    let mut words = after.split_whitespace();
    let follows = words.next().unwrap_or_default();
    let is_its_own = after.is_empty()
        || after.starts_with(' ') && (words.next().is_none() || follows.ends_with("ing"));
    Some(if is_leading && is_its_own {
        format!("`{name}` {is}")
    } else {
        format!("As to {about}: it {is}")
    })
}

/// Whether a sentence says something of the project that can be so tomorrow, too.
fn says_how_it_is(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let words = sentence.split_whitespace().count();
    words >= 3
        && !sentence.trim_end().ends_with([':', '?'])
        && !ELSEWHERE.iter().any(|words| lower.contains(words))
        && !GOES_ON.iter().any(|start| lower.starts_with(start))
        && !lower
            .split(|c: char| !(c.is_alphanumeric() || c == '\''))
            .any(|word| FIRST_PERSON.contains(&word))
}

/// What was behind a failure, as the agent put it once it knew. Of what was then mended it leaves out what had been broken by it.
pub(in crate::distill) fn cause(statement: &str, mended: &[ProjectPath]) -> Wording {
    let statement = lasting(statement, mended);
    let told = match head(&statement, ", so ") {
        Some(how)
            if !mended.is_empty()
                && how.contains('`')
                && BREAKS
                    .iter()
                    .any(|word| statement[how.len()..].contains(word)) =>
        {
            format!("{how}.")
        }
        _ => statement,
    };
    gotcha(told.clone(), line(&told))
}

/// Words of what went wrong because of something.
const BREAKS: [&str; 5] = ["break", "fail", "crash", " raise", " throw"];

#[test]
fn a_correction_is_told_as_the_fact_that_is_left_of_it() {
    for (sentence, next, told) in [
        (
            "I was wrong a moment ago — the server doesn't inherit the image's defaults.",
            Some("A config map overrides them: `READ_ONLY=false` is set there."),
            "Easily got wrong: The server doesn't inherit the image's defaults. A config map overrides them: `READ_ONLY=false` is set there.",
        ),
        (
            "I was wrong about `--max-pack-bytes` helping the second run — it only cuts the first one.",
            Some("The flag did nothing for your run."),
            "Easily got wrong: `--max-pack-bytes` only cuts the first one.",
        ),
        (
            "I was wrong about where `ShopConfig` is read — it is `src/boot.rs`, not `src/main.rs`.",
            None,
            "Easily got wrong: As to where `ShopConfig` is read: it is `src/boot.rs`, not `src/main.rs`.",
        ),
        (
            "I was wrong about src/wire.rs: the format is generated by build.rs, not written by hand.",
            None,
            "Easily got wrong: As to src/wire.rs: the format is generated by build.rs, not written by hand.",
        ),
        (
            "I was wrong about the channel name.",
            Some("It is `github:issues:fetch`, not `github:fetchIssues`."),
            "Easily got wrong: The channel name is `github:issues:fetch`, not `github:fetchIssues`.",
        ),
        (
            "I initially thought `retryLimit` was per session, but it is counted per request.",
            None,
            "Easily got wrong: `retryLimit` is counted per request.",
        ),
        (
            "I initially assumed that `retryLimit` applied to sessions, but it actually applies per request.",
            None,
            "Easily got wrong: `retryLimit` applies per request.",
        ),
        (
            "I originally thought the limit was global, but `retryLimit` in `src/pool.ts` holds per request.",
            None,
            "Easily got wrong: `retryLimit` in `src/pool.ts` holds per request.",
        ),
        (
            "Actually, `retryLimit` is not global, it is counted per request.",
            None,
            "Easily got wrong: `retryLimit` is not global, it is counted per request.",
        ),
        (
            "Actually `retryLimit` isn't per session — it is counted per request.",
            None,
            "Easily got wrong: `retryLimit` isn't per session — it is counted per request.",
        ),
        (
            "Actually, the limit lives in `src/db/pool.ts`, not in `src/api/server.ts`.",
            None,
            "Easily got wrong: The limit lives in `src/db/pool.ts`, not in `src/api/server.ts`.",
        ),
    ] {
        let word = word(sentence, next).unwrap();
        assert_eq!(word.content, told);
    }
}

#[test]
fn words_about_the_talk_the_plan_and_the_moment_teach_nothing() {
    for (sentence, next) in [
        (
            "My assumption about `a_b.ts` seems incorrect, so I'm broadening my search.",
            None,
        ),
        (
            "I misread the requirement: `CardView` goes into the detail view.",
            None,
        ),
        (
            "But — I was wrong last turn. I told you `1a2b3c4` was made by a human co-author.",
            Some("Looking at the rest: `5d6e7f8`, a small one, has `some[bot]` alone."),
        ),
        (
            "The reviewer was right and I was wrong.",
            Some("Those TODOs ask for discovery via `read_link`, which is still blocked."),
        ),
        (
            "My earlier response was incorrect.",
            Some("The fix should add recognition of `RC` and `beta_x`."),
        ),
        (
            "I was wrong — the rule has no `from` selector, so any source is allowed on 8080.",
            None,
        ),
        (
            "I was wrong — `0.1.6` is pullable from `oci://example.org/charts`, unlike `0.0.0-dev`.",
            None,
        ),
        (
            "I initially thought `CardView` was the problem, but it should go into the plan.",
            None,
        ),
        (
            "I initially thought `a_view` wraps `b_view`, but it is made by the caller.",
            None,
        ),
        (
            "Let me look at `show_box` again, my first read was wrong.",
            None,
        ),
        (
            "I was wrong — the text shows `\\\"Choose a box: \\\" );`, and it doesn't match.",
            None,
        ),
    ] {
        assert!(word(sentence, next).is_err(), "{sentence}");
    }
}

#[test]
fn the_line_for_a_cause_begins_with_what_it_is_about() {
    let long = "`ShelfReader` hands out one and the same `Vec<PageOfShelf>` to everybody, and `Drain` empties its pages (`FirstRow`, `LastRow`), so that whoever comes second finds nothing to read.";
    let summary = cause(long, &[]).summary;
    assert!(
        summary.starts_with("`ShelfReader` hands out one and the same"),
        "{summary}"
    );
    assert!(oldhand_domain::tokens::count(&summary) <= oldhand_domain::text::SUMMARY_LIMIT);
}

#[test]
fn what_was_mended_is_left_out_of_what_lasts() {
    let statement = "`LIMIT_AS` isn't settable on macOS, so `before_fn` raises in the child and breaks every call.";
    let mended = [ProjectPath::new("src/child.py").unwrap()];
    assert_eq!(
        cause(statement, &mended).content,
        "`LIMIT_AS` isn't settable on macOS."
    );
    assert_eq!(cause(statement, &[]).content, statement);
    let lasting = "`expect_mail` takes a letter out, so that asking twice finds nothing.";
    assert_eq!(cause(lasting, &mended).content, lasting);
    let bound = "Cobble doesn't hand `Hidden` on, so long as `Walk` is off or fails.";
    assert_eq!(cause(bound, &mended).content, bound);
}
