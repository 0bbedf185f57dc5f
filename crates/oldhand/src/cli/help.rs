//! `oldhand help`: what `--help` says, for those who ask in words.

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;

use super::{Cli, refuse};
use crate::failure::Failure;

/// Show the commands, or what one of them does
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand help
  oldhand help search
  oldhand help backup restore")]
pub(crate) struct Args {
    /// The command, as you would type it
    command: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let words = args.command.iter().map(String::as_str);
    let asked = std::iter::once("oldhand").chain(words).chain(["--help"]);
    if let Err(answer) = Cli::try_parse_from(asked) {
        return Ok(refuse(&answer, &[]));
    }
    let given = args.command.join(" ");
    Err(Failure::invalid(format!("`{given}` is not a command"))
        .hint("`oldhand help` shows the commands")
        .into())
}
