//! `oldhand verify`: confirm that you read a memory and that it is true.

use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use super::changed::tell;
use crate::desk::{Desk, Purpose};

/// Confirm that you read a memory and that it is true
///
/// This takes the review mark and a flag away. It covers the text as it is now: an edit by anyone else ends it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand verify 8f1c22a0")]
pub(crate) struct Args {
    id: String,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Change, &door.out)?;
    let shelved = desk.engine().verify(&args.id, desk.now)?;
    desk.back_up(&door.out);
    tell(&mut door.out, "verified", &shelved, &[], desk.now)?;
    Ok(ExitCode::SUCCESS)
}
