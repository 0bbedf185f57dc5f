//! Code search of a server that stays open, in a repository that the caller names, made larger by copies of itself.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use oldhand_testkit::Sandbox;

use super::page::{milliseconds, table};
use super::{build, graph, warm};
use crate::house::House;

/// How many commits lend what they say of themselves as questions.
const QUESTIONS: usize = 126;
/// How long the middle one of all answers may take at 500 000 pieces of code. docs/budgets.md
const BUDGET: Duration = Duration::from_millis(25);
/// Of fewer pieces the budget says nothing.
const ENOUGH: usize = 450_000;

/// `given` is a clone, and how many copies of it are searched: one without a number.
pub(super) fn run(house: &House, given: &[String]) -> Result<String> {
    let (clone, copies) = match given {
        [clone] => (clone, 1),
        [clone, copies] => (clone, copies.parse().context("copies are a number")?),
        _ => anyhow::bail!("name a clone: `cargo xtask bench code-warm CLONE [COPIES]`"),
    };
    let clone = fs::canonicalize(clone).with_context(|| format!("{clone} is not there"))?;
    let from = clone.to_string_lossy();
    let pieces: usize = graph::example(house, "graph_bench", &["--pieces", &from])?
        .trim()
        .parse()
        .context("the pieces of a tree are a number")?;
    let sandbox = Sandbox::with_repository(build(house, "oldhand", "oldhand", &[])?);
    let project = sandbox.project();
    for copy in 1..=copies {
        let copy = format!("copy{copy}");
        sandbox.git(&project, ["clone", "--quiet", &from, &copy]);
        fs::remove_dir_all(project.join(copy).join(".git"))?;
    }
    let most = QUESTIONS.to_string();
    let subjects = sandbox.git(&clone, ["log", "--no-merges", "-n", &most, "--format=%s"]);
    let questions: Vec<&str> = subjects.lines().collect();
    ensure!(!questions.is_empty(), "the repository has no commits");
    println!("reading {} pieces", pieces * copies);
    // A question makes no project of a folder, and a server answers in projects alone.
    sandbox.oldhand(["reindex"]).run().success();
    let read = sandbox.oldhand(["search", "--code", "--", questions[0]]);
    let read = read.run();
    // One is that nothing was found.
    ensure!(
        matches!(read.code, Some(0 | 1)),
        "it was not read: {}",
        read.stderr
    );
    let (rounds, spent) = warm::measure_code(&sandbox, &questions)?;
    let heading = [
        "pieces",
        "asked",
        "p50",
        "p90",
        "p99",
        "memory at its fullest",
        "budget",
    ];
    let memory = spent
        .peak
        .map_or("–".to_owned(), |peak| format!("{} MB", peak / 1024));
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    for (asked, times) in ["for the first time", "again"].iter().zip(rounds) {
        let half = times.percentile(50);
        let verdict = match half {
            _ if pieces * copies < ENOUGH => "–",
            half if half <= BUDGET => "kept",
            _ => "missed",
        };
        rows.push(vec![
            (pieces * copies).to_string(),
            (*asked).to_owned(),
            milliseconds(half),
            milliseconds(times.percentile(90)),
            milliseconds(times.percentile(99)),
            memory.clone(),
            verdict.to_owned(),
        ]);
    }
    let name = clone.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!(
        "`search_code` of one `oldhand mcp` in {copies} × {name}, asked with what its latest {} commits say of themselves: all of them once, from the \
         start of the server on, then again, each from the question to the answer. What the first of them waits for (all folders to be listened to, the words of all \
         names) is in the first row, and so is what is read of each piece for the first time. Budget: p50 ≤ {} ms at 500 000 pieces of code.\n\n{}",
        questions.len(),
        BUDGET.as_millis(),
        table(&rows)
    ))
}
