//! `oldhand mcp`: the memory and the map of a project as tools for any agent that speaks the Model Context Protocol.

use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use crate::mcp;

/// Serve agents over the Model Context Protocol, on standard input and output
///
/// Agents start this; `oldhand install` tells them to. It ends when its input ends. Tools answer about the project the
/// agent works in, which `oldhand init` has to have made known. What goes wrong is written to mcp.log in OLDHAND_HOME.
/// `oldhand up` serves the same over HTTP.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand mcp
  oldhand mcp --project ~/code/shop")]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, door: &mut Door) -> Result<ExitCode> {
    mcp::serve(&door.environment)?;
    Ok(ExitCode::SUCCESS)
}
