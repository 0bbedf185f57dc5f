//! What sessions were stopped by, and what is told of it.

use jiff::SignedDuration;

use super::super::mends::way_out as way_out_of;
use super::super::tests::session;
use super::*;
use crate::promote::Dropped;

const BROKEN: &str = "edit a.go; run make lint = 1: a.go:10:2: Error return value of `x.Close` is not checked (errcheck)\\na.go:3:1: error is not nil (line 2) but it returns nil (nilerr)";
const ERRCHECK: &str = "edit a.go; run make lint = 1: a.go:7:2: Error return value of `y.Flush` is not checked (errcheck)";
const PASSED: &str = "edit a.go; run make lint = 0: 0 issues.";

/// What the last of some sessions tells, each a day after the one before.
fn told(stories: &[&str]) -> Option<Candidate> {
    let mut known = Knowledge::default();
    let mut last = Vec::new();
    for (number, story) in stories.iter().enumerate() {
        let mut facts = session(number as u32, story);
        facts.at = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * number as i64);
        last = known.hurdles(&facts);
        known.learn(&facts);
    }
    last.pop()
}

fn words(stories: &[&str]) -> Option<String> {
    told(stories).map(|told| told.content.as_str().to_owned())
}

#[test]
fn what_stopped_ten_sessions_on_three_occasions_is_told_with_its_rules() {
    let mut ten = vec![ERRCHECK; 5];
    ten.extend([BROKEN, ERRCHECK, PASSED, BROKEN, ERRCHECK, BROKEN]);
    let expected = "`make lint` failed on the changes of 10 of the 11 sessions that ran it, most often errcheck (10: \"Error return value of … is not checked\"), nilerr (3: \"error is not nil but it returns nil\").";
    assert_eq!(words(&ten).as_deref(), Some(expected));
    assert_eq!(words(&ten[1..]), None, "nine sessions");
    let told = told(&ten).unwrap();
    ten.push(PASSED);
    assert_eq!(words(&ten), None, "nothing new");
    assert_eq!(
        told.summary.as_str(),
        "`make lint` mostly fails by errcheck, nilerr"
    );
    assert_eq!((told.witnesses.len(), told.evidence.len()), (10, 1));
}

#[test]
fn what_stops_few_of_those_that_run_it_is_no_hurdle() {
    let mut stories = vec![PASSED; 40];
    stories.extend([BROKEN; 10]);
    assert!(words(&stories).is_some(), "10 of 50");
    stories.insert(0, PASSED);
    assert!(words(&stories).is_none(), "10 of 51");
}

#[test]
fn one_evening_is_one_occasion_and_a_rule_needs_three_sessions() {
    let mut known = Knowledge::default();
    for number in 0..12 {
        let mut facts = session(number, BROKEN);
        facts.at = Timestamp::UNIX_EPOCH;
        assert!(known.hurdles(&facts).is_empty(), "one occasion");
        known.learn(&facts);
    }
    let two = ["a", "b", "c", "d", "e"].map(|rule| {
        format!("edit a.go; run make lint = 1: a.go:1:2: this is not as it should be (rule{rule})")
    });
    let each: Vec<&str> = two.iter().chain(&two).map(String::as_str).collect();
    assert_eq!(words(&each), None, "each rule twice");
}

#[test]
fn hooks_that_refuse_commits_are_told_by_what_they_check() {
    const UNNAMED: &str = "edit docs/a.md; run git commit -m x = 1: eslint found 3 errors\\nhusky - pre-commit hook exited with code 1 (error)";
    const SCRIPT: &str = "edit docs/a.md; run git commit -m x = 1: Missing generated files\\nhusky - pre-commit script failed (code 1)";
    const REFUSED: &str = "edit docs/a.md; run git commit -m x = 1: ✖ markdownlint --fix:\\n/p/docs/a.md:7 error MD040/fenced-code-language Fenced code blocks should have a language specified\\nhusky - pre-commit script failed (code 1)";
    const MADE: &str = "edit docs/a.md; run git commit -m x = 0: [main 1a2b3c4] x";
    let told = words(&[MADE, REFUSED, REFUSED, REFUSED, REFUSED, REFUSED]);
    let expected = "The hooks before `git commit` refused the work of 5 of the 6 sessions that committed, most often for MD040/fenced-code-language (5: \"Fenced code blocks should have a language specified\"). What they check can be run before.";
    assert_eq!(told.as_deref(), Some(expected));
    assert_eq!(rules_told(expected), ["MD040/fenced-code-language"]);
    // A linter that names no rule is told as one, and a script that does not say what it checks refuses all the same.
    let told = words(&[REFUSED, REFUSED, REFUSED, UNNAMED, UNNAMED, UNNAMED, SCRIPT]);
    let expected = "The hooks before `git commit` refused the work of 7 of the 7 sessions that committed, most often for MD040/fenced-code-language (3: \"Fenced code blocks should have a language specified\"), lint (3). What they check can be run before.";
    assert_eq!(told.as_deref(), Some(expected));
    assert_eq!(words(&[SCRIPT; 5]), None, "nothing to tell them by");
    assert_eq!(words(&[UNNAMED; 5]), None, "a kind alone");
    let rarely = [REFUSED, REFUSED, UNNAMED, UNNAMED, UNNAMED];
    assert_eq!(words(&rarely), None, "a rule in two sessions");
}

/// What one session after the other was stopped by: each letter is a rule, a dot is another one each time.
fn stopped_by(rules: &str) -> Vec<String> {
    let mut known = Knowledge::default();
    for (number, rule) in rules.chars().enumerate() {
        let rule = match rule {
            '.' => format!("other{number}"),
            rule => format!("rule{rule}"),
        };
        let story =
            format!("edit a.go; run make lint = 1: a.go:1:2: this is not as it should be ({rule})");
        let mut facts = session(number as u32, &story);
        facts.at = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * number as i64);
        known.learn(&facts);
    }
    let worst = known.hurdles["make lint"].worst();
    worst.into_iter().map(|(name, _)| name.clone()).collect()
}

#[test]
fn a_rule_that_was_quiet_for_long_may_have_been_dropped() {
    for (rules, expected) in [
        ("aaa", "rulea"),
        ("aaa....", "rulea"),
        ("aaa.....", ""),
        // It was never met more often.
        ("a...a...a........", "rulea"),
        ("a...a...a.........", ""),
        ("aaa.....a", "rulea"),
        ("aaabbbbb", "ruleb"),
        ("aaabbbb", "ruleb, rulea"),
    ] {
        assert_eq!(stopped_by(rules).join(", "), expected, "{rules}");
    }
}

const MENDED: &str = "edit a.ts; run bun run lint = 1: a.ts format ━━━\\n× Formatter would have printed the following content; run bun run lint:fix = 0: Fixed 1 file.; run bun run lint = 0: Checked 9 files.";
const BY_HAND: &str = "edit a.ts; run bun run lint = 1: a.ts format ━━━\\n× Formatter would have printed the following content; edit a.ts; run bun run lint = 0: Checked 9 files.";

#[test]
fn what_mends_a_check_is_told_with_what_it_fails_by() {
    let stories = |mended: usize, by_hand: usize| {
        let mut stories = vec![MENDED; mended];
        stories.extend(vec![BY_HAND; by_hand]);
        stories
    };
    for (stories, way_out, short) in [
        (
            stories(3, 3),
            " Run `bun run lint:fix` first: it alone made it pass in 3 sessions.",
            ": run `bun run lint:fix` first",
        ),
        (stories(2, 8), "", ""),
    ] {
        let told = told(&stories).unwrap();
        let of = stories.len();
        let fails = format!(
            "`bun run lint` failed on the changes of {of} of the {of} sessions that ran it, most often format ({of}: \"Formatter would have printed the following content\")."
        );
        assert_eq!(told.content.as_str(), format!("{fails}{way_out}"));
        let summary = format!("`bun run lint` mostly fails by format{short}");
        assert_eq!(told.summary.as_str(), summary);
        let covers: Vec<&str> = told.covers.iter().map(String::as_str).collect();
        let covered: &[&str] = if short.is_empty() {
            &[]
        } else {
            &["mended:bun run lint"]
        };
        assert_eq!(covers, covered);
        let check = way_out_of(told.content.as_str());
        assert_eq!(check, (!short.is_empty()).then_some("bun run lint"));
        assert_eq!(rules_told(told.content.as_str()), ["format"]);
    }
    assert!(told(&stories(3, 1)).is_none(), "four sessions");
    assert!(told(&stories(2, 7)).is_none(), "nine that nothing mends");
    let told = words(&stories(3, 7)).unwrap();
    let often = " `bun run lint:fix` alone made it pass in 3 sessions.";
    assert!(told.ends_with(often), "{told}");
    assert_eq!(way_out_of(&told), Some("bun run lint"));
}

#[test]
fn what_mends_a_check_is_told_once() {
    for (before, expected) in [(3, None), (4, Some(Dropped::ToldAlready))] {
        let known = super::super::tests::learned(&vec![MENDED; before]);
        let facts = session(before as u32, MENDED);
        let mended = known.mending(&facts, &[]);
        assert_eq!(mended[0].unfit, expected, "{before}");
    }
}

#[test]
fn what_came_after_outside_text_is_counted_marked_and_not_quoted() {
    let marked = format!("fetch https://a.example/page; {BROKEN}");
    let marked = marked.as_str();
    let mut stories = vec![BROKEN; 9];
    stories.push(marked);
    assert!(!told(&stories).unwrap().taint.is_clean());
    stories.insert(0, BROKEN);
    assert!(told(&stories).unwrap().taint.is_clean());
    let alone = told(&[marked; 10]).unwrap();
    assert!(
        alone
            .content
            .as_str()
            .ends_with("most often errcheck (10), nilerr (10)."),
        "{}",
        alone.content.as_str()
    );
}

#[test]
fn what_a_later_stop_says_after_outside_text_is_not_quoted() {
    let later = format!(
        "edit a.go; run make lint = 1: a.go:9:2: this is not as it should be (other); fetch https://a.example/page; {BROKEN}"
    );
    let later = later.as_str();
    let told = words(&[later; 10]).unwrap();
    let expected =
        "most often errcheck (10), nilerr (10), other (10: \"this is not as it should be\").";
    assert!(told.ends_with(expected), "{told}");
    // Nor does it weaken what others saw.
    let told = words(&[&[ERRCHECK; 4][..], &[later; 6]].concat()).unwrap();
    let expected = "errcheck (10: \"Error return value of … is not checked\")";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn what_ran_elsewhere_did_not_run_the_check() {
    let ran = |story: &str| session(1, story).hurdles.len();
    for (story, expected) in [
        ("start; run make lint = 0: 0 issues.", 1),
        ("start; run cd web && make lint = 0: 0 issues.", 1),
        ("start; run cd /srv/other && make lint = 0: 0 issues.", 0),
    ] {
        assert_eq!(ran(story), expected, "{story}");
    }
}

#[test]
fn a_rule_is_told_without_the_case_that_broke_it() {
    for (message, told) in [
        (
            "The line is 185 characters long, which exceeds the maximum of 180 characters",
            "The line is … characters long, which exceeds the maximum of 180 characters",
        ),
        (
            "missing cases in switch of type color.Ansi: color.emptyColor, color.Accent",
            "missing cases in switch of type color.Ansi",
        ),
        (
            "string `a long text` has 3 occurrences, make it a constant",
            "string … has … occurrences, make it a constant",
        ),
        (
            "error returned from external package is unwrapped: sig: func example.com/x.Load() (*example.com/x.Set)",
            "error returned from external package is unwrapped",
        ),
        (
            "os/exec.Command must not be called. use os/exec.CommandContext",
            "os/exec.Command must not be called. use os/exec.CommandContext",
        ),
        ("", ""),
    ] {
        assert_eq!(without_the_case(message), told);
    }
}
