//! Cold commands against a process that does nothing, at three sizes of store.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use oldhand_testkit::{Dice, Sandbox, memory_id};

use super::page::{Times, milliseconds, ratio, table};
use super::warm;

const SIZES: [u32; 3] = [1_000, 10_000, 100_000];
const ROUNDS: usize = 200;
/// p50 and p99, as multiples of the process that does nothing. docs/budgets.md
const BUDGET: (f64, f64) = (4.0, 8.0);

/// The binaries a measurement needs.
pub(super) struct Binaries {
    pub(super) oldhand: PathBuf,
    pub(super) no_op: PathBuf,
    pub(super) fill: PathBuf,
}

pub(super) fn run(binaries: &Binaries) -> Result<String> {
    let heading = [
        "memories",
        "command",
        "p50",
        "p99",
        "p50 ratio",
        "p99 ratio",
        "budget",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    let mut open = vec![warm::heading()];
    for size in SIZES {
        println!("{ROUNDS} rounds of cold commands at {size} memories");
        let sandbox = Sandbox::with_repository(&binaries.oldhand);
        fill(&sandbox, &binaries.fill, size)?;
        // The first context reads the code and its history.
        sandbox.oldhand(["context", "anything"]).run();
        rows.extend(measure(&sandbox, &binaries.no_op, size)?);
        open.push(warm::measure(&sandbox, size)?);
    }
    Ok(format!(
        "## Cold commands\n\nEach command is a new process on a database that the system has in its cache. The commands of one \
         size take turns, {ROUNDS} of each. Memories are 25 words of made-up prose, spread as in real text. \
         Budget for `search`, `context` and `show`: p50 ≤ {} ×, p99 ≤ {} × the empty process.\n\n{}\n## A server that stays open\n\n{}\n\n{}",
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
    // Vectors are made by the first search that needs them; that one is not cold, it is work.
    sandbox.oldhand(["search", "anything"]).run();
    Ok(())
}

fn measure(sandbox: &Sandbox, no_op: &Path, size: u32) -> Result<Vec<Vec<String>>> {
    let idle = Sandbox::with_repository(no_op);
    let mut dice = Dice::new(1);
    let mut times: [Vec<Duration>; 6] = Default::default();
    for round in 0..ROUNDS {
        let id = memory_id(dice.below(u64::from(size)) as u32).to_string();
        let runs = [
            idle.oldhand(["nothing"]),
            sandbox.oldhand(["show", &id]),
            sandbox.oldhand(["search", &dice.prose(1)]),
            sandbox.oldhand(["search", &dice.prose(3)]),
            sandbox.oldhand(["context", &dice.prose(6)]),
            sandbox.oldhand(["remember", &dice.statement(round)]),
        ];
        for (run, times) in runs.into_iter().zip(&mut times) {
            let (time, code) = run.time();
            // Nothing found is an answer too.
            ensure!(matches!(code, Some(0 | 1)), "a command ended with {code:?}");
            times.push(time);
        }
    }
    let [nothing, show, one, three, context, remember] = times.map(Times::new);
    let floor = (nothing.percentile(50), nothing.percentile(99));
    let named = [
        ("the empty process", &nothing),
        ("`oldhand show`", &show),
        ("`oldhand search`, one word", &one),
        ("`oldhand search`, three words", &three),
        ("`oldhand context`, six words", &context),
        ("`oldhand remember`", &remember),
    ];
    let row = |(name, times): (&str, &Times)| {
        let (half, most) = (times.percentile(50), times.percentile(99));
        let ratios = (ratio(half, floor.0), ratio(most, floor.1));
        let verdict = match name {
            "the empty process" | "`oldhand remember`" => "–",
            _ if ratios.0 <= BUDGET.0 && ratios.1 <= BUDGET.1 => "kept",
            _ => "missed",
        };
        vec![
            size.to_string(),
            name.to_owned(),
            milliseconds(half),
            milliseconds(most),
            format!("{:.1}", ratios.0),
            format!("{:.1}", ratios.1),
            verdict.to_owned(),
        ]
    };
    Ok(named.into_iter().map(row).collect())
}
