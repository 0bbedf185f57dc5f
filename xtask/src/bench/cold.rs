//! Cold commands and a server that stays open, against a process that does nothing, at three sizes of store.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use oldhand_testkit::{Dice, Invocation, Sandbox, memory_id};

use super::page::{Times, milliseconds, ratio, table};
use super::spent::wait;
use super::{build, repository, warm};
use crate::house::House;

const SIZES: [u32; 3] = [1_000, 10_000, 100_000];
const ROUNDS: usize = 200;
/// p50 and p99, as multiples of the process that does nothing. docs/budgets.md
const BUDGET: (f64, f64) = (4.0, 8.0);

/// What is measured, and whether a budget holds for it. The first is what the others are compared with.
const COMMANDS: [(&str, bool); 7] = [
    ("the empty process", false),
    ("`oldhand version`", false),
    ("`oldhand show`", true),
    ("`oldhand search`, one word", true),
    ("`oldhand search`, three words", true),
    ("`oldhand context`, six words", true),
    ("`oldhand remember`", false),
];

pub(super) fn run(house: &House) -> Result<String> {
    let oldhand = build(house, "oldhand", "oldhand", &[])?;
    let no_op = build(house, "xtask", "no-op", &[])?;
    let filler = build(house, "oldhand-testkit", "fill", &["fill"])?;
    let heading = [
        "memories",
        "command",
        "p50",
        "p99",
        "p50 ratio",
        "p99 ratio",
        "processor p50",
        "ratio",
        "budget",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    let mut open = vec![warm::heading()];
    let mut in_repository = String::new();
    for size in SIZES {
        println!("{ROUNDS} rounds of cold commands at {size} memories");
        let sandbox = Sandbox::with_repository(&oldhand);
        fill(&sandbox, &filler, size)?;
        // The first context reads the code and its history.
        sandbox.oldhand(["context", "anything"]).run();
        let idle = Sandbox::with_repository(as_long_as(&oldhand, &no_op, &sandbox)?);
        open.push(warm::measure(&sandbox, size)?);
        rows.extend(measure(&sandbox, &idle, size)?);
        if in_repository.is_empty() {
            in_repository = repository::measure(house, &oldhand, &idle)?;
        }
    }
    Ok(format!(
        "## Cold commands\n\nEach command is a new process on a database that the system has in its cache. The commands of one \
         size take turns, {ROUNDS} of each; `remember` comes after them, since it leaves work to the background. Memories are 25 words of made-up prose, spread as in real text. The empty process is a program that \
         returns at once, in a file as long as Oldhand's own; both are copies, as an installation makes them. The processor's time is that of all threads. \
         Budget for `search`, `context` and `show`: p50 ≤ {} ×, p99 ≤ {} × the empty process.\n\n{}\n## Cold commands in a repository\n\n{in_repository}\n## A server that stays open\n\n{}\n\n{}",
        BUDGET.0,
        BUDGET.1,
        table(&rows),
        warm::describe(),
        table(&open)
    ))
}

/// Makes the project's database and fills it.
pub(super) fn fill(sandbox: &Sandbox, fill: &Path, size: u32) -> Result<()> {
    let outcome = sandbox
        .oldhand(["remember", "The first memory makes the database."])
        .run();
    ensure!(
        outcome.code == Some(0),
        "could not begin a project: {outcome}"
    );
    let project = fs::read_dir(sandbox.home().join("projects"))?
        .next()
        .context("the home holds no project")??;
    let database = project.path().join("memory.db");
    let status = Command::new(fill)
        .arg(database)
        .arg(size.to_string())
        .status()?;
    ensure!(status.success(), "could not fill the database");
    // Vectors, and what else a change of a large store leaves to the background: whoever needs them first would start a job, which would run beside
    // what is measured.
    for work in [
        &["model", "build"][..],
        &["job", "session", "finalize", "--ended"],
        &["search", "anything"],
    ] {
        sandbox.oldhand(work).run();
    }
    Ok(())
}

/// A copy of the program that does nothing, in a file of the length of another. Only Linux is known to start one that was lengthened.
fn as_long_as(other: &Path, no_op: &Path, sandbox: &Sandbox) -> Result<PathBuf> {
    let copy = sandbox.home().join("no-op");
    fs::copy(no_op, &copy).context("could not copy the empty program")?;
    if cfg!(target_os = "linux") {
        let file = fs::OpenOptions::new().write(true).open(&copy)?;
        file.set_len(other.metadata()?.len())?;
    }
    Ok(copy)
}

fn measure(sandbox: &Sandbox, idle: &Sandbox, size: u32) -> Result<Vec<Vec<String>>> {
    let mut dice = Dice::new(1);
    let mut times: [(Vec<Duration>, Vec<Duration>); COMMANDS.len()] = Default::default();
    let mut time = |at: usize, run: Invocation<'_>| -> Result<()> {
        let start = Instant::now();
        let (status, spent) = wait(run.start_unheard(), start)?;
        // Nothing found is an answer too.
        let code = status.code();
        ensure!(matches!(code, Some(0 | 1)), "a command ended with {code:?}");
        times[at].0.push(spent.time);
        times[at].1.extend(spent.processor);
        Ok(())
    };
    for _ in 0..ROUNDS {
        let id = memory_id(dice.below(u64::from(size)) as u32).to_string();
        let runs = [
            idle.oldhand(["nothing"]),
            sandbox.oldhand(["version"]),
            sandbox.oldhand(["show", &id]),
            sandbox.oldhand(["search", &dice.prose(1)]),
            sandbox.oldhand(["search", &dice.prose(3)]),
            sandbox.oldhand(["context", &dice.prose(6)]),
        ];
        for (at, run) in runs.into_iter().enumerate() {
            time(at, run)?;
        }
    }
    // Apart, since it leaves work to the background.
    for round in 0..ROUNDS {
        time(
            COMMANDS.len() - 1,
            sandbox.oldhand(["remember", &dice.statement(round)]),
        )?;
    }
    let times = times.map(|(times, processor)| (Times::new(times), Times::new(processor)));
    let (empty, busy) = &times[0];
    let floor = (empty.percentile(50), empty.percentile(99));
    let row = |((name, is_judged), (times, processor)): ((&str, bool), &(Times, Times))| {
        let (half, most) = (times.percentile(50), times.percentile(99));
        let ratios = (ratio(half, floor.0), ratio(most, floor.1));
        let verdict = match is_judged {
            false => "–",
            true if ratios.0 <= BUDGET.0 && ratios.1 <= BUDGET.1 => "kept",
            true => "missed",
        };
        let (processor, share) = if processor.is_empty() {
            ("–".to_owned(), "–".to_owned())
        } else {
            let half = processor.percentile(50);
            let share = ratio(half, busy.percentile(50));
            (milliseconds(half), format!("{share:.1}"))
        };
        vec![
            size.to_string(),
            name.to_owned(),
            milliseconds(half),
            milliseconds(most),
            format!("{:.1}", ratios.0),
            format!("{:.1}", ratios.1),
            processor,
            share,
            verdict.to_owned(),
        ]
    };
    Ok(COMMANDS.into_iter().zip(&times).map(row).collect())
}
