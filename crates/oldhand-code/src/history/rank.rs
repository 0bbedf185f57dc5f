//! From candidates to answers: what is known about each is summed by weight, and the best sums are kept.

use super::log::{FileId, History};

/// A candidate, its score and what is known about it.
pub(super) struct Ranked<F> {
    pub(super) file: FileId,
    pub(super) score: f32,
    pub(super) features: F,
}

/// What is known about one candidate.
pub(super) trait Weighed {
    fn score(&self) -> f32;
}

/// Each part times its weight, together.
pub(super) fn sum<const N: usize>(parts: [f32; N], weights: [f32; N]) -> f32 {
    parts
        .iter()
        .zip(weights)
        .map(|(part, weight)| part * weight)
        .sum()
}

/// The `limit` best of `candidates`, ties by path; those that `is_last` says of come after all others.
pub(super) fn rank<F: Weighed>(
    history: &History,
    candidates: Vec<FileId>,
    look_at: impl Fn(FileId) -> F,
    is_last: impl Fn(&Ranked<F>) -> bool,
    limit: usize,
) -> Vec<Ranked<F>> {
    let ranked = candidates.into_iter().map(|file| {
        let features = look_at(file);
        let score = features.score();
        Ranked {
            file,
            score,
            features,
        }
    });
    let (mut last, mut ranked): (Vec<_>, Vec<_>) = ranked.partition(is_last);
    for part in [&mut ranked, &mut last] {
        sort(history, part, |one| (one.file, one.score));
    }
    ranked.append(&mut last);
    ranked.truncate(limit);
    ranked
}

/// The `limit` heaviest, ties by path.
pub(super) fn top(
    history: &History,
    weighted: impl Iterator<Item = (FileId, f32)>,
    limit: usize,
) -> Vec<(FileId, f32)> {
    let mut all: Vec<(FileId, f32)> = weighted.collect();
    sort(history, &mut all, |&one| one);
    all.truncate(limit);
    all
}

/// Heaviest first, ties by path.
fn sort<T>(history: &History, all: &mut [T], weight: impl Fn(&T) -> (FileId, f32)) {
    all.sort_by(|a, b| {
        let ((one, heavy), (other, light)) = (weight(a), weight(b));
        light
            .total_cmp(&heavy)
            .then_with(|| history.path(one).cmp(history.path(other)))
    });
}
