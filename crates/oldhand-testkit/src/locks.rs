//! The locks of this process, as the system lists them.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// How many locks this process has on a file. `None` where the list of the system cannot be read or names other files than those that
/// are seen, as over some layers of file systems: there a lock of our own is not found either.
pub fn locks_on(file: &Path) -> Option<usize> {
    let probe = file.with_extension("probe");
    let held = File::create(&probe).expect("a file beside it");
    held.lock().expect("nobody else knows it");
    let seen = listed(&probe);
    drop(held);
    fs::remove_file(&probe).expect("it is ours");
    (seen > 0).then(|| listed(file))
}

fn listed(file: &Path) -> usize {
    let all = fs::read_to_string("/proc/locks").unwrap_or_default();
    let number = file.metadata().expect("a file").ino();
    let (owner, file) = (format!(" {} ", std::process::id()), format!(":{number} "));
    let own = |line: &&str| line.contains(&owner) && line.contains(&file);
    all.lines().filter(own).count()
}
