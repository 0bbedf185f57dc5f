//! The ways of answering that are compared: baselines, ours, and ours with one stage changed.

use std::collections::BTreeSet;

use oldhand_domain::port::Embedder;
use oldhand_domain::words;
use oldhand_embed::cosine;
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
    embedder: &'static dyn Embedder,
    pub(crate) corpus: Corpus,
    pub(crate) text: Bm25,
    pub(crate) vectors: Vec<Vec<f32>>,
}

impl Prepared {
    pub(crate) fn new(corpus: Corpus, embedder: &'static dyn Embedder) -> Self {
        let text = Bm25::new(&corpus.documents);
        let documents: Vec<&str> = corpus.documents.iter().map(String::as_str).collect();
        let vectors = embedder.embed(&documents).unwrap();
        Self {
            embedder,
            corpus,
            text,
            vectors,
        }
    }

    pub(crate) fn model(&self) -> &str {
        self.embedder.model()
    }

    pub(crate) fn embed(&self, question: &str) -> Vec<f32> {
        let vectors = self.embedder.embed_questions(&[question]);
        vectors.unwrap().swap_remove(0)
    }

    /// Whether a close reading has the vectors of words, as in the engine.
    pub(crate) fn has_words(&self) -> bool {
        self.embedder.rows().is_some()
    }

    pub(crate) fn embed_words(&self, words: &[&str]) -> Vec<Vec<f32>> {
        self.embedder.embed(words).unwrap()
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
                let vector = self.embed(question);
                self.dense(&vector, &BTreeSet::new())
                    .hits
                    .into_iter()
                    .map(|hit| hit.key)
                    .collect()
            }
            System::PlainRrf => {
                let plan = weigh(all_words(), 1.0);
                let lanes = self.lanes(&plan, &self.embed(question), Scored::Own);
                keys(&fuse(&lanes, &plan, Method::Reciprocal { k: 60.0 }))
            }
            System::WeightedRrf { dense } => {
                let plan = weigh(plain, dense);
                let lanes = self.lanes(&plan, &self.embed(question), Scored::Own);
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
        let lanes = self.lanes(plan, &self.embed(question), scored);
        fuse(&lanes, plan, Method::Standardised)
    }

    /// Asks again with the question's vector moved towards its three best answers.
    fn feedback(&self, question: &str, plan: &Plan) -> Vec<usize> {
        let first = self.fused(question, plan, Scored::TextHitsToo);
        let mut vector = self.embed(question);
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

/// Milliseconds to answer a question of `store`, its lanes included.
pub(crate) fn time(store: &Prepared, known: Option<pipeline::Known>) -> f64 {
    let start = std::time::Instant::now();
    for question in &store.corpus.questions {
        std::hint::black_box(pipeline::candidates(store, &question.text, known));
    }
    start.elapsed().as_secs_f64() * 1000.0 / store.corpus.questions.len() as f64
}
