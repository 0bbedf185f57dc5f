//! How right promotion was on real histories, by labels that were given by hand: what `docs/benchmarks/learning.md` says of them.
//!
//! The histories are not kept here and nothing is promoted anew: the rules are checked by the histories of the binary's own tests.

use std::collections::{BTreeMap, BTreeSet};

const SAMPLE: &str = include_str!("../../../data/promoted.tsv");
const PUBLISHED: &str = include_str!("../../../../../docs/benchmarks/learning.md");

struct Labelled {
    set: &'static str,
    right: bool,
    kind: &'static str,
    statement: &'static str,
}

fn sample() -> Vec<Labelled> {
    let lines = SAMPLE.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let parts: Vec<&str> = line.split('\t').collect();
            let [set, is_true, useful, kind, statement] = parts[..] else {
                panic!("a line without five parts: {line}");
            };
            let yes = |word: &str| match word {
                "yes" => true,
                "no" => false,
                other => panic!("neither yes nor no: {other}"),
            };
            Labelled {
                set,
                right: yes(is_true) & yes(useful),
                kind,
                statement,
            }
        })
        .collect()
}

/// The sets on which the gates were tuned.
const TUNED_ON: [&str; 3] = ["cli", "context-evaluator", "cipher-box"];

#[test]
fn four_of_five_labels_of_the_tuned_histories_say_true_and_useful() {
    let sample = sample();
    let tuned = sample.iter().filter(|one| TUNED_ON.contains(&one.set));
    let mut kinds: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let (mut right, mut all) = (0, 0);
    for one in tuned {
        let kind = kinds.entry(one.kind).or_default();
        kind.0 += u32::from(one.right);
        kind.1 += 1;
        right += u32::from(one.right);
        all += 1;
    }
    // Fewer labels would say less.
    assert!(all >= 17, "{all}");
    assert!(5 * right >= 4 * all, "{right} of {all}: {kinds:?}");
    let share = f64::from(right) / f64::from(all);
    let row = format!("| all | {right} ({share:.2}) | {all} |");
    assert!(PUBLISHED.contains(&row), "no row says {row}");
}

/// What is published of histories that nobody had tuned on is what the labels say, however little that is.
#[test]
fn the_numbers_of_unseen_histories_are_published_as_labelled() {
    let mut sets: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for one in sample().iter().filter(|one| !TUNED_ON.contains(&one.set)) {
        let set = sets.entry(one.set).or_default();
        set.0 += u32::from(one.right);
        set.1 += 1;
    }
    for (set, (right, all)) in sets {
        let row = format!("/{set} | {right} | {all} |");
        assert!(PUBLISHED.contains(&row), "no row says {row}");
    }
}

#[test]
fn no_statement_is_labelled_twice() {
    let mut told: BTreeSet<(&str, &str)> = BTreeSet::new();
    for one in sample() {
        assert!(told.insert((one.set, one.statement)), "{}", one.statement);
    }
}
