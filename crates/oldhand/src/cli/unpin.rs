//! `oldhand unpin`: let a pinned memory age again.

use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use super::changed::tell;
use crate::desk::{Desk, Purpose};

/// Let a pinned memory age again
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand unpin 8f1c22a0")]
pub(crate) struct Args {
    id: String,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Change, &door.out)?;
    let was_pinned = desk.engine().show(&args.id)?.memory.pinned;
    let shelved = desk.engine().unpin(&args.id, desk.now)?;
    desk.back_up(&door.out);
    tell(&mut door.out, "unpinned", &shelved, &[], desk.now)?;
    if !was_pinned {
        door.out.note("it was not pinned before");
    }
    Ok(ExitCode::SUCCESS)
}
