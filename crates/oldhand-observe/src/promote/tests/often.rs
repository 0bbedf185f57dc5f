//! How often something must have been seen, and how sure that makes it.

use super::*;

#[test]
fn a_file_that_is_edited_counts_one_session_earlier() {
    let edited = format!("edit src/a.c; {PASSED}");
    let read = format!("read src/a.c; read src/a.c; {PASSED}");
    let told = |story: &str, edited_sessions| {
        let session = fold(&events(story), &FoldOptions::default());
        let signals = detect(&session, &Norms::default());
        let seen = Seen {
            sessions: 1,
            task_types: 1,
            edited_sessions,
            ..Seen::default()
        };
        let times = Frequency {
            seen: signals
                .iter()
                .map(|signal| (signal.key.clone(), seen.clone()))
                .collect(),
            modules: BTreeMap::from([("src".to_owned(), 2)]),
            ..Frequency::default()
        };
        let candidates = distill(&session, &signals, &[], &times);
        let file = candidates
            .iter()
            .find(|candidate| candidate.key == "file:src/a.c")
            .unwrap();
        frequency(
            file,
            GateRule {
                sessions: None,
                lowered: 0.0,
            },
            &times,
        )
        .is_ok()
    };
    assert!(told(&edited, 1));
    assert!(!told(&edited, 0));
    assert!(!told(&read, 1));
}

#[test]
fn a_file_most_sessions_pass_by_is_no_beginning() {
    let story = format!("edit src/a.c; {PASSED}");
    let session = fold(&events(&story), &FoldOptions::default());
    let signals = detect(&session, &Norms::default());
    let seen = Seen {
        sessions: 4,
        task_types: 1,
        edited_sessions: 4,
        ..Seen::default()
    };
    let mut times = Frequency {
        seen: signals
            .iter()
            .map(|signal| (signal.key.clone(), seen.clone()))
            .collect(),
        ..Frequency::default()
    };
    let candidates = distill(&session, &signals, &[], &times);
    let file = candidates
        .iter()
        .find(|candidate| candidate.key == "file:src/a.c")
        .unwrap();
    let rule = GateRule {
        sessions: None,
        lowered: 0.0,
    };
    times.modules.insert("src".to_owned(), 8);
    assert!(frequency(file, rule, &times).is_ok());
    times.modules.insert("src".to_owned(), 9);
    assert_eq!(
        frequency(file, rule, &times),
        Err(Dropped::SeldomOpened { seen: 5, of: 10 })
    );
    // With two sessions a module has no habits, with three it may.
    times.modules.insert("src".to_owned(), 1);
    let young = Err(Dropped::YoungModule { of: 2 });
    assert_eq!(frequency(file, rule, &times), young);
    times.modules.insert("src".to_owned(), 2);
    assert!(frequency(file, rule, &times).is_ok());
}

#[test]
fn files_that_everything_touches_are_no_pair() {
    let story = format!("read src/hub.c; read src/a.c; {PASSED}");
    let session = fold(&events(&story), &FoldOptions::default());
    let signals = detect(&session, &Norms::default());
    let seen = Seen {
        sessions: 3,
        task_types: 1,
        edited_sessions: 0,
        ..Seen::default()
    };
    let mut times = Frequency {
        seen: signals
            .iter()
            .map(|signal| (signal.key.clone(), seen.clone()))
            .collect(),
        ..Frequency::default()
    };
    let candidates = distill(&session, &signals, &[], &times);
    let pair = candidates
        .iter()
        .find(|candidate| candidate.key == "pair:src/a.c+src/hub.c")
        .unwrap();
    let rule = GateRule {
        sessions: None,
        lowered: 0.0,
    };
    let path = |text: &str| oldhand_domain::path::ProjectPath::new(text).unwrap();
    times.files.insert(path("src/hub.c"), 90);
    times.files.insert(path("src/a.c"), 6);
    assert!(frequency(pair, rule, &times).is_ok());
    times.files.insert(path("src/a.c"), 7);
    assert_eq!(
        frequency(pair, rule, &times),
        Err(Dropped::SeldomTogether { seen: 4, of: 8 })
    );
}

#[test]
fn a_habit_that_is_as_often_the_other_way_is_none() {
    let story = format!("run make test = 0; edit src/a.c; {PASSED}");
    let session = fold(&events(&story), &FoldOptions::default());
    let signals = detect(&session, &Norms::default());
    let seen = |sessions| Seen {
        sessions,
        task_types: 1,
        edited_sessions: 0,
        ..Seen::default()
    };
    let told = |against| {
        let times = Frequency {
            seen: BTreeMap::from([
                ("tests:src:first".to_owned(), seen(5)),
                ("tests:src:after".to_owned(), seen(against)),
            ]),
            ..Frequency::default()
        };
        let candidates = distill(&session, &signals, &[], &times);
        let habit = candidates
            .iter()
            .find(|candidate| candidate.key == "tests:src:first")
            .unwrap();
        frequency(
            habit,
            GateRule {
                sessions: None,
                lowered: 0.0,
            },
            &times,
        )
    };
    assert!(told(2).is_ok());
    assert_eq!(
        told(3),
        Err(Dropped::OtherwiseToo {
            seen: 6,
            against: 3
        })
    );
}

#[test]
fn a_pair_is_as_sure_as_its_numbers() {
    assert!((cautious_share(3, 3) - 0.438).abs() < 0.001);
    assert!(cautious_share(3, 5) < cautious_share(30, 50));
    assert!(cautious_share(0, 0) < 0.001);
    let fate = |sessions| {
        fate(
            &format!("edit src/a.c; edit lib/b.c; {PASSED}"),
            "pair:lib/b.c+src/a.c",
            &given(sessions),
        )
    };
    assert!(fate(2).starts_with("dropped: seen in 2 of 3"));
    assert_eq!(fate(3), "dropped: only 0.35 sure");
    assert_eq!(
        fate(12),
        "promoted: score 0.76, confidence 0.61, seen in 12 sessions, needs review"
    );
}

#[test]
fn files_of_one_folder_that_are_only_read_are_no_pair() {
    let read = |a: &str, b: &str| {
        let (first, second) = if a < b { (a, b) } else { (b, a) };
        let key = format!("pair:{first}+{second}");
        fate(&format!("read {a}; read {b}; {PASSED}"), &key, &given(20))
    };
    let told = read("src/a.c", "src/b.c");
    assert!(
        told.starts_with("dropped: both were edited in only 0"),
        "{told}"
    );
    let told = read("src/a.c", "lib/b.c");
    assert!(!told.contains("edited in only"), "{told}");
}

#[test]
fn git_bears_out_a_pair_that_one_session_edited() {
    use crate::distill::Together;
    let story = format!("edit src/a.c; edit src/b.c; {PASSED}");
    let session = fold(&events(&story), &FoldOptions::default());
    let signals = detect(&session, &Norms::default());
    let key = "pair:src/a.c+src/b.c";
    let mut times = Frequency::default();
    let mut candidates = distill(&session, &signals, &[], &times);
    let pair = candidates
        .iter_mut()
        .find(|candidate| candidate.key == key)
        .unwrap();
    let rule = GateRule {
        sessions: None,
        lowered: 0.0,
    };
    let fate = |pair: &Candidate, times: &Frequency| {
        frequency(pair, rule, times).and_then(|()| telling(pair, times))
    };
    assert!(fate(pair, &times).is_err());
    let seen = |both, rarer| Together {
        both,
        days: both,
        rarer,
        other: 30,
        all: 300,
        ..Together::default()
    };
    for (both, rarer, expected) in [(9, 10, true), (4, 4, false), (10, 30, false)] {
        times.together.insert(key.to_owned(), seen(both, rarer));
        assert_eq!(fate(pair, &times).is_ok(), expected, "{both} of {rarer}");
    }
    let sure = seen(9, 10);
    times.together.insert(key.to_owned(), sure);
    assert!(sureness(pair, &times).get() > SURE_PAIR);
    pair.taint = [OutsideText::Pasted].into_iter().collect();
    pair.cite(sure, 1);
    assert!(pair.taint.is_clean(), "commits say it, not the session");
    assert_eq!(
        pair.content.as_str(),
        "When `src/a.c` changes, `src/b.c` usually changes too: 9 of the 10 small commits that changed `a.c` changed both (at most 15 files each, people's, since both are there); one session edited both."
    );
    let alone = |both, rarer, times: &mut Frequency| {
        times.together.insert(key.to_owned(), seen(both, rarer));
        sureness(pair, times).get()
    };
    let unsaid = alone(2, 5, &mut times);
    assert!(alone(3, 4, &mut times) > unsaid + 0.09, "few commits agree");
    assert!((alone(3, 6, &mut times) - unsaid).abs() < 1e-9);
    times.together.insert(key.to_owned(), sure);
    pair.edited = false;
    assert!(
        fate(pair, &times).is_err(),
        "reading both is no change of both"
    );
}
