//! The best candidates read once more, word by word.
//!
//! Lanes see a text as a sum. Here each word of the question looks for itself, for its neighbour and for its nearest relative in
//! the text: `bought` finds `purchased` where no stem does. Worth one to three points of recall, and more on questions that need
//! several memories (`docs/benchmarks/retrieval.md`).

use std::collections::BTreeSet;
use std::fmt;

use oldhand_domain::bm25::rarity;
use oldhand_domain::words::{self, stem};

use crate::candidate::{Candidate, sort};
use crate::nearness::{Embed, Nearness, Shared, stems};
use crate::plan::Plan;

/// What reading needs from outside.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    /// A unit vector for each word: the embedded model's `embed_batch` will do. None where a word costs too much to be read by itself: then the
    /// words in common count, and where they stand.
    pub embed: Option<&'a Embed<'a>>,
    /// In how many memories of the store a word is, where that is known; else the candidates themselves must tell what is rare,
    /// which costs half of what a close reading gains.
    pub spread: Option<Spread<'a>>,
    /// What was compared beforehand.
    pub ahead: &'a [Nearness],
}

#[derive(Clone, Copy)]
pub struct Spread<'a> {
    pub memories: usize,
    pub with: &'a dyn Fn(&str) -> usize,
}

/// How many candidates are read.
const REACH: usize = 40;

/// What a close reading found, each `0..=1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The rarest word of the question that is in the text, against the rarest of all.
    pub rarest: f64,
    /// Neighbouring words of the question that are neighbours in the text.
    pub together: f64,
    /// How near each word of the question is to its nearest word in the text.
    pub near: f64,
    /// Added to the fused score.
    pub lift: f64,
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "read closely {:+.1} (rarest shared word {:.0} %, words side by side {:.0} %, words alike {:.0} %)",
            self.lift,
            self.rarest * 100.0,
            self.together * 100.0,
            self.near * 100.0
        )
    }
}

// Fitted by cross-validation over the benchmark's questions, then taken back by a third: stronger ones won less elsewhere.
const RAREST: f64 = 4.0;
const TOGETHER: f64 = 4.0;
const NEAR: f64 = 12.0;
/// A long text has a near word for everything.
const LENGTH: f64 = -1.1;

/// Reads the first candidates against the words of the question and orders them anew. Candidates must be in order, and are afterwards.
pub fn reread(candidates: &mut [Candidate], plan: &Plan, reader: Reader<'_>) {
    let reach = candidates.len().min(REACH);
    let stems = stems(plan);
    if reach == 0 || stems.is_empty() {
        return;
    }
    let mut itself = Nearness::to(plan);
    for candidate in &candidates[..reach] {
        let text = candidate.memory.content.as_str();
        if !reader.ahead.iter().any(|ahead| ahead.has_met(text)) {
            itself.meet(text, reader.embed);
        }
    }
    let weights: Vec<f64> = match reader.spread {
        Some(spread) => plan
            .words
            .iter()
            .map(|word| rarity(spread.memories as f64, (spread.with)(word) as f64))
            .collect(),
        None => rarity_among(candidates, &stems),
    };
    let read = |candidate: &Candidate| {
        let text = candidate.memory.content.as_str();
        let ahead = reader.ahead.iter().find_map(|ahead| ahead.shared(text));
        let shared = ahead.or_else(|| itself.shared(text)).unwrap_or_default();
        match candidate.because.name() {
            Some(name) => read(&shared.with_name(name.as_str(), &stems), &weights),
            None => read(&shared, &weights),
        }
    };
    let mut lifts: Vec<Reading> = candidates[..reach].iter().map(read).collect();
    // Only differences matter for the order, and a lift of nothing means as good as the others.
    let mean = lifts.iter().map(|reading| reading.lift).sum::<f64>() / reach as f64;
    for (candidate, reading) in candidates.iter_mut().zip(&mut lifts) {
        reading.lift -= mean;
        candidate.because.fused += reading.lift;
        candidate.score = candidate.because.fused;
        candidate.because.reading = Some(*reading);
    }
    sort(&mut candidates[..reach]);
    // What was not read stays behind what was.
    let last = candidates[reach - 1].score;
    for candidate in &mut candidates[reach..] {
        candidate.score = candidate.score.min(last);
        candidate.because.fused = candidate.score;
    }
}

/// Without a store to ask, all candidates are the best picture of it there is.
fn rarity_among(candidates: &[Candidate], question: &[String]) -> Vec<f64> {
    let mut with = vec![0_u32; question.len()];
    for candidate in candidates {
        let words = words::split(candidate.memory.content.as_str());
        let stems: BTreeSet<&str> = words.iter().map(|word| stem(word)).collect();
        for (count, stem) in with.iter_mut().zip(question) {
            *count += u32::from(stems.contains(stem.as_str()));
        }
    }
    with.into_iter()
        .map(|with| rarity(candidates.len() as f64, f64::from(with)))
        .collect()
}

fn read(shared: &Shared, weights: &[f64]) -> Reading {
    let most = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let found = shared.has.iter().zip(weights).filter(|(has, _)| **has);
    let rarest = found.map(|(_, weight)| *weight).fold(0.0, f64::max) / most;
    let total: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let near = shared.has.iter().zip(&shared.nearest).zip(weights);
    let near = near
        .map(|((has, nearest), weight)| weight * if *has { 1.0 } else { *nearest })
        .sum::<f64>()
        / total;
    let together = shared.together;
    let lift = RAREST * rarest
        + TOGETHER * together
        + NEAR * near
        + LENGTH * (shared.length as f64).ln_1p();
    Reading {
        rarest,
        together,
        near,
        lift,
    }
}

/// The product of two vectors: the same number with the processor's wide registers and without.
pub(crate) fn dot(left: &[f32], right: &[f32]) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was asked.
        return unsafe { wide_dot(left, right) };
    }
    plain_dot(left, right)
}

/// Written out: the compiler leaves the loop of the other as it is.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn wide_dot(left: &[f32], right: &[f32]) -> f64 {
    use std::arch::x86_64::{
        _mm256_add_ps, _mm256_loadu_ps, _mm256_mul_ps, _mm256_setzero_ps, _mm256_storeu_ps,
    };
    let mut sum = _mm256_setzero_ps();
    let (left, right) = (left.as_chunks::<8>().0, right.as_chunks::<8>().0);
    for (left, right) in left.iter().zip(right) {
        // SAFETY: eight numbers are loaded from eight.
        let (left, right) = unsafe {
            (
                _mm256_loadu_ps(left.as_ptr()),
                _mm256_loadu_ps(right.as_ptr()),
            )
        };
        sum = _mm256_add_ps(sum, _mm256_mul_ps(left, right));
    }
    let mut sums = [0.0_f32; 8];
    // SAFETY: eight numbers are stored to eight.
    unsafe { _mm256_storeu_ps(sums.as_mut_ptr(), sum) };
    f64::from(sums.iter().sum::<f32>())
}

/// Eight sums at once: a single running sum would wait for each addition.
fn plain_dot(left: &[f32], right: &[f32]) -> f64 {
    let mut sums = [0.0_f32; 8];
    let (left, right) = (left.as_chunks::<8>().0, right.as_chunks::<8>().0);
    for (left, right) in left.iter().zip(right) {
        for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
            *sum += left * right;
        }
    }
    f64::from(sums.iter().sum::<f32>())
}

#[cfg(test)]
mod tests {
    use oldhand_domain::text::Content;
    use oldhand_embed::StaticEmbedder;

    use super::*;
    use crate::candidate::tests::{candidates, order};
    use crate::plan::{RecentWork, plan};

    fn read_again(question: &str, texts: &[&str]) -> Vec<Candidate> {
        read_again_by(question, texts, &|words| StaticEmbedder.embed_batch(words))
    }

    fn read_again_by(
        question: &str,
        texts: &[&str],
        embed: &dyn Fn(&[&str]) -> Vec<Vec<f32>>,
    ) -> Vec<Candidate> {
        let mut all = candidates(&vec![0.1; texts.len()]);
        for (candidate, text) in all.iter_mut().zip(texts) {
            candidate.memory.content = Content::new(text).unwrap();
            candidate.because.fused = 2.0;
        }
        let reader = Reader {
            embed: Some(embed),
            spread: None,
            ahead: &[],
        };
        reread(&mut all, &plan(question, RecentWork::Ordinary), reader);
        all
    }

    #[test]
    fn a_relative_of_the_asked_word_is_found_without_a_common_stem() {
        let all = read_again(
            "when did she buy the car",
            &[
                "He sold an old bicycle.",
                "She purchased a vehicle in May.",
                "The weather was fine today.",
            ],
        );
        assert_eq!(order(&all)[0], 2);
    }

    #[test]
    fn a_model_that_fails_once_leaves_the_words_in_common() {
        let is_first = std::cell::Cell::new(true);
        let fail_once = |words: &[&str]| {
            if is_first.replace(false) {
                Vec::new()
            } else {
                StaticEmbedder.embed_batch(words)
            }
        };
        let texts = ["He sold an old bicycle.", "She bought a car in May."];
        let all = read_again_by("when did she buy the car", &texts, &fail_once);
        assert!(!is_first.get());
        assert_eq!(order(&all)[0], 2);
    }

    #[test]
    fn words_that_stand_together_in_the_question_count_when_they_do_in_the_text() {
        let all = read_again(
            "rate limit errors",
            &[
                "Errors at the limit, whatever the interest rate.",
                "Errors come with a slow rate limit check.",
            ],
        );
        assert_eq!(order(&all)[0], 2);
        assert!(
            all[0].because.to_string().contains("read closely +"),
            "{}",
            all[0].because
        );
    }

    #[test]
    fn a_single_candidate_is_read_and_no_words_need_no_reading() {
        let only = read_again("deploy", &["Deploys are slow."])[0]
            .because
            .reading;
        assert!(only.is_some_and(|reading| reading.near > 0.99));
        assert_eq!(read_again("", &["a b", "c d"])[0].because.reading, None);
    }

    #[test]
    fn wide_registers_give_the_same_number() {
        let left = StaticEmbedder.embed("a connection that is refused");
        let right = StaticEmbedder.embed("the socket was closed");
        let (wide, plain) = (dot(&left, &right), plain_dot(&left, &right));
        assert_eq!(wide.to_bits(), plain.to_bits());
    }
}
