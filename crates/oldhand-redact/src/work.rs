//! Counts the bytes that rules look at, so that a test can hold them to linear work without a clock.
//!
//! Outside of tests it does nothing and costs nothing.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static SPENT: Cell<usize> = const { Cell::new(0) };
}

/// Notes that `bytes` were looked at.
#[inline]
pub(crate) fn note(bytes: usize) {
    #[cfg(test)]
    SPENT.with(|spent| spent.set(spent.get() + bytes));
    #[cfg(not(test))]
    let _ = bytes;
}

#[cfg(test)]
pub(crate) fn start() {
    SPENT.with(|spent| spent.set(0));
}

#[cfg(test)]
pub(crate) fn spent() -> usize {
    SPENT.with(Cell::get)
}
