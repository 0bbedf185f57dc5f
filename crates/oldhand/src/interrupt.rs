//! Ctrl-C: the process ends at once, says so, and leaves nothing half-written.

use std::io::Write;

/// What shells expect from a process that was interrupted.
const INTERRUPTED: i32 = 130;

/// From now on an interruption is answered with `what_stays`, in words that follow "interrupted: ".
pub(crate) fn watch(what_stays: &'static str) {
    watch_as(move || what_stays);
}

/// The same, where the words hang on how far the work is.
///
/// Ending at once is safe: a transaction that was not committed is rolled back by whoever opens the database next,
/// and files are written beside their place and renamed.
pub(crate) fn watch_as(what_stays: impl Fn() -> &'static str + Send + 'static) {
    let watching = ctrlc::set_handler(move || {
        // Nobody is left to be told that standard error is closed.
        let _ = writeln!(std::io::stderr(), "\ninterrupted: {}", what_stays());
        #[allow(
            clippy::disallowed_methods,
            reason = "the main thread may be waiting for input or for the disk and cannot return a code"
        )]
        std::process::exit(INTERRUPTED);
    });
    // Without the handler an interruption ends the process all the same, without words.
    drop(watching);
}
