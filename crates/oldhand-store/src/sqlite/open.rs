//! Opening a database file: cheap when it is there, complete when it is not.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use oldhand_domain::error::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::handout;

use super::backup::{self, BackupReason};
use super::check::{self, Finding};
use super::failure::{is_busy, translate};
use super::glance::Glance;
use super::patience::Patience;
use super::presence::{LastEnd, Presence};
use super::schema::{self, Steps};
use super::{ballast, erase, files, index, rate};

/// What the opener is going to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Read only: nothing is changed or checkpointed, and nothing is made but the files that a log needs. A database of an older schema is
    /// brought up to date first, once.
    Read,
    /// Read only, for one short look: where the log is empty, the file is read as it lies, without locks and without making the
    /// files that a log needs. What a writer commits during the look may be missed; whether a page was changed under the look says
    /// [`SqliteStore::is_as_it_was`](super::SqliteStore::is_as_it_was).
    Glance,
    /// As `Glance`, with pages read without SQLite wherever they tell. For a process that opens the file in no other way: when one handle of a
    /// file is closed, the system takes away all locks that the process has on it, and SQLite takes care of that for its own handles only.
    Once,
    /// Read and change; makes the database when there is none.
    Write,
}

pub(super) struct Opened {
    /// Missing where a glance reads pages.
    pub(super) connection: Option<Connection>,
    pub(super) glance: Option<Glance>,
    /// A writer's lock; readers have none.
    pub(super) presence: Option<Presence>,
    pub(super) findings: Vec<Finding>,
    /// How the file was when it was opened without locks.
    pub(super) stamp: Option<Stamp>,
}

/// When a file with an empty log was last written, and how long it is.
pub(super) struct Stamp {
    modified: SystemTime,
    length: u64,
    /// Whether the next change bears another time.
    has_settled: bool,
}

/// Two changes that follow each other as closely may bear the same time.
const ONE_MOMENT: Duration = Duration::from_millis(20);
/// The same on file systems that count seconds, or every other one.
const WHOLE_SECONDS: Duration = Duration::from_millis(2_020);

/// Whether a change of now would bear another time than the one of so long ago. A time without a fraction may be of a file system that has none.
fn has_settled(modified: SystemTime, age: Duration) -> bool {
    let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    let is_coarse = since.subsec_nanos() == 0;
    age > if is_coarse { WHOLE_SECONDS } else { ONE_MOMENT }
}

impl Stamp {
    /// `None` for a file whose log holds something.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let file = path.metadata().ok().filter(|_| has_empty_log(path))?;
        let modified = file.modified().ok()?;
        // A time to come is another than that of the next change, too.
        let age = modified.elapsed().unwrap_or_else(|ahead| ahead.duration());
        Some(Self {
            modified,
            length: file.len(),
            has_settled: has_settled(modified, age),
        })
    }

    /// Whether nobody can have written since.
    pub(super) fn still_holds(&self, path: &Path) -> bool {
        let is_same = |now: Self| (now.modified, now.length) == (self.modified, self.length);
        self.has_settled && Self::of(path).is_some_and(is_same)
    }
}

/// The oldest SQLite whose write-ahead log does not lose commits when two processes reset it at once.
const OLDEST_SQLITE: i32 = 3_051_003;

const OPENING: &str = "open the database";
const UPDATING: &str = "bring the database up to date";

pub(super) fn open(path: &Path, mode: Mode, steps: Steps<'_>) -> Result<Opened, StoreError> {
    assert!(
        rusqlite::version_number() >= OLDEST_SQLITE,
        "built with SQLite {}, whose write-ahead log can lose commits",
        rusqlite::version()
    );
    match mode {
        Mode::Read => {
            let mut connection = open_to_read(path)?;
            let found = recognise(&connection, path, steps)?;
            if found == 0 && !backup::list(path)?.is_empty() {
                // Making it anew would hide that it was emptied.
                return Err(StoreError::DamagedDatabase {
                    path: path.to_owned(),
                    detail: "it is empty, and there are backups of it".to_owned(),
                });
            }
            if found < steps.len() as u32 {
                drop(connection);
                drop(open_to_write(path, steps)?);
                connection = open_to_read(path)?;
            }
            Ok(Opened {
                connection: Some(connection),
                glance: None,
                presence: None,
                findings: Vec::new(),
                stamp: None,
            })
        }
        Mode::Glance | Mode::Once => {
            let stamp = Stamp::of(path);
            let pages = stamp.as_ref().filter(|_| mode == Mode::Once);
            let glance = pages.and_then(|_| Glance::open(path, steps).ok());
            let connection = if glance.is_some() {
                None
            } else {
                let connection = if stamp.is_some() {
                    as_it_lies(path)?
                } else {
                    open_to_read(path)?
                };
                let found = recognise(&connection, path, steps)?;
                if found < steps.len() as u32 {
                    drop(connection);
                    return open(path, Mode::Read, steps);
                }
                Some(connection)
            };
            Ok(Opened {
                connection,
                glance,
                presence: None,
                findings: Vec::new(),
                stamp,
            })
        }
        Mode::Write => match open_to_write(path, steps) {
            // Even opening needs a little room, and whoever opens may be about to delete.
            Err(StoreError::DiskFull { .. }) if ballast::release(path) => {
                open_to_write(path, steps)
            }
            opened => opened,
        },
    }
}

fn open_to_write(path: &Path, steps: Steps<'_>) -> Result<Opened, StoreError> {
    let fail = |error| files::translate(path, OPENING, error);
    if let Some(folder) = path.parent() {
        files::make_private_folder(folder).map_err(fail)?;
    }
    let entered = Presence::enter(path, |last| connect_to_write(path, steps, last));
    let (presence, (connection, findings)) = entered.map_err(fail)??;
    Ok(Opened {
        connection: Some(connection),
        glance: None,
        presence: Some(presence),
        findings,
        stamp: None,
    })
}

fn connect_to_write(
    path: &Path,
    steps: Steps<'_>,
    last: LastEnd,
) -> Result<(Connection, Vec<Finding>), StoreError> {
    let fail = |error| translate(path, OPENING, error);
    let known = steps.len() as u32;
    // SQLite gives the files it makes beside the database the mode of the database itself. One that is there is not touched: see [`Mode::Once`].
    if !path.exists() {
        files::open_private(path).map_err(|error| files::translate(path, OPENING, error))?;
    }
    let mut connection =
        Connection::open_with_flags(path, flags(OpenFlags::SQLITE_OPEN_READ_WRITE))
            .map_err(fail)?;
    prepare(&mut connection).map_err(fail)?;
    let found = recognise(&connection, path, steps)?;
    let findings = if last == LastEnd::Unclean && found == known {
        look_after(&mut connection, path)?
    } else {
        Vec::new()
    };
    if found < known {
        update(&mut connection, path, found, steps)?;
    }
    index::keep_current(&mut connection).map_err(|error| translate(path, UPDATING, error))?;
    // What readers or a full disk keep from being finished is finished another time.
    let _ = erase::finish(&mut connection, path);
    Ok((connection, findings))
}

/// The last writer was killed: looks whether anything is wrong, and puts right what is derived.
fn look_after(connection: &mut Connection, path: &Path) -> Result<Vec<Finding>, StoreError> {
    let fail = |error| translate(path, "check the database", error);
    let findings = check::check(connection).map_err(fail)?;
    for finding in &findings {
        match finding {
            Finding::Structure(detail) => {
                return Err(StoreError::DamagedDatabase {
                    path: path.to_owned(),
                    detail: detail.clone(),
                });
            }
            Finding::Index(_) => {
                // It has lists of what the index said.
                handout::withdraw(path).map_err(|error| files::translate(path, UPDATING, error))?;
                index::rebuild_now(connection).map_err(fail)?;
            }
            // Never handed out; `repair` puts them away.
            Finding::Memory { .. } | Finding::Document(_) | Finding::Session(_) => {}
        }
    }
    Ok(findings)
}

fn update(
    connection: &mut Connection,
    path: &Path,
    found: u32,
    steps: Steps<'_>,
) -> Result<(), StoreError> {
    let fail = |error| translate(path, UPDATING, error);
    if found == 0 {
        use_write_ahead_log(connection).map_err(fail)?;
    } else {
        backup::take(connection, path, BackupReason::Schema(found))?;
    }
    handout::withdraw(path).map_err(|error| files::translate(path, UPDATING, error))?;
    schema::migrate(connection, steps).map_err(fail)?;
    if found == 0 {
        // Without room for it there is none.
        let _ = ballast::keep(path);
    }
    Ok(())
}

fn open_to_read(path: &Path) -> Result<Connection, StoreError> {
    open_plain(path)
        .or_else(|error| match error.sqlite_error_code() {
            // A log needs files beside the database; where none can be made, the file is read as it lies.
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::SystemIoFailure)
                if path.is_file() =>
            {
                open_alone(path)
            }
            _ => Err(error),
        })
        .map_err(|error| translate(path, OPENING, error))
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

/// Whether everything that was ever committed is in the file itself.
fn has_empty_log(path: &Path) -> bool {
    let log = files::beside(path, "-wal").metadata();
    log.map_or_else(
        |error| error.kind() == std::io::ErrorKind::NotFound,
        |log| log.len() == 0,
    )
}

/// The file and nothing else, without locks.
pub(super) fn as_it_lies(path: &Path) -> Result<Connection, StoreError> {
    open_as_it_lies(path).map_err(|error| translate(path, OPENING, error))
}

fn open_as_it_lies(path: &Path) -> rusqlite::Result<Connection> {
    let flags = flags(OpenFlags::SQLITE_OPEN_READ_ONLY) | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(uri(path) + "?immutable=1", flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // The sizes of all cells of a page are not compared first, as they are where a file is open for longer: that takes longer than reading them.
    // A short look reads few pages twice: new memory for each of them would take as long as reading it.
    connection.execute_batch("pragma trusted_schema = off; pragma cache_size = 64")?;
    rate::teach(&connection)?;
    Ok(connection)
}

/// Without files beside the database: its log is read into memory, or there is none and the file is all.
fn open_alone(path: &Path) -> rusqlite::Result<Connection> {
    let log = files::beside(path, "-wal");
    let options = if log.metadata().is_ok_and(|log| log.len() > 0) {
        "?mode=ro&vfs=unix-none"
    } else {
        "?immutable=1"
    };
    let flags = flags(OpenFlags::SQLITE_OPEN_READ_ONLY) | OpenFlags::SQLITE_OPEN_URI;
    let mut connection = Connection::open_with_flags(uri(path) + options, flags)?;
    connection.query_row("pragma locking_mode = exclusive", [], |_| Ok(()))?;
    prepare(&mut connection)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    schema::version(&connection)?;
    Ok(connection)
}

fn uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(*byte));
            }
            _ => uri.extend(format!("%{byte:02x}").chars()),
        }
    }
    uri
}

/// A connection is only ever used behind a lock of ours, so SQLite need not take its own.
pub(super) fn flags(access: OpenFlags) -> OpenFlags {
    access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_EXRESCODE
}

/// Settings of the connection. None of them touches the file.
pub(super) fn prepare(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.busy_handler(Some(Patience::handler(Patience::longest())))?;
    connection.set_prepared_statement_cache_capacity(64);
    // Without it, SQLite plans a statement anew each time a value is bound to it: reading a memory takes
    // three times as long.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch(
        "pragma foreign_keys = on;
        pragma synchronous = full;
        pragma secure_delete = on;
        pragma trusted_schema = off;
        pragma cell_size_check = on;",
    )?;
    rate::teach(connection)
}

/// The schema's version; an error for a file that is not ours or newer than we are.
pub(super) fn recognise(
    connection: &Connection,
    path: &Path,
    steps: Steps<'_>,
) -> Result<u32, StoreError> {
    let fail = |error| translate(path, OPENING, error);
    let known = steps.len() as u32;
    let mut found = schema::version(connection).map_err(fail)?;
    while !is_ours(connection, found).map_err(fail)? {
        // Somebody may have made or updated the database between the two looks; then this is another version.
        let now = schema::version(connection).map_err(fail)?;
        if now == found {
            return Err(StoreError::DamagedDatabase {
                path: path.to_owned(),
                detail: "it is not a database of Oldhand".to_owned(),
            });
        }
        found = now;
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

/// Whether a file that says it is of this version was made by us, or is still empty.
fn is_ours(connection: &Connection, version: u32) -> rusqlite::Result<bool> {
    let id = schema::application_id(connection)?;
    if version > 0 {
        return Ok(id == schema::APPLICATION_ID);
    }
    let empty = "select count(*) = 0 from sqlite_schema";
    Ok(id == 0 && connection.query_row(empty, [], |row| row.get(0))?)
}

/// Two processes that make the same database at once get in each other's way here without being asked to wait.
pub(super) fn use_write_ahead_log(connection: &Connection) -> rusqlite::Result<()> {
    let mut patience = Patience::default();
    loop {
        let set = connection.query_row("pragma journal_mode = wal", [], |_| Ok(()));
        match set {
            Err(error) if is_busy(&error) && patience.nap() => {}
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_whole_seconds_settles_later() {
        let whole = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let fine = whole + Duration::from_nanos(1);
        let ages = [20, 21, 1_999, 2_020, 2_021].map(Duration::from_millis);
        assert_eq!(
            ages.map(|age| has_settled(fine, age)),
            [false, true, true, true, true]
        );
        assert_eq!(
            ages.map(|age| has_settled(whole, age)),
            [false, false, false, false, true]
        );
    }
}
