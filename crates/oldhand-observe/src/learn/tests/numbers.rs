//! The numbers of what sessions add up to, from both sides.

use super::*;
use crate::distill::Company;

#[test]
fn one_order_prevails_where_it_came_twice_and_three_times_as_often() {
    for (forward, backward, direction) in [
        (1, 0, 0),
        (2, 0, 1),
        (2, 1, 0),
        (3, 1, 1),
        (5, 2, 0),
        (6, 2, 1),
        (0, 1, 0),
        (0, 2, -1),
        (1, 2, 0),
        (1, 3, -1),
        (2, 5, 0),
    ] {
        let edge = Edge {
            forward,
            backward,
            ..Edge::default()
        };
        assert_eq!(edge.direction(), direction, "{forward} {backward}");
    }
}

#[test]
fn three_kinds_of_task_make_a_pair_three_times_as_heavy() {
    use TaskType as T;
    let kinds = [T::Fix, T::Feature, T::Refactor, T::Test];
    for (tasks, weight) in [(0, 5.0), (1, 5.0), (2, 10.0), (3, 15.0), (4, 15.0)] {
        let edge = Edge {
            sessions: 5,
            count: 4,
            millis_apart: 8_000,
            task_types: kinds[..tasks].iter().map(|kind| (*kind, 1)).collect(),
            ..Edge::default()
        };
        assert!((edge.weight() - weight).abs() < 1e-9, "{tasks} kinds");
        assert_eq!(edge.mean_millis(), 2_000);
    }
}

#[test]
fn the_latest_thirty_sessions_say_what_a_module_costs() {
    let costs = |sessions: u32| {
        let mut knowledge = Knowledge::default();
        for number in 1..=sessions {
            knowledge.learn(&session(
                number,
                &format!("read src/a.rs; tokens {number}000 10"),
            ));
        }
        let costs = knowledge.costs("src");
        (costs.len(), costs[0].tokens)
    };
    assert_eq!(costs(30), (30, 1_000));
    assert_eq!(costs(31), (30, 2_000));
}

#[test]
fn five_sessions_make_a_norm() {
    let norm = |sessions: u32| {
        let mut knowledge = Knowledge::default();
        for number in 1..=sessions {
            let story = "read src/a.rs; read src/b.rs; tokens 4000 10";
            knowledge.learn(&session(number, story));
        }
        knowledge.norms().tokens_per_file
    };
    assert_eq!(norm(4), None);
    assert_eq!(norm(5), Some(2_000.0));
}

#[test]
fn a_recipe_needs_three_successes_in_thirty_days() {
    let story = "read src/m/a.rs; edit src/m/b.rs; run make test = 0; run git commit -m x = 0";
    let day = |n: i64| Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * n);
    let keys = |knowledge: &Knowledge, now: Timestamp| {
        knowledge
            .recipes(&session(1, story), now)
            .iter()
            .map(|candidate: &Candidate| candidate.key.clone())
            .collect::<Vec<_>>()
    };
    assert!(keys(&learned(&[story, story]), day(3)).is_empty());
    let three = learned(&[story, story, story]);
    assert_eq!(
        keys(&three, day(3)),
        ["recipe:src/m:read src/m > edit src/m > run make test > run git commit"]
    );
    // The first of the three was on day 0.
    assert!(!keys(&three, day(30)).is_empty());
    let late = day(30) + SignedDuration::from_secs(1);
    assert!(keys(&three, late).is_empty());
    let sure = |sessions: usize| {
        let recipes = learned(&vec![story; sessions]).recipes(&session(1, story), day(15));
        format!("{:.2}", recipes[0].confidence.get())
    };
    assert_eq!(
        [3, 4, 6, 7, 9].map(sure),
        ["0.70", "0.75", "0.85", "0.90", "0.90"]
    );
    let mut spoiled = three.clone();
    spoiled.learn(&session(4, &format!("{story}; run git revert HEAD = 0")));
    assert!(keys(&spoiled, day(5)).is_empty());
}

#[test]
fn a_look_at_a_module_tells_five_things_at_most_and_three_pairs() {
    let story = "start build planned 2; edit src/m/a.rs; edit src/m/b.rs; edit src/m/c.rs; edit src/m/d.rs; run make = 2: error: header `bad` not found; run ./configure = 0; run make = 0; edit src/m/a.rs; run make = 0";
    let told = learned(&[story; 12]).synthesize("src/m", &Stated::nothing());
    let pairs = told.iter().filter(|one| one.key.starts_with("pair:"));
    assert_eq!((told.len(), pairs.count()), (5, 3));
}

#[test]
fn a_pair_of_a_module_is_edited_in_three_sessions_and_in_half_of_the_rarer_ones() {
    let pairs = |both: usize, alone: usize| {
        let mut stories = vec!["edit src/m/a.rs; edit src/m/b.rs"; both];
        stories.extend(vec!["edit src/m/a.rs"; alone]);
        stories.extend(vec!["edit src/m/b.rs"; alone]);
        let told = learned(&stories).synthesize("src/m", &Stated::nothing());
        told.iter()
            .filter(|one| one.key.starts_with("pair:"))
            .count()
    };
    assert_eq!((pairs(2, 0), pairs(3, 0)), (0, 1));
    assert_eq!((pairs(3, 3), pairs(3, 4)), (1, 0));
}

#[test]
fn three_plans_are_compared() {
    let told = |sessions: usize| {
        let story = "start build planned 2; repeat 8 edit src/m/a.rs";
        let told = learned(&vec![story; sessions]).calibrations("src/m");
        told.iter()
            .map(|one| one.confidence.get())
            .collect::<Vec<_>>()
    };
    assert!(told(2).is_empty());
    assert_eq!(told(3).len(), 1);
    assert!((told(3)[0] - 0.7).abs() < 1e-6);
}

#[test]
fn sessions_of_fifteen_files_are_counted_since_both_were_edited() {
    let both = "edit a.rs; edit b.rs";
    let seen = |stories: &[&str]| {
        let together = learned(stories).together(&path("a.rs"), &path("b.rs"));
        together.map(|it| (it.both, it.rarer, it.other, it.all))
    };
    let fifteen = "edit a.rs; edit b.rs; repeat 13 edit f{n}.rs";
    let sixteen = "edit a.rs; edit b.rs; repeat 14 edit f{n}.rs";
    assert_eq!(seen(&[both, fifteen]), Some((2, 2, 2, 2)));
    assert_eq!(seen(&[both, sixteen]), Some((1, 1, 1, 1)));
    assert_eq!(seen(&["edit a.rs", "edit a.rs"]), None);
    let stories = [
        "edit a.rs",
        "edit c.rs",
        both,
        "read b.rs",
        "edit a.rs",
        "edit c.rs",
    ];
    assert_eq!(seen(&stories), Some((1, 1, 2, 3)));
}

#[test]
fn the_latest_eight_sessions_of_a_file_say_whether_it_is_still_so() {
    let lately = |first: usize| {
        let mut stories = vec!["edit a.rs; edit b.rs"; first];
        stories.extend(["edit a.rs"; 5]);
        let together = learned(&stories)
            .together(&path("a.rs"), &path("b.rs"))
            .unwrap();
        (together.other_lately_both, together.other_lately)
    };
    assert_eq!(lately(3), (3, 8));
    assert_eq!(lately(9), (3, 8));
}

#[test]
fn what_changed_with_a_file_twice_is_beside_it() {
    let knowledge = learned(&[
        "edit a.rs; edit b.rs; edit c.rs",
        "edit a.rs; edit b.rs",
        "edit c.rs",
    ]);
    assert_eq!(knowledge.beside(&path("a.rs")), [path("b.rs")]);
    assert_eq!(knowledge.beside(&path("x.rs")), []);
    let files = ["a.rs", "b.rs", "c.rs"].map(path).into_iter().collect();
    assert_eq!(knowledge.changed_of(&files), [3, 2, 1]);
}
