//! `oldhand version`: what this binary is.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use crate::view::VersionView;

/// Show the version of Oldhand and the embedding model it comes with
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, door: &mut Door) -> Result<ExitCode> {
    let view = VersionView::current();
    if door.out.is_json() {
        door.out.json(&view)?;
    } else {
        writeln!(door.out, "oldhand {}", view.version)?;
        writeln!(door.out, "comes with the embedding model {}", view.model)?;
    }
    Ok(ExitCode::SUCCESS)
}
