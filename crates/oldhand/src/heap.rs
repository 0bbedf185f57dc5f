//! The heap of a process that answers one question and ends.

use std::ffi::OsStr;

/// What somebody waits for, and what ends with its answer.
const ONE_ANSWER: [&str; 6] = ["hook", "search", "context", "show", "list", "session"];

/// Fits the heap to this command, before anything else runs.
pub(crate) fn fit(command: Option<&OsStr>) {
    if command.is_some_and(|command| ONE_ANSWER.iter().any(|one| command == *one)) {
        keep_until_the_end();
    }
}

/// Lets the heap grow in large steps and be given back by ending. Else the C library returns what is free for a moment, which the system has to fill
/// with zeros again. Each thread keeps a heap of its own: of one for all, two that work at the same time wait for each other at every other word.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn keep_until_the_end() {
    const STEP: libc::c_int = 1 << 20;
    const MOST: libc::c_int = 32 << 20;
    let settings = [
        (libc::M_TOP_PAD, STEP),
        (libc::M_TRIM_THRESHOLD, libc::c_int::MAX),
        (libc::M_MMAP_THRESHOLD, MOST),
    ];
    for (setting, value) in settings {
        // SAFETY: this is the only thread so far. A value that the C library does not take leaves the setting as it was.
        unsafe { libc::mallopt(setting, value) };
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
const fn keep_until_the_end() {}
