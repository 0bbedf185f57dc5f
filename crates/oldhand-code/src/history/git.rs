//! Opens repositories for this room: local configuration only, nothing executed, nothing from the environment.

use std::path::Path;

use super::Gap;

/// Opens the repository that `path` lies in: a checkout, a linked worktree, a bare folder or anything below one.
pub(super) fn open(path: &Path) -> Result<gix::Repository, Gap> {
    let trust_map = gix::sec::trust::Mapping {
        full: gix::open::Options::isolated(),
        reduced: gix::open::Options::isolated(),
    };
    if gix::discover::upwards(path).is_err() {
        return Err(Gap::NoRepository);
    }
    let opened = gix::ThreadSafeRepository::discover_opts(
        path,
        gix::discover::upwards::Options::default(),
        trust_map,
    );
    opened
        .map(|repository| repository.to_thread_local())
        .map_err(unreadable("repository"))
}

/// Turns any error into the [`Gap`] that names `what` could not be read.
pub(super) fn unreadable<E: std::fmt::Display>(what: &'static str) -> impl Fn(E) -> Gap {
    move |error| Gap::Unreadable {
        what,
        why: error.to_string(),
    }
}
