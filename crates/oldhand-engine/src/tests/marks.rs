//! Marks of outside text: what sessions show without any is told without any, in whatever order they came, and nothing else is.

use std::collections::BTreeSet;

use oldhand_domain::memory::Memory;
use oldhand_domain::taint::Taint;
use oldhand_domain::vocabulary::ReviewReason;

use super::learn::session;
use super::promotion::{CORRECTED, ERROR};
use super::*;

/// A file that is not there, found at once under another name; the second session that shows it teaches it.
const MISSING: &str = "read .lint.yml = failed: File does not exist. Did you mean .lint.yaml?; read .lint.yaml; edit src/a.c; edit src/b.c; run make test = 0";

/// What an agent found out about an error that it met, and one that only met it.
const FOUND: &str = "run larch build --only web = 1: error: Shelf 'Rows' is missing; say Root cause: `larch` reads `--only web` as a folder, because it keeps `Rows` apart from all others.; edit src/a.c; run larch build = 0";
const MEETS: &str = "edit src/b.c; run larch build --only web = 1: error: Shelf 'Rows' is missing";
const LATER: &str = "run larch build --only web = 1: error: Shelf 'Rows' is missing; say Root cause: `larch` takes `--only web` for a filter by default, because `Rows` belongs to none.; edit src/a.c; run larch build = 0";

/// What a session took in before; nothing for the first.
const BEFORE: [&str; 3] = ["", "fetch https://a.example/page = 0; ", "read /srv/x.md; "];

/// Every order of `sessions`.
fn orders(sessions: &[usize]) -> Vec<Vec<usize>> {
    if sessions.is_empty() {
        return vec![Vec::new()];
    }
    let first = |at: usize| {
        let mut rest = sessions.to_vec();
        let one = rest.remove(at);
        orders(&rest)
            .into_iter()
            .map(move |rest| [vec![one], rest].concat())
    };
    (0..sessions.len()).flat_map(first).collect()
}

/// Finalizes sessions that all show `story` in this order; a session is named by its number, and `before` says what each took in.
fn live_all(story: &str, before: &[&str], order: &[usize]) -> House {
    let house = House::new();
    for number in order {
        house.live(
            &format!("s{number}"),
            &format!("wait {}s; {}{story}", number + 1, before[*number]),
        );
    }
    house
}

fn about(house: &House, words: &str) -> Option<Memory> {
    let mut told = house.everything().into_iter();
    told.find(|memory| memory.is_live() && memory.content.as_str().contains(words))
}

const SETS: [(usize, usize); 7] = [(1, 1), (1, 2), (0, 2), (2, 0), (2, 1), (2, 2), (3, 1)];

#[test]
fn what_clean_sessions_show_by_themselves_is_clean_in_whatever_order_they_came() {
    for (story, words, needed) in [
        (MISSING, "There is no `.lint.yml`", 2),
        (FOUND, "reads `--only web` as a folder", 2),
        (ERROR, "header `bad` not found", 2),
        (CORRECTED, "the parser, not the lexer", 1),
    ] {
        for (clean, marked) in SETS {
            let before: Vec<&str> = std::iter::repeat_n(BEFORE[0], clean)
                .chain(BEFORE[1..].iter().copied().take(marked))
                .collect();
            let numbers: Vec<usize> = (0..before.len()).collect();
            let mut marks: BTreeSet<String> = BTreeSet::new();
            let mut clean_ones = BTreeSet::new();
            for order in orders(&numbers) {
                let house = live_all(story, &before, &order);
                let Some(told) = about(&house, words) else {
                    assert!(clean < needed, "{words}: {order:?} of {clean}+{marked}");
                    continue;
                };
                marks.insert(format!("{:?}", told.taint));
                let is_marked = told.review_reason == Some(ReviewReason::OutsideText);
                assert_eq!(is_marked, !told.taint.is_clean(), "{told:?}");
                assert_eq!(told.taint.is_clean(), clean >= needed, "{order:?}");
                if clean >= needed {
                    let by: BTreeSet<SessionId> =
                        (0..clean).map(|n| session(&format!("s{n}"))).collect();
                    assert_eq!(told.provenance, by, "{order:?}");
                    assert!(by.contains(told.session.as_ref().unwrap()));
                    let sure = format!("{:.4}", told.confidence.get());
                    clean_ones.insert((told.content.as_str().to_owned(), sure, told.needs_review));
                }
            }
            assert!(clean_ones.len() <= 1, "{clean_ones:?}");
            // What a client states counts with its marks, so that these are all of them.
            assert!(story != MISSING || marks.len() <= 1, "{marks:?}");
        }
    }
}

#[test]
fn a_finding_that_clean_sessions_met_is_theirs_whatever_marked_ones_found_or_met() {
    let marked = |story: &str| format!("{}{story}", BEFORE[1]);
    let own = |story: &str| story.to_owned();
    let (folder, filter) = (
        "reads `--only web` as a folder",
        "takes `--only web` for a filter",
    );
    for (stories, words, is_clean) in [
        (vec![own(FOUND), own(MEETS), marked(LATER)], folder, true),
        (vec![own(FOUND), own(MEETS), marked(MEETS)], folder, true),
        (vec![own(FOUND), own(MEETS), own(LATER)], filter, true),
        (vec![own(FOUND), marked(MEETS)], folder, false),
        (vec![marked(FOUND), own(MEETS)], folder, false),
        (vec![own(FOUND), marked(LATER)], filter, false),
    ] {
        let numbers: Vec<usize> = (0..stories.len()).collect();
        for order in orders(&numbers) {
            let house = House::new();
            for number in &order {
                let story = format!("wait {}s; {}", number + 1, stories[*number]);
                house.live(&format!("s{number}"), &story);
            }
            let about_it: Vec<Memory> = house
                .everything()
                .into_iter()
                .filter(|one| one.is_live() && one.content.as_str().contains("The cause: `larch`"))
                .collect();
            // What outside text came before is worth less.
            let [told] = about_it.as_slice() else {
                assert!(about_it.is_empty() && !is_clean, "{order:?}: {about_it:?}");
                continue;
            };
            assert!(told.content.as_str().contains(words), "{order:?}: {told:?}");
            assert_eq!(told.taint.is_clean(), is_clean, "{order:?} of {stories:?}");
            let is_marked = told.review_reason == Some(ReviewReason::OutsideText);
            assert_eq!(is_marked, !is_clean, "{told:?}");
        }
    }
}

#[test]
fn what_marked_sessions_are_needed_for_stays_marked() {
    let before = [BEFORE[1], BEFORE[0]];
    for order in [[0, 1], [1, 0]] {
        let house = live_all(MISSING, &before, &order);
        let told = about(&house, "There is no").unwrap();
        assert!(!told.taint.is_clean() && told.needs_review, "{told:?}");
        assert_eq!(told.provenance.len(), 2);
        assert!(told.confidence.get() < 0.7, "{told:?}");
    }
}

#[test]
fn a_memory_that_keeps_the_words_of_a_marked_session_keeps_its_marks() {
    let house = House::new();
    let note = |words: &str| {
        format!("note gotcha: {words}; edit src/a.c; edit src/b.c; run make test = 0")
    };
    house.live(
        "one",
        &format!(
            "{}{}",
            BEFORE[1],
            note("The port of `serve` is 8080 in every test of `net`.")
        ),
    );
    house.live(
        "two",
        &note("The port of `serve` is 8080 in each test of `net`."),
    );
    let told = about(&house, "in every test").unwrap();
    assert!(!told.taint.is_clean() && told.needs_review, "{told:?}");
}

#[test]
fn nothing_of_the_marked_session_is_left_in_what_clean_ones_showed() {
    let house = House::new();
    let found = |name: &str| MISSING.replace(".lint.yaml", name);
    house.live("one", &format!("{}{}", BEFORE[1], found(".lint.evil")));
    house.live("two", &format!("{}{}", BEFORE[2], found(".lint.evil")));
    let marked = about(&house, ".lint.evil").unwrap();
    assert!(!marked.taint.is_clean());
    house.live("three", MISSING);
    assert!(!about(&house, "There is no").unwrap().taint.is_clean());
    house.live("four", MISSING);
    let told = about(&house, "There is no").unwrap();
    assert_eq!((told.id, &told.taint), (marked.id, &Taint::CLEAN));
    assert!(!told.needs_review, "{told:?}");
    assert!(!format!("{told:?}").contains("evil"), "{told:?}");
    assert_eq!(told.session, Some(session("four")));
    // What outside text says again changes nothing any more.
    house.live("five", &format!("{}{}", BEFORE[1], found(".lint.evil")));
    assert_eq!(about(&house, "There is no").unwrap(), told);
}

#[test]
fn what_a_person_or_an_agent_said_of_a_marked_memory_stands() {
    let marked = || {
        let house = live_all(MISSING, &[BEFORE[1], BEFORE[2]], &[0, 1]);
        let id = about(&house, "There is no").unwrap().id;
        (house, id)
    };
    let clean = |house: &House| {
        house.live("three", MISSING);
        house.live("four", MISSING);
    };
    let (house, id) = marked();
    house.engine().forget(&id.to_string(), day(1)).unwrap();
    clean(&house);
    assert_eq!(about(&house, "There is no"), None, "it was rejected");
    let (house, id) = marked();
    let wrong = Correction::Inaccurate;
    house
        .engine()
        .flag(&id.to_string(), wrong, None, day(1))
        .unwrap();
    clean(&house);
    let told = about(&house, "There is no").unwrap();
    assert!(told.flagged.is_some() && !told.taint.is_clean());
    let (house, id) = marked();
    house.engine().verify(&id.to_string(), day(1)).unwrap();
    let before = about(&house, "There is no").unwrap();
    clean(&house);
    let told = about(&house, "There is no").unwrap();
    assert_eq!(
        (told.content, told.session),
        (before.content, before.session)
    );
}
