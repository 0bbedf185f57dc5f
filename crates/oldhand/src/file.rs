//! Files that several processes share: written whole or not at all, changed by one at a time.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use oldhand_store::journal::make_private_folder;

use crate::failure::Failure;

const PAUSE: Duration = Duration::from_millis(10);
/// Most hold a lock for less than a millisecond: the first pauses are as short.
const SHORT_PAUSE: Duration = Duration::from_millis(1);
const SHORT_PAUSES: u128 = 10;
/// Far more than any holder needs, and short enough for a person to wait.
const PATIENCE: Duration = Duration::from_secs(10);
/// After a second the wait is told.
const UNNOTICED_PAUSES: u128 = 100;

/// Holds the lock until dropped; waits for others, but not forever.
pub(crate) fn lock(path: &Path) -> Result<File> {
    lock_within(path, PATIENCE)
}

/// Holds the lock until dropped; `None` where somebody else does.
pub(crate) fn try_lock(path: &Path) -> Result<Option<File>> {
    let file = open_lock(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error).with_context(|| could_not_lock(path)),
    }
}

fn open_lock(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).with_context(|| could_not_lock(path))
}

fn could_not_lock(path: &Path) -> String {
    format!("could not lock {}", path.display())
}

/// Whether somebody holds the lock.
pub(crate) fn is_locked(path: &Path) -> bool {
    let opened = OpenOptions::new().write(true).open(path);
    opened.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// As [`lock`], for whoever may wait longer, or shorter.
pub(crate) fn lock_within(path: &Path, patience: Duration) -> Result<File> {
    let most_pauses = patience.as_millis() / PAUSE.as_millis();
    let file = open_lock(path)?;
    for pause in 0..most_pauses {
        if pause == UNNOTICED_PAUSES {
            crate::out::tell_waiting();
        }
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if pause < SHORT_PAUSES => {
                std::thread::sleep(SHORT_PAUSE);
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| could_not_lock(path));
            }
        }
    }
    Err(
        Failure::unavailable(format!("{} is locked by another process", path.display()))
            .hint("wait for it to end, then try again; `oldhand status` shows what runs in the background")
            .into(),
    )
}

/// Opens a file to read it, wherever its path comes from: a pipe or a device in its place is refused, and never waited for.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    Ok(file)
}

/// Who may read a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Readers {
    /// Those of the file that was there; of a new one, whoever this user lets read new files.
    AsBefore,
    /// This user alone.
    Owner,
}

/// Puts `bytes` at `path`. Whoever reads sees the old file or the new one, also after a power cut.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    write_for(path, bytes, Readers::AsBefore)
}

/// As [`write_atomically`], for what nobody else may read.
pub(crate) fn write_privately(path: &Path, bytes: &[u8]) -> Result<()> {
    write_for(path, bytes, Readers::Owner)
}

fn write_for(path: &Path, bytes: &[u8], readers: Readers) -> Result<()> {
    // A link stays a link; what it leads to is written.
    let resolved = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let path = resolved.as_path();
    let mut beside: OsString = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = Path::new(&beside);
    let written = write_and_rename(beside, path, bytes, readers);
    if written.is_err() {
        // The first error is the one to tell; what is left over has no reader.
        let _ = fs::remove_file(beside);
    }
    written.with_context(|| format!("could not write {}", path.display()))
}

fn write_and_rename(beside: &Path, path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(true).write(true);
    #[cfg(unix)]
    if readers == Readers::Owner {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = options.open(beside)?;
    if readers == Readers::AsBefore
        && let Ok(existing) = fs::metadata(path)
    {
        file.set_permissions(existing.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    fs::rename(beside, path)?;
    sync_folder(path)
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a folder, and those above it, that only this user can look into.
pub(crate) fn create_private_dir(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    make_private_folder(path)
        .with_context(|| format!("could not make the folder {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_fails_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("there");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), "old").unwrap();
        assert!(write_atomically(&path, b"new").is_err());
        assert_eq!(fs::read_to_string(path.join("inside")).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write_atomically(&link, b"new").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_lock_is_free_again_when_its_holder_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        drop(lock(&path).unwrap());
        drop(lock(&path).unwrap());
    }
}
