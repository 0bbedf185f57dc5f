//! `oldhand session discard`: a session that should not have been watched.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_domain::session::{SessionStore as _, Tombstone};

use crate::cli::Door;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::sessions::Sessions;
use crate::view::session::DiscardedView;

/// Remove a session's journal and record; memories it taught stay until they are forgotten
///
/// It is not learned from again, also where its agent keeps a transcript: only `oldhand import transcripts FILE` brings it back.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The session, or the beginning of its id
    id: String,
    /// Do not ask
    #[arg(long, short = 'y')]
    yes: bool,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Change, &door.out)?;
    let sessions = Sessions::of(&desk)?;
    let known = sessions.resolve(&args.id)?;
    if !args.yes {
        match door
            .out
            .ask(&format!("Remove all that is kept of session {}?", known.id))?
        {
            Some(true) => {}
            Some(false) => {
                door.out.note("nothing was removed");
                return Ok(ExitCode::SUCCESS);
            }
            None => {
                return Err(Failure::invalid("removing a session needs a yes")
                    .hint(format!("`oldhand session discard {} --yes`", args.id))
                    .into());
            }
        }
    }
    let _lock = sessions.lock()?;
    // First, or a transcript that is read meanwhile would bring it back.
    sessions.store.bury(&[Tombstone::of_session(&known.id)])?;
    sessions.live.remove(&known.id)?;
    sessions.imported.remove(&known.id)?;
    desk.engine().remove_session(&known.id, sessions.store)?;
    if door.out.is_json() {
        door.out.json(&DiscardedView {
            id: known.id.as_str(),
            outcome: "discarded",
        })?;
    } else {
        writeln!(door.out, "discarded {}", known.id)?;
    }
    Ok(ExitCode::SUCCESS)
}
