//! Points of a list, and the line over them.

use super::{ProjectPath, parse, shown};

const LONG: &str = "You are the first to look at what others send in, and you see to it that it meets what this project is known and loved for:";

#[test]
fn few_words_each_under_a_long_line_are_one_statement() {
    let text = format!(
        "# Rules\n\n{LONG}\n- a delightful experience\n- types all over\n- idiomatic code\n"
    );
    let expected = format!(
        "4 module_insight [\"claude.md\"] [] {LONG}\n- a delightful experience\n- types all over\n- idiomatic code"
    );
    assert_eq!(shown(&text), expected);
}

#[test]
fn each_of_many_points_is_told_by_its_own_words() {
    let point = |what: &str| {
        format!(
            "- keep {what} as small as it can be {}\n",
            "and as plain ".repeat(6)
        )
    };
    let points: String = [
        "the code",
        "the tests",
        "the pages",
        "the names",
        "the steps",
    ]
    .map(point)
    .concat();
    let file = ProjectPath::new("CLAUDE.md").unwrap();
    let rules = parse(&file, &format!("# Rules\n\n{LONG}\n{points}")).rules;
    assert_eq!(rules.len(), 5);
    for (rule, what) in rules.iter().zip(["the code", "the tests"]) {
        let summary = rule.summary.as_deref().unwrap_or_default();
        assert!(summary.contains(&format!("keep {what}")), "{summary}");
    }
    let short = parse(&file, "- When it fails:\n  - run `make reset` first\n").rules;
    assert_eq!(short[0].summary, None, "it is whole in one line");
}

#[test]
fn what_stands_in_for_words_and_drawings_of_what_needs_what_are_no_rules() {
    let text = "\
## Mistakes

*(Add entries here when an error was confusing. Format: what, why.)*

13.

[Describe what the service does]

- Never trust the clock (of the client).

*(Never run this against production.)*

[IMPORTANT] Never edit the generated files, see [docs]

```
wallet → store, journal, fs
store  ledger (+ both)
```

```
make check   # lint → test
make deploy
```
";
    insta::assert_snapshot!(shown(text), @r##"
9 requirement ["claude.md", "mistakes"] [] Never trust the clock (of the client).
11 gotcha ["claude.md", "mistakes"] [] Mistakes: *(Never run this against production.)*
13 gotcha ["claude.md", "mistakes"] [] Mistakes: [IMPORTANT] Never edit the generated files, see [docs]
21 gotcha ["claude.md", "mistakes"] [] Mistakes: lint → test: `make check`
22 gotcha ["claude.md", "mistakes"] [] Mistakes: `make deploy`
3 skipped: a placeholder
5 skipped: no words
7 skipped: a placeholder
15 skipped: a drawing
"##);
}

#[test]
fn what_begins_like_a_greeting_and_lays_something_down_is_a_rule() {
    let rules = [
        "Instructions for deploys: run the smoke tests, then tag the release",
        "Guidelines for commits are that each must stand alone",
        "Welcome emails are sent by the worker and by nothing else",
        "Thanks to the cache a page is read from the disk once",
        "This section explains why queries should be prepared",
    ];
    for rule in rules {
        assert!(shown(&format!("- {rule}\n")).ends_with(rule), "{rule}");
    }
    let points =
        shown("- Guidelines for commits\n  - sign each of them off\n  - keep them small\n");
    assert!(points.contains("sign each of them off"), "{points}");
    let greeting = "Welcome!\n\nThanks.\n\nWelcome to the shop.\n\nThanks for reading.\n";
    let told = shown(greeting);
    assert_eq!(told.matches("introduces").count(), 4, "{told}");
}
