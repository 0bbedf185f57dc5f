//! Sharing out work over a few threads, with results and progress arriving on the caller's own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Runs `task` for every number below `count`, with one `make`d tool per thread. `took` sees each result as it comes.
/// Where the system has no thread to give, the caller's own does the work.
pub(crate) fn share<T, R: Send>(
    threads: usize,
    count: usize,
    make: impl Fn() -> T + Sync,
    task: impl Fn(&mut T, usize) -> R + Sync,
    mut took: impl FnMut(usize, R),
) {
    if threads <= 1 {
        let mut tool = make();
        (0..count).for_each(|at| took(at, task(&mut tool, at)));
        return;
    }
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    thread::scope(|scope| {
        let mut has_others = false;
        for _ in 0..threads.clamp(1, count.max(1)) {
            let send = send.clone();
            let (next, make, task) = (&next, &make, &task);
            let others = move || {
                let mut tool = make();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count || send.send((at, task(&mut tool, at))).is_err() {
                        break;
                    }
                }
            };
            if thread::Builder::new().spawn_scoped(scope, others).is_err() {
                break;
            }
            has_others = true;
        }
        drop(send);
        if !has_others {
            let mut tool = make();
            for at in 0..count {
                took(at, task(&mut tool, at));
            }
        }
        for (at, result) in receive {
            took(at, result);
        }
    });
}
