//! Sharing out work over a few threads, with results and progress arriving on the caller's own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Runs `task` for every number below `count`, with one `make`d tool per thread. `took` sees each result as it comes.
pub(super) fn share<T, R: Send>(
    threads: usize,
    count: usize,
    make: impl Fn() -> T + Sync,
    task: impl Fn(&mut T, usize) -> R + Sync,
    mut took: impl FnMut(usize, R),
) {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, count.max(1)) {
            let send = send.clone();
            let (next, make, task) = (&next, &make, &task);
            scope.spawn(move || {
                let mut tool = make();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count || send.send((at, task(&mut tool, at))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        for (at, result) in receive {
            took(at, result);
        }
    });
}
