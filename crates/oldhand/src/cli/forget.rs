//! `oldhand forget`: out of sight, or gone for good.

mod project;

use std::process::ExitCode;

use anyhow::Result;
use oldhand_domain::error::{ErrorKind, StoreError};
use oldhand_domain::id::MemoryId;
use oldhand_domain::lifecycle::GRACE_DAYS;
use oldhand_engine::{Engine, EngineError, Shelved, replaced};
use oldhand_store::SqliteStore;

pub(crate) use project::half_removed;

use super::changed::tell;
use super::{Door, edit};
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::out::Out;
use crate::out::time::{ago, count};
use crate::view::receipt::ErasedView;

/// Forget a memory, or a whole project
///
/// It is out of sight at once and can be restored for 30 days. With --now its bytes are removed from the database,
/// its indexes and its backups, and nothing brings it back. What agents said in the sessions that taught it stays in
/// their journals until `oldhand session discard`.
/// With --whole-project nothing more is kept of a project, wherever it is or was: its memories are written to a file
/// that `oldhand import json` takes, then all that Oldhand has of it is removed. Your repository is not touched.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand forget 8f1c22a0
  oldhand forget 8f1c22a0 --now --yes
  oldhand forget --whole-project shop-7a1b1374")]
pub(crate) struct Args {
    #[arg(required_unless_present = "whole_project")]
    id: Option<String>,
    /// Remove the bytes now, for good
    #[arg(long)]
    now: bool,
    /// Remove all that is kept of a project, by a name that `oldhand status --projects` shows
    #[arg(long, value_name = "NAME", conflicts_with_all = ["id", "now"])]
    whole_project: Option<String>,
    /// Do not ask
    #[arg(long, short = 'y')]
    yes: bool,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    if let Some(name) = &args.whole_project {
        return project::run(name, args.yes, door);
    }
    let id = args.id.as_deref().unwrap_or_default();
    let desk = Desk::open(&door.environment, Purpose::Change, &door.out)?;
    if args.now {
        return erase(id, args.yes, &desk, door);
    }
    let forgotten = desk.engine().show(id)?.memory.deleted_since;
    let shelved = desk.engine().forget(id, desk.now)?;
    desk.back_up(&door.out);
    tell(&mut door.out, "forgotten", &shelved, &[], desk.now)?;
    tell_parts(&other_parts(&desk, &shelved), &door.out);
    if !door.out.is_json() {
        let id = shelved.memory.id.short();
        let within = match forgotten {
            Some(since) => {
                let when = ago(since, desk.now);
                door.out.note(&format!("it was forgotten {when} already"));
                "days of then"
            }
            None => "days",
        };
        door.out.hint(&format!(
            "`oldhand restore {id}` brings it back within {GRACE_DAYS} {within}"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn erase(given: &str, yes: bool, desk: &Desk, door: &mut Door) -> Result<ExitCode> {
    let engine = desk.engine();
    let (shelf, id) = engine.resolve(given)?;
    if !yes {
        let says = match engine.show(given) {
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
                    .hint(format!("`oldhand forget {given} --now --yes`"))
                    .into());
            }
        }
    }
    let shelved = engine.show(given).ok();
    let parts = shelved
        .as_ref()
        .map(|shelved| other_parts(desk, shelved))
        .unwrap_or_default();
    let had_replaced = shelved
        .as_ref()
        .map(|shelved| kept_replaced(&engine, shelved));
    let taught_by = shelved
        .map(|shelved| shelved.memory.provenance)
        .unwrap_or_default();
    erase_any(&engine, given, desk)?;
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
        for id in had_replaced.unwrap_or_default() {
            door.out.hint(&format!(
                "`oldhand restore {}` brings back what it had replaced",
                id.short()
            ));
        }
    }
    tell_parts(&parts, &door.out);
    let left = desk.store(shelf).map(SqliteStore::pending_erasure);
    if left.transpose()?.is_some_and(|left| left.contains(&id)) {
        door.out.note(
            "another process is reading: the bytes lie in the database until it is done and the next command comes",
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// The memories that say the rest of the same long text and are still told. What cannot be read is not counted.
fn other_parts(desk: &Desk, shelved: &Shelved) -> Vec<MemoryId> {
    let store = desk.store(shelved.shelf);
    let parts = store.and_then(|store| store.parts_of(shelved.memory.family()).ok());
    let others = parts.unwrap_or_default().into_iter();
    others
        .filter(|part| part.id != shelved.memory.id && part.is_live())
        .map(|part| part.id)
        .collect()
}

/// The memories that this one replaced and that can be brought back. What cannot be read is not counted.
fn kept_replaced(engine: &Engine<'_>, shelved: &Shelved) -> Vec<MemoryId> {
    let is_kept = |id: &MemoryId| {
        let old = engine.show(&id.to_string());
        old.is_ok_and(|old| old.memory.deprecated.is_some() && old.memory.deleted_since.is_none())
    };
    replaced(&shelved.memory).filter(is_kept).collect()
}

fn tell_parts(parts: &[MemoryId], out: &Out) {
    if parts.is_empty() {
        return;
    }
    let stay = if parts.len() == 1 { "stays" } else { "stay" };
    let number = count(parts.len(), "other part");
    out.note(&format!("{number} of the same text {stay}"));
    for id in parts {
        out.hint(&format!("`oldhand forget {}`", id.short()));
    }
}

/// A memory that is too damaged to be read can still be removed.
fn erase_any(engine: &Engine<'_>, given: &str, desk: &Desk) -> Result<(), EngineError> {
    match engine.erase(given, desk.sessions()) {
        Err(EngineError::Store(error)) if error.kind() == ErrorKind::Damaged => match error {
            StoreError::DamagedMemory(_) => {
                engine.erase_damaged(given, desk.sessions()).map(|_| ())
            }
            other => Err(other.into()),
        },
        other => other.map(|_| ()),
    }
}
