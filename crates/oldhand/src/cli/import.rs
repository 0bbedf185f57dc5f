//! `oldhand import`: memories from files.

mod json;
pub(crate) mod rules;
mod scip;
pub(crate) mod transcripts;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use super::Door;

/// Bring in memories from an export, from rules files, or from what agents did
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand import json memories.jsonl
  oldhand import rules
  oldhand import rules CLAUDE.md --dry-run
  oldhand import transcripts
  oldhand import scip index.scip")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Json(json::Args),
    Rules(rules::Args),
    Scip(scip::Args),
    Transcripts(transcripts::Args),
}

pub(crate) fn run(args: Args, door: &mut Door) -> Result<ExitCode> {
    match args.command {
        Command::Json(args) => json::run(&args, door),
        Command::Rules(args) => rules::run(&args, door),
        Command::Scip(args) => scip::run(&args, door),
        Command::Transcripts(args) => transcripts::run(&args, door),
    }
}
