//! A floor under all claims that are kept: real statements with labels, on which the rules were tuned. The files of today, which refuse more, are not asked.

use super::{lasting, of_cause};

const SAMPLE: &str = include_str!("../../../data/findings.tsv");

#[test]
fn most_of_what_may_last_does_and_most_of_what_lasts_is_kept() {
    let (mut right, mut wrong, mut missed) = (0_u32, Vec::new(), Vec::new());
    for line in SAMPLE.lines().filter(|line| !line.starts_with('#')) {
        let (label, statement) = line
            .split_once('\t')
            .expect("a label stands before every statement");
        let claim = of_cause(&lasting(statement, &[]), &[]);
        match (claim.is_some(), label == "found") {
            (true, true) => right += 1,
            (true, false) => wrong.push(statement),
            (false, true) => missed.push(statement),
            (false, false) => {}
        }
    }
    let share = |of: usize| f64::from(right) / (f64::from(right) + of as f64);
    let told = format!("right {right}\nwrong {wrong:#?}\nmissed {missed:#?}");
    assert!(share(wrong.len()) >= 0.85, "{told}");
    assert!(share(missed.len()) >= 0.80, "{told}");
}
