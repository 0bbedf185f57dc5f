//! How many processors there are, and which of them a new thread begins on.

use std::io;
use std::thread::{self, JoinHandle};

/// Starts a thread that is to run beside this one, on another processor where there is one.
///
/// Where all processors were busy a moment ago, Linux may leave a new thread waiting behind the one that started it, while another processor
/// has nothing to do: then nothing is done at the same time until the next tick, which is longer than most questions take.
pub(crate) fn spawn_beside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    let thread = thread::Builder::new().spawn(work)?;
    #[cfg(target_os = "linux")]
    move_away(&thread);
    Ok(thread)
}

/// Moves a thread that waits behind this one to another processor, and leaves it free to run on any.
#[cfg(target_os = "linux")]
fn move_away<T>(thread: &JoinHandle<T>) {
    use std::os::unix::thread::JoinHandleExt as _;

    let Some(all) = allowed() else {
        return;
    };
    // SAFETY: asks for a number.
    let Ok(here) = usize::try_from(unsafe { libc::sched_getcpu() }) else {
        return;
    };
    if here >= libc::CPU_SETSIZE as usize {
        return;
    }
    let mut others = all;
    // SAFETY: the set has room for this processor.
    unsafe { libc::CPU_CLR(here, &mut others) };
    if count(&others) == 0 {
        return;
    }
    for set in [others, all] {
        // SAFETY: the thread has neither been joined nor detached, and the system reads no more of the set than the size that it is told. Where it
        // refuses, or the thread has ended already, nothing is different in the end.
        unsafe {
            libc::pthread_setaffinity_np(
                thread.as_pthread_t(),
                size_of::<libc::cpu_set_t>(),
                &raw const set,
            );
        }
    }
}

/// How many processors this thread may run on. What the standard library asks reads half a dozen files of the system's as well.
#[cfg(target_os = "linux")]
pub(crate) fn processors() -> usize {
    allowed().map_or(1, |set| count(&set))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The processors that this thread may run on.
#[cfg(target_os = "linux")]
fn allowed() -> Option<libc::cpu_set_t> {
    // SAFETY: all zeros is a set that nobody is in, and the system fills no more than the size that it is told.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        let asked = libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set);
        (asked == 0).then_some(set)
    }
}

#[cfg(target_os = "linux")]
fn count(set: &libc::cpu_set_t) -> usize {
    // SAFETY: the set is only counted.
    usize::try_from(unsafe { libc::CPU_COUNT(set) }).unwrap_or_default()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_thread_that_begins_elsewhere_may_run_where_this_one_may() {
        let (begun, wait) = mpsc::channel();
        let count_then = move || wait.recv().map(|()| processors());
        let there = spawn_beside(count_then).expect("there is a thread");
        begun.send(()).expect("it waits");
        let counted = there.join().expect("it ends");
        assert_eq!(counted, Ok(processors()));
    }

    #[test]
    fn a_thread_begins_also_where_there_is_one_processor() {
        let alone = || {
            // SAFETY: as for what is asked above; only this thread is kept to the processor.
            unsafe {
                let mut one: libc::cpu_set_t = std::mem::zeroed();
                libc::CPU_SET(
                    usize::try_from(libc::sched_getcpu()).expect("a number"),
                    &mut one,
                );
                libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const one);
            }
            let there = spawn_beside(processors).expect("there is a thread");
            there.join().expect("it ends")
        };
        let counted = thread::spawn(alone).join().expect("it ends");
        assert_eq!(counted, 1);
    }
}
