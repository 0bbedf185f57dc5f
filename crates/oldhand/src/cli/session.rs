//! `oldhand session`: what agents did, and what was learned from it.

mod discard;
pub(crate) mod finalize;
mod list;
mod replay;
mod show;
mod validate;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use super::Door;

/// Look at what agents did, and learn from it
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand session list
  oldhand session show 0bb9
  oldhand session finalize --all")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    List(list::Args),
    Show(show::Args),
    Finalize(finalize::Args),
    Validate(validate::Args),
    Discard(discard::Args),
    Replay(replay::Args),
}

pub(crate) fn run(args: Args, door: &mut Door) -> Result<ExitCode> {
    match args.command {
        None => list::run(&list::Args::default(), door),
        Some(Command::List(args)) => list::run(&args, door),
        Some(Command::Show(args)) => show::run(&args, door),
        Some(Command::Finalize(args)) => finalize::run(&args, door),
        Some(Command::Validate(args)) => validate::run(&args, door),
        Some(Command::Discard(args)) => discard::run(&args, door),
        Some(Command::Replay(args)) => replay::run(&args, door),
    }
}
