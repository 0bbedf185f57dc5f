//! Copies of the database to go back to: made while it is in use, checked, three of them rolling.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp, civil, tz::TimeZone};
use oldhand_domain::error::StoreError;
use rusqlite::backup::StepResult;
use rusqlite::{Connection, OpenFlags};

use crate::handout;

use super::check::{self, Finding};
use super::failure::translate;
use super::files::{self, beside};
use super::patience::Patience;
use super::{SqliteStore, ballast, erase, index, open, schema};

/// A copy of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    pub path: PathBuf,
    pub reason: BackupReason,
    pub bytes: u64,
}

/// Why a copy was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BackupReason {
    /// Before the tables of this schema were changed. One is kept.
    Schema(u32),
    /// Before another copy took the database's place. One is kept.
    Restore(Timestamp),
    /// A day has passed, or somebody asked. Three are kept.
    Rolling(Timestamp),
}

/// Whether a backup is wanted in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// At most one a day.
    Daily,
    AtOnce,
}

const ROLLING: usize = 3;
/// How many copies of what a restore replaced are kept: whoever goes back twice still finds what was there at first.
const PUT_ASIDE: usize = 5;
const DAY: SignedDuration = SignedDuration::from_hours(24);
const DOING: &str = "back up the database";
const PARTIAL: &str = ".partial";
const TIME: &str = "%Y%m%dT%H%M%SZ";

impl SqliteStore {
    /// Makes a rolling backup; `None` when the pace does not ask for one yet.
    ///
    /// A damaged database is not copied: it must not push out the good copies there are. Nor is one
    /// that holds nothing, unless somebody asked.
    pub fn backup(&self, now: Timestamp, pace: Pace) -> Result<Option<Backup>, StoreError> {
        self.finish_erasing()?;
        let recent = |backup: &Backup| match backup.reason {
            // A clock that went back must not end backups for good.
            BackupReason::Rolling(at) => now.duration_since(at).abs() < DAY,
            _ => false,
        };
        if pace == Pace::Daily {
            let fail = |error| translate(self.path(), DOING, error);
            let in_vain = !holds_memories(&*self.lock()?).map_err(fail)?;
            if in_vain || self.backups()?.iter().any(recent) {
                return Ok(None);
            }
        }
        // Without room for it there is none; the backup itself will tell if the disk is full.
        let _ = ballast::keep(self.path());
        take(&*self.lock()?, self.path(), BackupReason::Rolling(now)).map(Some)
    }

    /// The copies there are, newest first among those of one reason.
    pub fn backups(&self) -> Result<Vec<Backup>, StoreError> {
        list(self.path())
    }

    /// Puts a copy in the database's place, for every process that has it open. Returns a copy of what was
    /// there before.
    pub fn restore(&self, backup: &Backup, now: Timestamp) -> Result<Backup, StoreError> {
        const DOING: &str = "restore a backup";
        let from = verify(&backup.path)?;
        let mut connection = self.lock()?;
        // Whoever tries twice within a second must not lose what was there at first.
        let mut at = now;
        while folder(self.path())
            .join(write_name(self.path(), BackupReason::Restore(at)))
            .exists()
        {
            at += SignedDuration::from_secs(1);
        }
        let aside = take(&connection, self.path(), BackupReason::Restore(at))?;
        let fail = |error| translate(self.path(), DOING, error);
        let gone = erase::Gone::read(&connection);
        let withdraw = || {
            handout::withdraw(self.path())
                .map_err(|error| files::translate(self.path(), DOING, error))
        };
        withdraw()?;
        copy(&from, &mut connection).map_err(fail)?;
        // Copying takes its lock by itself, so that somebody may have handed out what was there before.
        withdraw()?;
        schema::migrate(&mut connection, schema::STEPS).map_err(fail)?;
        // As every change, so that nobody hands out what was erased since the copy was made.
        self.write_with(&mut connection, DOING, |transaction| {
            gone.apply(transaction).map_err(fail)
        })?;
        index::keep_current(&mut connection).map_err(fail)?;
        Ok(aside)
    }
}

/// The copies of the database at `path`, as [`SqliteStore::backups`] lists them.
pub fn list(database: &Path) -> Result<Vec<Backup>, StoreError> {
    let folder = folder(database);
    let fail = |error| files::translate(&folder, "list backups", error);
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(fail)?,
    };
    let mut backups = Vec::new();
    for entry in entries {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name();
        let Some(reason) = name.to_str().and_then(|name| read_name(database, name)) else {
            continue;
        };
        backups.push(Backup {
            path: entry.path(),
            reason,
            bytes: entry.metadata().map_err(fail)?.len(),
        });
    }
    backups.sort_by_key(|backup| std::cmp::Reverse(backup.reason));
    Ok(backups)
}

/// Copies the database that `connection` has open.
pub(super) fn take(
    connection: &Connection,
    database: &Path,
    reason: BackupReason,
) -> Result<Backup, StoreError> {
    let folder = folder(database);
    let fail = |error| files::translate(&folder, DOING, error);
    files::make_private_folder(&folder).map_err(fail)?;
    let _lock = lock(database)?;
    let path = folder.join(write_name(database, reason));
    let partial = beside(&path, PARTIAL);
    let made = make(connection, &partial, reason).and_then(|()| {
        fs::rename(&partial, &path).map_err(fail)?;
        files::sync_folder(&folder).map_err(fail)
    });
    if let Err(error) = made {
        files::remove(&partial).map_err(fail)?;
        return Err(error);
    }
    let bytes = path.metadata().map_err(fail)?.len();
    let made = Backup {
        path,
        reason,
        bytes,
    };
    prune(database, &made)?;
    Ok(made)
}

/// Keeps others from making or rewriting backups while it is held, and clears away what a killed one left.
pub(super) fn lock(database: &Path) -> Result<Option<File>, StoreError> {
    let folder = folder(database);
    let fail = |error| files::translate(&folder, DOING, error);
    if !folder.is_dir() {
        return Ok(None);
    }
    let lock = files::open_private(&folder.join("lock")).map_err(fail)?;
    let mut patience = Patience::default();
    while lock.try_lock().is_err() {
        if !patience.nap() {
            return Err(StoreError::Busy { path: folder });
        }
    }
    for entry in fs::read_dir(&folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ours = name
            .strip_prefix(&stem(database))
            .is_some_and(|rest| rest.starts_with('-'));
        if ours && (name.ends_with(PARTIAL) || name.ends_with(".partial-journal")) {
            files::remove(&entry.path()).map_err(fail)?;
        }
    }
    Ok(Some(lock))
}

fn make(connection: &Connection, to: &Path, reason: BackupReason) -> Result<(), StoreError> {
    let fail = |error| translate(to, DOING, error);
    let io_fail = |error| files::translate(to, DOING, error);
    files::remove(to).map_err(io_fail)?;
    let file = files::open_private(to).map_err(io_fail)?;
    let mut target = connect(to, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(fail)?;
    copy(connection, &mut target).map_err(fail)?;
    // One file, without a log beside it.
    target
        .query_row("pragma journal_mode = delete", [], |_| Ok(()))
        .map_err(fail)?;
    let findings = match reason {
        BackupReason::Rolling(_) => check::check(&target),
        BackupReason::Schema(_) => check::structure(&target),
        // What is put aside may well be broken: that is why it is put aside.
        BackupReason::Restore(_) => Ok(Vec::new()),
    };
    sound(to, &findings.map_err(fail)?)?;
    drop(target);
    file.sync_all().map_err(io_fail)
}

fn sound(path: &Path, findings: &[Finding]) -> Result<(), StoreError> {
    match findings {
        [] => Ok(()),
        [first, ..] => Err(StoreError::DamagedDatabase {
            path: path.to_owned(),
            detail: first.to_string(),
        }),
    }
}

/// Everything in one go: readers and writers of other processes are not held up.
pub(super) fn copy(from: &Connection, to: &mut Connection) -> rusqlite::Result<()> {
    let copy = rusqlite::backup::Backup::new(from, to)?;
    let mut patience = Patience::default();
    loop {
        match copy.step(-1)? {
            StepResult::Done => return Ok(()),
            StepResult::Busy | StepResult::Locked if !patience.nap() => {
                return Err(rusqlite::Error::SqliteFailure(
                    rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY),
                    None,
                ));
            }
            _ => {}
        }
    }
}

/// A copy that is whole, opened.
pub(super) fn verify(path: &Path) -> Result<Connection, StoreError> {
    const DOING: &str = "check a backup";
    let fail = |error| translate(path, DOING, error);
    // Written to for the check's own sake only; SQLite cannot check an index through a read-only door.
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(fail)?;
    let version = open::recognise(&connection, path, schema::STEPS)?;
    let findings = if version == schema::STEPS.len() as u32 {
        check::check(&connection)
    } else {
        check::structure(&connection)
    };
    sound(path, &findings.map_err(fail)?)?;
    Ok(connection)
}

pub(super) fn connect(path: &Path, access: OpenFlags) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_with_flags(path, open::flags(access))?;
    open::prepare(&mut connection)?;
    Ok(connection)
}

/// Removes what is more than is kept, oldest first. The copy just made stays, and one that holds nothing takes the
/// place of none that holds memories.
fn prune(database: &Path, made: &Backup) -> Result<(), StoreError> {
    let mut rolling = 0;
    let mut schema = 0;
    let mut restore = 0;
    let made_empty = !copy_holds_memories(&made.path);
    let mut backups = list(database)?;
    // What is dated later than the copy just made is older all the same: the clock went back.
    backups.sort_by_key(|backup| (backup.path != made.path, backup.reason > made.reason));
    for backup in backups {
        let (count, kept) = match backup.reason {
            BackupReason::Rolling(_) => (&mut rolling, ROLLING),
            BackupReason::Schema(_) => (&mut schema, 1),
            BackupReason::Restore(_) => (&mut restore, PUT_ASIDE),
        };
        *count += 1;
        let spared = made_empty && copy_holds_memories(&backup.path);
        if *count > kept && !spared {
            files::remove(&backup.path)
                .map_err(|error| files::translate(&backup.path, "remove an old backup", error))?;
        }
    }
    Ok(())
}

/// Deleted ones count: they can be restored.
fn holds_memories(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "select exists (select 1 from memory)";
    connection.query_row(sql, [], |row| row.get(0))
}

/// A copy that cannot be read may hold memories.
fn copy_holds_memories(path: &Path) -> bool {
    let opened = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY);
    opened
        .and_then(|connection| holds_memories(&connection))
        .unwrap_or(true)
}

fn folder(database: &Path) -> PathBuf {
    database.with_file_name("backups")
}

/// `memory-20260115T090000Z.db`; the reason comes before the time where it is not the usual one.
fn write_name(database: &Path, reason: BackupReason) -> String {
    let reason = match reason {
        BackupReason::Rolling(at) => at.strftime(TIME).to_string(),
        BackupReason::Restore(at) => format!("before-restore-{}", at.strftime(TIME)),
        BackupReason::Schema(version) => format!("before-schema-{}", version + 1),
    };
    format!("{}-{reason}.db", stem(database))
}

fn read_name(database: &Path, name: &str) -> Option<BackupReason> {
    let reason = name
        .strip_prefix(&stem(database))?
        .strip_prefix('-')?
        .strip_suffix(".db")?;
    if let Some(version) = reason.strip_prefix("before-schema-") {
        return version
            .parse::<u32>()
            .ok()?
            .checked_sub(1)
            .map(BackupReason::Schema);
    }
    let (time, reason): (_, fn(Timestamp) -> BackupReason) =
        match reason.strip_prefix("before-restore-") {
            Some(time) => (time, BackupReason::Restore),
            None => (reason, BackupReason::Rolling),
        };
    let time = civil::DateTime::strptime(TIME, time).ok()?;
    let time = TimeZone::UTC.to_timestamp(time).ok()?;
    Some(reason(time))
}

fn stem(database: &Path) -> String {
    let stem = database.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}
