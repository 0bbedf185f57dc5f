//! Vectors that a server keeps open between two questions: what it has in its memory once need not be brought there for each of them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::Meaning;

/// How many files are kept open.
const MOST: usize = 4;

/// What is kept, the latest last; `None` where the process ends with its answer.
static KEPT: Mutex<Option<Vec<Kept>>> = Mutex::new(None);

struct Kept {
    vectors: PathBuf,
    stamp: Stamp,
    meaning: Arc<Meaning>,
}

/// By what a file is known to be the one it was: when it was last written, how long it is, and up to which change it follows its store.
#[derive(Clone, Copy, PartialEq)]
struct Stamp(SystemTime, u64, i64);

/// Lets this process keep vectors open from now on.
pub fn keep_open() {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.get_or_insert_default();
}

/// Whether this process keeps vectors open.
pub(super) fn is_kept() -> bool {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.is_some()
}

/// The vectors in a file that follows its store up to `follows`: as they are kept, or as `open` finds them.
pub(super) fn open_or_keep(
    vectors: &Path,
    follows: i64,
    open: impl FnOnce() -> Meaning,
) -> Arc<Meaning> {
    let stamp = || {
        let file = vectors.metadata().ok()?;
        Some(Stamp(file.modified().ok()?, file.len(), follows))
    };
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    // The stamp is taken before the file is opened, so that what is written in between is seen the next time.
    let Some((kept, stamp)) = kept.as_mut().zip(stamp()) else {
        return Arc::new(open());
    };
    let is_same = |one: &&Kept| one.vectors == vectors && one.stamp == stamp;
    if let Some(same) = kept.iter().find(is_same) {
        return Arc::clone(&same.meaning);
    }
    let meaning = Arc::new(open());
    kept.retain(|one| one.vectors != vectors);
    if kept.len() == MOST {
        kept.remove(0);
    }
    kept.push(Kept {
        vectors: vectors.to_owned(),
        stamp,
        meaning: Arc::clone(&meaning),
    });
    meaning
}
