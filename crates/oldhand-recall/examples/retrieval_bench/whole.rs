//! Whole sessions of LongMemEval: whether one of the first five has the answer, each question among 48.

use oldhand_embed::StaticEmbedder;

use crate::data;
use crate::measure::any_session;
use crate::pipeline::Stages;
use crate::systems::{Prepared, System};

/// How often the other sessions are drawn: what one draw says depends on which they are.
const DRAWS: usize = 6;

pub(crate) fn run(folder: &str) {
    println!("\n## Whole sessions of LongMemEval\n");
    println!(
        "| system | questions | any of 5, mean of {DRAWS} draws | lowest | highest |\n| --- | --- | --- | --- | --- |"
    );
    let systems = [
        System::Words { telling: false },
        System::Dense,
        System::PlainRrf,
        System::Pipeline(Stages::Search),
        System::Pipeline(Stages::Timeless),
    ];
    let mut shares = [[0.0; DRAWS]; 5];
    let mut number = 0;
    for draw in 0..DRAWS {
        let haystacks = data::haystacks(folder, draw);
        number = haystacks.len();
        for corpus in haystacks {
            let store = Prepared::new(corpus, &StaticEmbedder);
            for (system, shares) in systems.iter().zip(&mut shares) {
                let right = finds(&store, *system);
                shares[draw] += 100.0 * f64::from(u8::from(right)) / number as f64;
            }
        }
    }
    for (system, shares) in systems.iter().zip(shares) {
        let mean = shares.iter().sum::<f64>() / DRAWS as f64;
        let lowest = shares.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = shares.iter().copied().fold(0.0, f64::max);
        let name = system.name();
        println!("| {name} | {number} | {mean:.1} | {lowest:.1} | {highest:.1} |");
    }
}

pub(crate) fn finds(store: &Prepared, system: System) -> bool {
    let question = &store.corpus.questions[0];
    let turns = store.answer(&question.text, system);
    any_session(&turns, question, &store.corpus.sessions)
}
