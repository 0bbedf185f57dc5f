//! Work that takes its time, apart from what goes on meanwhile.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::{JoinError, spawn_blocking};

/// Does `work` on a thread of its own. Where the system gives none, it is done here, and whatever else is asked waits for it.
pub(crate) async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    let waiting = Arc::new(Mutex::new(Some(work)));
    let there = Arc::clone(&waiting);
    // Without a thread to begin with, the runtime panics and keeps what it was given for later, when nothing is left to do.
    let begun = catch_unwind(AssertUnwindSafe(|| spawn_blocking(move || take(&there))));
    if let Ok(working) = begun
        && let Some(done) = working.await?
    {
        return Ok(done);
    }
    Ok(take(&waiting).expect("nobody else has taken it"))
}

/// Does what is still waiting to be done.
fn take<T>(waiting: &Mutex<Option<impl FnOnce() -> T>>) -> Option<T> {
    let work = waiting
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    work.map(|work| work())
}
