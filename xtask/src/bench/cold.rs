//! Cold commands against a process that does nothing, at three sizes of store.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use oldhand_testkit::{Dice, Sandbox, crowd};

use super::page::{Times, milliseconds, ratio, table};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const ROUNDS: usize = 400;
/// p50 and p99, as multiples of the process that does nothing. docs/budgets.md
const BUDGET: (f64, f64) = (4.0, 8.0);

pub(super) fn run(oldhand: &Path, no_op: &Path) -> Result<String> {
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
    for size in SIZES {
        println!("filling a store with {size} memories");
        let sandbox = Sandbox::with_repository(oldhand);
        let ids = fill(&sandbox, size)?;
        println!("timing {ROUNDS} rounds at {size} memories");
        measure(&sandbox, no_op, size, &ids, &mut rows)?;
    }
    Ok(format!(
        "## Cold commands\n\nEach command is a new process on a database that the system has in its cache; the runs of one \
         size take turns, {ROUNDS} of each. Budget: p50 ≤ {} ×, p99 ≤ {} × the process that does nothing.\n\n{}",
        BUDGET.0,
        BUDGET.1,
        table(&rows)
    ))
}

/// Imports `size` memories and returns the ids of some of them.
fn fill(sandbox: &Sandbox, size: usize) -> Result<Vec<String>> {
    let mut dice = Dice::new(size as u64);
    let lines: String = (0..size)
        .map(|n| crowd::json_line(&dice.statement(n)))
        .collect();
    let outcome = sandbox
        .oldhand(["import", "json", "-", "--json"])
        .stdin(lines)
        .run();
    ensure!(
        outcome.code == Some(0),
        "could not fill the store: {}",
        outcome.stderr
    );
    let ids: Vec<String> = outcome
        .stdout
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|answer| answer["id"].as_str().map(str::to_owned))
        .step_by((size / ROUNDS).max(1))
        .collect();
    ensure!(!ids.is_empty(), "the import named no memories");
    Ok(ids)
}

fn measure(
    sandbox: &Sandbox,
    no_op: &Path,
    size: usize,
    ids: &[String],
    rows: &mut Vec<Vec<String>>,
) -> Result<()> {
    let idle = Sandbox::with_repository(no_op);
    let mut dice = Dice::new(1);
    let mut times: [Vec<Duration>; 4] = Default::default();
    for round in 0..ROUNDS {
        let words = dice.statement(round);
        let two: Vec<&str> = words.split(' ').skip(1).take(2).collect();
        let rare = words.split(' ').nth_back(4).unwrap_or("called");
        let runs = [
            idle.oldhand(["nothing"]),
            sandbox.oldhand(["search", &two.join(" ")]),
            sandbox.oldhand(["search", rare]),
            sandbox.oldhand(["show", dice.pick(ids).as_str()]),
        ];
        for (run, times) in runs.into_iter().zip(&mut times) {
            let (time, code) = run.time();
            // Nothing found is an answer too.
            ensure!(
                matches!(code, Some(0 | 1)),
                "a command failed with {code:?}"
            );
            times.push(time);
        }
    }
    let [nothing, common, rare, show] = times.map(Times::new);
    let (floor_50, floor_99) = (nothing.percentile(50), nothing.percentile(99));
    let named = [
        ("the empty process", nothing),
        ("`oldhand search`, two common words", common),
        ("`oldhand search`, a rare word", rare),
        ("`oldhand show`", show),
    ];
    for (name, times) in named {
        let (half, most) = (times.percentile(50), times.percentile(99));
        let ratios = (ratio(half, floor_50), ratio(most, floor_99));
        let kept = ratios.0 <= BUDGET.0 && ratios.1 <= BUDGET.1;
        rows.push(vec![
            size.to_string(),
            name.to_owned(),
            milliseconds(half),
            milliseconds(most),
            format!("{:.1}", ratios.0),
            format!("{:.1}", ratios.1),
            if kept { "kept" } else { "missed" }.to_owned(),
        ]);
    }
    Ok(())
}
