//! The graph and the words of a project that a server keeps open between two questions, for as long as it is known that nothing changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use oldhand_code::concordance::Concordance;
use oldhand_code::index::{Index, Options};

use super::stillness::{Mark, Stillness};
use super::{Standing, WORDS, folder, open_index_as_it_stands, open_words, options};
use crate::desk::Desk;
use crate::out::Out;

/// How many projects are kept.
const MOST: usize = 2;
/// What changes without being told (on a disk of another machine, say) is found after so long.
const TRUSTED: Duration = Duration::from_mins(1);

/// The watches of this process.
static WATCHES: Mutex<Vec<Weak<Stillness>>> = Mutex::new(Vec::new());
/// The latest last.
static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// What questions about code are answered from.
#[derive(Clone)]
pub(super) struct Code {
    pub(super) index: Arc<Index>,
    pub(super) words: Arc<Concordance>,
    /// Whether no file was looked at for it.
    pub(super) is_kept: bool,
}

struct Kept {
    root: PathBuf,
    folder: PathBuf,
    options: Options,
    mark: Mark,
    looked: Instant,
    written: Vec<Option<SystemTime>>,
    code: Code,
}

/// Takes note of a watch for as long as it lasts.
pub(super) fn listen(stillness: &Arc<Stillness>) {
    let mut watches = WATCHES.lock().unwrap_or_else(PoisonError::into_inner);
    watches.retain(|watch| watch.strong_count() > 0);
    watches.push(Arc::downgrade(stillness));
}

/// The graph and the words as the tree is now: as they are kept where nothing changed, else brought up to date.
pub(super) fn open(desk: &Desk, out: &Out) -> Result<Code> {
    let root = &desk.location.root;
    // Taken before anything is looked at, so that what changes in between is seen the next time.
    let mark = mark(root);
    let (folder, options) = (folder(desk)?, options(desk));
    if let Some(mark) = mark {
        let is_same = |kept: &&Kept| {
            (&kept.root, &kept.folder, &kept.options, kept.mark) == (root, &folder, &options, mark)
                && kept.looked.elapsed() < TRUSTED
                && kept.written == written(root, &folder)
        };
        let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = kept.iter().find(is_same) {
            return Ok(same.code.clone());
        }
    }
    let (index, standing) = open_index_as_it_stands(desk, out)?;
    let code = Code {
        index: Arc::new(index),
        words: Arc::new(open_words(desk)?),
        is_kept: false,
    };
    if let (Some(mark), Standing::Current) = (mark, standing) {
        let index = Arc::clone(&code.index);
        // Where there is no thread for it, each name is looked at for each question.
        let _ = thread::Builder::new().spawn(move || index.keep_names());
        forget(root);
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == MOST {
            kept.remove(0);
        }
        kept.push(Kept {
            root: root.clone(),
            written: written(root, &folder),
            folder,
            options,
            mark,
            looked: Instant::now(),
            code: Code {
                is_kept: true,
                ..code.clone()
            },
        });
    }
    Ok(code)
}

/// Keeps nothing of the tree at `root` any more.
pub(super) fn forget(root: &Path) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.retain(|one| one.root != root);
}

fn mark(root: &Path) -> Option<Mark> {
    let watches = WATCHES.lock().unwrap_or_else(PoisonError::into_inner);
    let watches: Vec<Arc<Stillness>> = watches.iter().filter_map(Weak::upgrade).collect();
    let watch = watches.into_iter().find(|watch| watch.root == root)?;
    watch.mark()
}

/// When the graph and the words were last written: another process may have read the tree otherwise.
fn written(root: &Path, folder: &Path) -> Vec<Option<SystemTime>> {
    let files = [Index::snapshot_path(root, folder), folder.join(WORDS)];
    let times = files.iter().map(fs::metadata);
    times
        .map(|file| file.and_then(|file| file.modified()).ok())
        .collect()
}
