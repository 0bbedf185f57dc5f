//! Measures both predictions of the history room against plain counting, on commit lists.
//!
//! `history_bench [--rolling] LIST.jsonl.gz…`: one commit a line, oldest first, as `{"sha", "ts", "msg", "n", "bot",
//! "test", "files": [[status, path], …]}`. The history is everything before the first test commit; with `--rolling`,
//! everything before each one. A: one touched source file → the other touched source files. B: the message → the
//! touched source files. Only files that the history has seen can be asked or expected.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Command;

use oldhand_code::history::commit::{Change, ChangeKind, Commit};
use oldhand_code::history::coupled::coupled;
use oldhand_code::history::log::History;
use oldhand_code::history::message::files_for_message;

const CUTS: [usize; 2] = [5, 10];
/// Enough answers that ten of them are source.
const ANSWERS: usize = 200;
const RESAMPLES: usize = 2000;
/// The half that weights were fitted on; the others were only looked at.
const TUNED: [&str; 3] = ["caddyserver+caddy", "pallets+flask", "vitejs+vite"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (flags, lists): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|it| it.starts_with("--"));
    let span = if flags.iter().any(|flag| *flag == "--rolling") {
        Span::Rolling
    } else {
        Span::Fixed
    };
    let mut tasks: BTreeMap<&str, Vec<Repository>> = BTreeMap::new();
    for list in lists {
        let (a, b) = measure(&name_of(list), &read_list(list), span);
        tasks.entry("A: one file → the others").or_default().push(a);
        tasks.entry("B: message → files").or_default().push(b);
    }
    let mut report = String::new();
    for (task, repositories) in &tasks {
        tell(&mut report, task, repositories).expect("a string takes everything");
    }
    std::io::stdout()
        .write_all(report.as_bytes())
        .expect("output is open");
}

#[derive(Clone, Copy, PartialEq)]
enum Span {
    Fixed,
    Rolling,
}

/// Recall of the test commits of one repository.
struct Repository {
    name: String,
    commits: Vec<Scores>,
}

/// Recall at each cut, of the baseline, of ours, and of ours when prose and data compete for the places too.
#[derive(Clone, Copy, Default)]
struct Scores {
    baseline: [f64; 2],
    ours: [f64; 2],
    among_all: [f64; 2],
}

struct Record {
    commit: Commit,
    is_test: bool,
}

fn measure(name: &str, records: &[Record], span: Span) -> (Repository, Repository) {
    let mut history = History::default();
    let mut counts = Counts::default();
    let mut known: HashSet<String> = HashSet::new();
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let mut testing = false;
    for record in records {
        testing |= record.is_test;
        if record.is_test {
            let modified = record
                .commit
                .changes
                .iter()
                .filter(|it| it.kind == ChangeKind::Modified);
            let gold: Vec<&str> = modified
                .map(|it| it.path.as_str())
                .filter(|path| is_source(path) && known.contains(*path))
                .collect();
            if gold.len() > 1 {
                a.push(ask_files(&history, &counts, &gold));
            }
            if !gold.is_empty() {
                b.push(ask_message(
                    &history,
                    &counts,
                    &record.commit.message,
                    &gold,
                ));
            }
        }
        if !testing || span == Span::Rolling {
            let commit = join_renames(&record.commit);
            counts.add(&record.commit);
            known.extend(record.commit.changes.iter().map(|it| it.path.clone()));
            history.add(&commit);
        }
    }
    let repository = |commits| Repository {
        name: name.to_owned(),
        commits,
    };
    (repository(a), repository(b))
}

/// Every touched file is asked once; the commit's score is the mean.
fn ask_files(history: &History, counts: &Counts, gold: &[&str]) -> Scores {
    let mut sum = Scores::default();
    for asked in gold {
        let others: Vec<&str> = gold.iter().copied().filter(|path| path != asked).collect();
        let ours: Vec<String> = coupled(history, asked, ANSWERS)
            .into_iter()
            .map(|it| it.path)
            .collect();
        add(&mut sum, &score(&counts.coupled(asked), &ours, &others));
    }
    divide(sum, gold.len() as f64)
}

fn ask_message(history: &History, counts: &Counts, message: &str, gold: &[&str]) -> Scores {
    let ours: Vec<String> = files_for_message(history, message, ANSWERS)
        .into_iter()
        .map(|it| it.path)
        .collect();
    score(&counts.nearest(message), &ours, gold)
}

fn score(baseline: &[String], ours: &[String], gold: &[&str]) -> Scores {
    let source: Vec<String> = ours
        .iter()
        .filter(|path| is_source(path))
        .cloned()
        .collect();
    let recall = |answers: &[String]| {
        CUTS.map(|cut| {
            let hits = answers
                .iter()
                .take(cut)
                .filter(|path| gold.contains(&path.as_str()))
                .count();
            hits as f64 / gold.len() as f64
        })
    };
    Scores {
        baseline: recall(baseline),
        ours: recall(&source),
        among_all: recall(ours),
    }
}

/// The dumb ways: how often files changed together; what the commits with the most similar messages touched.
#[derive(Default)]
struct Counts {
    together: HashMap<String, BTreeMap<String, usize>>,
    messages: Vec<Message>,
    /// Which messages say a word, and how often.
    said: HashMap<String, Vec<(usize, f64)>>,
    words: f64,
    existing: HashSet<String>,
}

struct Message {
    length: f64,
    files: Vec<String>,
}

impl Counts {
    fn add(&mut self, commit: &Commit) {
        for change in &commit.changes {
            if change.kind == ChangeKind::Deleted {
                self.existing.remove(&change.path);
            } else {
                self.existing.insert(change.path.clone());
            }
        }
        let paths = commit.changes.iter().map(|it| it.path.clone());
        let files: Vec<String> = paths.filter(|path| is_source(path)).collect();
        if commit.changes.len() > 30 || files.is_empty() {
            return;
        }
        for file in &files {
            let together = self.together.entry(file.clone()).or_default();
            for other in files.iter().filter(|other| *other != file) {
                *together.entry(other.clone()).or_default() += 1;
            }
        }
        let words = count_words(&commit.message);
        let length = words.values().sum();
        for (word, count) in words {
            self.said
                .entry(word)
                .or_default()
                .push((self.messages.len(), count));
        }
        self.words += length;
        self.messages.push(Message { length, files });
    }

    fn coupled(&self, path: &str) -> Vec<String> {
        let mut ranked: Vec<(&String, &usize)> =
            self.together.get(path).into_iter().flatten().collect();
        ranked.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        ranked.into_iter().map(|(path, _)| path.clone()).collect()
    }

    /// The existing files of the 30 commits nearest by BM25, by the sum of their scores.
    fn nearest(&self, message: &str) -> Vec<String> {
        let all = self.messages.len() as f64;
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for word in count_words(message).into_keys() {
            let Some(said) = self.said.get(&word) else {
                continue;
            };
            let count = said.len() as f64;
            let rarity = (1.0 + (all - count + 0.5) / (count + 0.5)).ln();
            for &(at, times) in said {
                let norm = 0.25 + 0.75 * self.messages[at].length * all / self.words;
                *scores.entry(at).or_default() += rarity * times * 2.2 / (times + 1.2 * norm);
            }
        }
        let mut near: Vec<(usize, f64)> = scores.into_iter().collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        let mut files: BTreeMap<&String, f64> = BTreeMap::new();
        for (at, score) in near.into_iter().take(30) {
            for file in self.messages[at]
                .files
                .iter()
                .filter(|file| self.existing.contains(*file))
            {
                *files.entry(file).or_default() += score;
            }
        }
        let mut ranked: Vec<(&String, f64)> = files.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        ranked.into_iter().map(|(path, _)| path.clone()).collect()
    }
}

/// Sorted, so that sums of floating numbers come out the same every time.
fn count_words(message: &str) -> BTreeMap<String, f64> {
    let mut words = BTreeMap::new();
    for word in message
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 1)
    {
        *words.entry(word.to_lowercase()).or_default() += 1.0;
    }
    words
}

/// The lists know no renames: a file that goes while one of the same name comes has moved.
fn join_renames(commit: &Commit) -> Commit {
    let file_name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let mut commit = commit.clone();
    let gone = commit
        .changes
        .iter()
        .filter(|it| it.kind == ChangeKind::Deleted);
    let mut gone: Vec<String> = gone.map(|it| it.path.clone()).collect();
    let mut moved = HashSet::new();
    for change in commit
        .changes
        .iter_mut()
        .filter(|it| it.kind == ChangeKind::Added)
    {
        let parts: HashSet<&str> = change.path.split('/').collect();
        let alike = |path: &String| path.split('/').filter(|part| parts.contains(part)).count();
        let same_name =
            (0..gone.len()).filter(|&at| file_name(&gone[at]) == file_name(&change.path));
        if let Some(at) = same_name.max_by_key(|&at| alike(&gone[at])) {
            let from = gone.remove(at);
            moved.insert(from.clone());
            change.kind = ChangeKind::Renamed { from };
        }
    }
    commit
        .changes
        .retain(|it| it.kind != ChangeKind::Deleted || !moved.contains(&it.path));
    commit
}

fn is_source(path: &str) -> bool {
    let source = [
        "py", "js", "ts", "tsx", "jsx", "rs", "go", "mjs", "cjs", "vue",
    ];
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| source.contains(&extension))
}

fn tell(report: &mut String, task: &str, repositories: &[Repository]) -> std::fmt::Result {
    writeln!(report, "### {task}\n")?;
    writeln!(
        report,
        "| repository | n | baseline @5 | @10 | ours @5 | @10 | gain @10 (95 %) | all files @10 |"
    )?;
    writeln!(report, "| --- | --- | --- | --- | --- | --- | --- | --- |")?;
    for repository in repositories {
        tell_row(report, &repository.name, &[repository])?;
    }
    let all: Vec<&Repository> = repositories.iter().collect();
    let (tuned, held): (Vec<_>, Vec<_>) =
        all.iter().partition(|it| TUNED.contains(&it.name.as_str()));
    for (name, group) in [
        ("mean, tuning half", &tuned),
        ("mean, other half", &held),
        ("**mean**", &all),
    ] {
        if !group.is_empty() {
            tell_row(report, name, group)?;
        }
    }
    writeln!(report)
}

fn tell_row(report: &mut String, name: &str, group: &[&Repository]) -> std::fmt::Result {
    let mean = average(group, |repository| repository.commits.clone());
    let mut seed = 20_261_115;
    let mut gains: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let mean = average(group, |repository| resample(&repository.commits, &mut seed));
            mean.ours[1] - mean.baseline[1]
        })
        .collect();
    gains.sort_by(f64::total_cmp);
    let (low, high) = (gains[RESAMPLES / 40], gains[RESAMPLES - RESAMPLES / 40]);
    let count: usize = group
        .iter()
        .map(|repository| repository.commits.len())
        .sum();
    let percent = |share: f64| 100.0 * share;
    writeln!(
        report,
        "| {name} | {count} | {:.1} | {:.1} | {:.1} | {:.1} | {:+.1} ({:+.1} to {:+.1}) | {:.1} |",
        percent(mean.baseline[0]),
        percent(mean.baseline[1]),
        percent(mean.ours[0]),
        percent(mean.ours[1]),
        percent(mean.ours[1] - mean.baseline[1]),
        percent(low),
        percent(high),
        percent(mean.among_all[1]),
    )
}

/// Commits are averaged within each repository, repositories among each other.
fn average(group: &[&Repository], mut commits: impl FnMut(&Repository) -> Vec<Scores>) -> Scores {
    let mut sum = Scores::default();
    for repository in group {
        let commits = commits(repository);
        let mut inner = Scores::default();
        for scores in &commits {
            add(&mut inner, scores);
        }
        add(&mut sum, &divide(inner, commits.len().max(1) as f64));
    }
    divide(sum, group.len() as f64)
}

fn resample(commits: &[Scores], seed: &mut u64) -> Vec<Scores> {
    let mut pick = || {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        commits[(*seed % commits.len() as u64) as usize]
    };
    (0..commits.len()).map(|_| pick()).collect()
}

fn add(sum: &mut Scores, scores: &Scores) {
    for at in 0..CUTS.len() {
        sum.baseline[at] += scores.baseline[at];
        sum.ours[at] += scores.ours[at];
        sum.among_all[at] += scores.among_all[at];
    }
}

fn divide(sum: Scores, by: f64) -> Scores {
    let divide = |values: [f64; 2]| values.map(|value| value / by);
    Scores {
        baseline: divide(sum.baseline),
        ours: divide(sum.ours),
        among_all: divide(sum.among_all),
    }
}

fn name_of(list: &str) -> String {
    let name = list.rsplit('/').next().unwrap_or(list);
    name.split(".jsonl").next().unwrap_or(name).to_owned()
}

fn read_list(list: &str) -> Vec<Record> {
    let unpacked = Command::new("gzip")
        .args(["-dc", list])
        .output()
        .expect("gzip runs");
    assert!(unpacked.status.success(), "gzip cannot unpack {list}");
    let text = String::from_utf8(unpacked.stdout).expect("the list is text");
    text.lines()
        .map(|line| read_record(&serde_json::from_str(line).expect("a line is JSON")))
        .collect()
}

fn read_record(line: &serde_json::Value) -> Record {
    let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let files = line["files"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let change = |file: &serde_json::Value| {
        let kind = match file[0].as_str() {
            Some("A") => ChangeKind::Added,
            Some("D") => ChangeKind::Deleted,
            _ => ChangeKind::Modified,
        };
        Change::new(file[1].as_str().unwrap_or_default(), kind)
    };
    let author = if line["bot"].as_bool() == Some(true) {
        "a program [bot]"
    } else {
        "a person"
    };
    Record {
        commit: Commit {
            id: text("sha"),
            time: line["ts"].as_i64().unwrap_or_default(),
            author: author.to_owned(),
            message: text("msg"),
            parents: 1,
            changes: files.iter().map(change).collect(),
            changed_files: line["n"].as_u64().unwrap_or_default() as usize,
        },
        is_test: line["test"].as_bool() == Some(true),
    }
}
