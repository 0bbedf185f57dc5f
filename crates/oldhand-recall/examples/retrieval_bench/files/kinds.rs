//! What lanes are worth to questions that name something, and to questions asked beside a file: weights learned on some repositories, judged on
//! others.
//!
//! Earlier commits are the memories, the message of a later one is the question. One that names a symbol or a file is an identifier question, and right
//! is what names the files that the commit changed. For a structural one a file of the commit is at hand, and right are its other files.

use std::collections::BTreeSet;

use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::Embedder;
use oldhand_recall::beside::Surrounding;
use oldhand_recall::fuse::{Method, fuse};
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::named::Named;
use oldhand_recall::plan::{Plan, QueryType, RecentWork, plan};

use super::{History, SHOWN};
use crate::data;
use crate::systems::Scored;

/// Repositories whose commits weights are learned on; the others only judge. Decided before anything was fitted.
const TUNING: [&str; 3] = ["caddyserver+caddy", "pallets+flask", "tokio-rs+axum"];
const HELD: [&str; 3] = ["expressjs+express", "pytest-dev+pytest", "vitejs+vite"];
/// What is tried for the dense lane and for the lane of files beside a text lane of one.
const DENSE: [f64; 8] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.4, 2.0];
const GRAPH: [f64; 7] = [0.0, 0.3, 0.6, 1.0, 1.5, 2.5, 4.0];

pub(crate) fn run(folder: &str, embedder: &'static dyn Embedder) {
    let read =
        |names: [&str; 3]| names.map(|name| History::of(&data::commits(folder, name), embedder));
    let (tuning, held) = (read(TUNING), read(HELD));
    for kind in [QueryType::Identifier, QueryType::Structural] {
        learn(kind, &tuning, &held);
    }
}

/// A question with what its lanes found.
struct Asked<'h> {
    history: &'h History,
    plan: Plan,
    lanes: Vec<Ranked<usize>>,
    right: BTreeSet<ProjectPath>,
}

fn learn(kind: QueryType, tuning: &[History], held: &[History]) {
    let ask = |histories| -> Vec<Asked<'_>> { ask_all(kind, histories) };
    let (tuning, held) = (ask(tuning), ask(held));
    let graphs: &[f64] = match kind {
        QueryType::Structural => &GRAPH,
        QueryType::Identifier | QueryType::Semantic => &[0.0],
    };
    println!("\n## {} questions\n", kind.as_str());
    println!(
        "{} questions to learn on, {} kept back. Share of the right files that the first {SHOWN} memories name, to learn on:\n",
        tuning.len(),
        held.len()
    );
    let heads: Vec<String> = graphs
        .iter()
        .map(|graph| format!("files {graph}"))
        .collect();
    println!("| dense | {} |", heads.join(" | "));
    println!("| --- |{}", " --- |".repeat(graphs.len()));
    let mut best = (0.0, [0.0; 2]);
    for dense in DENSE {
        let shares = graphs.iter().map(|graph| {
            let share = mean(&named(&tuning, [1.0, dense, *graph]));
            if share > best.0 {
                best = (share, [dense, *graph]);
            }
            format!("{share:.1}")
        });
        let shares: Vec<String> = shares.collect();
        println!("| {dense:.1} | {} |", shares.join(" | "));
    }
    let [dense, graph] = best.1;
    let now = |lane| held.first().map_or(0.0, |one| one.plan.weight(lane));
    let today = [Lane::Text, Lane::Dense, Lane::Graph].map(now);
    let learned = [1.0, dense, graph];
    println!(
        "\nThe best of these (dense {dense:.1}, files {graph:.1}) names {} more than today's weights ({}).",
        gain(&named(&tuning, today), &named(&tuning, learned)),
        today.map(|weight| weight.to_string()).join(", ")
    );
    println!(
        "\n| kept back | share of the right files | against today's weights |\n| --- | --- | --- |"
    );
    let before = named(&held, today);
    for (name, weights) in [
        ("today's weights".to_owned(), today),
        (format!("dense {dense:.1}, files {graph:.1}"), learned),
        ("text alone".to_owned(), [1.0, 0.0, 0.0]),
        ("dense alone".to_owned(), [0.0, 1.0, 0.0]),
    ] {
        let shares = named(&held, weights);
        println!(
            "| {name} | {:.1} | {} |",
            mean(&shares),
            gain(&before, &shares)
        );
    }
}

fn gain(before: &[f64], after: &[f64]) -> String {
    let gains = after
        .iter()
        .zip(before)
        .map(|(after, before)| after - before);
    crate::measure::interval(&gains.collect::<Vec<f64>>())
}

fn ask_all(kind: QueryType, histories: &[History]) -> Vec<Asked<'_>> {
    let each = histories.iter().flat_map(|history| {
        let asked = history.asked.iter();
        asked.filter_map(move |(message, files, _)| ask(kind, history, message, files))
    });
    each.collect()
}

fn ask<'h>(
    kind: QueryType,
    history: &'h History,
    message: &str,
    files: &BTreeSet<ProjectPath>,
) -> Option<Asked<'h>> {
    let first = message.lines().next()?;
    let recent = match kind {
        QueryType::Structural => RecentWork::Structure,
        QueryType::Identifier | QueryType::Semantic => RecentWork::Ordinary,
    };
    let plan = plan(first, recent)
        .of_any_time()
        .for_model(history.store.model());
    let mut right = files.clone();
    let mut lanes = Vec::new();
    if plan.query_type != kind || plan.words.is_empty() {
        return None;
    }
    if kind == QueryType::Structural {
        let at_hand = right.pop_first()?;
        lanes.push(beside(history, at_hand));
    }
    lanes.extend(
        history
            .store
            .lanes(&plan, &history.store.embed(first), Scored::TextHitsToo),
    );
    (!right.is_empty()).then_some(Asked {
        history,
        plan,
        lanes,
        right,
    })
}

/// The lane of commits about the file at hand, and about files that changed with it more than once.
fn beside(history: &History, at_hand: ProjectPath) -> Ranked<usize> {
    let all = history
        .changes
        .get(&at_hand)
        .map_or(1.0, |all| f64::from(*all));
    let others = history.together.get(&at_hand).into_iter().flatten();
    let together = others
        .filter(|(_, times)| **times > 1)
        .map(|(other, times)| (at_hand.clone(), other.clone(), f64::from(*times) / all));
    let together = together.collect();
    let at_hand = BTreeSet::from([at_hand]);
    let surrounding = Surrounding::of(&Named::default(), &at_hand, BTreeSet::new(), together);
    let scored = history
        .files
        .iter()
        .enumerate()
        .filter_map(|(number, files)| Some((number, surrounding.strength(files)?)));
    Ranked::new(Lane::Graph, scored)
}

/// For each question the share of the right files that the first memories name, with these weights for text, dense and files.
fn named(asked: &[Asked<'_>], weights: [f64; 3]) -> Vec<f64> {
    let share = |one: &Asked<'_>| {
        let mut plan = one.plan.clone();
        for (lane, weight) in [Lane::Text, Lane::Dense, Lane::Graph]
            .into_iter()
            .zip(weights)
        {
            for planned in plan.lanes.iter_mut().filter(|planned| planned.lane == lane) {
                planned.weight = weight;
            }
        }
        let found = fuse(&one.lanes, &plan, Method::Standardised);
        let shown = found.iter().take(SHOWN);
        let named: BTreeSet<&ProjectPath> = shown
            .flat_map(|item| &one.history.files[item.key])
            .collect();
        let right = one.right.iter().filter(|file| named.contains(file)).count();
        100.0 * right as f64 / one.right.len() as f64
    };
    asked.iter().map(share).collect()
}

fn mean(shares: &[f64]) -> f64 {
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
}
