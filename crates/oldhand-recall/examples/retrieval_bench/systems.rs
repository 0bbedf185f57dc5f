//! The ways of answering that are compared: baselines, ours, and ours with one stage changed.

use std::collections::BTreeSet;

use oldhand_domain::words;
use oldhand_embed::{StaticEmbedder, cosine};
use oldhand_recall::fuse::{Fused, Method, fuse};
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::plan::{DEPTH, Plan, RecentWork, plan};

use crate::bm25::Bm25;
use crate::data::Corpus;
use crate::pipeline;

#[derive(Clone, Copy)]
pub(crate) enum System {
    /// BM25 alone, over all words or the telling ones.
    Words {
        telling: bool,
    },
    Dense,
    /// Equal weights, all words: what most hybrids do.
    PlainRrf,
    /// Our plan, joined by ranks.
    WeightedRrf {
        dense: f64,
    },
    /// Our plan, joined by how far items stand out.
    Fused {
        dense: f64,
    },
    /// As before, but the dense lane does not score what the text lane found.
    Unscored {
        dense: f64,
    },
    /// As `Fused`, with every word in the text lane.
    AllWords {
        dense: f64,
    },
    /// As `Fused`, with a second question made of the first and its best answers.
    Feedback {
        dense: f64,
    },
    /// All stages, as a search runs them.
    Pipeline(pipeline::Stages),
}

impl System {
    pub(crate) fn all(dense: f64) -> Vec<Self> {
        let mut systems = vec![
            Self::Words { telling: false },
            Self::Words { telling: true },
            Self::Dense,
            Self::PlainRrf,
            Self::WeightedRrf { dense },
            Self::Fused { dense },
            Self::Unscored { dense },
            Self::AllWords { dense },
            Self::Feedback { dense },
        ];
        systems.extend(pipeline::Stages::ALL.map(Self::Pipeline));
        systems
    }

    pub(crate) fn name(self) -> String {
        match self {
            Self::Words { telling: false } => "BM25 alone".to_owned(),
            Self::Words { telling: true } => "BM25 alone, telling words".to_owned(),
            Self::Dense => "dense alone".to_owned(),
            Self::PlainRrf => "plain RRF (equal weights, k 60)".to_owned(),
            Self::WeightedRrf { dense } => format!("RRF, dense {dense:.1}, telling words"),
            Self::Fused { dense } => format!("**standardised, dense {dense:.1}, telling words**"),
            Self::Unscored { .. } => "… text hits not scored by the dense lane".to_owned(),
            Self::AllWords { .. } => "… all words in the text lane".to_owned(),
            Self::Feedback { .. } => "… with pseudo-relevance feedback".to_owned(),
            Self::Pipeline(stages) => stages.name().to_owned(),
        }
    }
}

/// A store with its lanes ready.
pub(crate) struct Prepared {
    pub(crate) corpus: Corpus,
    pub(crate) text: Bm25,
    pub(crate) vectors: Vec<Vec<f32>>,
}

impl Prepared {
    pub(crate) fn new(corpus: Corpus) -> Self {
        let text = Bm25::new(&corpus.documents);
        let vectors = StaticEmbedder.embed_batch(&corpus.documents);
        Self {
            corpus,
            text,
            vectors,
        }
    }

    /// Documents, best first.
    pub(crate) fn answer(&self, question: &str, system: System) -> Vec<usize> {
        let plain = plan(question, RecentWork::Ordinary);
        let all_words = || Plan {
            words: words::split(question),
            ..plain.clone()
        };
        match system {
            System::Words { telling } => {
                let words = if telling {
                    plain.words
                } else {
                    all_words().words
                };
                self.text
                    .search(&words)
                    .into_iter()
                    .map(|(document, _)| document)
                    .collect()
            }
            System::Dense => {
                let vector = StaticEmbedder.embed(question);
                self.dense(&vector, &BTreeSet::new())
                    .hits
                    .into_iter()
                    .map(|hit| hit.key)
                    .collect()
            }
            System::PlainRrf => {
                let plan = weigh(all_words(), 1.0);
                let lanes = self.lanes(&plan, &StaticEmbedder.embed(question), Scored::Own);
                keys(&fuse(&lanes, &plan, Method::Reciprocal { k: 60.0 }))
            }
            System::WeightedRrf { dense } => {
                let plan = weigh(plain, dense);
                let lanes = self.lanes(&plan, &StaticEmbedder.embed(question), Scored::Own);
                keys(&fuse(&lanes, &plan, Method::Reciprocal { k: 60.0 }))
            }
            System::Fused { dense } => {
                keys(&self.fused(question, &weigh(plain, dense), Scored::TextHitsToo))
            }
            System::Unscored { dense } => {
                keys(&self.fused(question, &weigh(plain, dense), Scored::Own))
            }
            System::AllWords { dense } => {
                keys(&self.fused(question, &weigh(all_words(), dense), Scored::TextHitsToo))
            }
            System::Feedback { dense } => self.feedback(question, &weigh(plain, dense)),
            System::Pipeline(stages) => pipeline::answer(self, question, stages),
        }
    }

    pub(crate) fn fused(&self, question: &str, plan: &Plan, scored: Scored) -> Vec<Fused<usize>> {
        let lanes = self.lanes(plan, &StaticEmbedder.embed(question), scored);
        fuse(&lanes, plan, Method::Standardised)
    }

    /// Asks again with the question's vector moved towards its three best answers.
    fn feedback(&self, question: &str, plan: &Plan) -> Vec<usize> {
        let first = self.fused(question, plan, Scored::TextHitsToo);
        let mut vector = StaticEmbedder.embed(question);
        for item in first.iter().take(3) {
            for (value, towards) in vector.iter_mut().zip(&self.vectors[item.key]) {
                *value += 0.1 * towards;
            }
        }
        keys(&fuse(
            &self.lanes(plan, &vector, Scored::TextHitsToo),
            plan,
            Method::Standardised,
        ))
    }

    pub(crate) fn lanes(&self, plan: &Plan, vector: &[f32], scored: Scored) -> Vec<Ranked<usize>> {
        let mut found = self.text.search(&plan.words);
        found.truncate(DEPTH);
        let others = match scored {
            Scored::Own => BTreeSet::new(),
            Scored::TextHitsToo => found.iter().map(|(document, _)| *document).collect(),
        };
        vec![Ranked::new(Lane::Text, found), self.dense(vector, &others)]
    }

    /// The nearest documents, and then `others`.
    fn dense(&self, vector: &[f32], others: &BTreeSet<usize>) -> Ranked<usize> {
        let all = self
            .vectors
            .iter()
            .enumerate()
            .map(|(document, other)| (document, f64::from(cosine(vector, other))));
        let mut ranked = Ranked::new(Lane::Dense, all);
        let rest = ranked.hits.split_off(DEPTH.min(ranked.hits.len()));
        ranked
            .hits
            .extend(rest.into_iter().filter(|hit| others.contains(&hit.key)));
        ranked
    }
}

/// What the dense lane gives a score to.
#[derive(Clone, Copy)]
pub(crate) enum Scored {
    Own,
    TextHitsToo,
}

pub(crate) fn weigh(mut plan: Plan, dense: f64) -> Plan {
    for lane in &mut plan.lanes {
        lane.weight = if lane.lane == Lane::Dense { dense } else { 1.0 };
    }
    plan
}

fn keys(fused: &[Fused<usize>]) -> Vec<usize> {
    fused.iter().map(|item| item.key).collect()
}

/// Fits the chance that an item is right, and prints how true it is. Each question is asked of its own store and of one where
/// nothing answers it.
pub(crate) fn calibrate(stores: &[&Prepared], known: Option<pipeline::Known>) {
    let mut rows: Vec<([f64; 3], f64)> = Vec::new();
    let mut firsts: Vec<First> = Vec::new();
    for (number, store) in stores.iter().enumerate() {
        for question in &store.corpus.questions {
            let other =
                stores[(number + 1 + question.text.len() % (stores.len() - 1)) % stores.len()];
            for (asked, right) in [(*store, true), (other, false)] {
                let (candidates, near) = pipeline::candidates(asked, &question.text, known);
                if let Some(first) = candidates.first() {
                    let number = pipeline::number_of(first.memory.id);
                    firsts.push(First {
                        relevance: first.because.relevance,
                        answerable: right,
                        right: right && question.answers.contains(&number),
                    });
                }
                for candidate in candidates.iter().take(20) {
                    let number = pipeline::number_of(candidate.memory.id);
                    let is_right = right && question.answers.contains(&number);
                    rows.push((
                        [candidate.because.fused, near, 1.0],
                        f64::from(u8::from(is_right)),
                    ));
                }
            }
        }
    }
    let weights = logistic(&rows);
    println!(
        "relevance = σ({:.2} × fused + {:.1} × nearest cosine {:.1})\n",
        weights[0], weights[1], weights[2]
    );
    println!("| relevance | items | right |\n| --- | --- | --- |");
    let chance = |row: &[f64; 3]| {
        sigmoid(
            row.iter()
                .zip(&weights)
                .map(|(value, weight)| value * weight)
                .sum(),
        )
    };
    for bounds in [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.01].windows(2) {
        let inside: Vec<f64> = rows
            .iter()
            .filter(|(row, _)| (bounds[0]..bounds[1]).contains(&chance(row)))
            .map(|(_, right)| *right)
            .collect();
        let right = 100.0 * inside.iter().sum::<f64>() / inside.len().max(1) as f64;
        println!(
            "| {:.2}–{:.2} | {} | {right:.0} % |",
            bounds[0],
            bounds[1].min(1.0),
            inside.len()
        );
    }
    println!(
        "\n| bar | speaks when there is an answer | speaks when there is none | first line right when it speaks |"
    );
    println!("| --- | --- | --- | --- |");
    for bar in [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5] {
        let speaks = |first: &&First| first.relevance >= bar;
        let share = |answerable| {
            let all: Vec<&First> = firsts
                .iter()
                .filter(|first| first.answerable == answerable)
                .collect();
            100.0 * all.iter().copied().filter(speaks).count() as f64 / all.len().max(1) as f64
        };
        let spoken: Vec<&First> = firsts
            .iter()
            .filter(|first| first.answerable)
            .filter(speaks)
            .collect();
        let right = spoken.iter().filter(|first| first.right).count();
        let precise = 100.0 * right as f64 / spoken.len().max(1) as f64;
        println!(
            "| {bar:.2} | {:.0} % | {:.0} % | {precise:.0} % |",
            share(true),
            share(false)
        );
    }
}

/// The first item of an answer.
struct First {
    relevance: f64,
    answerable: bool,
    right: bool,
}

/// Milliseconds to answer a question of `store`, its lanes included.
pub(crate) fn time(store: &Prepared, known: Option<pipeline::Known>) -> f64 {
    let start = std::time::Instant::now();
    for question in &store.corpus.questions {
        std::hint::black_box(pipeline::candidates(store, &question.text, known));
    }
    start.elapsed().as_secs_f64() * 1000.0 / store.corpus.questions.len() as f64
}

/// Newton's method on three weights.
fn logistic(rows: &[([f64; 3], f64)]) -> [f64; 3] {
    let mut weights = [0.0; 3];
    for _ in 0..30 {
        let mut gradient = [0.0; 3];
        let mut curve = [[0.0; 3]; 3];
        for (row, right) in rows {
            let chance = sigmoid(
                row.iter()
                    .zip(&weights)
                    .map(|(value, weight)| value * weight)
                    .sum(),
            );
            for i in 0..3 {
                gradient[i] += (right - chance) * row[i];
                for j in 0..3 {
                    curve[i][j] += chance * (1.0 - chance) * row[i] * row[j];
                }
            }
        }
        let step = solve(curve, gradient);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight += step;
        }
    }
    weights
}

fn sigmoid(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

/// Gauss elimination; the matrix is positive definite, so that no pivoting is needed.
fn solve(mut matrix: [[f64; 3]; 3], mut right: [f64; 3]) -> [f64; 3] {
    for column in 0..3 {
        let pivot = matrix[column];
        for row in column + 1..3 {
            let factor = matrix[row][column] / pivot[column];
            for (value, above) in matrix[row].iter_mut().zip(pivot) {
                *value -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..3).rev() {
        let known: f64 = (row + 1..3).map(|at| matrix[row][at] * right[at]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}
