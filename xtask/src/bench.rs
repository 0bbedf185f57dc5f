//! `cargo xtask bench`: numbers with the command that makes them. Start reading at [`ALL`].

mod cold;
mod page;
mod power;
mod store;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::house::House;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which benchmark; without it, they are listed.
    name: Option<String>,
}

/// A benchmark, and what it writes below the heading of its page.
struct Bench {
    name: &'static str,
    says: &'static str,
    run: fn(&House) -> Result<String>,
}

const ALL: [Bench; 1] = [Bench {
    name: "store",
    says: "cold commands at 100 000 memories, twenty writers at once, kill -9, power cuts",
    run: store::run,
}];

pub(crate) fn run(house: &House, args: &Args) -> Result<ExitCode> {
    let Some(name) = &args.name else {
        for bench in &ALL {
            println!("{:8} {}", bench.name, bench.says);
        }
        return Ok(ExitCode::SUCCESS);
    };
    let Some(bench) = ALL.iter().find(|bench| bench.name == name) else {
        bail!("there is no benchmark `{name}`; `cargo xtask bench` lists them");
    };
    let body = (bench.run)(house)?;
    let page = format!(
        "# Benchmark: {}\n\n{}.\n\n{}\n\n{}",
        bench.name,
        capitalised(bench.says),
        provenance(house, bench.name)?,
        body
    );
    let folder = house.root.join("docs/benchmarks");
    fs::create_dir_all(&folder).context("could not make docs/benchmarks")?;
    let path = format!("docs/benchmarks/{}.md", bench.name);
    fs::write(house.root.join(&path), &page).with_context(|| format!("could not write {path}"))?;
    println!("{page}\nwritten to {path}");
    Ok(ExitCode::SUCCESS)
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// How a page came to be, so that anybody can make it again.
fn provenance(house: &House, name: &str) -> Result<String> {
    let git = |arguments: &[&str]| -> Result<String> {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(&house.root)
            .output()?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short", "HEAD"])?;
    let changed = if git(&["status", "--short", "--", "crates"])?.is_empty() {
        ""
    } else {
        ", with changes on top"
    };
    let cores = std::thread::available_parallelism()?;
    Ok(format!(
        "Written by `cargo xtask bench {name}` at commit {commit}{changed}, release build, {} {}, {cores} cores. Times are \
         only comparable within this page.",
        std::env::consts::OS,
        std::env::consts::ARCH
    ))
}

/// Builds a binary of the workspace in release and says where it is.
fn build(house: &House, package: &str, binary: &str, features: &[&str]) -> Result<PathBuf> {
    let mut build = house.cargo(["build", "--release", "--locked", "--package", package]);
    build.args(["--bin", binary, "--features", &features.join(",")]);
    let status = build.status()?;
    ensure!(status.success(), "could not build {binary}");
    let metadata = ["metadata", "--format-version", "1", "--no-deps", "--locked"];
    let output = house.cargo(metadata).output()?;
    let Target { target_directory } =
        serde_json::from_slice(&output.stdout).context("could not read `cargo metadata`")?;
    let name = format!("{binary}{}", std::env::consts::EXE_SUFFIX);
    Ok(target_directory.join("release").join(name))
}

#[derive(Deserialize)]
struct Target {
    target_directory: PathBuf,
}
