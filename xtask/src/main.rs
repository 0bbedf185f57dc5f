//! The chores of the house: `cargo xtask <chore>`.
//!
//! Each chore is a file. Start reading at [`checks::ALL`]: it is the whole list of what `cargo xtask test` does.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to the person who started it"
)]

#[cfg(test)]
mod bans;
mod bench;
mod checks;
mod clients;
mod house;
mod install;
mod report;
mod repositories;
mod rooms;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::house::House;

/// The chores of the house.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct CommandLine {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Build the release binary and put it into cargo's bin folder.
    Install(install::Args),
    /// Run every check there is: format, lints, tests, documentation, rules of the house, dependencies.
    Test {
        /// Try the other coding agents too: Codex, Gemini CLI, OpenCode. They are large.
        #[arg(long)]
        agents: bool,
    },
    /// Try coding agents as people get them, a part of the above: all of them, or those that are named.
    Agents { names: Vec<String> },
    /// Run the checks that are quick enough for every save: format, lints, rules of the house.
    Check,
    /// Check the rules of the house that no other tool knows.
    Tidy,
    /// Ask about packages that others wrote and compare with answers that are known.
    Repositories,
    /// Run a benchmark and write its page to docs/benchmarks.
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let house = House::of_this_workspace();
    let done = match CommandLine::parse().chore {
        Chore::Install(args) => install::run(&house, &args),
        Chore::Test { agents } => {
            let more = if agents { &checks::AGENTS[..] } else { &[] };
            Ok(checks::run(&house, checks::ALL.iter().chain(more)))
        }
        Chore::Agents { names } => checks::of_agents(&names).map(|all| checks::run(&house, &all)),
        Chore::Check => Ok(checks::run(&house, &checks::QUICK)),
        Chore::Tidy => Ok(checks::run(&house, &[checks::TIDY])),
        Chore::Repositories => Ok(checks::run(&house, &[checks::REPOSITORIES])),
        Chore::Bench(args) => bench::run(&house, &args),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}
