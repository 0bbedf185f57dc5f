//! The end of a hook's patience with itself: an agent waits for its hooks, so they end in time whatever happens.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a hook may take where nothing else is set.
const USUAL: Duration = Duration::from_millis(100);
/// How long an answer that has begun may take to leave.
const LAST_WORDS: Duration = Duration::from_secs(1);

const WORKING: u8 = 0;
const ANSWERING: u8 = 1;
const LATE: u8 = 2;

/// Ends the process with success and without a word when its time is over.
pub(super) struct Deadline {
    shared: Arc<Shared>,
}

struct Shared {
    started: Instant,
    /// In milliseconds since the start.
    limit: AtomicU64,
    state: AtomicU8,
}

impl Deadline {
    /// Begins with what the environment allows: settings are read while the time runs.
    pub(super) fn start(told: Option<Duration>) -> Self {
        let shared = Arc::new(Shared {
            started: Instant::now(),
            limit: AtomicU64::new(told.unwrap_or(USUAL).as_millis() as u64),
            state: AtomicU8::new(WORKING),
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

    /// Whether there is still time to answer. From then on the answer is not cut off.
    pub(super) fn begin_to_answer(&self) -> bool {
        self.shared
            .state
            .compare_exchange(WORKING, ANSWERING, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }
}

impl Shared {
    fn watch(&self) {
        loop {
            let limit = Duration::from_millis(self.limit.load(Ordering::Relaxed));
            match limit.checked_sub(self.started.elapsed()) {
                // In short naps, because the limit may be set while one is taken.
                Some(left) if !left.is_zero() => std::thread::sleep(left.min(USUAL / 10)),
                _ => break,
            }
        }
        let late = self
            .state
            .compare_exchange(WORKING, LATE, Ordering::AcqRel, Ordering::Acquire);
        if late.is_err() {
            std::thread::sleep(LAST_WORDS);
        }
        end();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the thread that would return an exit code is the one that is stuck"
)]
fn end() -> ! {
    std::process::exit(0)
}
