//! How right the rules are, measured on real sentences with labels.

use super::{Admission, admissions};

const SAMPLE: &str = include_str!("../../data/admissions.tsv");

/// What the rules made of the sentences of one kind.
#[derive(Debug, Default)]
struct Score {
    right: u32,
    wrong: u32,
    missed: u32,
}

impl Score {
    fn precision(&self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.wrong).max(1))
    }

    fn recall(&self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.missed).max(1))
    }
}

fn measure(admission: Admission, sets: &str) -> Score {
    let label = match admission {
        Admission::Correction => "correction",
        Admission::Abandonment => "abandonment",
        Admission::Cause | Admission::Behaviour => "cause",
    };
    let mut score = Score::default();
    for line in SAMPLE.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.splitn(3, '\t');
        let (Some(truth), Some(set), Some(sentence)) = (parts.next(), parts.next(), parts.next())
        else {
            panic!("a line without three parts: {line}");
        };
        if !sets.contains(set) {
            continue;
        }
        let found = admissions(sentence)
            .iter()
            .any(|found| found.admission == admission);
        match (found, truth == label) {
            (true, true) => score.right += 1,
            (true, false) => score.wrong += 1,
            (false, true) => score.missed += 1,
            (false, false) => {}
        }
    }
    score
}

#[test]
fn the_sample_is_large_and_hard_enough() {
    let lines: Vec<&str> = SAMPLE
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    assert!(lines.len() >= 300);
    assert!(lines.iter().filter(|line| line.starts_with("none")).count() >= 200);
    assert!(lines.iter().all(|line| {
        line.splitn(3, '\t')
            .nth(2)
            .is_some_and(|text| text.len() <= 220)
    }));
}

#[test]
fn nine_of_ten_admissions_are_real() {
    for admission in [Admission::Correction, Admission::Abandonment] {
        let score = measure(admission, "abc");
        assert!(score.precision() >= 0.90, "{admission:?} {score:?}");
    }
}

#[test]
fn most_admissions_are_found() {
    let correction = measure(Admission::Correction, "abc");
    let abandonment = measure(Admission::Abandonment, "abc");
    assert!(correction.recall() >= 0.65, "{correction:?}");
    assert!(abandonment.recall() >= 0.75, "{abandonment:?}");
}

#[test]
fn unseen_text_fires_no_false_alarm() {
    for admission in [Admission::Correction, Admission::Abandonment] {
        assert_eq!(measure(admission, "c").wrong, 0, "{admission:?}");
    }
}
