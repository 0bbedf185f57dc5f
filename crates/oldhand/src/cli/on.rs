//! `oldhand on`: agents are heard and told again in this project.

use std::process::ExitCode;

use anyhow::Result;

use super::{Door, off};
use crate::config::Listening;

/// Switch Oldhand on again for agents in this project
///
/// Undoes `oldhand off`. What agents did in between was not written down and stays unknown.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand on")]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, door: &mut Door) -> Result<ExitCode> {
    off::switch(Listening::On, door)
}
