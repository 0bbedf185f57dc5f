//! Room kept in reserve: on a full disk even deleting needs some.

use std::io::{self, Write};
use std::path::Path;

use super::files::{self, beside};

/// Enough for the log of a large deletion.
const BYTES: usize = 8 << 20;

/// Puts the reserve beside the database, if it is not there.
pub(super) fn keep(database: &Path) -> io::Result<()> {
    let path = beside(database, "-ballast");
    if path.metadata().is_ok_and(|file| file.len() == BYTES as u64) {
        return Ok(());
    }
    let filled = fill(&path);
    if filled.is_err() {
        // Half a reserve is only in the way.
        files::remove(&path)?;
    }
    filled
}

/// Noise, because file systems keep no room for zeros.
fn fill(path: &Path) -> io::Result<()> {
    let mut file = files::open_private(path)?;
    let mut noise = vec![0_u8; BYTES];
    blake3::Hasher::new().finalize_xof().fill(&mut noise);
    file.write_all(&noise)
}

/// Gives the reserve up. Whether there was one.
pub(super) fn release(database: &Path) -> bool {
    std::fs::remove_file(beside(database, "-ballast")).is_ok()
}
