//! How right promotion was on real histories, by labels that were given by hand: what `docs/signals.md` says of them.
//!
//! The histories are not kept here and nothing is promoted anew: the rules are checked by the histories of the binary's own tests.

use std::collections::{BTreeMap, BTreeSet};

const SAMPLE: &str = include_str!("../../../data/promoted.tsv");

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

#[test]
fn four_of_five_labels_say_true_and_useful() {
    let sample = sample();
    let mut kinds: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for one in &sample {
        let (right, all) = kinds.entry(one.kind).or_default();
        *right += u32::from(one.right);
        *all += 1;
    }
    let right = sample.iter().filter(|one| one.right).count();
    assert!(sample.len() >= 50, "{}", sample.len());
    assert!(
        right as f64 >= 0.8 * sample.len() as f64,
        "{right} of {}: {kinds:?}",
        sample.len()
    );
}

#[test]
fn no_statement_is_labelled_twice() {
    let mut told: BTreeSet<(&str, &str)> = BTreeSet::new();
    for one in sample() {
        assert!(told.insert((one.set, one.statement)), "{}", one.statement);
    }
}
