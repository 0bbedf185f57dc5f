//! The same tasks among ever more memories that have nothing to do with them: what commits of other repositories say.

use std::collections::BTreeSet;

use oldhand_domain::port::Embedder;
use oldhand_recall::calibration::KNOWN;
use oldhand_recall::candidate::BAR;

use super::{Asked, Knows, percent, prepare};
use crate::data;
use crate::projects::{Projects, Split};

/// How many strangers there are.
pub(super) const NUMBERS: [usize; 6] = [0, 30, 100, 300, 1_000, 10_000];

/// Which memories of a project are there beside the strangers.
#[derive(Clone, Copy)]
pub(super) enum Own {
    All,
    /// One of the right ones for each task.
    One,
}

/// What commits say, so that the first of them are of all times. None is of a project that is asked, and no repository is in both parts.
pub(super) fn strangers(folder: &str, split: Split) -> Vec<String> {
    let repositories: &[&str] = match split {
        Split::Tuning => &["vitejs+vite", "expressjs+express", "pallets+flask"],
        Split::Held => &["pytest-dev+pytest", "tokio-rs+axum"],
    };
    let said = data::messages(folder, repositories);
    // A step that shares no factor with the number of them goes through all.
    let step = 7919;
    assert!(said.len() > NUMBERS[5] && !said.len().is_multiple_of(step));
    let at = |place: usize| said[place * step % said.len()].clone();
    (0..said.len()).map(at).collect()
}

pub(super) fn ask(
    projects: &Projects,
    own: Own,
    strangers: &[String],
    embedder: &'static dyn Embedder,
) -> Vec<Asked> {
    let mut asked = Vec::new();
    for corpus in &projects.corpora {
        let one = |answers: &BTreeSet<usize>, text: &str| {
            let right = answers.iter().nth(text.len() % answers.len());
            *right.expect("a task has an answer")
        };
        let kept: BTreeSet<usize> = match own {
            Own::All => (0..corpus.documents.len()).collect(),
            Own::One => {
                let tasks = corpus.questions.iter();
                tasks.map(|task| one(&task.answers, &task.text)).collect()
            }
        };
        let documents = kept.iter().map(|at| corpus.documents[*at].clone());
        let store = prepare(
            documents.chain(strangers.iter().cloned()).collect(),
            embedder,
        );
        for task in &corpus.questions {
            let places = kept.iter().enumerate();
            let answers = places.filter(|(_, at)| task.answers.contains(at));
            let answers: BTreeSet<usize> = answers.map(|(place, _)| place).collect();
            asked.push(super::ask(&store, &task.text, &answers, Knows::It));
        }
        for foreign in &projects.foreign {
            asked.push(super::ask(
                &store,
                foreign,
                &BTreeSet::new(),
                Knows::Nothing,
            ));
        }
    }
    asked
}

/// How often a right memory is told, and how often something to a foreign task, at every number of strangers.
pub(super) fn print(sets: &[(&str, &[[Vec<Asked>; 2]; 6])], weights: &[f64; KNOWN]) {
    println!(
        "\nTold at {BAR:.2} among strangers, which are what commits of other repositories say:\n"
    );
    println!(
        "| asked of | strangers | says a right one, all memories of the project | first line right | one right memory for each task | speaks to foreign tasks |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for (name, by_number) in sets {
        for (number, [all, one]) in NUMBERS.iter().zip(*by_number) {
            let told = |asked: &[Asked], knows: Knows| -> Vec<Vec<bool>> {
                let of = asked.iter().filter(|asked| asked.knows == knows);
                of.map(|asked| asked.told(weights, BAR)).collect()
            };
            let right = |told: &[Vec<bool>]| {
                percent(
                    told.iter().filter(|told| told.contains(&true)).count(),
                    told.len(),
                )
            };
            let [of_all, of_one] = [all, one].map(|asked| told(asked, Knows::It));
            let spoken: Vec<&Vec<bool>> = of_all.iter().filter(|told| !told.is_empty()).collect();
            let foreign = told(all, Knows::Nothing);
            println!(
                "| {name} | {number} | {} | {} | {} | {} |",
                right(&of_all),
                percent(spoken.iter().filter(|told| told[0]).count(), spoken.len()),
                right(&of_one),
                percent(
                    foreign.iter().filter(|told| !told.is_empty()).count(),
                    foreign.len()
                ),
            );
        }
    }
}
