//! Ten ways of saying one thing are one answer: what repeats an earlier answer steps back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use oldhand_domain::id::MemoryId;
use oldhand_domain::words;

use crate::candidate::Candidate;

/// How much relevance counts against novelty.
const RELEVANCE: f64 = 0.8;
/// Only the first answers are worth the comparison.
const REACH: usize = 30;

/// It repeats an answer that is before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Crowded {
    pub like: MemoryId,
    pub likeness: f64,
}

impl fmt::Display for Crowded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "stepped back: {:.2} like {}",
            self.likeness,
            self.like.short()
        )
    }
}

/// Orders candidates by maximal marginal relevance: each next one is relevant, and unlike those before it.
///
/// Scores stay what they are. `vectors` are unit vectors; memories without one are compared by their words.
pub fn diversify(candidates: &mut Vec<Candidate>, vectors: &BTreeMap<MemoryId, Vec<f32>>) {
    let reach = candidates.len().min(REACH);
    // Candidates are large: their places are moved about, and they themselves once.
    let pool: Vec<Candidate> = candidates.drain(..reach).collect();
    let best = pool.first().map_or(0.0, |candidate| candidate.score);
    let vector = |candidate: &Candidate| vectors.get(&candidate.memory.id).map(Vec::as_slice);
    let vectors: Vec<Option<&[f32]>> = pool.iter().map(vector).collect();
    let mut waiting: Vec<usize> = (0..reach).collect();
    let mut chosen: Vec<(usize, Option<Crowded>)> = Vec::with_capacity(reach);
    let mut likest: Vec<Option<Crowded>> = vec![None; reach];
    while !waiting.is_empty() {
        let worth = |place: usize| {
            let likeness = likest[place]
                .as_ref()
                .map_or(0.0, |crowded| crowded.likeness);
            RELEVANCE * pool[place].score / best.max(f64::MIN_POSITIVE)
                - (1.0 - RELEVANCE) * likeness
        };
        // The first of equals, so that the order among them stays.
        let next = (1..waiting.len()).fold(0, |next, index| {
            if worth(waiting[index]) > worth(waiting[next]) {
                index
            } else {
                next
            }
        });
        let place = waiting.remove(next);
        let candidate = &pool[place];
        let passed = waiting
            .iter()
            .any(|other| pool[*other].score > candidate.score);
        let stepped_back = chosen
            .iter()
            .any(|(earlier, _)| pool[*earlier].score < candidate.score);
        let crowded = likest[place].take().filter(|_| stepped_back && !passed);
        for &other in &waiting {
            let likeness = match (vectors[place], vectors[other]) {
                (Some(left), Some(right)) => product(left, right),
                _ => overlap(
                    &word_set(candidate.memory.content.as_str()),
                    &word_set(pool[other].memory.content.as_str()),
                ),
            };
            if likest[other]
                .as_ref()
                .is_none_or(|crowded| likeness > crowded.likeness)
            {
                likest[other] = Some(Crowded {
                    like: candidate.memory.id,
                    likeness,
                });
            }
        }
        chosen.push((place, crowded));
    }
    let mut pool: Vec<Option<Candidate>> = pool.into_iter().map(Some).collect();
    let mut ordered = Vec::with_capacity(reach + candidates.len());
    for (place, crowded) in chosen {
        let candidate = pool[place].take();
        ordered.extend(candidate.map(|mut candidate| {
            if crowded.is_some() {
                candidate.because.crowded = crowded;
            }
            candidate
        }));
    }
    ordered.append(candidates);
    *candidates = ordered;
}

fn product(left: &[f32], right: &[f32]) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx") {
        // SAFETY: the processor was asked.
        return unsafe { wide_product(left, right) };
    }
    plain_product(left, right)
}

/// The same sums as those of the other, to the last bit, with half as many instructions for each eight.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
fn wide_product(left: &[f32], right: &[f32]) -> f64 {
    use std::arch::x86_64::{
        _mm256_add_pd, _mm256_castps256_ps128, _mm256_cvtps_pd, _mm256_extractf128_ps,
        _mm256_loadu_ps, _mm256_mul_ps, _mm256_setzero_pd, _mm256_storeu_pd,
    };
    let (mut low, mut high) = (_mm256_setzero_pd(), _mm256_setzero_pd());
    let ((left, last_left), (right, last_right)) = (left.as_chunks::<8>(), right.as_chunks::<8>());
    for (left, right) in left.iter().zip(right) {
        // SAFETY: eight numbers are loaded from eight.
        let (left, right) = unsafe {
            (
                _mm256_loadu_ps(left.as_ptr()),
                _mm256_loadu_ps(right.as_ptr()),
            )
        };
        let product = _mm256_mul_ps(left, right);
        low = _mm256_add_pd(low, _mm256_cvtps_pd(_mm256_castps256_ps128(product)));
        high = _mm256_add_pd(high, _mm256_cvtps_pd(_mm256_extractf128_ps(product, 1)));
    }
    let mut sums = [0.0; 8];
    // SAFETY: four numbers each are stored to eight.
    unsafe {
        _mm256_storeu_pd(sums.as_mut_ptr(), low);
        _mm256_storeu_pd(sums[4..].as_mut_ptr(), high);
    }
    finish(sums, last_left, last_right)
}

/// Eight sums at once: a single running sum would wait for each addition. Eights are of a fixed length, so that they are multiplied at once.
fn plain_product(left: &[f32], right: &[f32]) -> f64 {
    let mut sums = [0.0; 8];
    let ((left, last_left), (right, last_right)) = (left.as_chunks::<8>(), right.as_chunks::<8>());
    for (left, right) in left.iter().zip(right) {
        for at in 0..8 {
            sums[at] += f64::from(left[at] * right[at]);
        }
    }
    finish(sums, last_left, last_right)
}

/// Adds what is left behind the last eight.
fn finish(mut sums: [f64; 8], left: &[f32], right: &[f32]) -> f64 {
    for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
        *sum += f64::from(left * right);
    }
    sums.iter().sum()
}

pub(crate) fn word_set(text: &str) -> BTreeSet<String> {
    words::split(text).into_iter().collect()
}

/// The words two texts share, against all the words they have.
pub(crate) fn overlap(left: &BTreeSet<String>, right: &BTreeSet<String>) -> f64 {
    let shared = left.intersection(right).count();
    let all = left.len() + right.len() - shared;
    if all == 0 {
        0.0
    } else {
        shared as f64 / all as f64
    }
}

#[cfg(test)]
mod tests {
    use oldhand_domain::text::Content;

    use super::*;
    use crate::candidate::tests::{candidates, order};

    #[test]
    fn a_repetition_steps_behind_something_new() {
        let mut all = candidates(&[0.50, 0.48, 0.45]);
        for (candidate, text) in
            all.iter_mut()
                .zip(["restart the cache", "restart the cache", "pin the compiler"])
        {
            candidate.memory.content = Content::new(text).unwrap();
        }
        diversify(&mut all, &BTreeMap::new());
        assert_eq!(order(&all), [1, 3, 2]);
        let why = all[2].because.crowded.as_ref().unwrap();
        assert!(
            why.to_string().starts_with("stepped back: 1.00 like "),
            "{why}"
        );
        assert_eq!(all[0].because.crowded, None);
        assert_eq!(all[1].because.crowded, None);
    }

    #[test]
    fn products_are_the_same_to_the_last_bit_however_wide() {
        let number = |at: usize| ((at * 7919 % 1009) as f32 / 504.0 - 1.0) / 3.0;
        for length in (0..40).chain([384]) {
            let left: Vec<f32> = (0..length).map(number).collect();
            let right: Vec<f32> = (length..2 * length).map(number).collect();
            let plain = plain_product(&left, &right);
            let (wide, by_hand) = (product(&left, &right), left.iter().zip(&right));
            let by_hand: f64 = by_hand.map(|(left, right)| f64::from(left * right)).sum();
            assert_eq!(wide.to_bits(), plain.to_bits(), "{length}");
            assert!((plain - by_hand).abs() < 1e-6, "{plain} {by_hand}");
        }
    }

    #[test]
    fn vectors_decide_where_there_are_some() {
        let mut all = candidates(&[0.50, 0.48, 0.45]);
        let ids: Vec<MemoryId> = all.iter().map(|candidate| candidate.memory.id).collect();
        let vectors = BTreeMap::from([
            (ids[0], vec![1.0, 0.0]),
            (ids[1], vec![0.0, 1.0]),
            (ids[2], vec![1.0, 0.0]),
        ]);
        diversify(&mut all, &vectors);
        assert_eq!(order(&all), [1, 2, 3]);
    }

    #[test]
    fn nobody_is_lost() {
        let relevances: Vec<f64> = (0..80).map(|number| 1.0 / f64::from(number + 1)).collect();
        let mut all = candidates(&relevances);
        diversify(&mut all, &BTreeMap::new());
        let mut numbers = order(&all);
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=80).collect::<Vec<_>>());
    }
}
