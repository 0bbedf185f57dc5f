//! `oldhand show`: one memory, whole.

use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use crate::card;
use crate::desk::Desk;
use crate::failure::Failure;
use crate::sessions::Sessions;
use crate::sessions::trace::Trail;
use crate::view::memory::{MemoryView, ShownView};

/// Show one memory with all that is known about it
///
/// What a session taught is traced back to the events in it that did, as long as its journal is there.
///
/// An id may be given in full, as the short id that lists show, or as the beginning of either.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand show 8f1c22a0
  oldhand show 8f1c --json")]
pub(crate) struct Args {
    id: String,
}

/// Who gives the id of a session means what it taught.
fn or_a_session(error: anyhow::Error, desk: &Desk, given: &str) -> anyhow::Error {
    if Sessions::of(desk).is_ok_and(|sessions| sessions.resolve(given).is_ok()) {
        return Failure::not_found(format!("`{given}` is a session, not a memory"))
            .hint(format!(
                "`oldhand session show {given}` shows what it taught"
            ))
            .into();
    }
    error
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let open = |purpose| Desk::open(&door.environment, purpose, &door.out);
    let (desk, (shelved, trail)) = Desk::glance(&door.out, open, |desk| {
        desk.tell_look_alikes(&door.environment, &door.out)?;
        let shown = desk.engine().show(&args.id);
        let shelved = shown.map_err(|error| or_a_session(error.into(), desk, &args.id))?;
        // A memory that no session taught has nothing to tell of them.
        let trail = match Sessions::of(desk) {
            Ok(sessions) if door.out.is_json() => Trail {
                lessons: sessions.lessons(&shelved.memory)?,
                more: 0,
            },
            Ok(sessions) => sessions.trail(&shelved.memory)?,
            Err(_) => Trail::default(),
        };
        Ok((shelved, trail))
    })?;
    if door.out.is_json() {
        door.out.json(&ShownView {
            memory: MemoryView::of(&shelved, desk.now),
            learned_from: trail.lessons,
        })?;
    } else {
        card::whole(&mut door.out, &shelved, desk.now)?;
        card::trail(&mut door.out, &trail)?;
    }
    Ok(ExitCode::SUCCESS)
}
