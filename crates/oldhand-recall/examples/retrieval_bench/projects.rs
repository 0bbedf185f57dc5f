//! Memories of real projects, and tasks of which somebody wrote down what should be heard first.
//!
//! `DATA/projects/OWNER+NAME.json` is what `oldhand list --json` prints in a clone after `oldhand import rules`. The tasks beside this file were
//! written by hand; which repositories only judge was decided before anything was fitted.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::data::{Corpus, Question};

const TASKS: &str = include_str!("tasks.tsv");

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Split {
    Tuning,
    Held,
}

impl Split {
    const fn name(self) -> &'static str {
        match self {
            Self::Tuning => "tuning",
            Self::Held => "held",
        }
    }
}

/// The projects of one part, and the tasks that no project here answers.
pub(crate) struct Projects {
    pub(crate) corpora: Vec<Corpus>,
    pub(crate) foreign: Vec<String>,
}

impl Projects {
    pub(crate) fn read(folder: &str, split: Split) -> Self {
        let rows = TASKS.lines().filter(|line| !line.starts_with('#'));
        let rows: Vec<Vec<&str>> = rows.map(|line| line.split('\t').collect()).collect();
        let of_split = || rows.iter().filter(|row| row[0] == split.name());
        let names: BTreeSet<&str> = of_split().map(|row| row[1]).collect();
        let corpora = names.iter().filter(|name| **name != "-").map(|name| {
            let documents = memories(folder, name);
            let questions = of_split().filter(|row| row[1] == *name).filter_map(|row| {
                let holds = |text: &String| row[3].split('|').any(|words| text.contains(words));
                let answers: BTreeSet<usize> = (0..documents.len())
                    .filter(|at| holds(&documents[*at]))
                    .collect();
                if answers.is_empty() {
                    println!("Left out, as nothing in {name} answers it: {}.\n", row[2]);
                    return None;
                }
                Some(Question {
                    text: row[2].to_owned(),
                    answers,
                    kind: (*name).to_owned(),
                    asked_at: None,
                })
            });
            let questions = questions.collect();
            Corpus {
                days: vec![0.0; documents.len()],
                sessions: (0..documents.len()).collect(),
                documents,
                questions,
            }
        });
        Self {
            corpora: corpora.collect(),
            foreign: of_split()
                .filter(|row| row[1] == "-")
                .map(|row| row[2].to_owned())
                .collect(),
        }
    }
}

fn memories(folder: &str, name: &str) -> Vec<String> {
    let path = format!("{folder}/projects/{}.json", name.replace('/', "+"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let listing: Value = serde_json::from_str(&text).unwrap();
    let memories = listing["memories"].as_array().unwrap().iter();
    memories
        .map(|memory| memory["content"].as_str().unwrap().to_owned())
        .collect()
}
