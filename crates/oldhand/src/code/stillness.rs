//! Whether anything changed in a tree that is watched: known at the moment of the question, without a look at every file.
//!
//! What the system tells comes a moment after it happened. So a file of our own is made beside the tree's state and heard of in turn: whatever
//! was changed before has then been heard, too.

use std::fs::{self, File};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, LazyLock, Mutex, PoisonError};
use std::time::Duration;

/// An echo that takes longer is not waited for: the tree is looked at instead.
const LONGEST: Duration = Duration::from_millis(50);
/// Nobody waits for an echo that is older.
const LOST: Duration = Duration::from_mins(1);

/// What a watch has heard.
#[derive(Debug)]
pub(super) struct Stillness {
    pub(super) root: PathBuf,
    /// The folder in which echoes are made.
    pub(super) echoes: PathBuf,
    number: u64,
    /// Which folders the two are: others may come in their places.
    places: [Option<Place>; 2],
    /// How many changes were told, and how many of them the watch has worked off.
    heard: AtomicU64,
    settled: AtomicU64,
    hears_all: AtomicBool,
    gave_up: AtomicBool,
    /// The last echo that was heard.
    echoed: Mutex<u64>,
    came: Condvar,
}

/// Stays the same as long as nothing changes in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    watch: u64,
    heard: u64,
}

fn next() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

impl Stillness {
    pub(super) fn new(root: &Path, echoes: &Path) -> Self {
        Self {
            root: root.to_owned(),
            echoes: echoes.to_owned(),
            number: next(),
            places: [place(root), place(echoes)],
            heard: AtomicU64::new(0),
            settled: AtomicU64::new(0),
            hears_all: AtomicBool::new(false),
            gave_up: AtomicBool::new(false),
            echoed: Mutex::new(0),
            came: Condvar::new(),
        }
    }

    /// Whether every folder is listened to from now on.
    pub(super) fn listen(&self, to_all: bool) {
        self.hears_all.store(to_all, Ordering::SeqCst);
    }

    /// This watch hears not everything and never will again; another one may.
    pub(super) fn give_up(&self) {
        self.gave_up.store(true, Ordering::SeqCst);
    }

    pub(super) fn gave_up(&self) -> bool {
        self.gave_up.load(Ordering::SeqCst)
    }

    pub(super) fn hear(&self) {
        self.heard.fetch_add(1, Ordering::SeqCst);
    }

    /// So many more changes were worked off: folders that came with them are listened to.
    pub(super) fn settle(&self, changes: u64) {
        self.settled.fetch_add(changes, Ordering::SeqCst);
    }

    /// Whether all of `paths` are of the folder of echoes; those that were waited for are answered.
    pub(super) fn is_echo(&self, paths: &[PathBuf]) -> bool {
        let own = paths
            .iter()
            .filter(|path| path.parent() == Some(&self.echoes));
        let mut count = 0;
        for path in own {
            count += 1;
            let name = path.file_name().and_then(|name| name.to_str());
            if let Some(number) = name.and_then(number_of) {
                let mut last = self.echoed.lock().unwrap_or_else(PoisonError::into_inner);
                *last = number.max(*last);
                self.came.notify_all();
            }
        }
        count > 0 && count == paths.len()
    }

    /// Nothing where it is not known whether anything changed.
    pub(super) fn mark(&self) -> Option<Mark> {
        let is_listening = || self.hears_all.load(Ordering::SeqCst) && !self.gave_up();
        // Of a folder that a process is in, or reads from, the system does not tell that it went.
        if self.places != [place(&self.root), place(&self.echoes)] {
            self.give_up();
        }
        if !is_listening() || !self.wait_for_echo() {
            return None;
        }
        let heard = self.heard.load(Ordering::SeqCst);
        let is_settled = self.settled.load(Ordering::SeqCst) == heard;
        (is_listening() && is_settled).then_some(Mark {
            watch: self.number,
            heard,
        })
    }

    /// Takes away echoes of processes that were ended before they could.
    pub(super) fn sweep(&self) {
        for entry in fs::read_dir(&self.echoes).into_iter().flatten().flatten() {
            let is_echo = entry.file_name().as_encoded_bytes().starts_with(b"echo.");
            let made = entry.metadata().and_then(|file| file.modified());
            let age = made.ok().and_then(|made| made.elapsed().ok());
            if is_echo && age.is_some_and(|age| age > LOST) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Makes a file and waits until it was heard of.
    fn wait_for_echo(&self) -> bool {
        let number = next();
        let path = self.echoes.join(name_of(number));
        if File::create(&path).is_err() {
            self.give_up();
            return false;
        }
        let is_removed = fs::remove_file(&path).is_ok();
        let last = self.echoed.lock().unwrap_or_else(PoisonError::into_inner);
        let heard = self
            .came
            .wait_timeout_while(last, LONGEST, |last| *last < number);
        let (last, _) = heard.unwrap_or_else(PoisonError::into_inner);
        is_removed && *last >= number
    }
}

/// The device and the number by which the system knows a folder.
type Place = (u64, u64);

#[cfg(unix)]
fn place(folder: &Path) -> Option<Place> {
    use std::os::unix::fs::MetadataExt as _;
    let folder = fs::metadata(folder).ok()?;
    Some((folder.dev(), folder.ino()))
}

#[cfg(not(unix))]
fn place(_: &Path) -> Option<Place> {
    None
}

/// No other process has an echo of this name; two in containers may have the same id.
fn name_of(number: u64) -> String {
    format!("{}{number}", *OWN)
}

fn number_of(name: &str) -> Option<u64> {
    name.strip_prefix(OWN.as_str())?.parse().ok()
}

static OWN: LazyLock<String> = LazyLock::new(|| {
    let chance = RandomState::new().build_hasher().finish();
    format!("echo.{}.{chance:x}.", process::id())
});
