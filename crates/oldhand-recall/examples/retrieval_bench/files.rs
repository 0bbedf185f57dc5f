//! What the stages that look at files are worth: earlier commits as memories, the message of a later one as the question, the files it changed as what
//! should come to mind.

pub(crate) mod kinds;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::Embedder;
use oldhand_recall::boost::{best_files, boost};
use oldhand_recall::candidate::Candidate;
use oldhand_recall::chain::{Link, STRONG, expand, pulled};
use oldhand_recall::diversify::diversify;
use oldhand_recall::score::{Emphasis, Situation, score};
use serde_json::Value;

use crate::data::{self, Corpus};
use crate::pipeline::{self, number_of};
use crate::systems::Prepared;

/// How many memories are looked at, and how many more with what came along.
const SHOWN: usize = 10;
const WITH_CHAINED: usize = 15;
/// Commits that touch more files say little about any of them.
const MOST_FILES: usize = 30;

/// One repository: commits as memories, later ones as questions.
struct History {
    store: Prepared,
    files: Vec<BTreeSet<ProjectPath>>,
    times: Vec<Timestamp>,
    asked: Vec<(String, BTreeSet<ProjectPath>, Timestamp)>,
    /// How often two files changed together, and each alone.
    together: BTreeMap<ProjectPath, BTreeMap<ProjectPath, u32>>,
    changes: BTreeMap<ProjectPath, u32>,
}

/// Which stages run after the lanes are joined.
#[derive(Clone, Copy)]
enum Stage {
    Lanes,
    Boost,
    Score,
    Diversify,
    All,
}

const STAGES: [(Stage, &str); 5] = [
    (Stage::Lanes, "lanes joined"),
    (Stage::Boost, "… lifted next to the best answers"),
    (Stage::Score, "… scored as for an injection"),
    (Stage::Diversify, "… diversified"),
    (Stage::All, "lifted, scored and diversified"),
];

pub(crate) fn run(folder: &str, embedder: &'static dyn Embedder) {
    let histories: Vec<History> = data::histories(folder)
        .into_iter()
        .map(|lines| History::of(&lines, embedder))
        .collect();
    println!("\n## Stages that look at files: commits as memories\n");
    let questions: usize = histories.iter().map(|history| history.asked.len()).sum();
    println!(
        "{} repositories, {questions} later commits. The share of the files that a commit changed which the first {SHOWN} memories name, mean \
         over repositories; each gain with its paired interval.\n",
        histories.len()
    );
    println!(
        "| stage | files named by {SHOWN} | by {WITH_CHAINED} | by {SHOWN} and what comes along | gain at {SHOWN} |\n| --- | --- | --- | --- | --- |"
    );
    let mut baseline: Vec<f64> = Vec::new();
    for (stage, name) in STAGES {
        let mut sums = [0.0; 3];
        let mut at_ten = Vec::new();
        for history in &histories {
            let named: Vec<[f64; 3]> = history
                .asked
                .iter()
                .map(|one| history.named(one, stage))
                .collect();
            for (column, sum) in sums.iter_mut().enumerate() {
                *sum +=
                    100.0 * named.iter().map(|row| row[column]).sum::<f64>() / named.len() as f64;
            }
            at_ten.extend(named.iter().map(|row| 100.0 * row[0]));
        }
        let [few, more, along] = sums.map(|sum| sum / histories.len() as f64);
        let gain = if baseline.is_empty() {
            baseline.clone_from(&at_ten);
            String::new()
        } else {
            let gains: Vec<f64> = at_ten
                .iter()
                .zip(&baseline)
                .map(|(after, before)| after - before)
                .collect();
            crate::measure::interval(&gains)
        };
        println!("| {name} | {few:.1} | {more:.1} | {along:.1} | {gain} |");
    }
}

impl History {
    fn of(lines: &[Value], embedder: &'static dyn Embedder) -> Self {
        let first_test = lines.iter().position(|line| line["test"] == true);
        let (before, after) = lines.split_at(first_test.unwrap_or(lines.len()));
        let is_plain = |line: &&Value| {
            line["bot"] != true
                && (1..=MOST_FILES).contains(&files_of(line).len())
                && !message_of(line).is_empty()
        };
        let taught: Vec<&Value> = before.iter().filter(is_plain).collect();
        let files: Vec<BTreeSet<ProjectPath>> = taught.iter().map(|line| files_of(line)).collect();
        let mut together: BTreeMap<ProjectPath, BTreeMap<ProjectPath, u32>> = BTreeMap::new();
        let mut changes: BTreeMap<ProjectPath, u32> = BTreeMap::new();
        for commit in &files {
            for file in commit {
                *changes.entry(file.clone()).or_default() += 1;
                let others = together.entry(file.clone()).or_default();
                for other in commit.iter().filter(|other| *other != file) {
                    *others.entry(other.clone()).or_default() += 1;
                }
            }
        }
        let asked = after
            .iter()
            .filter(|line| line["test"] == true)
            .filter(is_plain)
            .map(|line| {
                let known = files_of(line)
                    .into_iter()
                    .filter(|file| changes.contains_key(file));
                (
                    message_of(line),
                    known.collect::<BTreeSet<_>>(),
                    time_of(line),
                )
            })
            .filter(|(_, files, _)| !files.is_empty())
            .collect();
        let corpus = Corpus {
            documents: taught.iter().map(|line| message_of(line)).collect(),
            days: vec![0.0; taught.len()],
            sessions: (0..taught.len()).collect(),
            questions: Vec::new(),
        };
        Self {
            store: Prepared::new(corpus, embedder),
            times: taught.iter().map(|line| time_of(line)).collect(),
            files,
            asked,
            together,
            changes,
        }
    }

    /// The shares of the right files that the first memories name: of ten, of fifteen, of ten and those that come along with them.
    fn named(&self, asked: &(String, BTreeSet<ProjectPath>, Timestamp), stage: Stage) -> [f64; 3] {
        let (message, right, now) = asked;
        let (mut candidates, _) = pipeline::candidates(&self.store, message, None);
        for candidate in &mut candidates {
            let number = number_of(candidate.memory.id);
            candidate.memory.files.clone_from(&self.files[number]);
            candidate.memory.created_at = self.times[number];
            candidate.memory.usage.last_accessed_at = self.times[number];
        }
        let neighbours = |candidates: &[Candidate]| -> BTreeSet<ProjectPath> {
            let best = best_files(candidates);
            let near = best.iter().filter_map(|file| self.together.get(file));
            near.flat_map(|others| others.iter().filter(|(_, times)| **times > 1))
                .map(|(file, _)| file.clone())
                .collect()
        };
        let lift = |candidates: &mut Vec<Candidate>| {
            let near = neighbours(candidates);
            boost(candidates, &near);
        };
        let weigh = |candidates: &mut Vec<Candidate>| {
            let situation = Situation {
                now: *now,
                phase: None,
                churn: &BTreeMap::new(),
                emphasis: Emphasis::Usefulness,
            };
            score(candidates, &situation);
        };
        let spread = |candidates: &mut Vec<Candidate>| {
            let vectors = candidates.iter().map(|candidate| {
                let number = number_of(candidate.memory.id);
                (candidate.memory.id, self.store.vectors[number].clone())
            });
            let vectors = vectors.collect();
            diversify(candidates, &vectors);
        };
        match stage {
            Stage::Lanes => {}
            Stage::Boost => lift(&mut candidates),
            Stage::Score => weigh(&mut candidates),
            Stage::Diversify => spread(&mut candidates),
            Stage::All => {
                lift(&mut candidates);
                weigh(&mut candidates);
                spread(&mut candidates);
            }
        }
        let share = |shown: &[Candidate]| {
            let named: BTreeSet<&ProjectPath> =
                shown.iter().flat_map(|one| &one.memory.files).collect();
            right.iter().filter(|file| named.contains(file)).count() as f64 / right.len() as f64
        };
        let few = share(&candidates[..candidates.len().min(SHOWN)]);
        let more = share(&candidates[..candidates.len().min(WITH_CHAINED)]);
        let mut shown: Vec<Candidate> = candidates.iter().take(SHOWN).cloned().collect();
        let rest = candidates.get(SHOWN..).unwrap_or_default();
        self.bring_along(&mut shown, rest);
        [few, more, share(&shown)]
    }

    /// Adds what is known about files that nearly always change with those of the best answers.
    fn bring_along(&self, shown: &mut Vec<Candidate>, rest: &[Candidate]) {
        let mut links = Vec::new();
        for file in best_files(shown) {
            let all = f64::from(self.changes.get(&file).copied().unwrap_or(1));
            for (other, times) in self.together.get(&file).into_iter().flatten() {
                let strength = f64::from(*times) / all;
                if strength > STRONG && *times > 1 {
                    let (from, to) = (file.clone(), other.clone());
                    links.push(Link { from, to, strength });
                }
            }
        }
        let pulled = pulled(shown, &links);
        let about = rest
            .iter()
            .filter(|one| one.memory.files.iter().any(|file| pulled.contains(file)));
        let about = about.map(|one| one.memory.clone()).collect();
        expand(shown, &links, about);
    }
}

fn message_of(line: &Value) -> String {
    let message = line["msg"].as_str().unwrap_or_default().trim();
    message[..message.floor_char_boundary(2000)].to_owned()
}

fn files_of(line: &Value) -> BTreeSet<ProjectPath> {
    let files = line["files"].as_array().into_iter().flatten();
    files
        .filter_map(|file| ProjectPath::new(file[1].as_str()?).ok())
        .collect()
}

fn time_of(line: &Value) -> Timestamp {
    Timestamp::from_second(line["ts"].as_i64().unwrap_or_default()).unwrap_or(Timestamp::UNIX_EPOCH)
}
