//! Folders that hang together.

use super::*;
use crate::distill::Together;
use crate::paths;

#[test]
fn modules_hang_together_after_five_sessions_and_three_pairs() {
    let story = "edit a/x/1.rs; edit b/y/1.rs; edit a/x/2.rs";
    let knowledge = learned(&[story, story, story, story, "edit a/x/1.rs; edit b/y/2.rs"]);
    let found = knowledge.uncovered_couplings(&BTreeSet::new());
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].sessions.len(), found[0].pairs.len()), (5, 3));
    let every = |_: &ProjectPath, _: &ProjectPath| {
        Some(Together {
            both: 9,
            days: 9,
            rarer: 9,
            other: 9,
            all: 90,
            ..Together::default()
        })
    };
    assert!(
        found[0].candidate(every).is_none(),
        "three pairs of two files and one are no three pairs"
    );
    let read = story.replace("edit", "read");
    let read = learned(&[&read, &read, &read, &read, "read a/x/1.rs; read b/y/2.rs"]);
    assert!(
        read.uncovered_couplings(&BTreeSet::new()).is_empty(),
        "what is only read together changes nothing together"
    );
    let covered = BTreeSet::from([("b/y".to_owned(), "a/x".to_owned())]);
    assert!(knowledge.uncovered_couplings(&covered).is_empty());
    let beside = story.replace("b/y", "tests/y");
    let tests = learned(&[
        &beside,
        &beside,
        &beside,
        &beside,
        "edit a/x/1.rs; edit tests/y/2.rs",
    ]);
    assert!(
        tests.uncovered_couplings(&BTreeSet::new()).is_empty(),
        "tests go with what they test"
    );
    assert!(
        learned(&[story; 4])
            .uncovered_couplings(&BTreeSet::new())
            .is_empty()
    );
}

#[test]
fn folders_are_told_only_of_pairs_that_git_saw_change() {
    let story =
        "edit a/x/1.rs; edit b/y/1.rs; edit a/x/2.rs; edit b/y/2.rs; edit a/x/3.rs; edit b/y/3.rs";
    let found = learned(&[story; 5]).uncovered_couplings(&BTreeSet::new());
    let name = |path: &ProjectPath| paths::file_name(path.as_str()).to_owned();
    let told = |least: &str, both: u32| {
        let found = found[0].candidate(|a, b| {
            let same = name(a) == name(b) && name(a).as_str() >= least;
            Some(Together {
                both: if same { both } else { 0 },
                days: both,
                rarer: 8,
                other: 8,
                all: 80,
                ..Together::default()
            })
        });
        found.map(|candidate| candidate.content.to_string())
    };
    assert_eq!(
        told("1.rs", 8).as_deref(),
        Some(
            "Files of `a/x` and `b/y` change in pairs (3 of them in git's history, 5 sessions worked on both), for example \
             `a/x/1.rs` with `b/y/1.rs` (8 commits), `a/x/2.rs` with `b/y/2.rs` (8 commits), `a/x/3.rs` with `b/y/3.rs` (8 commits)."
        )
    );
    assert_eq!(told("2.rs", 8), None, "two pairs are two pairs");
    assert_eq!(told("1.rs", 4), None, "git does not bear them out");
    assert!(found[0].candidate(|_, _| None).is_none());
}

#[test]
fn modules_are_changed_three_times_and_mostly_with_each_other() {
    let read = "read a/x/1.rs; read b/y/1.rs; read a/x/2.rs; read b/y/2.rs; read a/x/3.rs";
    let found = |stories: &[&str]| learned(stories).uncovered_couplings(&BTreeSet::new()).len();
    let changed = |edited: &str| found(&[read, read, read, read, edited]);
    assert_eq!(changed("edit a/x/1.rs; edit b/y/1.rs; edit a/x/2.rs"), 0);
    let thrice = "edit a/x/1.rs; edit b/y/1.rs; edit a/x/2.rs; edit a/x/3.rs";
    assert_eq!(changed(thrice), 1);
    // Five sessions are two thirds of seven, not of eight.
    let alone = "edit a/x/1.rs";
    assert_eq!(found(&[read, read, read, read, thrice, alone, alone]), 1);
    assert_eq!(
        found(&[read, read, read, read, thrice, alone, alone, alone]),
        0
    );
}

#[test]
fn a_folder_inside_the_other_tests_and_documents_do_not_hang_together() {
    let found = |a: &str, b: &str| {
        let story = "edit A/1.rs; edit B/1.rs; edit A/2.rs; edit B/2.rs; edit A/3.rs; edit B/3.rs";
        let story = story.replace("A/", a).replace("B/", b);
        learned(&[story.as_str(); 5])
            .uncovered_couplings(&BTreeSet::new())
            .len()
    };
    assert_eq!(found("a/x/", "b/y/"), 1);
    for (a, b) in [
        ("a/x/", "a/x/y/"),
        ("b/x/y/", "b/x/"),
        ("", "b/y/"),
        ("docs/x/", "b/y/"),
        ("a/x/", "doc/y/"),
        ("tests/x/", "b/y/"),
    ] {
        assert_eq!(found(a, b), 0, "{a} {b}");
    }
    let two = "edit a/x/1.rs; edit b/y/1.rs; edit a/x/2.rs";
    assert_eq!(
        learned(&[two; 5])
            .uncovered_couplings(&BTreeSet::new())
            .len(),
        0,
        "two pairs"
    );
}
