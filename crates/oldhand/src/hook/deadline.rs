//! The end of a hook's patience with itself: an agent waits for its hooks, so they end in time whatever happens.
//!
//! What an agent tells is written down however late it is; only the answer to it can be too late.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::{Duration, Instant};

/// How long a hook may take where nothing else is set.
const USUAL: Duration = Duration::from_millis(100);
/// How long a client may take to say what happened. It cannot be waiting for an answer yet; on a crowded machine it has not come
/// to saying it.
const HEARING_OUT: Duration = Duration::from_secs(10);
/// How long writing down what was said may take, counted from when it was heard. It waits for nobody but the disk; one that stalls
/// must not hold up the agent, whose own patience is 5 seconds, and 3 at the end of a session.
const WRITING_IT_DOWN: Duration = Duration::from_millis(2500);
/// How long an answer that has begun may take to leave.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How long it may take to note that an answer came too late, and how much is noted.
pub(super) const NOTING: Duration = Duration::from_millis(20);
const LATE_BYTES: u64 = 64 * 1024;
/// In short naps, because the limit and the state change while one is taken.
const NAP: Duration = Duration::from_millis(10);

/// The client has not said everything yet.
const LISTENING: u8 = 0;
/// What it said is being written down, which takes no lock and waits for nobody but the disk.
const WRITING_DOWN: u8 = 1;
const WORKING: u8 = 2;
const ANSWERING: u8 = 3;
const LATE: u8 = 4;

/// Ends the process with success and without a word when its time is over.
pub(super) struct Deadline {
    shared: Arc<Shared>,
}

struct Shared {
    started: Instant,
    /// In milliseconds since the start.
    limit: AtomicU64,
    /// When the client had said everything, in milliseconds since the start.
    heard: AtomicU64,
    state: AtomicU8,
    /// Where it is written down that an answer came too late, and in which words.
    late: OnceLock<(PathBuf, String)>,
}

impl Deadline {
    /// Begins with what the environment allows: settings are read while the time runs.
    pub(super) fn start(told: Option<Duration>) -> Self {
        let shared = Arc::new(Shared {
            started: Instant::now(),
            limit: AtomicU64::new(told.unwrap_or(USUAL).as_millis() as u64),
            heard: AtomicU64::new(0),
            state: AtomicU8::new(LISTENING),
            late: OnceLock::new(),
        });
        let watched = Arc::clone(&shared);
        // Without a thread to watch it the hook still answers, only without a deadline of its own.
        let _ = std::thread::Builder::new()
            .name("deadline".to_owned())
            .spawn(move || watched.watch());
        Self { shared }
    }

    /// Sets how long this hook may take, counted from its start.
    pub(super) fn allow(&self, limit: Duration) {
        let limit = limit.as_millis() as u64;
        self.shared.limit.store(limit, Ordering::Relaxed);
    }

    /// The client has said everything. From now on nothing is cut off before it is written down, unless the disk stalls.
    pub(super) fn heard(&self) {
        let elapsed = self.shared.started.elapsed().as_millis() as u64;
        self.shared.heard.store(elapsed, Ordering::Relaxed);
        self.shared.step(LISTENING, WRITING_DOWN);
    }

    /// What was said is written down. Whatever follows may be cut off; that it was is noted in the file `late`.
    pub(super) fn written_down(&self, late: PathBuf, words: String) {
        // There is one call in a process.
        let _ = self.shared.late.set((late, words));
        self.shared.step(WRITING_DOWN, WORKING);
    }

    /// Whether there is still time to answer. From then on the answer is not cut off.
    pub(super) fn begin_to_answer(&self) -> bool {
        self.shared.step(WORKING, ANSWERING)
    }
}

impl Shared {
    fn watch(&self) {
        while !self.is_over() {
            std::thread::sleep(NAP);
        }
        if self.state.load(Ordering::Acquire) == LATE
            && let Some((path, words)) = self.late.get()
        {
            note_within(NOTING, path.clone(), words.clone());
        }
        end();
    }

    fn is_over(&self) -> bool {
        let elapsed = self.started.elapsed();
        let limit = Duration::from_millis(self.limit.load(Ordering::Relaxed));
        match self.state.load(Ordering::Acquire) {
            LISTENING => elapsed >= limit.max(HEARING_OUT) && self.step(LISTENING, LATE),
            WRITING_DOWN => {
                let heard = Duration::from_millis(self.heard.load(Ordering::Relaxed));
                elapsed >= limit.max(heard + WRITING_IT_DOWN) && self.step(WRITING_DOWN, LATE)
            }
            WORKING => elapsed >= limit && self.step(WORKING, LATE),
            _ => elapsed >= limit + LAST_WORDS,
        }
    }

    /// Whether the state was `from`, and is `to` now.
    fn step(&self, from: u8, to: u8) -> bool {
        self.state
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }
}

/// Adds a line to a file that stays small, unless the disk takes longer than that: the agent waits.
pub(super) fn note_within(patience: Duration, path: PathBuf, words: String) {
    let (done, noted) = mpsc::channel();
    let write = move || {
        let length = fs::metadata(&path).map_or(0, |about| about.len());
        if length >= LATE_BYTES {
            forget_the_older_half(&path);
        }
        let mut open = fs::OpenOptions::new();
        if let Ok(mut file) = open.append(true).create(true).open(&path) {
            let _ = writeln!(file, "{words}");
        }
        let _ = done.send(());
    };
    if std::thread::Builder::new().spawn(write).is_ok() {
        let _ = noted.recv_timeout(patience);
    }
}

/// What is new must find room: who asks wants to know of the last days.
fn forget_the_older_half(path: &Path) {
    let noted = fs::read(path).unwrap_or_default();
    let newer = &noted[noted.len() / 2..];
    let line = newer.iter().position(|byte| *byte == b'\n');
    let kept = line.map_or(&[][..], |end| &newer[end + 1..]);
    let _ = fs::write(path, kept);
}

#[expect(
    clippy::disallowed_methods,
    reason = "the thread that would return an exit code is the one that is stuck"
)]
fn end() -> ! {
    std::process::exit(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(state: u8) -> Shared {
        started_before(Duration::from_millis(500), state)
    }

    fn started_before(elapsed: Duration, state: u8) -> Shared {
        let long_ago = Instant::now().checked_sub(elapsed);
        Shared {
            started: long_ago.expect("the clock runs for longer than that"),
            limit: AtomicU64::new(100),
            heard: AtomicU64::new(0),
            state: AtomicU8::new(state),
            late: OnceLock::new(),
        }
    }

    #[test]
    fn time_is_over_for_an_answer_and_not_for_what_was_not_written_down_yet() {
        assert!(!shared(LISTENING).is_over());
        assert!(!shared(WRITING_DOWN).is_over());
        assert!(shared(WORKING).is_over());
        assert!(!shared(ANSWERING).is_over(), "it has a second to leave");
        let late = shared(WORKING);
        assert!(late.is_over() && !late.step(WORKING, ANSWERING));
    }

    #[test]
    fn a_disk_that_stalls_holds_up_no_agent() {
        let stalled = started_before(WRITING_IT_DOWN, WRITING_DOWN);
        assert!(stalled.is_over());
        let patient = started_before(WRITING_IT_DOWN, WRITING_DOWN);
        patient.limit.store(60_000, Ordering::Relaxed);
        assert!(!patient.is_over(), "a person allowed more");
        let just_heard = started_before(WRITING_IT_DOWN, WRITING_DOWN);
        just_heard.heard.store(2000, Ordering::Relaxed);
        assert!(
            !just_heard.is_over(),
            "it is counted from when it was heard"
        );
    }

    #[test]
    fn that_an_answer_was_too_late_is_noted_in_a_file_that_stays_small() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("late-hooks");
        let patience = Duration::from_secs(10);
        for _ in 0..2 {
            note_within(
                patience,
                path.clone(),
                "2026-01-15T09:00:00Z Stop".to_owned(),
            );
        }
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2);
        let full: Vec<String> = (0..LATE_BYTES / 8)
            .map(|line| format!("{line:07}\n"))
            .collect();
        fs::write(&path, full.concat()).unwrap();
        note_within(patience, path.clone(), "more".to_owned());
        let noted = fs::read_to_string(&path).unwrap();
        assert!(noted.len() as u64 <= LATE_BYTES / 2 + 8);
        assert!(noted.starts_with("0004097\n"), "{}", &noted[..16]);
        assert!(noted.ends_with("0008191\nmore\n"));
    }
}
