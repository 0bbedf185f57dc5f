//! `oldhand search "what did we do last"`: what came last, newest first, and no guess at how likely that is; and what came on a day.

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::sandbox;

const LAST: &str = "what did we do last";

/// A sandbox into which as many memories came in one import.
fn imported(count: usize) -> Sandbox {
    let sandbox = sandbox();
    let lines: Vec<String> = (0..count)
        .map(|at| {
            let content = format!("Rule {at} is about the part called p{at}.");
            json!({ "type": "gotcha", "content": content }).to_string()
        })
        .collect();
    sandbox
        .oldhand(["import", "json", "-"])
        .stdin(lines.join("\n"))
        .run()
        .success();
    sandbox
}

fn results(sandbox: &Sandbox, options: &[&str]) -> Vec<Value> {
    let asked = [&["search", LAST, "--json"], options].concat();
    let answer = sandbox.oldhand(asked).run().success();
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    answer["results"].as_array().expect("results").clone()
}

#[test]
fn after_an_import_of_many_as_many_are_found_as_are_asked_for() {
    for count in [90, 130, 400] {
        let sandbox = imported(count);
        for (asked, found) in [("5", 5), ("40", 40), ("0", count)] {
            let results = results(&sandbox, &["-n", asked]);
            assert_eq!(results.len(), found, "{asked} of {count}");
            let ages: Vec<(&str, &str)> = results
                .iter()
                .map(|one| (text(&one["created_at"]), text(&one["id"])))
                .collect();
            assert!(ages.is_sorted_by(|a, b| a > b), "{ages:?}");
        }
    }
}

#[test]
fn what_came_a_moment_later_comes_first_and_nothing_is_said_to_be_likely() {
    let sandbox = imported(130);
    let moments = [".1", ".2", ".3"].map(|part| format!("2026-03-01T12:00:00{part}Z"));
    for (at, moment) in moments.iter().enumerate() {
        let said = format!("Step {at} of the migration is done.");
        sandbox
            .oldhand(["remember", &said, "--type", "gotcha"])
            .env("OLDHAND_TEST_NOW", moment)
            .run()
            .success();
    }
    // Being used, pinned or sure makes nothing newer.
    let first = results(&sandbox, &["-n", "3"]);
    sandbox
        .oldhand(["pin", text(&first[2]["id"])])
        .run()
        .success();
    let newest = results(&sandbox, &["-n", "3"]);
    let said: Vec<&str> = newest.iter().map(|one| text(&one["content"])).collect();
    assert_eq!(
        said,
        [2, 1, 0].map(|at| format!("Step {at} of the migration is done."))
    );
    let because = |at: usize| &newest[at]["because"];
    assert!(because(0)["relevance"].is_null(), "{}", newest[0]);
    let words = [0, 1, 2].map(|at| text(&because(at)["words"]));
    assert_eq!(words, ["the newest", "the 2nd newest", "the 3rd newest"]);
    let shown = sandbox.oldhand(["search", LAST, "-n", "3"]).run().success();
    assert!(
        shown.contains(" · the newest · ") && !shown.contains('%'),
        "{shown}"
    );
}

#[test]
fn a_day_that_a_question_counts_back_to_comes_first_and_is_all_where_nothing_else_is_asked() {
    let sandbox = sandbox();
    for (day, said) in [
        ("02-03", "The release of the parser was signed by hand"),
        ("02-16", "The release of the parser waits for the docs"),
        ("02-17", "Thumbnails are cached lazily"),
        ("03-01", "The release of the parser is built twice"),
    ] {
        sandbox
            .oldhand(["remember", said])
            .at(&format!("2026-{day}T09:00:00Z"))
            .run()
            .success();
    }
    let ask = |question: &str| -> Vec<String> {
        let asked = sandbox.oldhand(["search", question, "--json"]);
        let answer = asked.at("2026-03-02T09:00:00Z").run().stdout;
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        let results = answer["results"].as_array().expect("results").iter();
        results
            .map(|one| text(&one["content"]).to_owned())
            .collect()
    };
    let parser = "The release of the parser waits for the docs";
    let about = ask("what about the release of the parser two weeks ago");
    assert_eq!((about[0].as_str(), about.len()), (parser, 3));
    let anything = ["Thumbnails are cached lazily", parser];
    assert_eq!(ask("what did we do two weeks ago?"), anything);
    let shown = sandbox
        .oldhand(["search", "what did we do two weeks ago?"])
        .at("2026-03-02T09:00:00Z")
        .run()
        .success();
    assert!(
        shown.contains(" · around 14 days ago · ") && !shown.contains("newest"),
        "{shown}"
    );
    let shown = sandbox
        .oldhand(["search", "release two weeks ago", "--explain"])
        .at("2026-03-02T09:00:00Z")
        .run()
        .success();
    assert!(
        shown.contains("looked for release, first of 14 days ago") && shown.contains("by age"),
        "{shown}"
    );
}

/// A sandbox with a memory of each of these moments of 2026, which says when it is of.
fn taught_at(moments: &[&str]) -> Sandbox {
    let sandbox = sandbox();
    for (at, moment) in moments.iter().enumerate() {
        let said = format!("Part p{at} of the parser was changed on {moment}");
        sandbox
            .oldhand(["remember", &said])
            .at(&format!("2026-{moment}:00Z"))
            .run()
            .success();
    }
    sandbox
}

/// Asked at noon on Wednesday, 18 March.
fn asked(sandbox: &Sandbox, words: &[&str]) -> String {
    let asked = sandbox.oldhand([&["search"], words].concat());
    let outcome = asked.at("2026-03-18T12:00:00Z").run();
    format!("{}{}", outcome.stdout, outcome.stderr)
}

#[test]
fn yesterday_and_weeks_and_months_are_the_days_of_the_calendar() {
    let moments = [
        "01-31T23:59",
        "02-01T00:00",
        "02-28T23:59",
        "03-08T23:59",
        "03-09T00:00",
        "03-15T23:59",
        "03-16T00:00",
        "03-16T23:59",
        "03-17T00:00",
        "03-17T23:59",
        "03-18T00:00",
    ];
    let sandbox = taught_at(&moments);
    let found = |question: &str| -> Vec<&str> {
        let shown = asked(&sandbox, &[question]);
        let newest_first = moments.iter().rev();
        let found = newest_first.filter(|moment| shown.contains(**moment));
        found.copied().collect()
    };
    assert_eq!(
        found("what did we do yesterday?"),
        ["03-17T23:59", "03-17T00:00"]
    );
    assert_eq!(
        found("what happened this week?"),
        moments[6..].iter().rev().copied().collect::<Vec<_>>()
    );
    assert_eq!(
        found("what did we do last week?"),
        ["03-15T23:59", "03-09T00:00"]
    );
    assert_eq!(
        found("what happened last month"),
        ["02-28T23:59", "02-01T00:00"]
    );
    assert_eq!(found("what did we learn this month").len(), 8);
    let shown = asked(&sandbox, &["what did we do yesterday?"]);
    assert!(shown.contains(" · of yesterday · "), "{shown}");
    let about = asked(&sandbox, &["what about part p1 last month", "--explain"]);
    assert!(
        about.contains("looked for part, p1, last, month, first of last month"),
        "{about}"
    );
}

#[test]
fn a_day_that_has_nothing_is_answered_by_what_is_newest_and_that_is_said() {
    let sandbox = taught_at(&["02-10T09:00", "03-01T09:00"]);
    for (question, day) in [
        ("what did we do yesterday?", "yesterday"),
        ("what happened last week?", "last week"),
        ("what did we do last Tuesday?", "last Tuesday"),
        ("what did we decide two days ago", "2 days ago"),
        ("what did we decide yesterday?", "yesterday"),
    ] {
        let shown = asked(&sandbox, &[question]);
        assert!(
            shown.contains(" · the newest · ") && shown.contains(" · the 2nd newest · "),
            "{shown}"
        );
        let note = format!("nothing is remembered of {day}: these are the newest");
        assert!(shown.contains(&note), "{shown}");
        let answer = asked(&sandbox, &[question, "--json"]);
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(text(&answer["asked"]["nothing_of"]), day);
        assert_eq!(answer["results"].as_array().map(Vec::len), Some(2));
    }
    let shown = asked(&sandbox, &["what happened this month?"]);
    assert!(!shown.contains("nothing is remembered"), "{shown}");
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}
