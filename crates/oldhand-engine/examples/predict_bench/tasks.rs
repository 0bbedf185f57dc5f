//! From a text to the files of its change: issues with known fixes, and messages of commits.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use oldhand_engine::PredictRequest;
use oldhand_recall::predict::{PastSession, Task, session_words};
use serde_json::Value;

use crate::ground::{Checkout, Read};

/// What each way found of one task.
struct Found {
    group: String,
    /// Per way, in the order of [`WAYS`] as far as they were asked: for each of [`PLACES`], the share of the gold among the first.
    shares: Shares,
}

type Shares = Vec<[f64; PLACES.len()]>;

const WAYS: [&str; 3] = [
    "BM25 over files, identifiers split",
    "predicted",
    "predicted, earlier issues known",
];
const PLACES: [usize; 4] = [1, 3, 5, 10];
/// So many are asked for, so that enough are left when tests and prose are taken out.
const ASKED: usize = 60;
const RESAMPLES: usize = 2000;

/// `arguments` are TASKS.jsonl, a folder of clones named `owner+name`, and N to take every Nth task of a repository.
pub(crate) fn localise(arguments: &[String], folder: &Path) {
    let [tasks, clones, every] = arguments else {
        panic!("give TASKS.jsonl, a folder of clones and N to take every Nth task");
    };
    let every: usize = every.parse().expect("N is a number");
    let mut found = Vec::new();
    for (repository, mut tasks) in by_repository(tasks) {
        let name = repository.replace('/', "+");
        let clone = Path::new(clones).join(&name);
        let clone = [clone.join("repo"), clone]
            .into_iter()
            .find(|path| path.exists());
        let Some(clone) = clone else {
            println!(
                "skipped: {} tasks of {repository}, which is not in the folder of clones\n",
                tasks.len()
            );
            continue;
        };
        tasks.sort_by_key(|task| text(task, "created_at"));
        let checkout = Checkout::new(&clone, &folder.join(&name));
        for (earlier, task) in tasks.iter().enumerate().step_by(every) {
            let Some(read) = checkout.read(&text(task, "base_commit")) else {
                println!(
                    "skipped: {} cannot be checked out\n",
                    text(task, "instance_id")
                );
                continue;
            };
            let gold: BTreeSet<String> = strings(&task["gold_files"]).into_iter().collect();
            let past: Vec<PastSession> = tasks[..earlier].iter().map(remembered).collect();
            let shares = ask(&read, &text(task, "problem_statement"), &gold, &past);
            eprintln!("{} {:?}", text(task, "instance_id"), shares[1]);
            found.push(Found {
                group: repository.clone(),
                shares,
            });
        }
    }
    println!(
        "All files of the fix among the first k source files outside of tests, in percent of the tasks:\n"
    );
    let whole = |share: f64| f64::from(u8::from(share > 0.999));
    tell(&found, "Acc", whole);
    println!("\nWhat knowing the earlier issues adds to the index alone:");
    compare(&found, "Acc", whole, (1, 2));
}

/// An earlier issue and the files that its fix changed, as a session that was asked for it leaves them.
fn remembered(task: &Value) -> PastSession {
    let files = strings(&task["gold_files"]);
    PastSession {
        words: session_words(&text(task, "problem_statement"), None),
        edited: files.clone(),
        touched: files,
        ..PastSession::default()
    }
}

/// `arguments` are pairs of COMMITS.jsonl and a clone. The history ends before the first test commit.
pub(crate) fn messages(arguments: &[String], folder: &Path) {
    let mut found = Vec::new();
    for (at, pair) in arguments.chunks(2).enumerate() {
        let [list, clone] = pair else {
            panic!("give pairs of COMMITS.jsonl and a clone");
        };
        let commits = lines(list);
        let tests: Vec<&Value> = commits
            .iter()
            .filter(|commit| commit["test"] == true)
            .collect();
        let Some(first) = tests.first() else { continue };
        let checkout = Checkout::new(Path::new(clone), &folder.join(at.to_string()));
        let Some(read) = checkout.read(&text(first, "parent")) else {
            println!("skipped: {list}: the parent of its first test commit is not in the clone\n");
            continue;
        };
        let there: BTreeSet<String> = read.evidence("").files.into_iter().collect();
        for commit in tests {
            let changes = commit["files"].as_array().into_iter().flatten();
            let modified = changes.filter(|change| change[0] == "M");
            let gold: BTreeSet<String> = modified
                .filter_map(|change| change[1].as_str())
                .filter(|path| is_source(path) && there.contains(*path))
                .map(str::to_owned)
                .collect();
            if gold.is_empty() {
                continue;
            }
            let name = list.rsplit('/').next().unwrap_or(list);
            found.push(Found {
                group: name.trim_end_matches(".jsonl").to_owned(),
                shares: recall(&read, &text(commit, "msg"), &gold),
            });
        }
    }
    println!(
        "The share of a commit's modified source files among the first k, from its message, in percent:\n"
    );
    tell(&found, "R", |share| share);
}

/// Among source files outside of tests.
fn ask(read: &Read, text: &str, gold: &BTreeSet<String>, past: &[PastSession]) -> Shares {
    let counts = |path: &str| is_source(path) && !is_test(path);
    judge(read, text, gold, counts, &[&[], past])
}

/// Among all source files.
fn recall(read: &Read, text: &str, gold: &BTreeSet<String>) -> Shares {
    judge(read, text, gold, is_source, &[&[]])
}

/// What words find, then what is predicted knowing each of the given pasts.
fn judge(
    read: &Read,
    text: &str,
    gold: &BTreeSet<String>,
    counts: impl Fn(&str) -> bool,
    pasts: &[&[PastSession]],
) -> Shares {
    let task = Task::new(text);
    let code = read.evidence(text);
    let by_words: Vec<String> = code.contents.iter().map(|(path, _)| path.clone()).collect();
    let request = PredictRequest {
        task: &task,
        code: &code,
        remembered: &[],
        at_hand: &[],
        limit: ASKED,
    };
    let predicted = pasts.iter().map(|past| {
        let files = request.answer(past).into_iter();
        files.map(|file| file.path).collect()
    });
    let ways = std::iter::once(by_words).chain(predicted);
    ways.map(|files| {
        let first: Vec<&String> = files.iter().filter(|path| counts(path)).collect();
        PLACES.map(|most| {
            let hits = first.iter().take(most).filter(|path| gold.contains(**path));
            hits.count() as f64 / gold.len() as f64
        })
    })
    .collect()
}

fn tell(found: &[Found], measure: &str, score: impl Fn(f64) -> f64 + Copy) {
    let heads: Vec<String> = PLACES
        .iter()
        .map(|place| format!("{measure}@{place}"))
        .collect();
    println!("| of | way | n | {} |", heads.join(" | "));
    println!("| --- | --- | --- |{}", " --- |".repeat(PLACES.len()));
    let mut groups: BTreeMap<&str, Vec<&Found>> = BTreeMap::new();
    for one in found {
        groups.entry(&one.group).or_default().push(one);
    }
    groups.insert("~ all", found.iter().collect());
    for (group, of_it) in &groups {
        let asked = of_it.iter().map(|one| one.shares.len()).min().unwrap_or(0);
        for (way, name) in WAYS.iter().enumerate().take(asked) {
            let cells = (0..PLACES.len()).map(|place| {
                let sum: f64 = of_it.iter().map(|one| score(one.shares[way][place])).sum();
                format!("{:.1}", 100.0 * sum / of_it.len() as f64)
            });
            let cells: Vec<String> = cells.collect();
            println!(
                "| {group} | {name} | {} | {} |",
                of_it.len(),
                cells.join(" | ")
            );
        }
    }
    println!("\nAgainst BM25, paired bootstrap over tasks, 95 %:");
    compare(found, measure, score, (0, 1));
}

/// How much better the second way is than the first.
fn compare(
    found: &[Found],
    measure: &str,
    score: impl Fn(f64) -> f64,
    (first, second): (usize, usize),
) {
    for (place, most) in PLACES.iter().enumerate() {
        let gain = |one: &Found| score(one.shares[second][place]) - score(one.shares[first][place]);
        let (low, mean, high) = interval(&found.iter().map(gain).collect::<Vec<_>>());
        println!("{measure}@{most} {mean:+.1} [{low:+.1}, {high:+.1}]");
    }
}

/// The mean in percent between the ends of its bootstrap interval; the same numbers give the same answer.
fn interval(gains: &[f64]) -> (f64, f64, f64) {
    let count = gains.len().max(1);
    let mean = |sum: f64| 100.0 * sum / count as f64;
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut draw = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % count
    };
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| mean((0..gains.len()).map(|_| gains[draw()]).sum()))
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[(share * RESAMPLES as f64) as usize];
    (at(0.025), mean(gains.iter().sum()), at(0.975))
}

fn by_repository(path: &str) -> BTreeMap<String, Vec<Value>> {
    let mut tasks: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for task in lines(path) {
        tasks.entry(text(&task, "repo")).or_default().push(task);
    }
    tasks
}

fn lines(path: &str) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("the data can be read");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

fn strings(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn is_source(path: &str) -> bool {
    const ENDINGS: [&str; 16] = [
        "py", "go", "rs", "ts", "tsx", "js", "jsx", "mjs", "cjs", "java", "c", "h", "cc", "cpp",
        "rb", "vue",
    ];
    path.rsplit_once('.')
        .is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("test_")
        || name.contains("_test.")
        || path.split('/').any(|part| matches!(part, "test" | "tests"))
}
