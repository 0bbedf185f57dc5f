//! Recall, reciprocal rank and how sure they are.

use std::collections::BTreeMap;

use crate::data::{Question, fnv};
use crate::systems::{Prepared, System};

/// Questions are dealt to two halves by their text, so that the split never depends on order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    Tuning,
    Test,
}

impl Half {
    pub(crate) fn has(self, question: &Question) -> bool {
        let hash = fnv(&question.text);
        ((hash >> 17) & 1 == 0) == (self == Self::Tuning)
    }
}

/// One question's recall@5, recall@10 and reciprocal rank.
#[derive(Clone, Copy)]
struct Score {
    at_5: f64,
    at_10: f64,
    reciprocal: f64,
}

pub(crate) struct Scores(Vec<Score>);

impl Scores {
    pub(crate) fn of(corpora: &[Prepared], system: System, half: Half) -> Self {
        let scores = corpora.iter().flat_map(|prepared| {
            let questions = prepared
                .corpus
                .questions
                .iter()
                .filter(|question| half.has(question));
            questions
                .map(|question| score(&prepared.answer(&question.text, system), question))
                .collect::<Vec<_>>()
        });
        Self(scores.collect())
    }

    pub(crate) fn recall(&self) -> f64 {
        100.0 * mean(self.0.iter().map(|score| score.at_10))
    }

    pub(crate) fn line(&self) -> String {
        let at_5 = 100.0 * mean(self.0.iter().map(|score| score.at_5));
        let reciprocal = 100.0 * mean(self.0.iter().map(|score| score.reciprocal));
        format!("{at_5:.1} | {:.1} | {reciprocal:.1}", self.recall())
    }
}

/// Recall@10 by kind of question, over all questions.
pub(crate) fn recall_line(corpora: &[Prepared], system: System) -> String {
    let mut by_kind: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut all = Vec::new();
    for prepared in corpora {
        for question in &prepared.corpus.questions {
            let score = score(&prepared.answer(&question.text, system), question);
            all.push(score.at_10);
            by_kind.entry(&question.kind).or_default().push(score.at_10);
        }
    }
    let all = [&all];
    let cells: Vec<String> = all
        .into_iter()
        .chain(by_kind.values())
        .map(|recalls| format!("{:.1}", 100.0 * mean(recalls.iter().copied())))
        .collect();
    cells.join(" | ")
}

/// The gain in recall@10 with its paired bootstrap interval.
pub(crate) fn difference(baseline: &Scores, scores: &Scores) -> String {
    let gains: Vec<f64> = scores
        .0
        .iter()
        .zip(&baseline.0)
        .map(|(after, before)| 100.0 * (after.at_10 - before.at_10))
        .collect();
    interval(&gains)
}

/// The mean of paired gains with its bootstrap interval.
pub(crate) fn interval(gains: &[f64]) -> String {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % gains.len() as u64) as usize
    };
    let mut means: Vec<f64> = (0..2000)
        .map(|_| mean((0..gains.len()).map(|_| gains[draw()])))
        .collect();
    means.sort_by(f64::total_cmp);
    format!(
        "{:+.1} [{:+.1}, {:+.1}]",
        mean(gains.iter().copied()),
        means[50],
        means[1949]
    )
}

fn score(answer: &[usize], question: &Question) -> Score {
    Score {
        at_5: recall(answer, question, 5),
        at_10: recall(answer, question, 10),
        reciprocal: reciprocal(answer, question),
    }
}

/// How many of the right documents are among the first `limit`.
pub(crate) fn recall(answer: &[usize], question: &Question, limit: usize) -> f64 {
    let first = answer.iter().take(limit);
    let right = first.filter(|document| question.answers.contains(document));
    right.count() as f64 / question.answers.len() as f64
}

/// Whether one of the first five sessions that documents are of has a right one; `sessions` says which each is of.
pub(crate) fn any_session(answer: &[usize], question: &Question, sessions: &[usize]) -> bool {
    let mut first: Vec<usize> = Vec::new();
    for session in answer.iter().map(|document| sessions[*document]) {
        if first.len() < 5 && !first.contains(&session) {
            first.push(session);
        }
    }
    let mut right = question.answers.iter();
    right.any(|document| first.contains(&sessions[*document]))
}

/// One over the place of the first right document among ten.
pub(crate) fn reciprocal(answer: &[usize], question: &Question) -> f64 {
    let mut first = answer.iter().take(10);
    let place = first.position(|document| question.answers.contains(document));
    place.map_or(0.0, |at| 1.0 / (at as f64 + 1.0))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}
