//! Does memory predict the work? Before each real session that edits something, the files it will touch are predicted from its
//! first prompt, the repository as it was, and the sessions before it.
//!
//! ```text
//! cargo run --release -p oldhand-recall --example sessions_bench -- SESSIONS.jsonl GIT_DIR [SESSIONS.jsonl GIT_DIR …]
//! ```
//!
//! SESSIONS.jsonl has one session a line, oldest first (`events` with `k`, `op`, `paths`, `text`; `checkpoints` with `commit`;
//! `start`). The repository is looked at as it was before the session's first commit.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads files, asks git and prints"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use oldhand_domain::words;
use oldhand_recall::predict::{Bm25, Evidence, PastCommit, PastSession, Task, predict, task_words};
use serde_json::Value;

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

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    assert!(
        !arguments.is_empty() && arguments.len().is_multiple_of(2),
        "give pairs of SESSIONS.jsonl and GIT_DIR"
    );
    let mut pooled: BTreeMap<&str, Score> = BTreeMap::new();
    println!(
        "| repository | way | R@5 | R@10 | any@5 | unnamed R@10 | read R@10 | next file hit@5 | sessions |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for pair in arguments.chunks(2) {
        let scores = measure(&sessions(&pair[0]), &pair[1]);
        for (way, score) in &scores {
            row(&pair[0], way, score);
            let sum = pooled.entry(way).or_default();
            sum.add(score);
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

fn measure(sessions: &[Session], repository: &str) -> BTreeMap<&'static str, Score> {
    let commits = commits(repository);
    let mut blobs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut past: Vec<PastSession> = Vec::new();
    let mut scores: BTreeMap<&'static str, Score> = BTreeMap::new();
    for session in sessions {
        if !session.edited.is_empty() {
            let tree = tree(repository, session);
            read_blobs(repository, &tree, &mut blobs);
            let task = Task::new(&session.prompt);
            let files: Vec<String> = tree.keys().cloned().collect();
            let contents = contents(&task, &tree, &blobs);
            let before: Vec<PastCommit> = commits
                .iter()
                .filter(|(at, _)| *at < session.start)
                .map(|(_, commit)| commit.clone())
                .collect();
            let evidence = Evidence {
                files: &files,
                contents: &contents,
                sessions: &past,
                commits: &before,
                branch: session.branch.as_deref(),
                ..Evidence::default()
            };
            let predicted: Vec<String> = predict(&task, &evidence, 10)
                .into_iter()
                .map(|file| file.path)
                .collect();
            judge(scores.entry("predicted").or_default(), &predicted, session);
            let baseline = scores.entry(BASELINE).or_default();
            judge(baseline, &plain(&task, &files, &past), session);
            // Once some files are at hand: which one is next?
            for at in 1..session.touched.len().min(NEXT) {
                let (at_hand, next) = (&session.touched[..at], &session.touched[at]);
                let evidence = Evidence {
                    at_hand,
                    ..evidence
                };
                let predicted = predict(&task, &evidence, 5);
                let hit = predicted.iter().any(|file| file.path == *next);
                let score = scores.entry("predicted").or_default();
                score.next_5 += f64::from(u8::from(hit));
                score.next_asked += 1.0;
                let hit = seen_with(at_hand, &past).contains(next);
                let score = scores.entry(BASELINE).or_default();
                score.next_5 += f64::from(u8::from(hit));
                score.next_asked += 1.0;
            }
        }
        past.push(PastSession {
            words: task_words(&session.prompt),
            branch: session.branch.clone(),
            edited: session.edited.clone(),
            read: session.read.clone(),
            touched: session.touched.clone(),
        });
    }
    scores
}

const BASELINE: &str = "baseline: plain RRF of four lists";
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
fn plain(task: &Task, files: &[String], past: &[PastSession]) -> Vec<String> {
    let query: BTreeMap<String, f64> = task
        .words()
        .map(|(word, weight)| (word.to_owned(), weight))
        .collect();
    let path_words: Vec<Vec<String>> = files.iter().map(|file| task_words(file)).collect();
    let by_path = Bm25::new(path_words.iter().map(Vec::as_slice), 0.5).score(&query);
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
    for (at, score) in
        Bm25::new(past.iter().map(|session| session.words.as_slice()), 0.5).score(&query)
    {
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

fn contents(
    task: &Task,
    tree: &BTreeMap<String, String>,
    blobs: &BTreeMap<String, Vec<String>>,
) -> Vec<(String, f64)> {
    let query: BTreeMap<String, f64> = task
        .words()
        .map(|(word, weight)| (word.to_owned(), weight))
        .collect();
    let texts: Vec<(&String, &[String])> = tree
        .iter()
        .filter_map(|(path, blob)| Some((path, blobs.get(blob)?.as_slice())))
        .collect();
    let scored = Bm25::new(texts.iter().map(|(_, words)| *words), 0.75).score(&query);
    scored
        .into_iter()
        .map(|(at, score)| (texts[at].0.clone(), score))
        .collect()
}

fn git(repository: &str, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(arguments)
        .output()
        .expect("git runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Path to blob, as the repository was before the session's first commit.
fn tree(repository: &str, session: &Session) -> BTreeMap<String, String> {
    let parent = session.commit.as_ref().map(|commit| {
        git(
            repository,
            &["rev-parse", "--quiet", "--verify", &format!("{commit}^")],
        )
    });
    let base = parent
        .map(|base| base.trim().to_owned())
        .filter(|base| !base.is_empty())
        .unwrap_or_else(|| {
            git(
                repository,
                &[
                    "rev-list",
                    "-1",
                    "--all",
                    &format!("--before={}", session.start),
                ],
            )
            .trim()
            .to_owned()
        });
    let listing = git(
        repository,
        &["-c", "core.quotepath=off", "ls-tree", "-r", "-l", &base],
    );
    let file = |line: &str| {
        let (facts, path) = line.split_once('\t')?;
        let facts: Vec<&str> = facts.split_whitespace().collect();
        let small = facts
            .get(3)?
            .parse::<u64>()
            .is_ok_and(|size| size <= 400_000);
        Some((
            path.to_owned(),
            if small {
                (*facts.get(2)?).to_owned()
            } else {
                String::new()
            },
        ))
    };
    listing.lines().filter_map(file).collect()
}

fn read_blobs(
    repository: &str,
    tree: &BTreeMap<String, String>,
    blobs: &mut BTreeMap<String, Vec<String>>,
) {
    let wanted: BTreeSet<&String> = tree
        .values()
        .filter(|blob| !blob.is_empty() && !blobs.contains_key(*blob))
        .collect();
    if wanted.is_empty() {
        return;
    }
    let mut child = Command::new("git")
        .args(["-C", repository, "cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git runs");
    let mut stdin = child.stdin.take().expect("it is piped");
    let names: Vec<String> = wanted.iter().map(|name| (*name).clone()).collect();
    let asked = names.clone();
    let writer =
        std::thread::spawn(move || asked.iter().try_for_each(|name| writeln!(stdin, "{name}")));
    let mut reader = BufReader::new(child.stdout.take().expect("it is piped"));
    for name in names {
        let mut header = String::new();
        reader.read_line(&mut header).expect("git answers");
        let Some(size) = header
            .split_whitespace()
            .nth(2)
            .and_then(|size| size.parse::<usize>().ok())
        else {
            continue;
        };
        let mut bytes = vec![0; size + 1];
        reader.read_exact(&mut bytes).expect("git answers whole");
        let binary = bytes.iter().take(2048).any(|&byte| byte == 0);
        let text = if binary {
            String::new()
        } else {
            String::from_utf8_lossy(&bytes).into_owned()
        };
        blobs.insert(
            name,
            words::split(&text)
                .iter()
                .map(|word| words::stem(word).to_owned())
                .collect(),
        );
    }
    let _ = writer.join();
    let _ = child.wait();
}

/// Small commits with their time, oldest first.
fn commits(repository: &str) -> Vec<(String, PastCommit)> {
    let log = git(
        repository,
        &[
            "-c",
            "core.quotepath=off",
            "log",
            "--all",
            "--no-merges",
            "--reverse",
            "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
            "--name-only",
            "--format=%x00%cd%x01%s %b%x02",
        ],
    );
    let commit = |part: &str| {
        let (head, files) = part.split_once('\u{2}')?;
        let (time, message) = head.split_once('\u{1}')?;
        let files: Vec<String> = files
            .lines()
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect();
        (1..=30).contains(&files.len()).then(|| {
            (
                time.to_owned(),
                PastCommit {
                    words: task_words(message),
                    files,
                },
            )
        })
    };
    let mut commits: Vec<(String, PastCommit)> = log.split('\0').filter_map(commit).collect();
    commits.sort_by(|a, b| a.0.cmp(&b.0));
    commits
}
