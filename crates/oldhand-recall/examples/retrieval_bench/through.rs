//! The same questions through the command: `import json` for the memories, one process of `search --json` a question.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::data::{self, Corpus};
use crate::measure;
use crate::pipeline;

/// What the design asks for.
const GOALS: [(&str, f64); 3] = [
    ("LoCoMo", 64.0),
    ("multi-hop", 42.0),
    ("LongMemEval pooled", 68.0),
];

pub(crate) fn run(folder: &str, oldhand: &str) {
    let sets = [
        ("LoCoMo", data::locomo(folder)),
        (
            "LongMemEval pooled",
            vec![data::long_mem_eval(folder, usize::MAX)],
        ),
    ];
    let goal = |name: &str| {
        let goal = GOALS.iter().find(|(of, _)| *of == name);
        goal.map_or_else(String::new, |(_, goal)| format!("{goal:.0}"))
    };
    println!("\n## Through the command\n");
    println!(
        "| questions | number | recall@10 | MRR@10 | not answered | goal |\n| --- | --- | --- | --- | --- | --- |"
    );
    for (name, corpora) in sets {
        let mut kinds: BTreeMap<String, Vec<Asked>> = BTreeMap::new();
        for corpus in &corpora {
            let shop = Shop::open(oldhand, corpus);
            for question in &corpus.questions {
                let answer = shop.ask(&question.text, 10);
                let asked = Asked {
                    recall: measure::recall(&answer, question, 10),
                    reciprocal: measure::reciprocal(&answer, question),
                    silent: answer.is_empty(),
                };
                kinds.entry(question.kind.clone()).or_default().push(asked);
            }
        }
        let all: Vec<Asked> = kinds.values().flatten().copied().collect();
        println!("{}", line(name, &all, &goal(name)));
        for (kind, asked) in &kinds {
            println!("{}", line(kind, asked, &goal(kind)));
        }
    }
    whole_sessions(folder, oldhand);
}

/// Whether one of the first five sessions has the answer, each question among 48 sessions in a project of its own.
fn whole_sessions(folder: &str, oldhand: &str) {
    println!("\n| questions | number | any of 5 sessions | goal |\n| --- | --- | --- | --- |");
    let haystacks = data::haystacks(folder, 0);
    let found = haystacks.iter().filter(|haystack| {
        let question = &haystack.questions[0];
        let turns = Shop::open(oldhand, haystack).ask(&question.text, 40);
        measure::any_session(&turns, question, &haystack.sessions)
    });
    let number = haystacks.len();
    let share = 100.0 * found.count() as f64 / number as f64;
    println!("| LongMemEval, whole sessions | {number} | {share:.1} | 98 |");
}

#[derive(Clone, Copy)]
struct Asked {
    recall: f64,
    reciprocal: f64,
    silent: bool,
}

fn line(name: &str, asked: &[Asked], goal: &str) -> String {
    let number = asked.len();
    let mean = |of: fn(&Asked) -> f64| 100.0 * asked.iter().map(of).sum::<f64>() / number as f64;
    let silent = asked.iter().filter(|asked| asked.silent).count();
    let (recall, reciprocal) = (mean(|asked| asked.recall), mean(|asked| asked.reciprocal));
    format!("| {name} | {number} | {recall:.1} | {reciprocal:.1} | {silent} | {goal} |")
}

/// A project of its own with the memories of one corpus.
struct Shop {
    oldhand: String,
    place: PathBuf,
}

impl Shop {
    fn open(oldhand: &str, corpus: &Corpus) -> Self {
        let unique = format!(
            "oldhand-retrieval-{}-{}",
            std::process::id(),
            corpus.documents.len()
        );
        let shop = Self {
            oldhand: oldhand.to_owned(),
            place: std::env::temp_dir().join(unique),
        };
        fs::create_dir_all(shop.place.join("project")).unwrap();
        let mut lines = Vec::new();
        let now = pipeline::now();
        for (number, text) in corpus.documents.iter().enumerate() {
            let created_at = (now - corpus.age(number)).to_string();
            let line = json!({ "content": text, "type": "module_insight", "tags": [format!("turn-{number}")], "created_at": created_at });
            writeln!(lines, "{line}").unwrap();
        }
        let path = shop.place.join("memories.jsonl");
        fs::write(&path, lines).unwrap();
        let path = path.to_string_lossy();
        // A turn of nothing but spaces cannot be taken; everything else is.
        shop.command(&["import", "json", &path]).status().unwrap();
        shop.command(&["model", "build"]).status().unwrap();
        shop
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(Path::new(&self.oldhand));
        command
            .args(words)
            .current_dir(self.place.join("project"))
            .env("OLDHAND_HOME", self.place.join("home"))
            .env("OLDHAND_TEST_NOW", pipeline::now().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit());
        command
    }

    /// The turns that the first results are of, best first.
    fn ask(&self, question: &str, limit: usize) -> Vec<usize> {
        let limit = limit.to_string();
        let mut command = self.command(&["search", "--json", "--limit", &limit, "--", question]);
        let output = command.stdout(Stdio::piped()).output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut seen = BTreeSet::new();
        let tags = answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|result| {
                let tags = result["tags"].as_array().unwrap().iter();
                tags.filter_map(|tag| tag.as_str()?.strip_prefix("turn-")?.parse().ok())
                    .collect::<Vec<usize>>()
            });
        tags.filter(|turn| seen.insert(*turn)).collect()
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        // What stays behind lies among temporary files.
        let _ = fs::remove_dir_all(&self.place);
    }
}
