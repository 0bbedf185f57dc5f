//! What is told of findings that were met again: words, numbers and marks, in every order of the sessions.

use super::super::tests::session;
use super::*;

const FAILS: &str = "edit src/b.c; run larch build --only web = 1: error: Shelf 'Rows' is missing";
const PLACED: &str =
    "edit src/b.c; run larch build --only web = 1: src/rows.c:3: error: Shelf 'Rows' is missing";
const OTHER: &str = "edit src/b.c; run larch build --only web = 1: error: Shelf 'Pages' is missing";
const FOUND: &str = "run larch build --only web = 1: error: Shelf 'Rows' is missing; say Root cause: `larch` reads `--only web` as a folder, because it keeps `Rows` apart from all others.; edit src/a.c; run larch build = 0";
const LATER: &str = "run larch build --only web = 1: error: Shelf 'Rows' is missing; say Root cause: `larch` takes `--only web` for a filter by default, because `Rows` belongs to none.; edit src/a.c; run larch build = 0";
const PLAIN: &str = "read src/a.c; say Root cause: `Cobble` doesn't hand `Hidden` on to children of `Walk`.; edit src/a.c; run make test = 0";
const AGAIN: &str = "read src/a.c; say Found it. `Cobble` drops `Hidden` for each child that `Walk` meets.; edit src/c.c; run make test = 0";
const NEAR: &str = "read src/a.c; say Found it. `Cobble` drops `Shown` for each child that `Steps` meets.; edit src/c.c; run make test = 0";

/// What the last of these sessions tells, which come in this order; a star stands behind what is marked.
fn told_by(sessions: &[&SessionFacts]) -> Vec<String> {
    let mut known = Knowledge::default();
    let mut told = Vec::new();
    for facts in sessions {
        told = known.found_again(facts);
        known.learn(facts);
    }
    let told = told
        .iter()
        .map(|one| format!("{} {}{}", one.key, one.content, mark(one)));
    told.collect()
}

fn mark(told: &Candidate) -> &'static str {
    if told.taint.is_clean() { "" } else { "*" }
}

/// Every order of some things.
fn orders<T: Copy>(all: &[T]) -> Vec<Vec<T>> {
    if all.is_empty() {
        return vec![Vec::new()];
    }
    let firsts = 0..all.len();
    let begun = firsts.flat_map(|first| {
        let mut rest = all.to_vec();
        let first = rest.remove(first);
        let orders = orders(&rest).into_iter();
        orders
            .map(move |rest| [vec![first], rest].concat())
            .collect::<Vec<_>>()
    });
    begun.collect()
}

/// What is told once all of these sessions were learned, whichever comes last.
fn told(stories: &[&str]) -> Vec<String> {
    let facts: Vec<SessionFacts> = stories
        .iter()
        .enumerate()
        .map(|(number, story)| session(number as u32, story))
        .collect();
    let all: Vec<&SessionFacts> = facts.iter().collect();
    let told: BTreeSet<Vec<String>> = orders(&all).iter().map(|order| told_by(order)).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    let told = told.into_iter().next().unwrap().into_iter();
    told.map(|told| told.split_once(' ').unwrap().1.to_owned())
        .collect()
}

#[test]
fn a_finding_is_told_with_its_error_once_another_session_met_that_before_or_after() {
    let two = "`larch …` fails with \"error: Shelf 'Rows' is missing\" (met in 2 sessions). The cause: `larch` reads `--only web` as a folder, because it keeps `Rows` apart from all others.";
    assert_eq!(told(&[FOUND, FAILS]), [two]);
    assert_eq!(told(&[FAILS, FOUND]), [two]);
    // The place is no part of an error.
    let three = two.replace("2 sessions", "3 sessions");
    assert_eq!(told(&[FOUND, FAILS, PLACED]), [three]);
    for alone in [&[FOUND][..], &[FOUND, OTHER], &[FAILS, PLACED]] {
        assert_eq!(told(alone), [""; 0], "{alone:?}");
    }
}

#[test]
fn of_two_causes_of_one_error_the_later_one_is_told() {
    let told = told(&[FOUND, FAILS, LATER]);
    let later = "`larch …` fails with \"error: Shelf 'Rows' is missing\" (met in 3 sessions). The cause: `larch` takes `--only web` for a filter by default, because `Rows` belongs to none.";
    assert_eq!(told, [later]);
}

#[test]
fn what_two_sessions_found_on_their_own_is_told_without_an_error() {
    assert_eq!(
        told(&[PLAIN, AGAIN]),
        ["`Cobble` drops `Hidden` for each child that `Walk` meets."]
    );
    assert_eq!(told(&[PLAIN, NEAR]), [""; 0]);
    assert_eq!(told(&[PLAIN]), [""; 0]);
}

#[test]
fn a_copy_and_what_failed_bear_nothing_out() {
    let (mut copy, found) = (session(1, FAILS), session(0, FOUND));
    assert_eq!(told_by(&[&found, &copy]).len(), 1);
    copy.at = found.at;
    assert_eq!(told_by(&[&found, &copy]), [""; 0]);
    let failed = session(0, &format!("{FOUND}; validated failed"));
    assert_eq!(failed.succeeded, Some(false));
    assert_eq!(told_by(&[&failed, &session(1, FAILS)]), [""; 0]);
}

#[test]
fn an_error_is_known_without_its_place_and_kind() {
    for (message, expected) in [
        ("<path>:<n>:<n>: error: no such shelf", "no such shelf"),
        ("<path>: no such shelf", "no such shelf"),
        ("<path> is no shelf", "<path> is no shelf"),
        ("error:", "error:"),
    ] {
        assert_eq!(bare(message), expected);
    }
}

#[test]
fn what_clean_sessions_tell_by_themselves_no_marked_one_marks_or_outdoes() {
    let after_page = |story: &str| format!("fetch https://a.example/page; {story}");
    let told = |stories: &[String]| {
        let stories: Vec<&str> = stories.iter().map(String::as_str).collect();
        told(&stories)
    };
    let own = |story: &str| story.to_owned();
    let found = |sessions: u32| {
        format!(
            "`larch …` fails with \"error: Shelf 'Rows' is missing\" (met in {sessions} sessions). The cause: `larch` reads `--only web` as a folder, because it keeps `Rows` apart from all others."
        )
    };
    let later =
        "`larch` takes `--only web` for a filter by default, because `Rows` belongs to none.";
    let clean = [own(FOUND), own(FAILS)];
    assert_eq!(told(&clean), [found(2)]);
    // One that took something in is no witness, and what it found later outdoes nothing.
    for marked in [FAILS, LATER, FOUND] {
        let stories = [clean.clone().to_vec(), vec![after_page(marked)]].concat();
        assert_eq!(told(&stories), [found(2)], "{marked}");
    }
    // Where it is needed, its marks go along.
    assert_eq!(
        told(&[own(FOUND), after_page(FAILS)]),
        [format!("{}*", found(2))]
    );
    assert_eq!(
        told(&[after_page(FOUND), own(FAILS)]),
        [format!("{}*", found(2))]
    );
    let last = told(&[own(FOUND), after_page(LATER)]);
    let [last] = last.try_into().unwrap();
    let last: String = last;
    assert!(last.ends_with(&format!("{later}*")), "{last}");
    let plain = "`Cobble` drops `Hidden` for each child that `Walk` meets.";
    assert_eq!(told(&[own(PLAIN), own(AGAIN), after_page(PLAIN)]), [plain]);
    assert_eq!(
        told(&[own(PLAIN), after_page(AGAIN)]),
        [format!("{plain}*")]
    );
}

#[test]
fn a_copy_is_counted_nowhere() {
    let sessions = [FOUND, FAILS, FAILS].iter().enumerate();
    let mut sessions: Vec<SessionFacts> = sessions
        .map(|(number, story)| session(number as u32, story))
        .collect();
    sessions[2].at = sessions[1].at;
    let told = told_by(&sessions.iter().collect::<Vec<_>>());
    assert!(told[0].contains("(met in 2 sessions)"), "{told:?}");
}

/// Facts with findings in these words and nothing else.
fn finding(number: u32, statements: &[String]) -> SessionFacts {
    let mut facts = session(number, FOUND);
    let model = facts.findings.remove(0);
    let findings = statements.iter().map(|statement| FindingFact {
        statement: statement.clone(),
        explains: Vec::new(),
        ..model.clone()
    });
    facts.findings = findings.collect();
    facts.errors.clear();
    facts
}

#[test]
fn what_names_nothing_is_the_same_only_in_the_same_words() {
    let words = |thing: &str| vec![format!("the shelf of {thing} is emptied by each walk.")];
    let told = |one: &str, two: &str| {
        let (one, two) = (finding(0, &words(one)), finding(1, &words(two)));
        told_by(&[&one, &two])
    };
    assert_eq!(told("rows", "rows").len(), 1);
    assert_eq!(told("rows", "pages"), [""; 0]);
    let all: Vec<String> = ["rows", "pages"].into_iter().flat_map(words).collect();
    let (one, two) = (finding(0, &all), finding(1, &all));
    assert_eq!(told_by(&[&one, &two]).len(), 2, "two statements are two");
}

#[test]
fn many_findings_of_one_error_are_weighed_at_once() {
    // Comparing the words of each with those of each would take minutes.
    let mut known = Knowledge::default();
    let model = session(0, FOUND);
    for number in 0..1000 {
        let mut facts = model.clone();
        facts.session = SessionId::new(format!("s{number}")).unwrap();
        facts.at += jiff::SignedDuration::from_hours(number);
        let other = format!("`Rows{number}`");
        let statement = &mut facts.findings[0].statement;
        *statement = statement.replace("`Rows`", &other);
        known.learn(&facts);
    }
    assert_eq!(known.found_again(&session(5000, FAILS)).len(), 1);
}
