//! A bar for work that takes longer than a moment, on a terminal only.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::job;

/// Work that is done sooner shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// Work whose steps can be counted.
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
        let total = self.bar.length().unwrap_or_default();
        job::reach(self.doing, done, total as usize);
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

/// Work that takes as long as it takes: something turns until this is dropped.
pub(crate) struct Waiting {
    turning: Option<(Sender<()>, thread::JoinHandle<()>)>,
}

impl Waiting {
    pub(crate) fn new(doing: &'static str) -> Self {
        if !io::stderr().is_terminal() {
            return Self { turning: None };
        }
        let (done, until_done) = mpsc::channel();
        let turn = move || {
            if until_done.recv_timeout(PATIENCE) != Err(mpsc::RecvTimeoutError::Timeout) {
                return;
            }
            let spinner = ProgressBar::new_spinner().with_message(doing);
            spinner.enable_steady_tick(TICK);
            // An error means that the sender is gone, which is the same news.
            let _ = until_done.recv();
            spinner.finish_and_clear();
        };
        // Where there is no thread for it, nothing turns.
        let turning = thread::Builder::new().spawn(turn).ok();
        Self {
            turning: turning.map(|turning| (done, turning)),
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((done, turning)) = self.turning.take() {
            drop(done);
            // The line must be clean before the answer is printed; a thread that panicked has cleaned nothing more.
            let _ = turning.join();
        }
    }
}
