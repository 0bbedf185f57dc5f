//! `oldhand restore`: bring back what was forgotten or replaced.

use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use super::changed::tell;
use crate::desk::{Desk, Purpose};

/// Bring back a memory that was forgotten or replaced
///
/// A whole database is restored with `oldhand backup restore`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand list --deleted
  oldhand restore 8f1c22a0")]
pub(crate) struct Args {
    id: String,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Change, &door.out)?;
    let shelved = desk.engine().restore(&args.id, desk.now)?;
    desk.back_up(&door.out);
    tell(&mut door.out, "restored", &shelved, &[], desk.now)?;
    Ok(ExitCode::SUCCESS)
}
