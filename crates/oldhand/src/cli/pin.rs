//! `oldhand pin`: keep a memory from ageing.

use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use super::changed::tell;
use crate::desk::{Desk, Purpose};

/// Keep a memory from ageing
///
/// A pinned memory keeps its confidence and is never pruned.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand pin 8f1c22a0")]
pub(crate) struct Args {
    id: String,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Change, &door.out)?;
    let was_pinned = desk.engine().show(&args.id)?.memory.pinned;
    let shelved = desk.engine().pin(&args.id, desk.now)?;
    desk.back_up(&door.out);
    tell(&mut door.out, "pinned", &shelved, &[], desk.now)?;
    if was_pinned {
        door.out.note("it was pinned before");
    }
    Ok(ExitCode::SUCCESS)
}
