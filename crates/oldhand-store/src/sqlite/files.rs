//! Files and folders that nobody but their owner may read.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use oldhand_domain::error::StoreError;

use crate::journal;

/// The file of the same name with something after it: `memory.db-wal`.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Opens a file to read and write; makes it, mode 0600, when there is none.
pub(super) fn open_private(path: &Path) -> io::Result<File> {
    private(fs::OpenOptions::new().write(true)).open(path)
}

/// The same, but every write goes to the end.
pub(super) fn open_private_to_append(path: &Path) -> io::Result<File> {
    private(fs::OpenOptions::new().append(true)).open(path)
}

fn private(options: &mut fs::OpenOptions) -> &fs::OpenOptions {
    options.read(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Makes a folder and those above it, mode 0700, so that they survive a power cut.
pub(super) fn make_private_folder(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent() {
        make_private_folder(above)?;
    }
    journal::make_private_folder(path)?;
    match path.parent() {
        Some(above) if !above.as_os_str().is_empty() => sync_folder(above),
        _ => Ok(()),
    }
}

/// Makes the names in a folder survive a power cut.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder) {
        // A folder one may write to but not list cannot be synced.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        opened => opened?.sync_all(),
    }
}

/// What tells this file from another that is put in its place; nothing for one that is not there.
pub(super) fn identity(path: &Path) -> impl PartialEq + use<> {
    let found = fs::metadata(path).ok();
    #[cfg(unix)]
    let identity = found.map(|found| {
        use std::os::unix::fs::MetadataExt as _;
        (found.dev(), found.ino())
    });
    #[cfg(not(unix))]
    let identity = found.and_then(|found| found.created().ok());
    identity
}

/// Removes a file; that there was none is fine.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// The port's error for a file that could not be handled.
pub(super) fn translate(path: &Path, doing: &'static str, error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull { doing },
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            StoreError::ReadOnly {
                path: path.to_owned(),
                doing,
            }
        }
        io::ErrorKind::WouldBlock => StoreError::Busy {
            path: path.to_owned(),
        },
        _ => StoreError::Backend {
            doing,
            source: error.into(),
        },
    }
}
