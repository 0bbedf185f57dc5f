//! A bar for work that takes longer than a moment, on a terminal only.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is done sooner shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

pub(crate) struct Progress {
    bar: ProgressBar,
    doing: &'static str,
    since: Instant,
}

impl Progress {
    pub(crate) fn new(doing: &'static str, total: usize) -> Self {
        Self {
            bar: ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden()),
            doing,
            since: Instant::now(),
        }
    }

    /// Says how much is done so far.
    pub(crate) fn reach(&self, done: usize) {
        if self.bar.is_hidden() && self.since.elapsed() >= PATIENCE {
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")
                .expect("the template is valid");
            self.bar.set_style(style);
            self.bar.set_message(self.doing);
            // Draws nothing where standard error is not a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(done as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
