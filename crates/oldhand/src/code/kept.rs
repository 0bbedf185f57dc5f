//! The graph and the words of a project that a server keeps open between two questions, for as long as it is known that nothing changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use oldhand_code::concordance::Concordance;
use oldhand_code::index::{Index, Options};
use oldhand_domain::port::Embedder;
use oldhand_embed::{MODELS, Remembering};

use super::stillness::{Mark, Stillness};
use super::{Standing, WORDS, folder, open_index_as_it_stands, open_words, options};
use crate::desk::Desk;
use crate::out::Out;

/// What changes without being told (on a disk of another machine, say) is found after so long.
const TRUSTED: Duration = Duration::from_mins(1);

/// The most bytes that a model remembers of pieces of code. docs/decisions/0010
const REMEMBERED: usize = 64 << 20;

/// The watches of this process.
static WATCHES: Mutex<Vec<Weak<Stillness>>> = Mutex::new(Vec::new());
/// Of the project that was last asked about.
static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

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

impl Code {
    /// As `model`, which remembers what it read where somebody asks again and again.
    pub(super) fn embedder(&self, model: &'static dyn Embedder) -> &'static dyn Embedder {
        static REMEMBERING: LazyLock<[Remembering; 2]> =
            LazyLock::new(|| MODELS.map(|model| Remembering::new(model, REMEMBERED)));
        if !self.is_kept {
            return model;
        }
        let same = REMEMBERING.iter().find(|one| one.model() == model.model());
        same.map_or(model, |same| same)
    }
}

/// Takes note of a watch for as long as it lasts.
pub(super) fn listen(stillness: &Arc<Stillness>) {
    let mut watches = lock(&WATCHES);
    watches.retain(|watch| watch.strong_count() > 0);
    watches.push(Arc::downgrade(stillness));
}

/// The graph and the words as the tree is now: as they are kept where nothing changed, else brought up to date.
pub(super) fn open(desk: &Desk, out: &Out) -> Result<Code> {
    let root = &desk.location.root;
    // Taken before anything is looked at, so that what changes in between is seen the next time.
    let mark = mark(root);
    let (folder, options) = (folder(desk)?, options(desk));
    let written = written(root, &folder);
    if let Some(mark) = mark {
        let is_same = |kept: &&Kept| {
            (&kept.root, &kept.folder, &kept.options, kept.mark) == (root, &folder, &options, mark)
                && kept.looked.elapsed() < TRUSTED
                && kept.written == written
        };
        if let Some(same) = lock(&KEPT).as_ref().filter(is_same) {
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
        *lock(&KEPT) = Some(Kept {
            root: root.clone(),
            written,
            folder,
            options,
            mark,
            looked: Instant::now(),
            code: Code {
                is_kept: true,
                ..code.clone()
            },
        });
        let index = Arc::clone(&code.index);
        // Where there is no thread for it, each name is looked at for each question.
        let _ = thread::Builder::new().spawn(move || index.keep_names());
        let_go_in_time();
    }
    Ok(code)
}

/// Keeps nothing that is too old to be trusted: one thread waits for that, however often the tree changes.
fn let_go_in_time() {
    static IS_AWAITED: AtomicBool = AtomicBool::new(false);
    if IS_AWAITED.swap(true, Ordering::SeqCst) {
        return;
    }
    let wait = || {
        loop {
            thread::sleep(TRUSTED);
            let mut kept = lock(&KEPT);
            kept.take_if(|kept| kept.looked.elapsed() >= TRUSTED);
            if kept.is_none() {
                IS_AWAITED.store(false, Ordering::SeqCst);
                return;
            }
        }
    };
    if thread::Builder::new().spawn(wait).is_err() {
        IS_AWAITED.store(false, Ordering::SeqCst);
    }
}

/// Keeps nothing of the tree at `root` any more.
pub(super) fn forget(root: &Path) {
    lock(&KEPT).take_if(|kept| kept.root == root);
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

fn mark(root: &Path) -> Option<Mark> {
    let is_of = |watch: &Arc<Stillness>| watch.root == root && !watch.gave_up();
    // An echo is waited for when others may ask again.
    let watch = lock(&WATCHES).iter().filter_map(Weak::upgrade).find(is_of);
    watch?.mark()
}

/// When the graph and the words were last written: another process may have read the tree otherwise.
fn written(root: &Path, folder: &Path) -> Vec<Option<SystemTime>> {
    let files = [Index::snapshot_path(root, folder), folder.join(WORDS)];
    let times = files.iter().map(fs::metadata);
    times
        .map(|file| file.and_then(|file| file.modified()).ok())
        .collect()
}
