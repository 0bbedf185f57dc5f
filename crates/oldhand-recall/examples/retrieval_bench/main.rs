//! How well the right memory comes first: recall on data with known answers, baselines in the same run, each stage on its own.
//!
//! ```text
//! cargo run --release -p oldhand-recall --example retrieval_bench -- stages DATA_FOLDER
//! cargo run --release -p oldhand-recall --example retrieval_bench -- through DATA_FOLDER OLDHAND
//! cargo run --release -p oldhand-recall --example retrieval_bench -- calibrate DATA_FOLDER
//! cargo run --release -p oldhand-recall --example retrieval_bench -- kinds DATA_FOLDER
//! ```
//!
//! `DATA_FOLDER` holds `locomo_1to4.json.gz`, `longmemeval_half_a.jsonl.gz`, lists of commits in `cochange` and memories of `projects`. `through` asks the binary
//! OLDHAND. Of `stages`, the text lane is BM25 as FTS5 computes it (k1 1.2,
//! b 0.75, Porter stems) over `oldhand_domain::words`, in memory. Weights are learned on half of the questions and reported on
//! the other half.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a benchmark reads files, prints, and may stop at a broken one"
)]

mod bm25;
mod calibrate;
mod company;
mod data;
mod files;
mod measure;
mod pipeline;
mod porter;
mod projects;
mod systems;
mod through;
mod whole;

use oldhand_embed::{MODELS, StaticEmbedder};

use data::Corpus;
use measure::{Half, Scores, difference, recall_line};
use systems::{Prepared, System};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["stages", folder] => {
            stages(folder);
            files::run(folder, &StaticEmbedder);
        }
        ["through", folder, oldhand] => through::run(folder, oldhand),
        ["calibrate", folder] => {
            for model in MODELS {
                calibrate::calibrate(folder, model);
            }
        }
        ["kinds", folder] => files::kinds::run(folder, &StaticEmbedder),
        _ => panic!("say `stages DATA`, `through DATA OLDHAND`, `calibrate DATA` or `kinds DATA`"),
    }
}

fn stages(folder: &str) {
    let prepare = |corpus| Prepared::new(corpus, &StaticEmbedder);
    let locomo: Vec<Prepared> = data::locomo(folder).into_iter().map(prepare).collect();
    let pooled: Vec<Prepared> = vec![prepare(data::long_mem_eval(folder, usize::MAX))];
    let cut: Vec<Prepared> = vec![prepare(data::long_mem_eval(folder, 2048))];
    let sets = [
        ("LoCoMo", &locomo),
        ("LongMemEval pooled", &pooled),
        ("the same, turns cut to 2 KiB", &cut),
    ];
    for (name, corpora) in sets {
        let documents: usize = corpora
            .iter()
            .map(|prepared| prepared.corpus.documents.len())
            .sum();
        let questions: usize = corpora
            .iter()
            .map(|prepared| prepared.corpus.questions.len())
            .sum();
        println!(
            "{name}: {} stores, {documents} memories, {questions} questions",
            corpora.len()
        );
    }

    println!("\n## Lane weights, learned on half of the questions (recall@10)\n");
    println!("| dense weight | LoCoMo | LongMemEval pooled |\n| --- | --- | --- |");
    let mut best = (0.0, 0.0);
    for dense in [0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.5] {
        let system = System::Fused { dense };
        let [left, right] =
            [&locomo, &pooled].map(|corpora| Scores::of(corpora, system, Half::Tuning).recall());
        println!("| {dense:.1} | {left:.1} | {right:.1} |");
        if left + right > best.0 {
            best = (left + right, dense);
        }
    }
    println!("\nBest on the tuning half: {:.1}.", best.1);

    for (name, corpora) in sets {
        println!("\n## {name}, the other half of the questions\n");
        println!(
            "| system | recall@5 | recall@10 | MRR@10 | against BM25, 95 % interval |\n| --- | --- | --- | --- | --- |"
        );
        let baseline = Scores::of(corpora, System::Words { telling: false }, Half::Test);
        for system in System::all(best.1) {
            let scores = Scores::of(corpora, system, Half::Test);
            println!(
                "| {} | {} | {} |",
                system.name(),
                scores.line(),
                difference(&baseline, &scores)
            );
        }
        println!("\nBy kind of question (recall@10, all questions):\n");
        println!("| system | {} |", corpora_kinds(corpora).join(" | "));
        println!("| --- |{}", " --- |".repeat(corpora_kinds(corpora).len()));
        for system in [
            System::Words { telling: false },
            System::Dense,
            System::PlainRrf,
            System::Fused { dense: best.1 },
            System::Pipeline(pipeline::Stages::Search),
        ] {
            println!("| {} | {} |", system.name(), recall_line(corpora, system));
        }
    }

    whole::run(folder);
    company::run(&locomo, &pooled, folder);

    println!("\n## Time\n");
    println!("| stage | ms a question |\n| --- | --- |");
    println!(
        "| joining the lanes | {:.2} |",
        systems::time(&locomo[2], None)
    );
    println!(
        "| and reading closely | {:.2} |",
        systems::time(&locomo[2], Some(pipeline::Known::Store))
    );
}

fn corpora_kinds(corpora: &[Prepared]) -> Vec<String> {
    let kinds = Corpus::kinds(corpora.iter().map(|prepared| &prepared.corpus));
    std::iter::once("all".to_owned()).chain(kinds).collect()
}
