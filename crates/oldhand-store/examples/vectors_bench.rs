//! Vectors of real code: how much of what brute force finds a search finds, and how long it takes.
//!
//! `cargo run --release -p oldhand-store --example vectors_bench -- FOLDER…` cuts the source files of the folders into pieces of
//! twelve lines, embeds them and asks with the first sentences of their comments.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark prints, takes arguments, measures with the clock and has nobody to report to"
)]

use std::fs;
use std::path::Path;
use std::time::Instant;

use oldhand_domain::port::Embedder as _;
use oldhand_embed::{StaticEmbedder, cosine};
use oldhand_store::vectors::{Key, Vectors, Writer, rebuild};

const SIZES: [usize; 2] = [100_000, 500_000];
const LINES: usize = 12;
const QUESTIONS: usize = 300;

fn main() {
    let mut pieces = Vec::new();
    let mut questions = Vec::new();
    for folder in std::env::args().skip(1) {
        collect(Path::new(&folder), &mut pieces, &mut questions);
    }
    let step = questions.len().div_ceil(QUESTIONS).max(1);
    let questions: Vec<Vec<f32>> = questions
        .iter()
        .step_by(step)
        .map(|question| StaticEmbedder.embed(question))
        .collect();
    println!(
        "| pieces | open | ten nearest p50 | p99 | hundred nearest p50 | recall@10 | recall@100 | rebuild | append one |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for size in SIZES.into_iter().filter(|size| *size <= pieces.len()) {
        measure(&pieces[..size], &questions);
    }
    println!(
        "\n{} pieces in all, {} questions",
        pieces.len(),
        questions.len()
    );
}

fn measure(pieces: &[String], questions: &[Vec<f32>]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.vec");
    let (model, dimensions) = (StaticEmbedder.model(), StaticEmbedder.dimensions());
    let rows = || {
        let embedded = pieces.iter().map(|text| StaticEmbedder.embed(text));
        embedded.enumerate().map(|(at, vector)| (key(at), vector))
    };
    let start = Instant::now();
    rebuild(&path, model, dimensions, rows()).unwrap();
    let rebuilt = start.elapsed();
    let start = Instant::now();
    let vectors = Vectors::open(&path, model, dimensions).unwrap();
    let opened = start.elapsed();
    let (mut ten, mut hundred, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for question in questions {
        let start = Instant::now();
        vectors.nearest(question, 10, None).unwrap();
        ten.push(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        found.push(vectors.nearest(question, 100, None).unwrap());
        hundred.push(start.elapsed().as_secs_f64() * 1e3);
    }
    // Brute force over the vectors as they were made, once over all questions.
    let mut truth: Vec<Vec<f32>> = vec![Vec::with_capacity(pieces.len()); questions.len()];
    for (_, vector) in rows() {
        for (question, cosines) in questions.iter().zip(&mut truth) {
            cosines.push(cosine(question, &vector));
        }
    }
    let recall = |limit: usize| {
        let shares = truth.iter().zip(&found).map(|(cosines, found)| {
            let mut sorted = cosines.clone();
            sorted.sort_by(|left, right| right.total_cmp(left));
            // Equally near ones stand for each other: the fifth digit is where what is stored is rounded.
            let bar = sorted[limit - 1] - 1e-5;
            let right = found
                .iter()
                .take(limit)
                .filter(|near| cosines[number(near.key)] >= bar)
                .count();
            right as f64 / limit as f64
        });
        shares.sum::<f64>() / questions.len() as f64
    };
    let (at_ten, at_hundred) = (recall(10), recall(100));
    let mut writer = Writer::open(&path, model, dimensions).unwrap();
    let fresh = StaticEmbedder.embed("one more");
    let start = Instant::now();
    writer.put(&[(key(pieces.len()), &fresh)]).unwrap();
    let appended = start.elapsed();
    println!(
        "| {} | {opened:.2?} | {:.2} ms | {:.2} ms | {:.2} ms | {at_ten:.4} | {at_hundred:.4} | {rebuilt:.1?} | {appended:.1?} |",
        pieces.len(),
        percentile(&mut ten, 50),
        percentile(&mut ten, 99),
        percentile(&mut hundred, 50),
    );
}

fn percentile(times: &mut [f64], percent: usize) -> f64 {
    times.sort_by(f64::total_cmp);
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

fn key(number: usize) -> Key {
    Key::new((number as u128 + 1).to_be_bytes()).unwrap()
}

fn number(key: Key) -> usize {
    u128::from_be_bytes(key.bytes()) as usize - 1
}

fn collect(folder: &Path, pieces: &mut Vec<String>, questions: &mut Vec<String>) {
    const ENDINGS: [&str; 5] = ["rs", "py", "go", "ts", "js"];
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().flatten().collect();
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        let is_source = path
            .extension()
            .is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
        if path.is_dir() {
            collect(&path, pieces, questions);
        } else if is_source && let Ok(text) = fs::read_to_string(&path) {
            let lines: Vec<&str> = text.lines().collect();
            let cut = lines.chunks(LINES).map(|lines| lines.join("\n"));
            pieces.extend(cut.filter(|piece| piece.len() > 80));
            let comments = lines
                .iter()
                .filter_map(|line| line.trim().strip_prefix("/// "));
            questions.extend(
                comments
                    .filter(|line| line.len() > 30)
                    .take(1)
                    .map(str::to_owned),
            );
        }
    }
}
