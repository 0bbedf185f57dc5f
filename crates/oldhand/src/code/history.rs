//! The project's history, read on from where it was last read.

use std::fs;
use std::ops::ControlFlow;

use anyhow::Result;
use oldhand_code::history::Gap;
use oldhand_code::history::log::History;
use oldhand_code::history::read::{self, ReadOptions};

use crate::desk::Desk;
use crate::file::{create_private_dir, write_atomically};
use crate::out::time::count;
use crate::out::{Out, Waiting};

/// What it is kept in.
pub(super) const FILE: &str = "history.bin";
/// What changed together longer ago than this many commits says little about today.
const MOST_COMMITS: usize = 50_000;

/// Everything git knows, as of now. A history that cannot be kept is read anew each time, and the note says why.
pub(crate) fn read(desk: &Desk, out: &Out) -> Result<History> {
    let folder = super::folder(desk)?;
    let path = folder.join(FILE);
    let known = fs::read(&path)
        .ok()
        .and_then(|bytes| History::from_bytes(&bytes));
    let before = known
        .as_ref()
        .and_then(|known| known.tip().map(str::to_owned));
    let _waiting = Waiting::new("reading the history");
    let options = ReadOptions {
        commit_limit: MOST_COMMITS,
        progress: &mut |_| ControlFlow::Continue(()),
    };
    let history = read::read(&desk.location.root, known, options);
    if history.tip().is_some() && history.tip() != before.as_deref() {
        let written =
            create_private_dir(&folder).and_then(|()| write_atomically(&path, &history.to_bytes()));
        if let Err(error) = written {
            out.note(&format!("the history is not kept: {error}"));
        }
    }
    Ok(history)
}

/// A gap as a person would say it.
pub(crate) fn describe_gap(gap: &Gap) -> String {
    match gap {
        Gap::NoRepository => "there is no git repository here".to_owned(),
        Gap::Unborn => "nothing is committed yet".to_owned(),
        Gap::Shallow => "the clone is shallow: what is older is not here".to_owned(),
        Gap::Submodules { count: number } => {
            format!("the history of {} is not read", count(*number, "submodule"))
        }
        Gap::Capped { commits } => {
            format!("only the newest {} were read", count(*commits, "commit"))
        }
        Gap::Unreadable { what, why } => format!("{what} could not be read: {why}"),
        _ => "the history is not whole".to_owned(),
    }
}
