//! The graph of the code and what history predicts, measured by their own room over trees and lists that the caller names.

use std::fmt::Write as _;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use crate::house::House;

/// Lines of the tree whose memory is measured. docs/budgets.md
const LARGE: &str = "5000000";

/// `given` are folders, each with `=` and a truth (a SCIP index) behind it where there is one; this repository without any.
pub(super) fn graph(house: &House, given: &[String]) -> Result<String> {
    let root = house.root.display().to_string();
    let own = [root];
    let given = if given.is_empty() { &own } else { given };
    let parts = given.iter().map(|given| given.split_once('='));
    let trees: Vec<&str> = given
        .iter()
        .zip(parts)
        .map(|(given, parts)| parts.map_or(given.as_str(), |(tree, _)| tree))
        .collect();
    let mut page = String::new();
    for (tree, truth) in given.iter().filter_map(|given| given.split_once('=')) {
        let told = example(house, "graph_truth", &[tree, truth])?;
        let name = tree
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or(tree);
        writeln!(page, "{name} against its truth:\n\n```text\n{told}```\n")?;
    }
    let mut arguments = vec!["--lines", LARGE];
    arguments.extend(trees);
    page.push_str(&example(house, "graph_bench", &arguments)?);
    Ok(page)
}

/// `given` are lists of commits.
pub(super) fn cochange(house: &House, given: &[String]) -> Result<String> {
    ensure!(
        !given.is_empty(),
        "name the lists of commits: `cargo xtask bench cochange LISTS/*.jsonl.gz`"
    );
    let lists: Vec<&str> = given.iter().map(String::as_str).collect();
    let rolling: Vec<&str> = std::iter::once("--rolling").chain(lists.clone()).collect();
    Ok(format!(
        "## History fixed before the first test commit\n\n{}\n## History kept up to date\n\n{}",
        example(house, "history_bench", &lists)?,
        example(house, "history_bench", &rolling)?
    ))
}

pub(super) fn example(house: &House, name: &str, arguments: &[&str]) -> Result<String> {
    let mut run = house.cargo(["run", "--release", "--quiet", "--package", "oldhand-code"]);
    run.args(["--example", name, "--"]).args(arguments);
    let output = run.stderr(Stdio::inherit()).output()?;
    ensure!(
        output.status.success(),
        "{name} ended with {}",
        output.status
    );
    String::from_utf8(output.stdout).context("a benchmark prints text")
}
