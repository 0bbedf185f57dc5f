//! What it took to learn from a session: memory and time, each with its budget.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How full a scratchpad was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScratchpadUse {
    /// The most bytes of signals it held.
    pub peak_bytes: usize,
    /// How many it may hold.
    pub limit_bytes: usize,
    /// Signals that were given up.
    pub evicted: usize,
}

/// What it took to learn from a session, in millionths of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Took {
    /// To read its journal and fold it.
    pub fold: u64,
    /// To detect, weigh and word what it showed, and to keep that, up to this record.
    pub learn: u64,
}

impl Took {
    /// What both may take together; and the fold of one event.
    pub const BUDGET: Duration = Duration::from_millis(100);
    pub const EVENT_BUDGET: Duration = Duration::from_millis(2);

    pub(super) fn of(fold: Duration, learn: Duration) -> Self {
        let micros = |took: Duration| u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        Self {
            fold: micros(fold),
            learn: micros(learn),
        }
    }

    pub fn whole(self) -> Duration {
        Duration::from_micros(self.fold.saturating_add(self.learn))
    }

    /// What one event took to be folded, on average.
    pub fn event(self, events: u64) -> Duration {
        Duration::from_micros(self.fold.checked_div(events).unwrap_or_default())
    }
}
