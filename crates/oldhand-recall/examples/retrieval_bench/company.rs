//! Whether memories of one session should lift each other, which a search does not do: what that would gain and lose.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use oldhand_embed::StaticEmbedder;
use oldhand_recall::candidate::Candidate;

use crate::data;
use crate::measure::{Half, Scores, difference, interval};
use crate::pipeline::{Stages, number_of};
use crate::systems::{Prepared, System};
use crate::whole::finds;

/// As many as a search reads.
const AMONG: usize = 26;

/// Lifts each of the first by a share of how far the best other of its session stands above the last of them.
pub(crate) fn lift(candidates: &mut [Candidate], sessions: &[usize], weight: f64) {
    let among = candidates.len().min(AMONG);
    let first = &mut candidates[..among];
    let Some(last) = first.last().map(|candidate| candidate.because.fused) else {
        return;
    };
    let session = |candidate: &Candidate| sessions[number_of(candidate.memory.id)];
    // Candidates are in order, so that the first of a session is its best and the second the best other of that.
    let mut best: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for candidate in first.iter() {
        let above = candidate.because.fused - last;
        best.entry(session(candidate)).or_default().push(above);
    }
    let mut met = BTreeSet::new();
    for candidate in first.iter_mut() {
        let of = session(candidate);
        let is_best = met.insert(of);
        let other = best[&of].get(usize::from(is_best));
        candidate.because.fused += weight * other.copied().unwrap_or(0.0);
        candidate.score = candidate.because.fused;
    }
    first.sort_by(|left, right| right.score.total_cmp(&left.score));
}

pub(crate) fn run(locomo: &[Prepared], pooled: &[Prepared], folder: &str) {
    println!("\n## Memories of one session lifting each other\n");
    println!(
        "Recall@10 and, of whole sessions, any of 5 (one draw); gains over a search with their paired intervals.\n"
    );
    println!(
        "| weight | LoCoMo, to learn on | the other half | LongMemEval pooled, to learn on | the other half | whole sessions, to learn on | the other half |\n| --- | --- | --- | --- | --- | --- | --- |"
    );
    let whole: Vec<Prepared> = data::haystacks(folder, 0)
        .into_iter()
        .map(|corpus| Prepared::new(corpus, &StaticEmbedder))
        .collect();
    let halves = [Half::Tuning, Half::Test];
    let search = System::Pipeline(Stages::Search);
    for weight in [0.05, 0.1, 0.2, 0.4, 0.8] {
        let lifted = System::Pipeline(Stages::Company(weight));
        let mut line = format!("| {weight} |");
        for (stores, half) in [locomo, pooled]
            .iter()
            .flat_map(|of| halves.map(|half| (of, half)))
        {
            let [before, after] = [search, lifted].map(|system| Scores::of(stores, system, half));
            let gain = difference(&before, &after);
            let _ = write!(line, " {:.1} {gain} |", after.recall());
        }
        for half in halves {
            let asked = whole
                .iter()
                .filter(|store| half.has(&store.corpus.questions[0]));
            let found = asked.map(|store| {
                [search, lifted].map(|system| 100.0 * f64::from(u8::from(finds(store, system))))
            });
            let found: Vec<[f64; 2]> = found.collect();
            let gains: Vec<f64> = found.iter().map(|[before, after]| after - before).collect();
            let after = found.iter().map(|found| found[1]).sum::<f64>() / found.len() as f64;
            let _ = write!(line, " {after:.1} {} |", interval(&gains));
        }
        println!("{line}");
    }
}
