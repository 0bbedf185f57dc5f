//! Waiting for other processes: naps of random length, up to a limit.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How long a call waits for other processes before it says the database is busy.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// After this long, whoever asked to be told is told.
const UNNOTICED: Duration = Duration::from_secs(1);
const FIRST_NAP_MICROSECONDS: u64 = 500;
const LONGEST_NAP_MICROSECONDS: u64 = 20_000;

static TELL: OnceLock<fn()> = OnceLock::new();
static TOLD: AtomicBool = AtomicBool::new(false);

/// Has `tell` called when this process waits for another one longer than a moment; once, however often it waits.
pub fn tell_of_waiting(tell: fn()) {
    // The first one who asks is told; there is one door per process.
    let _ = TELL.set(tell);
}

/// Naps are random, so that waiting processes do not all wake up at once.
pub(super) struct Patience {
    random: RandomState,
    limit: Duration,
    naps: u32,
    waited: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self::of(LONGEST_WAIT)
    }
}

impl Patience {
    pub(super) fn of(limit: Duration) -> Self {
        Self {
            random: RandomState::new(),
            limit,
            naps: 0,
            waited: Duration::ZERO,
        }
    }

    /// Sleeps a little. `false`, at once, when the limit is reached.
    pub(super) fn nap(&mut self) -> bool {
        if self.waited >= self.limit {
            return false;
        }
        let longest = LONGEST_NAP_MICROSECONDS.min(FIRST_NAP_MICROSECONDS << self.naps.min(10));
        let nap = Duration::from_micros(100 + self.random.hash_one(self.naps) % longest);
        thread::sleep(nap);
        self.naps += 1;
        self.waited += nap;
        if self.waited >= UNNOTICED
            && let Some(tell) = TELL.get()
            && !TOLD.swap(true, Ordering::Relaxed)
        {
            tell();
        }
        true
    }

    /// For SQLite, which asks once per lock it does not get.
    pub(super) fn handler(limit: Duration) -> impl FnMut(i32) -> bool + Send + 'static {
        let mut patience = Self::of(limit);
        move |attempt| {
            if attempt == 0 {
                patience = Self::of(limit);
            }
            patience.nap()
        }
    }

    pub(super) const fn longest() -> Duration {
        LONGEST_WAIT
    }
}
