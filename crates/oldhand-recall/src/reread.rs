//! The best candidates read once more, word by word.
//!
//! Lanes see a text as a sum. Here each word of the question looks for itself, for its neighbour and for its nearest relative in
//! the text: `bought` finds `purchased` where no stem does. Worth one to three points of recall, and more on questions that need
//! several memories (`docs/benchmarks/retrieval.md`).

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fmt;

use oldhand_domain::bm25::rarity;
use oldhand_domain::words::{self, is_telling, stem};

use crate::candidate::{Candidate, sort};
use crate::nearness::Nearness;
use crate::plan::Plan;

/// What reading needs from outside.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    /// A unit vector for each word: the embedded model's `embed_batch` will do.
    pub embed: &'a dyn Fn(&[&str]) -> Vec<Vec<f32>>,
    /// In how many memories of the store a word is, where that is known; else the candidates themselves must tell what is rare,
    /// which costs half of what a close reading gains.
    pub spread: Option<Spread<'a>>,
    /// What was compared beforehand.
    pub ahead: Option<&'a Nearness<'a>>,
}

#[derive(Clone, Copy)]
pub struct Spread<'a> {
    pub memories: usize,
    pub with: &'a dyn Fn(&str) -> usize,
}

/// How many candidates are read.
const REACH: usize = 40;
/// How many words of each.
pub(crate) const LONGEST: usize = 128;

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
    let question = Question::of(plan);
    if reach == 0 || question.stems.is_empty() {
        return;
    }
    let split: Vec<Cow<'_, [String]>> = candidates[..reach]
        .iter()
        .map(|candidate| {
            let text = candidate.memory.content.as_str();
            let met = reader.ahead.and_then(|ahead| ahead.words_of(text));
            met.map_or_else(|| words::split(text).into(), Cow::from)
        })
        .collect();
    let mut known = Known::new(&question);
    let texts: Vec<Text> = split.iter().map(|words| known.read(words)).collect();
    let weights: Vec<f64> = match reader.spread {
        Some(spread) => plan
            .words
            .iter()
            .map(|word| rarity(spread.memories as f64, (spread.with)(word) as f64))
            .collect(),
        None => rarity_among(candidates, &question.stems),
    };
    let near = known.compare(plan, &texts, reader);
    let mut lifts: Vec<Reading> = texts
        .iter()
        .map(|text| read(text, &question, &weights, &near))
        .collect();
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

/// What a text is compared with.
struct Question {
    stems: Vec<String>,
    /// Neighbouring words, each pair once.
    pairs: Vec<(usize, usize)>,
}

impl Question {
    fn of(plan: &Plan) -> Self {
        let stems: Vec<String> = plan
            .words
            .iter()
            .map(|word| stem(word).to_owned())
            .collect();
        let first = |at: usize| stems.iter().position(|stem| *stem == stems[at]);
        let pairs = (1..stems.len()).filter_map(|at| Some((first(at - 1)?, first(at)?)));
        let pairs: BTreeSet<(usize, usize)> = pairs.collect();
        Self {
            pairs: pairs.into_iter().collect(),
            stems,
        }
    }

    /// The first place of a word's stem among those of the question. Endings may go, the first letter never does.
    fn place(&self, word: &str) -> Option<usize> {
        let letter = word.as_bytes().first();
        let mut stems = self.stems.iter();
        if !stems.any(|stem| stem.as_bytes().first() == letter) {
            return None;
        }
        let word = stem(word);
        self.stems.iter().position(|stem| *stem == word)
    }
}

/// What a text has of a question, and its words.
struct Text {
    /// Their numbers, each once.
    words: Vec<usize>,
    /// For each word of the question, whether the text has it.
    has: Vec<bool>,
    /// How many neighbouring words of the question are neighbours here.
    shared_pairs: usize,
    length: usize,
}

impl Text {
    fn has_all(&self) -> bool {
        self.has.iter().all(|has| *has)
    }
}

/// The words of all texts, each looked at once however often it is said.
struct Known<'a> {
    question: &'a Question,
    numbers: HashMap<&'a str, usize>,
    words: Vec<Word<'a>>,
    texts: usize,
}

struct Word<'a> {
    letters: &'a str,
    is_telling: bool,
    /// Its place in the question.
    place: Option<usize>,
    /// The number of the last text that has it.
    met_in: usize,
}

impl<'a> Known<'a> {
    fn new(question: &'a Question) -> Self {
        Self {
            question,
            numbers: HashMap::new(),
            words: Vec::new(),
            texts: 0,
        }
    }

    fn meet(&mut self, word: &'a str) -> usize {
        let words = &mut self.words;
        *self.numbers.entry(word).or_insert_with(|| {
            words.push(Word {
                letters: word,
                is_telling: is_telling(word),
                place: self.question.place(word),
                met_in: 0,
            });
            words.len() - 1
        })
    }

    fn read(&mut self, words: &'a [String]) -> Text {
        self.texts += 1;
        let mut telling: Vec<usize> = words.iter().map(|word| self.meet(word)).collect();
        telling.retain(|number| self.words[*number].is_telling);
        let places: Vec<Option<usize>> = telling
            .iter()
            .map(|number| self.words[*number].place)
            .collect();
        let Question { stems, pairs } = self.question;
        let has = stems.iter().map(|stem| {
            let mut found = places.iter().flatten();
            found.any(|place| stems[*place] == *stem)
        });
        let has: Vec<bool> = has.collect();
        let is_shared = |(left, right): &&(usize, usize)| {
            let mut neighbours = places.windows(2);
            neighbours.any(|pair| pair == [Some(*left), Some(*right)])
        };
        let shared_pairs = pairs.iter().filter(is_shared).count();
        let length = telling.len();
        telling.retain(|number| {
            let met_in = &mut self.words[*number].met_in;
            std::mem::replace(met_in, self.texts) != self.texts
        });
        telling.truncate(LONGEST);
        Text {
            words: telling,
            has,
            shared_pairs,
            length,
        }
    }

    /// How near each word of the texts is to each word of the question. A text that has all words of the question needs none.
    fn compare(&self, plan: &Plan, texts: &[Text], reader: Reader<'_>) -> Vec<Vec<f64>> {
        /// So many vectors are held at once.
        const STRETCH: usize = 64;
        let mut near: Vec<Vec<f64>> = vec![Vec::new(); self.words.len()];
        let mut is_needed = vec![false; self.words.len()];
        let texts = texts.iter().filter(|text| !text.has_all());
        for number in texts.flat_map(|text| &text.words) {
            is_needed[*number] = true;
        }
        let mut needed: Vec<usize> = (0..self.words.len()).filter(|at| is_needed[*at]).collect();
        if let Some(ahead) = reader.ahead {
            needed.retain(|at| {
                let known = ahead.of(self.words[*at].letters);
                near[*at].extend(known.into_iter().flatten());
                known.is_none()
            });
        }
        if needed.is_empty() {
            return near;
        }
        let asked: Vec<&str> = plan.words.iter().map(String::as_str).collect();
        let asked = (reader.embed)(&asked);
        for numbers in needed.chunks(STRETCH) {
            let words: Vec<&str> = numbers.iter().map(|at| self.words[*at].letters).collect();
            for (number, vector) in numbers.iter().zip((reader.embed)(&words)) {
                near[*number] = asked.iter().map(|asked| dot(asked, &vector)).collect();
            }
        }
        near
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

fn read(text: &Text, question: &Question, weights: &[f64], near: &[Vec<f64>]) -> Reading {
    let most = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let found = text.has.iter().zip(weights).filter(|(has, _)| **has);
    let rarest = found.map(|(_, weight)| *weight).fold(0.0, f64::max) / most;
    let together = text.shared_pairs as f64 / question.pairs.len().max(1) as f64;
    let mut nearest: Vec<f64> = vec![0.0; question.stems.len()];
    if !text.has_all() {
        for dots in text.words.iter().map(|number| &near[*number]) {
            // A model that could not read the question's words compared nothing with them.
            for (nearest, dot) in nearest.iter_mut().zip(dots) {
                *nearest = nearest.max(*dot);
            }
        }
    }
    let total: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let near = text.has.iter().zip(&nearest).zip(weights);
    let near = near
        .map(|((has, nearest), weight)| weight * if *has { 1.0 } else { *nearest })
        .sum::<f64>()
        / total;
    let lift =
        RAREST * rarest + TOGETHER * together + NEAR * near + LENGTH * (text.length as f64).ln_1p();
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
            embed,
            spread: None,
            ahead: None,
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
