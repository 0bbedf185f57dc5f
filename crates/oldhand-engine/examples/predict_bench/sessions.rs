//! Does memory predict the work? Before each real session that edits something, the files it will touch are predicted from its
//! first prompt, the repository as it was when it began, and the sessions before it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use oldhand_engine::{CodeEvidence, PredictRequest};
use oldhand_recall::predict::{Bm25, PastSession, Task, session_words, task_words};
use serde_json::Value;

use crate::ground::Checkout;

struct Session {
    prompt: String,
    start: String,
    commit: Option<String>,
    branch: Option<String>,
    edited: Vec<String>,
    read: Vec<String>,
    touched: Vec<String>,
}

/// Hits and totals of one way of predicting, over sessions.
#[derive(Clone, Copy, Default)]
struct Score {
    at_5: f64,
    at_10: f64,
    any_5: f64,
    read_10: f64,
    /// Of the gold that the prompt does not name, over the sessions that have such gold.
    unnamed_10: f64,
    unnamed_sessions: f64,
    /// Next files found among five, and how often the next file was asked for.
    next_5: f64,
    next_asked: f64,
    sessions: f64,
}

impl Score {
    fn add(&mut self, other: &Self) {
        self.at_5 += other.at_5;
        self.at_10 += other.at_10;
        self.any_5 += other.any_5;
        self.read_10 += other.read_10;
        self.unnamed_10 += other.unnamed_10;
        self.unnamed_sessions += other.unnamed_sessions;
        self.next_5 += other.next_5;
        self.next_asked += other.next_asked;
        self.sessions += other.sessions;
    }
}

/// `arguments` are pairs of SESSIONS.jsonl and a clone.
pub(crate) fn run(arguments: &[String], folder: &Path) {
    assert!(
        !arguments.is_empty() && arguments.len().is_multiple_of(2),
        "give pairs of SESSIONS.jsonl and a clone"
    );
    let mut pooled: BTreeMap<&str, Score> = BTreeMap::new();
    println!(
        "| repository | way | R@5 | R@10 | any@5 | unnamed R@10 | read R@10 | next file hit@5 | sessions |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (at, pair) in arguments.chunks(2).enumerate() {
        let checkout = Checkout::new(Path::new(&pair[1]), &folder.join(at.to_string()));
        let scores = measure(&sessions(&pair[0]), &checkout);
        for (way, score) in &scores {
            row(&pair[0], way, score);
            pooled.entry(way).or_default().add(score);
        }
    }
    for (way, score) in &pooled {
        row("pooled", way, score);
    }
}

fn row(name: &str, way: &str, score: &Score) {
    let name = name.rsplit('/').next().unwrap_or(name);
    let share = |sum: f64| 100.0 * sum / score.sessions;
    println!(
        "| {name} | {way} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {} |",
        share(score.at_5),
        share(score.at_10),
        share(score.any_5),
        100.0 * score.unnamed_10 / score.unnamed_sessions,
        share(score.read_10),
        100.0 * score.next_5 / score.next_asked,
        score.sessions
    );
}

fn sessions(path: &str) -> Vec<Session> {
    let text = fs::read_to_string(path).expect("the sessions can be read");
    text.lines()
        .filter_map(|line| session(&serde_json::from_str(line).ok()?))
        .collect()
}

fn session(value: &Value) -> Option<Session> {
    let events = value["events"].as_array()?;
    let prompts = events
        .iter()
        .filter(|event| event["k"] == "prompt")
        .filter_map(|event| event["text"].as_str());
    let files = |operations: &[&str]| {
        let mut files: Vec<String> = Vec::new();
        for event in events.iter().filter(|event| {
            event["op"]
                .as_str()
                .is_some_and(|op| operations.contains(&op))
        }) {
            for path in event["paths"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
            {
                if !path.starts_with("EXT") && !files.iter().any(|known| known == path) {
                    files.push(path.to_owned());
                }
            }
        }
        files
    };
    let mut commits = value["checkpoints"].as_array().into_iter().flatten();
    Some(Session {
        prompt: prompts
            .map(str::trim)
            .find(|prompt| !prompt.is_empty())
            .unwrap_or_default()
            .to_owned(),
        start: value["start"].as_str()?.to_owned(),
        commit: commits
            .find_map(|point| point["commit"].as_str())
            .map(str::to_owned),
        branch: value["branch"].as_str().map(str::to_owned),
        edited: files(&["edit", "write"]),
        read: files(&["read"]),
        touched: files(&["read", "edit", "write"]),
    })
}

fn measure(sessions: &[Session], checkout: &Checkout) -> BTreeMap<&'static str, Score> {
    let mut past: Vec<PastSession> = Vec::new();
    let mut asked: Vec<Vec<String>> = Vec::new();
    let mut scores: BTreeMap<&'static str, Score> = BTreeMap::new();
    let mut last = None;
    for session in sessions {
        if !session.edited.is_empty() {
            let base = base(checkout, session);
            if last.as_ref().is_none_or(|(known, _)| *known != base) {
                let read = checkout.read(&base).expect("the commit is in the clone");
                last = Some((base, read));
            }
            let Some((_, read)) = &last else { continue };
            let plain_task = Task::new(&session.prompt);
            let untold = read.evidence(&session.prompt);
            let branch = session.branch.as_deref().filter(|branch| *branch != "HEAD");
            let task = plain_task.clone().on_branch(branch);
            let told = match branch {
                Some(branch) => read.on_branch(untold.clone(), &task, branch),
                None => untold.clone(),
            };
            let baseline = plain(&plain_task, &untold.files, &asked, &past);
            judge(scores.entry(BASELINE).or_default(), &baseline, session);
            let mut ways = [(PREDICTED, &task, told), (UNTOLD, &plain_task, untold)];
            for (way, task, code) in &ways {
                let found = ask(task, code, &[], 10, &past);
                judge(scores.entry(way).or_default(), &found, session);
            }
            // Once some files are at hand: which one is next?
            for at in 1..session.touched.len().min(NEXT) {
                let (at_hand, next) = (&session.touched[..at], &session.touched[at]);
                let mut count = |way, found: Vec<String>| {
                    let score = scores.entry(way).or_default();
                    score.next_5 += f64::from(u8::from(found.contains(next)));
                    score.next_asked += 1.0;
                };
                for (way, task, code) in &mut ways {
                    code.uses = read.uses(at_hand);
                    count(way, ask(task, code, at_hand, 5, &past));
                }
                count(BASELINE, seen_with(at_hand, &past));
            }
        }
        asked.push(task_words(&session.prompt));
        past.push(PastSession {
            words: session_words(&session.prompt, session.branch.as_deref()),
            branch: session.branch.clone(),
            edited: session.edited.clone(),
            read: session.read.clone(),
            touched: session.touched.clone(),
        });
    }
    scores
}

fn ask(
    task: &Task,
    code: &CodeEvidence,
    at_hand: &[String],
    limit: usize,
    past: &[PastSession],
) -> Vec<String> {
    let request = PredictRequest {
        task,
        code,
        remembered: &[],
        at_hand,
        limit,
    };
    let predicted = request.answer(past).into_iter();
    predicted.map(|file| file.path).collect()
}

/// The commit the session began on: the last one before its start on the way to its own first commit.
fn base(checkout: &Checkout, session: &Session) -> String {
    let before = format!("--before={}", session.start);
    let own = session.commit.as_ref().map(|commit| {
        let parent = format!("{commit}^");
        checkout.ask(&["rev-list", "-1", &before, &parent])
    });
    own.filter(|base| !base.is_empty())
        .unwrap_or_else(|| checkout.ask(&["rev-list", "-1", "--first-parent", &before, "HEAD"]))
}

const BASELINE: &str = "baseline: plain RRF of four lists";
const PREDICTED: &str = "predicted";
const UNTOLD: &str = "predicted, no branch checked out";
/// How many files of a session are asked for one after the other.
const NEXT: usize = 13;

/// The five files that were touched most often in the sessions of those at hand.
fn seen_with(at_hand: &[String], past: &[PastSession]) -> Vec<String> {
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    for session in past {
        let shared = at_hand
            .iter()
            .filter(|file| session.touched.contains(file))
            .count();
        for file in session
            .touched
            .iter()
            .filter(|file| !at_hand.contains(file))
        {
            *counts.entry(file.clone()).or_default() += shared as f64;
        }
    }
    ranked(counts).into_iter().take(5).collect()
}

fn judge(score: &mut Score, predicted: &[String], session: &Session) {
    let recall = |wanted: &[String], most: usize| {
        let found = wanted
            .iter()
            .filter(|file| predicted.iter().take(most).any(|path| path == *file))
            .count();
        if wanted.is_empty() {
            0.0
        } else {
            found as f64 / wanted.len() as f64
        }
    };
    score.at_5 += recall(&session.edited, 5);
    score.at_10 += recall(&session.edited, 10);
    score.any_5 += f64::from(u8::from(recall(&session.edited, 5) > 0.0));
    score.read_10 += recall(&session.read, 10);
    let is_named = |file: &&String| {
        let name = file.rsplit('/').next().unwrap_or(file);
        session.prompt.contains(name)
    };
    let unnamed: Vec<String> = session
        .edited
        .iter()
        .filter(|file| !is_named(file))
        .cloned()
        .collect();
    if !unnamed.is_empty() {
        score.unnamed_10 += recall(&unnamed, 10);
        score.unnamed_sessions += 1.0;
    }
    score.sessions += 1.0;
}

/// What anyone would try first: path words, recent edits, frequent edits and the files of like prompts, by rank.
/// `asked` are the words of earlier first prompts.
fn plain(
    task: &Task,
    files: &[String],
    asked: &[Vec<String>],
    past: &[PastSession],
) -> Vec<String> {
    let query: BTreeMap<String, f64> = task
        .words()
        .map(|(word, weight)| (word.to_owned(), weight))
        .collect();
    let path_words: Vec<Vec<String>> = files.iter().map(|file| task_words(file)).collect();
    let alike = |texts: &[Vec<String>]| {
        let mut asked = Bm25::new(&query, 0.5);
        for text in texts {
            asked.read(|take| text.iter().for_each(|word| take(word)));
        }
        asked.score()
    };
    let by_path = alike(&path_words);
    let mut lists: Vec<Vec<String>> = vec![ranked(
        by_path
            .into_iter()
            .map(|(at, score)| (files[at].clone(), score)),
    )];
    let recent = past.iter().rev().enumerate().flat_map(|(age, session)| {
        session
            .edited
            .iter()
            .map(move |file| (file.clone(), 1.0 / (age + 1) as f64))
            .collect::<Vec<_>>()
    });
    let mut newest: BTreeMap<String, f64> = BTreeMap::new();
    for (file, score) in recent {
        newest.entry(file).or_insert(score);
    }
    lists.push(ranked(newest));
    let mut often: BTreeMap<String, f64> = BTreeMap::new();
    for file in past.iter().flat_map(|session| &session.edited) {
        *often.entry(file.clone()).or_default() += 1.0;
    }
    lists.push(ranked(often));
    let mut like: BTreeMap<String, f64> = BTreeMap::new();
    for (at, score) in alike(asked) {
        for file in &past[at].edited {
            *like.entry(file.clone()).or_default() += score;
        }
    }
    lists.push(ranked(like));
    let mut fused: BTreeMap<String, f64> = BTreeMap::new();
    for list in lists {
        for (place, file) in list.into_iter().enumerate() {
            *fused.entry(file).or_default() += 1.0 / (61 + place) as f64;
        }
    }
    ranked(fused).into_iter().take(10).collect()
}

fn ranked(scores: impl IntoIterator<Item = (String, f64)>) -> Vec<String> {
    let mut scores: Vec<(String, f64)> = scores.into_iter().collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    scores.into_iter().map(|(file, _)| file).collect()
}
