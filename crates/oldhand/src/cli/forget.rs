//! `oldhand forget`: out of sight, or gone for good.

use std::process::ExitCode;

use anyhow::Result;
use oldhand_domain::error::{ErrorKind, StoreError};
use oldhand_domain::lifecycle::GRACE_DAYS;
use oldhand_engine::{Engine, EngineError};

use super::changed::tell;
use super::{Door, edit};
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::view::receipt::ErasedView;

/// Forget a memory
///
/// It is out of sight at once and can be restored for 30 days. With --now its bytes are removed from the database,
/// its indexes and its backups, and nothing brings it back. What agents said in the sessions that taught it stays in
/// their journals until `oldhand session discard`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand forget 8f1c22a0
  oldhand forget 8f1c22a0 --now --yes")]
pub(crate) struct Args {
    id: String,
    /// Remove the bytes now, for good
    #[arg(long)]
    now: bool,
    /// Do not ask
    #[arg(long, short = 'y')]
    yes: bool,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Change, &door.out)?;
    if args.now {
        return erase(args, &desk, door);
    }
    let shelved = desk.engine().forget(&args.id, desk.now)?;
    desk.back_up(&door.out);
    tell(&mut door.out, "forgotten", &shelved, &[], desk.now)?;
    if !door.out.is_json() {
        let id = shelved.memory.id.short();
        door.out.hint(&format!(
            "`oldhand restore {id}` brings it back within {GRACE_DAYS} days"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn erase(args: &Args, desk: &Desk, door: &mut Door) -> Result<ExitCode> {
    let engine = desk.engine();
    let (shelf, id) = engine.resolve(&args.id)?;
    if !args.yes {
        let says = match engine.show(&args.id) {
            Ok(shelved) => format!(": {}", shelved.memory.summary),
            Err(_) => String::new(),
        };
        let question = format!("Remove {} for good{says}?", id.short());
        match door.out.ask(&question)? {
            Some(true) => {}
            Some(false) => {
                door.out.note("nothing was removed");
                return Ok(ExitCode::SUCCESS);
            }
            None => {
                return Err(Failure::invalid("removing for good needs a yes")
                    .hint(format!("`oldhand forget {} --now --yes`", args.id))
                    .into());
            }
        }
    }
    let taught_by = engine
        .show(&args.id)
        .map(|shelved| shelved.memory.provenance)
        .unwrap_or_default();
    erase_any(&engine, &args.id, desk)?;
    desk.forget_meaning(shelf, id, &door.out);
    edit::remove_leftovers(&door.environment.home, id)?;
    if door.out.is_json() {
        door.out.json(&ErasedView {
            id,
            outcome: "erased",
        })?;
    } else {
        use std::io::Write as _;
        writeln!(door.out, "erased {}", id.short())?;
        for session in taught_by {
            door.out.hint(&format!(
                "session {session} taught it and will not again; `oldhand session discard {session}` removes what it said"
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A memory that is too damaged to be read can still be removed.
fn erase_any(engine: &Engine<'_>, given: &str, desk: &Desk) -> Result<(), EngineError> {
    match engine.erase(given, desk.sessions()) {
        Err(EngineError::Store(error)) if error.kind() == ErrorKind::Damaged => match error {
            StoreError::DamagedMemory(_) => engine.erase_damaged(given).map(|_| ()),
            other => Err(other.into()),
        },
        other => other.map(|_| ()),
    }
}
