//! What the files of a task are guessed from: the graph, the words and the history of a tree. Nearly always all three are as they were left, which is
//! found out by a thread of its own while memories are asked.

use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use anyhow::Result;
use oldhand_code::concordance::Concordance;
use oldhand_code::history::log::History;
use oldhand_code::index::{Index, Options};

use super::history::Reading;
use crate::desk::Desk;
use crate::out::{Out, Waiting};

pub(crate) struct Ground {
    pub(crate) index: Index,
    pub(crate) words: Concordance,
    pub(crate) history: History,
}

impl Ground {
    /// Brings all of it up to date.
    pub(crate) fn refresh(desk: &Desk, out: &Out) -> Result<Self> {
        Ok(Self {
            index: super::refresh_index(desk, out)?,
            words: super::open_words(desk)?,
            history: super::read_history(desk, out)?,
        })
    }
}

/// A look at the tree that is under way.
pub(crate) struct Looking {
    folder: PathBuf,
    thread: JoinHandle<Option<Looked>>,
}

struct Looked {
    index: Index,
    words: Concordance,
    history: Reading,
}

impl Looking {
    /// Begins to compare the tree with what was read of it. `None` where nothing was, or where there is no thread for it.
    pub(crate) fn start(desk: &Desk) -> Option<Self> {
        let (root, folder) = (desk.location.root.clone(), super::folder(desk).ok()?);
        let options = super::options(desk);
        if !Index::snapshot_path(&root, &folder).exists() {
            return None;
        }
        let state = folder.clone();
        let thread = thread::Builder::new().spawn(move || look(&root, &state, &options));
        Some(Self {
            folder,
            thread: thread.ok()?,
        })
    }

    /// What there is, where the graph is as the tree is now. Else it has to be brought up to date, and memories with it.
    pub(crate) fn end(self, out: &Out) -> Option<Ground> {
        let _waiting =
            (!self.thread.is_finished()).then(|| Waiting::new("looking through folders"));
        let looked = self.thread.join().ok()??;
        Some(Ground {
            index: looked.index,
            words: looked.words,
            history: looked.history.keep(&self.folder, out),
        })
    }
}

fn look(root: &Path, folder: &Path, options: &Options) -> Option<Looked> {
    let index = Index::open(root, folder, options)?;
    if Index::is_being_written(root, folder) || !index.drift().is_empty() {
        return None;
    }
    let (words, _) =
        Concordance::refresh(root, &folder.join(super::WORDS), options.threads).ok()?;
    Some(Looked {
        index,
        words,
        history: Reading::of(root, folder),
    })
}
