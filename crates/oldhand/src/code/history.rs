//! The project's history, read on from where it was last read.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

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
    let _waiting = Waiting::new("reading the history");
    Ok(Reading::of(&desk.location.root, &folder).keep(&folder, out))
}

/// A history as it was read, and whether that is more than was kept.
pub(super) struct Reading {
    history: History,
    has_news: bool,
}

impl Reading {
    /// Reads the history of the tree at `root` on from what is kept in `folder`.
    pub(super) fn of(root: &Path, folder: &Path) -> Self {
        let known = fs::read(folder.join(FILE))
            .ok()
            .and_then(|bytes| History::from_bytes(&bytes));
        let before = known
            .as_ref()
            .and_then(|known| known.tip().map(str::to_owned));
        let options = ReadOptions {
            commit_limit: MOST_COMMITS,
            progress: &mut |_| ControlFlow::Continue(()),
        };
        let history = read::read(root, known, options);
        let has_news = history.tip().is_some() && history.tip() != before.as_deref();
        Self { history, has_news }
    }

    pub(super) fn keep(self, folder: &Path, out: &Out) -> History {
        let Self { history, has_news } = self;
        if has_news {
            let written = create_private_dir(folder)
                .and_then(|()| write_atomically(&folder.join(FILE), &history.to_bytes()));
            if let Err(error) = written {
                out.note(&format!("the history is not kept: {error}"));
            }
        }
        history
    }
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
