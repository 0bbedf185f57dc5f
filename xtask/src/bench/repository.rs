//! Cold commands in a real repository: this project's own, asked with what its latest commits say of themselves.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use oldhand_testkit::Sandbox;

use super::page::{Times, milliseconds, ratio, table};
use super::spent::wait;
use super::warm;
use crate::house::House;

const ROUNDS: usize = 60;

pub(super) fn measure(house: &House, oldhand: &Path, idle: &Sandbox) -> Result<String> {
    println!("{ROUNDS} rounds of cold commands in this repository");
    let sandbox = Sandbox::with_folder(oldhand);
    let project = sandbox.project();
    let from = house.root.to_string_lossy();
    sandbox.git(&project, ["clone", "--quiet", &from, "."]);
    let files = sandbox.git(&project, ["ls-files"]).lines().count();
    let rounds = ROUNDS.to_string();
    let subjects = sandbox.git(
        &project,
        ["log", "--no-merges", "-n", &rounds, "--format=%s"],
    );
    let tasks: Vec<&str> = subjects.lines().collect();
    ensure!(!tasks.is_empty(), "the repository has no commits");
    for work in [
        ["remember", "Tests use real parts."],
        ["context", "anything"],
    ] {
        sandbox.oldhand(work).run();
    }
    let mut times: [Vec<Duration>; 4] = Default::default();
    for round in 0..ROUNDS {
        let task = tasks[round % tasks.len()];
        let words: Vec<&str> = task.split_whitespace().take(3).collect();
        let runs = [
            idle.oldhand(["nothing"]),
            sandbox.oldhand(["search", &words.join(" ")]),
            sandbox.oldhand(["context", task]),
            sandbox.oldhand(["search", "--code", task]),
        ];
        for (at, run) in runs.into_iter().enumerate() {
            let start = Instant::now();
            let (status, spent) = wait(run.start_unheard(), start)?;
            let code = status.code();
            ensure!(matches!(code, Some(0 | 1)), "a command ended with {code:?}");
            times[at].push(spent.time);
        }
    }
    let mut times: Vec<Times> = times.map(Times::new).into();
    let ([_, again], _) = warm::measure_code(&sandbox, &tasks)?;
    times.push(again);
    let floor = times[0].percentile(50);
    let names = [
        "the empty process",
        "`oldhand search`",
        "`oldhand context`",
        "`oldhand search --code`",
        "`search_code` of a server that stays open",
    ];
    let heading = ["command", "p50", "p99", "p50 ratio"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(names.iter().zip(&times).map(|(name, times)| {
        let half = times.percentile(50);
        vec![
            (*name).to_owned(),
            milliseconds(half),
            milliseconds(times.percentile(99)),
            format!("{:.1}", ratio(half, floor)),
        ]
    }));
    Ok(format!(
        "The repository of this project, {files} files, one memory; asked are what the latest {ROUNDS} commits say of themselves. A `context` looks \
         through the tree, reads the likeliest files and says which the task will touch. A `search --code` reads the likeliest files as well; the server was asked the same before. Budget for the server: p50 ≤ 25 ms at 500 000 pieces of code, which this repository has not.\n\n{}",
        table(&rows)
    ))
}
