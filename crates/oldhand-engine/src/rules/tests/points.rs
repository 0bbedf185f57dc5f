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
