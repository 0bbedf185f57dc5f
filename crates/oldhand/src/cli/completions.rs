//! `oldhand completions`: the script that lets a shell finish commands.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory as _;
use clap_complete::Shell;

use super::{Cli, Door};

/// Print a completion script for a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand completions bash > ~/.local/share/bash-completion/completions/oldhand
  oldhand completions zsh > ~/.zfunc/_oldhand
  oldhand completions fish > ~/.config/fish/completions/oldhand.fish")]
pub(crate) struct Args {
    shell: Shell,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    // Written in one piece: the library panics where whoever reads has left.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "oldhand", &mut script);
    door.out.write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
