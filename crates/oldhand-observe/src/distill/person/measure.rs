//! How right the rules for what people lay down are, measured on sentences with labels.

use super::names_something;
use crate::language::instruction::is_lasting;

const SAMPLE: &str = include_str!("../../../data/laid_down.tsv");

/// Label, set and sentence of every line.
fn sample() -> Vec<(bool, &'static str, &'static str)> {
    let lines = SAMPLE.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut parts = line.splitn(3, '\t');
            let (Some(label), Some(set), Some(sentence)) =
                (parts.next(), parts.next(), parts.next())
            else {
                panic!("a line without three parts: {line}");
            };
            assert!(matches!(label, "rule" | "none"), "{line}");
            (label == "rule", set, sentence)
        })
        .collect()
}

/// What was found rightly and wrongly in a set, and what was missed.
fn measure(set: &str) -> (Vec<&'static str>, Vec<&'static str>, Vec<&'static str>) {
    let (mut right, mut wrong, mut missed) = (Vec::new(), Vec::new(), Vec::new());
    for (is_rule, of, sentence) in sample() {
        if of != set {
            continue;
        }
        match (is_lasting(sentence) && names_something(sentence), is_rule) {
            (true, true) => right.push(sentence),
            (true, false) => wrong.push(sentence),
            (false, true) => missed.push(sentence),
            (false, false) => {}
        }
    }
    (right, wrong, missed)
}

fn shares(set: &str) -> (f64, f64) {
    let (right, wrong, missed) = measure(set);
    let found = right.len() as f64;
    (
        found / (right.len() + wrong.len()).max(1) as f64,
        found / (right.len() + missed.len()).max(1) as f64,
    )
}

#[test]
fn the_sample_is_large_and_hard_enough() {
    let sample = sample();
    assert!(sample.len() >= 100);
    assert!(sample.iter().filter(|(is_rule, ..)| *is_rule).count() >= 50);
    assert!(sample.iter().all(|(_, _, sentence)| sentence.len() <= 220));
}

#[test]
fn nine_of_ten_sentences_taken_for_rules_are_rules() {
    let (precision, _) = shares("m");
    assert!(precision >= 0.90, "{precision:.2} {:#?}", measure("m").1);
}

#[test]
fn seven_of_ten_rules_that_people_lay_down_are_found() {
    let (_, recall) = shares("m");
    assert!(recall >= 0.70, "{recall:.2} {:#?}", measure("m").2);
}

#[test]
fn nothing_of_the_table_that_the_rules_were_made_with_is_taken_for_one_wrongly() {
    let (right, wrong, missed) = measure("w");
    assert_eq!(wrong, Vec::<&str>::new());
    assert!(right.len() > missed.len(), "{missed:#?}");
}
