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
use crate::project::{Head, Location};

/// What it is kept in.
pub(super) const FILE: &str = "history.bin";
/// What changed together longer ago than this many commits says little about today.
const MOST_COMMITS: usize = 50_000;

/// Everything git knows, as of now. A history that cannot be kept is read anew each time, and the note says why.
pub(crate) fn read(desk: &Desk, out: &Out) -> Result<History> {
    let folder = super::folder(desk)?;
    let _waiting = Waiting::new("reading the history");
    let Reading { history, has_news } = Reading::on_from(kept(&folder), &desk.location.root);
    if has_news {
        keep(&history, &folder, out);
    }
    Ok(history)
}

/// A history as it was read, and whether that is more than was kept.
pub(super) struct Reading {
    pub(super) history: History,
    pub(super) has_news: bool,
}

impl Reading {
    /// The history of a tree up to the commit that is checked out. One that is kept up to there is taken as it is, without opening the repository, so
    /// that its gaps are those of the day it was read.
    pub(super) fn up_to_head(location: &Location, folder: &Path) -> Self {
        let known = kept(folder);
        let tip = known.as_ref().and_then(History::tip);
        let head = tip.and_then(|_| Head::read(location).commit);
        match known {
            Some(history) if head.is_some_and(|head| history.tip() == Some(head.as_str())) => {
                Self {
                    history,
                    has_news: false,
                }
            }
            known => Self::on_from(known, &location.root),
        }
    }

    /// Reads the history of the tree at `root` on from what is kept.
    fn on_from(known: Option<History>, root: &Path) -> Self {
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
}

/// The history as it was last read, perhaps of before the commit that is checked out: to read on takes longer than a question that keeps nothing may.
pub(super) fn kept(folder: &Path) -> Option<History> {
    let bytes = fs::read(folder.join(FILE)).ok()?;
    History::from_bytes(&bytes)
}

pub(super) fn keep(history: &History, folder: &Path, out: &Out) {
    let written = create_private_dir(folder)
        .and_then(|()| write_atomically(&folder.join(FILE), &history.to_bytes()));
    if let Err(error) = written {
        out.note(&format!("the history is not kept: {error}"));
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

#[cfg(test)]
mod tests {
    use oldhand_testkit::Sandbox;

    use super::*;
    use crate::project::Place;

    #[test]
    fn a_history_that_reaches_the_commit_at_hand_is_taken_without_opening_the_repository() {
        let sandbox = Sandbox::with_repository("unused");
        let (top, folder) = (sandbox.project(), sandbox.root().join("graph"));
        let git = top.join(".git");
        let location = Location {
            place: Place::Git(git.clone()),
            root: top.clone(),
            git_dir: Some(git.clone()),
        };
        let look = || Reading::up_to_head(&location, &folder);
        let first = look();
        assert!(first.has_news);
        keep(&first.history, &folder, &Out::kept());
        let settings = fs::read(git.join("config")).unwrap();
        sandbox.write(".git/config", "[core");
        let again = look();
        assert_eq!((again.history.commit_count(), again.has_news), (1, false));
        assert_eq!(again.history.gaps(), [], "nobody tried to open it");
        fs::write(git.join("config"), settings).unwrap();
        sandbox.git(&top, ["commit", "--quiet", "--allow-empty", "-m", "Go on"]);
        let later = look();
        assert_eq!((later.history.commit_count(), later.has_news), (2, true));
    }
}
