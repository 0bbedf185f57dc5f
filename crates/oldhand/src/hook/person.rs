//! Why there is silence, for a person who tries a hook at a terminal: agents hold the other end of pipes.

use std::io::{IsTerminal as _, Write as _, stderr, stdin};

pub(super) fn tell(why: &str) {
    if stderr().is_terminal() || stdin().is_terminal() {
        // Nobody is left to be told that standard error is closed.
        let _ = writeln!(stderr(), "note: silence: {why}");
    }
}

/// Says it where there is nothing.
pub(super) fn or_tell<T>(found: Option<T>, why: &str) -> Option<T> {
    if found.is_none() {
        tell(why);
    }
    found
}

/// Whoever types at this has no payload to give yet.
pub(super) fn tell_what_is_awaited() {
    if stdin().is_terminal() {
        let _ = writeln!(
            stderr(),
            "note: a payload is read from standard input: `oldhand hook AGENT < payload.json`"
        );
    }
}
