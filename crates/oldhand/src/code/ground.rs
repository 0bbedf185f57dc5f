//! What the files of a task are guessed from: the graph, the words and the history of a tree. Nearly always all three are as they were left, which is
//! found out by a thread of its own while the databases are opened and memories are asked.

use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use anyhow::Result;
use oldhand_code::concordance::Concordance;
use oldhand_code::history::log::History;
use oldhand_code::index::{Index, Options};

use super::history::Reading;
use crate::config::Settings;
use crate::desk::Desk;
use crate::out::{Out, Waiting};
use crate::processors::spawn_beside;
use crate::project::{Location, Project};

/// A tree with fewer files is gone through sooner than a thread is started.
const FEW_FILES: usize = 200;

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

/// A look at the tree that is under way, and what is made of it.
pub(crate) struct Looking<T> {
    folder: PathBuf,
    thread: JoinHandle<Option<Looked<T>>>,
}

struct Looked<T> {
    ground: Ground,
    /// Whether more was read of the history than is kept.
    has_news: bool,
    made: T,
}

impl<T: Send + 'static> Looking<T> {
    /// Begins to compare the tree with what was read of it, and to do `make` with that where both are the same. `None` where nothing was read, where
    /// there is no database, or no thread for it.
    pub(crate) fn start(
        project: &Project,
        settings: &Settings,
        make: impl FnOnce(&Ground) -> T + Send + 'static,
    ) -> Option<Self> {
        let location = project.location.clone();
        let (folder, settings) = (super::folder_in(&project.directory), settings.clone());
        if !Index::snapshot_path(&location.root, &folder).exists() || !project.database().exists() {
            return None;
        }
        let state = folder.clone();
        let look = move || {
            let (ground, has_news) = look(&location, &state, &super::options_of(&settings))?;
            let made = make(&ground);
            Some(Looked {
                ground,
                has_news,
                made,
            })
        };
        let thread = spawn_beside(look);
        Some(Self {
            folder,
            thread: thread.ok()?,
        })
    }

    /// What there is, where the graph is as the tree is now. Else it has to be brought up to date, and memories with it.
    pub(crate) fn end(self, out: &Out) -> Option<(Ground, T)> {
        let _waiting =
            (!self.thread.is_finished()).then(|| Waiting::new("looking through folders"));
        let looked = self.thread.join().ok()??;
        if looked.has_news {
            super::history::keep(&looked.ground.history, &self.folder, out);
        }
        Some((looked.ground, looked.made))
    }
}

fn look(location: &Location, folder: &Path, options: &Options) -> Option<(Ground, bool)> {
    let root = &location.root;
    let index = Index::open(root, folder, options)?;
    if Index::is_being_written(root, folder) {
        return None;
    }
    let read_words = || Concordance::refresh(root, &folder.join(super::WORDS), options.threads);
    let has_drifted = || !index.drift().is_empty();
    // A large tree is gone through twice at the same time: for the graph and for the words.
    let is_large = options.threads > 1 && index.snapshot().files().count() > FEW_FILES;
    let (words, has_drifted) = thread::scope(|scope| {
        let other = is_large.then(|| thread::Builder::new().spawn_scoped(scope, read_words));
        let has_drifted = has_drifted();
        let words = match other.and_then(Result::ok) {
            Some(other) => other.join().ok()?.ok()?,
            None if has_drifted => return None,
            None => read_words().ok()?,
        };
        Some((words.0, has_drifted))
    })?;
    if has_drifted {
        return None;
    }
    let Reading { history, has_news } = Reading::up_to_head(location, folder);
    let ground = Ground {
        index,
        words,
        history,
    };
    Some((ground, has_news))
}
