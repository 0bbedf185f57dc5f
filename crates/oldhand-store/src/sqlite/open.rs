//! Opening a database file: cheap when it is there, complete when it is not.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::thread;
use std::time::Duration;

use oldhand_domain::error::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::failure::{is_busy, translate};
use super::index;
use super::schema::{self, Steps};

/// What the opener is going to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Read only, and leave no trace: nothing is created, migrated or checkpointed.
    Read,
    /// Read and change; makes the database when there is none.
    Write,
}

/// The oldest SQLite whose write-ahead log does not lose commits when two processes reset it at once.
const OLDEST_SQLITE: i32 = 3_051_003;
/// How long a call waits for other processes before it says the database is busy.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
const LONGEST_NAP_MICROSECONDS: u64 = 20_000;

const OPENING: &str = "open the database";
const UPDATING: &str = "bring the database up to date";

pub(super) fn open(path: &Path, mode: Mode, steps: Steps<'_>) -> Result<Connection, StoreError> {
    assert!(
        rusqlite::version_number() >= OLDEST_SQLITE,
        "built with SQLite {}, whose write-ahead log can lose commits",
        rusqlite::version()
    );
    match mode {
        Mode::Read => open_for_reading(path, steps),
        Mode::Write => open_for_writing(path, steps),
    }
}

fn open_for_writing(path: &Path, steps: Steps<'_>) -> Result<Connection, StoreError> {
    make_room(path)?;
    let fail = |error| translate(path, OPENING, error);
    let mut connection =
        Connection::open_with_flags(path, flags(OpenFlags::SQLITE_OPEN_READ_WRITE))
            .map_err(fail)?;
    prepare(&mut connection).map_err(fail)?;
    if recognise(&connection, path, steps)? < steps.len() as u32 {
        use_write_ahead_log(&connection).map_err(fail)?;
        schema::migrate(&mut connection, steps)
            .map_err(|error| translate(path, UPDATING, error))?;
    }
    index::keep_current(&mut connection).map_err(|error| translate(path, UPDATING, error))?;
    Ok(connection)
}

fn open_for_reading(path: &Path, steps: Steps<'_>) -> Result<Connection, StoreError> {
    let connection = open_plain(path)
        .or_else(|error| match error.sqlite_error_code() {
            // A log needs files beside the database; where none can be made, the file is read as it lies.
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) if path.is_file() => {
                open_immutable(path)
            }
            _ => Err(error),
        })
        .map_err(|error| translate(path, OPENING, error))?;
    let found = recognise(&connection, path, steps)?;
    if found < steps.len() as u32 {
        return Err(StoreError::ReadOnly {
            path: path.to_owned(),
            doing: UPDATING,
        });
    }
    Ok(connection)
}

fn open_plain(path: &Path) -> rusqlite::Result<Connection> {
    let mut connection =
        Connection::open_with_flags(path, flags(OpenFlags::SQLITE_OPEN_READ_ONLY))?;
    prepare(&mut connection)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // The first look at the file is what fails where no log can be opened.
    schema::version(&connection)?;
    Ok(connection)
}

fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let flags = flags(OpenFlags::SQLITE_OPEN_READ_ONLY) | OpenFlags::SQLITE_OPEN_URI;
    let mut connection = Connection::open_with_flags(immutable_uri(path), flags)?;
    prepare(&mut connection)?;
    schema::version(&connection)?;
    Ok(connection)
}

fn immutable_uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(*byte));
            }
            _ => uri.extend(format!("%{byte:02x}").chars()),
        }
    }
    uri + "?immutable=1"
}

/// A connection is only ever used behind a lock of ours, so SQLite need not take its own.
fn flags(access: OpenFlags) -> OpenFlags {
    access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_EXRESCODE
}

/// Settings of the connection. None of them touches the file.
fn prepare(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.busy_handler(Some(wait_for_others()))?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.execute_batch(
        "pragma foreign_keys = on;
        pragma synchronous = full;
        pragma secure_delete = on;
        pragma trusted_schema = off;
        pragma cell_size_check = on;",
    )
}

/// Naps of random length, so that waiting processes do not wake up all at once.
fn wait_for_others() -> impl FnMut(i32) -> bool + Send + 'static {
    let random = RandomState::new();
    let mut waited = Duration::ZERO;
    move |attempt| {
        if attempt == 0 {
            waited = Duration::ZERO;
        }
        if waited >= LONGEST_WAIT {
            return false;
        }
        let longest = LONGEST_NAP_MICROSECONDS.min(500 << attempt.clamp(0, 10));
        let nap = Duration::from_micros(100 + random.hash_one((attempt, waited)) % longest);
        thread::sleep(nap);
        waited += nap;
        true
    }
}

/// The schema's version; an error for a file that is not ours or newer than we are.
fn recognise(connection: &Connection, path: &Path, steps: Steps<'_>) -> Result<u32, StoreError> {
    let fail = |error| translate(path, OPENING, error);
    let found = schema::version(connection).map_err(fail)?;
    let known = steps.len() as u32;
    let id = schema::application_id(connection).map_err(fail)?;
    let empty = || {
        connection.query_row("select count(*) = 0 from sqlite_schema", [], |row| {
            row.get::<_, bool>(0)
        })
    };
    let ours = if found == 0 {
        id == 0 && empty().map_err(fail)?
    } else {
        id == schema::APPLICATION_ID
    };
    if !ours {
        return Err(StoreError::DamagedDatabase {
            path: path.to_owned(),
            detail: "it is not a database of Oldhand".to_owned(),
        });
    }
    if found > known {
        return Err(StoreError::NewerSchema {
            path: path.to_owned(),
            found,
            known,
        });
    }
    Ok(found)
}

/// Two processes that make the same database at once get in each other's way here without being asked to wait.
fn use_write_ahead_log(connection: &Connection) -> rusqlite::Result<()> {
    let mut wait = wait_for_others();
    let mut attempt = 0;
    loop {
        let set = connection.query_row("pragma journal_mode = wal", [], |_| Ok(()));
        match set {
            Err(error) if is_busy(&error) && wait(attempt) => attempt += 1,
            done => return done,
        }
    }
}

/// Makes the folder and the file, for nobody but their owner. SQLite gives its own files the same mode.
fn make_room(path: &Path) -> Result<(), StoreError> {
    if path.exists() {
        return Ok(());
    }
    let fail = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::StorageFull => StoreError::DiskFull { doing: OPENING },
        std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied => {
            StoreError::ReadOnly {
                path: path.to_owned(),
                doing: OPENING,
            }
        }
        _ => StoreError::Backend {
            doing: OPENING,
            source: error.into(),
        },
    };
    let mut folders = fs::DirBuilder::new();
    let mut file = fs::OpenOptions::new();
    folders.recursive(true);
    file.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        folders.mode(0o700);
        file.mode(0o600);
    }
    if let Some(folder) = path.parent() {
        folders.create(folder).map_err(fail)?;
    }
    file.open(path).map_err(fail)?;
    Ok(())
}
