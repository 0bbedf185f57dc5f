//! What SQLite says went wrong, in the words of the port.

use std::path::Path;

use oldhand_domain::error::StoreError;
use rusqlite::ErrorCode;
use rusqlite::ffi;

/// The port's error for `error`, which came up while trying to do `doing` with the database at `path`.
pub(super) fn translate(path: &Path, doing: &'static str, error: rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    if is_disk_full(&error) {
        return StoreError::DiskFull { doing };
    }
    // What was written as text and is none any more was changed by something else.
    if let rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::Utf8Error(..) = &error {
        return StoreError::DamagedDatabase {
            path,
            detail: error.to_string(),
        };
    }
    let rusqlite::Error::SqliteFailure(failure, message) = &error else {
        return StoreError::Backend {
            doing,
            source: error.into(),
        };
    };
    match failure.code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy { path },
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreError::ReadOnly { path, doing },
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreError::DamagedDatabase {
            path,
            detail: message.clone().unwrap_or_else(|| failure.to_string()),
        },
        _ => StoreError::Backend {
            doing,
            source: error.into(),
        },
    }
}

/// Whether room on the disk is what is missing.
pub(super) fn is_disk_full(error: &rusqlite::Error) -> bool {
    // Growing the log's shared memory on a full disk fails with a code of its own.
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
        || error
            .sqlite_error()
            .is_some_and(|failure| failure.extended_code == ffi::SQLITE_IOERR_SHMSIZE)
}

/// Whether another process is in the way.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Whether the file itself is broken.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}

#[cfg(test)]
mod tests {
    use oldhand_domain::error::ErrorKind;

    use super::*;

    fn told(code: i32) -> StoreError {
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        translate(Path::new("memory.db"), "save memories", error)
    }

    #[test]
    fn every_failure_a_user_can_act_on_has_a_name() {
        for (code, expected) in [
            (ffi::SQLITE_BUSY, "database memory.db is busy"),
            (ffi::SQLITE_BUSY_SNAPSHOT, "database memory.db is busy"),
            (ffi::SQLITE_LOCKED, "database memory.db is busy"),
            (
                ffi::SQLITE_FULL,
                "the disk is full: could not save memories",
            ),
            (
                ffi::SQLITE_IOERR_SHMSIZE,
                "the disk is full: could not save memories",
            ),
            (
                ffi::SQLITE_READONLY,
                "memory.db cannot be written: could not save memories",
            ),
            (
                ffi::SQLITE_READONLY_DIRECTORY,
                "memory.db cannot be written: could not save memories",
            ),
            (ffi::SQLITE_IOERR_FSYNC, "could not save memories"),
            (ffi::SQLITE_CANTOPEN, "could not save memories"),
        ] {
            assert_eq!(told(code).to_string(), expected, "{code}");
            assert_eq!(told(code).kind(), ErrorKind::Unavailable, "{code}");
        }
        for code in [
            ffi::SQLITE_CORRUPT,
            ffi::SQLITE_CORRUPT_INDEX,
            ffi::SQLITE_NOTADB,
        ] {
            assert_eq!(told(code).kind(), ErrorKind::Damaged, "{code}");
        }
    }
}
