//! `oldhand session validate`: a person says whether the work is right.

use std::process::ExitCode;

use anyhow::Result;
use oldhand_domain::event::{Event, Happening};
use oldhand_engine::Shelf;

use super::finalize::Tally;
use crate::cli::Door;
use crate::desk::{Desk, Purpose};
use crate::sessions::Sessions;

/// Say whether a session's work was right, and learn from it
///
/// What a person says counts more than what is inferred from tests and commits. After a failure only dead ends and what
/// went wrong are kept.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand session validate 0bb9 --passed
  oldhand session validate 0bb9 --failed")]
pub(crate) struct Args {
    /// The session, or the beginning of its id
    id: String,
    /// The work is right
    #[arg(long, required_unless_present = "failed", conflicts_with = "failed")]
    passed: bool,
    /// The work is wrong
    #[arg(long)]
    failed: bool,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Teach(Shelf::Project), &door.out)?;
    let sessions = Sessions::of(&desk)?;
    let known = sessions.resolve(&args.id)?;
    let told = Happening::Validated {
        passed: args.passed,
        by: "user".to_owned(),
        issues: Vec::new(),
    };
    sessions
        .journals_of(&known.id)
        .append(&known.id, &[Event::new(desk.now, told)])?;
    let _lock = sessions.lock()?;
    let mut finalizer = desk.engine().finalizer(sessions.store)?;
    let mut tally = Tally::default();
    tally.add(&sessions.finalize(&mut finalizer, &known.id, desk.now)?);
    desk.back_up(&door.out);
    if door.out.is_json() {
        door.out.json(&tally.view())?;
    } else {
        tally.write(&mut door.out)?;
    }
    Ok(ExitCode::SUCCESS)
}
