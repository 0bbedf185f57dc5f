//! Where what was read of the code is kept of a folder that is no project: asking must not make it one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::Place;

/// The folder of all of them, in Oldhand's home.
const FOLDER: &str = "looked-at";
/// What nobody has asked about for so long is not kept any longer.
const LONG: Duration = Duration::from_hours(30 * 24);

/// Where it is kept of this place, if anything is. Each question leaves its mark there: the time the folder was changed.
pub(crate) fn aside(home: &Path, place: &Place) -> PathBuf {
    let hash = blake3::hash(place.key().as_bytes()).to_hex();
    home.join(FOLDER)
        .join(format!("{}-{}", place.name(), &hash[..16]))
}

/// Removes what nobody has asked about for long. What cannot be removed costs room and nothing else.
pub(crate) fn tidy_asides(home: &Path, now: SystemTime) {
    let is_old = |entry: &fs::DirEntry| {
        let asked = entry.metadata().and_then(|found| found.modified());
        asked.is_ok_and(|asked| now.duration_since(asked).is_ok_and(|age| age > LONG))
    };
    let kept = fs::read_dir(home.join(FOLDER)).into_iter().flatten();
    for entry in kept.flatten().filter(is_old) {
        let _ = fs::remove_dir_all(entry.path());
    }
}

/// The place has become a project, kept in `directory`: what was read of it need not be read again.
pub(super) fn move_in(home: &Path, place: &Place, directory: &Path) {
    let aside = aside(home, place);
    let is_there = |found: io::Result<fs::Metadata>| found.is_ok_and(|found| found.is_dir());
    if !is_there(fs::symlink_metadata(&aside)) {
        return;
    }
    let graph = directory.join("graph");
    let moved = crate::file::create_private_dir(directory).is_ok()
        && !graph.exists()
        && fs::rename(&aside, &graph).is_ok();
    if !moved {
        let _ = fs::remove_dir_all(&aside);
    }
}
