//! What people say in session after session.

use oldhand_domain::event::{BoundedText, Event, Happening};

use super::*;
use crate::distill::Origin;

/// What the last of some sessions lays down, each of a day with its prompts.
fn laid_down(sessions: &[(&str, &[&str])]) -> Vec<String> {
    let mut known = Knowledge::default();
    let mut told = Vec::new();
    for (number, (day, prompts)) in sessions.iter().enumerate() {
        let begin: Timestamp = format!("{day}T08:00:00Z").parse().unwrap();
        let mut events = events("read a.rs; edit a.rs");
        for (minute, prompt) in prompts.iter().enumerate() {
            let at = begin + SignedDuration::from_mins(minute as i64 + number as i64);
            let what = Happening::Prompt {
                text: BoundedText::head(prompt, 2000),
                pasted: false,
                answers: false,
            };
            events.push(Event::new(at, what));
        }
        let session = fold(&events, &FoldOptions::default());
        let id = SessionId::new(format!("s{number}")).unwrap();
        let harvest = harvest(id, &session, &known);
        let of_person = harvest.candidates.iter();
        let of_person = of_person.filter(|candidate| candidate.origin == Origin::Person);
        told = of_person
            .filter(|candidate| candidate.is_fit())
            .map(|candidate| candidate.content.as_str().to_owned())
            .collect();
        known.learn(&harvest.facts);
    }
    told
}

#[test]
fn a_short_refusal_of_three_sessions_and_two_days_is_a_rule() {
    let first: (&str, &[&str]) = ("2026-03-02", &["do not ask me for a choice"]);
    let second: (&str, &[&str]) = ("2026-03-03", &["sure, and don't ask for choices"]);
    let third: (&str, &[&str]) = (
        "2026-03-03",
        &["take the first and do not ask me for a choice or a name"],
    );
    let other: (&str, &[&str]) = ("2026-03-03", &["run it and don't ask me for a name"]);
    assert_eq!(
        laid_down(&[first, second, third]),
        ["The user said in 3 sessions: \"do not ask me for a choice or a name\"."]
    );
    let none: [String; 0] = [];
    assert_eq!(laid_down(&[first, second]), none);
    assert_eq!(laid_down(&[first, second, other]), none);
    let one_day = ("2026-03-03", first.1);
    assert_eq!(laid_down(&[one_day, second, third]), none);
}

#[test]
fn copies_pages_and_what_is_of_the_moment_do_not_count() {
    let none: [String; 0] = [];
    let long =
        "plan the import of the archive with all of its parts and do not ask me for a choice";
    let days = ["2026-03-02", "2026-03-03", "2026-03-04"];
    for prompt in [
        long,
        "don't change anything",
        "You are a planner. Do not ask for a choice.",
    ] {
        let sessions: Vec<(&str, &[&str])> = Vec::new();
        let prompts = [prompt];
        let sessions = days.iter().fold(sessions, |mut all, day| {
            all.push((*day, &prompts[..]));
            all
        });
        assert_eq!(laid_down(&sessions), none, "{prompt}");
    }
}

#[test]
fn how_work_is_cut_is_a_rule_once_it_was_said_in_several_prompts() {
    let none: [String; 0] = [];
    let [first, second] = ["2026-03-02", "2026-03-03"];
    let each: &[&str] = &["fix both and commit each separately"];
    let go: &[&str] = &["then the docs, and commit as you go"];
    assert_eq!(laid_down(&[(first, each)]), none);
    // On one day it is one task, begun again.
    assert_eq!(laid_down(&[(first, each), (first, go)]), none);
    assert_eq!(
        laid_down(&[(first, each), (second, go)]),
        ["The user said in 2 prompts: \"commit as you go\"."]
    );
    // The words that tell the most, of one session.
    let both: &[&str] = &[go[0], each[0]];
    assert_eq!(
        laid_down(&[(first, go), (second, both)]),
        ["The user said in 3 prompts: \"commit each separately\"."]
    );
    let one = "one question at a time please";
    let twice: &[&str] = &[one, "one at a time"];
    assert_eq!(laid_down(&[(first, twice)]), none);
    assert_eq!(
        laid_down(&[
            (first, &["go one step at a time"]),
            (second, &[one, "one at a time"])
        ]),
        ["The user said in 3 prompts: \"one question at a time please\"."]
    );
    // What was sent once more after it had been stopped was said once.
    let long = "go through all of the open points in the list until none is left, commit each fix by itself";
    assert_eq!(laid_down(&[("2026-03-02", &[long, long])]), none);
}

#[test]
fn a_document_that_four_sessions_of_three_days_ask_for_with_a_commit_is_a_rule() {
    let none: [String; 0] = [];
    let plain: &[&str] = &["commit and update changelog"];
    let marked: &[&str] = &["commit this and update @CHANGELOG.md", "go on"];
    let [first, second, third] = ["2026-03-02", "2026-03-03", "2026-03-04"];
    assert_eq!(
        laid_down(&[
            (first, plain),
            (second, marked),
            (third, plain),
            (third, marked)
        ]),
        [
            "The user asked in 4 sessions to update `changelog` with a commit (\"commit this and update @CHANGELOG.md\")."
        ]
    );
    let often: &[&str] = &["commit and update changelog", "commit and update changelog"];
    assert_eq!(
        laid_down(&[(first, often), (second, often), (third, often)]),
        none
    );
    let two_days = [
        (first, plain),
        (first, marked),
        (second, plain),
        (second, marked),
    ];
    assert_eq!(laid_down(&two_days), none);
    let other: &[&str] = &["commit and update the readme"];
    let others = [
        (first, plain),
        (second, marked),
        (third, plain),
        (third, other),
    ];
    assert_eq!(laid_down(&others), none);
}
