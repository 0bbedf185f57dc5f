//! Putting a damaged database right, and saying what was done.
//!
//! Rows that do not match their seal are put into quarantine, as they were found. A file that does not hold
//! together is kept aside and its sound rows are carried over into a new one. What was lost either way comes
//! back from the newest sound backup, if it has it. Nothing goes without a line in the report.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::seal::Seal;
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};

use crate::handout;

use super::backup::{self, Backup, BackupReason};
use super::check::{self, Finding};
use super::failure::{is_damage, translate};
use super::files::{self, beside};
use super::load::{Loaded, load, load_each};
use super::pieces::Lacking;
use super::presence::Alone;
use super::quarantine::{self, Reason};
use super::salvage::{self, Carried, carry_over};
use super::{document, erase, index, open, save, schema, session};

/// What was found, and what was done about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairReport {
    pub findings: Vec<Finding>,
    /// In order.
    pub done: Vec<Repair>,
}

/// One thing that repairing did, or could not do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// The damaged file, as it was, is here now.
    KeptAside(PathBuf),
    /// So many sound memories were carried over into a new file.
    CarriedOver(usize),
    /// How often so many of them were used could not be read; they count as never used.
    UseLost(usize),
    /// A memory was carried over, but something of these lists of it could not be read: it waits for a review.
    Lacking {
        id: MemoryId,
        parts: Vec<&'static str>,
    },
    /// What could not be read of a memory came back as the backup has it.
    PartsFromBackup { id: MemoryId, backup: PathBuf },
    /// A damaged memory was put into quarantine.
    Quarantined { key: i64, id: Option<MemoryId> },
    /// A memory could not even be read; its bytes are in the file kept aside.
    Unreadable { key: i64 },
    /// A memory came back as the backup has it.
    FromBackup { id: MemoryId, backup: PathBuf },
    /// A damaged document was put into quarantine.
    DocumentQuarantined(String),
    /// A document came back as the backup has it.
    DocumentFromBackup { name: String, backup: PathBuf },
    /// The damaged record of a session was removed.
    SessionRemoved(String),
    /// So many records of sessions came back as the backup has them.
    SessionsFromBackup { count: usize, backup: PathBuf },
    /// The full-text index was built anew, with so many memories.
    IndexRebuilt(usize),
    /// Nothing was left of the file; all is as this backup has it, and what came after it is lost.
    Restored { backup: PathBuf, made_at: Timestamp },
    /// Not all could be read: what was kept after this backup was made, or ever where there is none, may be lost.
    Incomplete { since: Option<(PathBuf, Timestamp)> },
    /// So many vectors were not what was written; the next search makes all of them anew.
    VectorsRemoved(usize),
}

pub(super) const DOING: &str = "repair the database";

/// Puts the database at `path` right. Nobody else may have it open to write.
pub fn repair(path: &Path, now: Timestamp) -> Result<RepairReport, StoreError> {
    let fail = |error| files::translate(path, DOING, error);
    let alone = Alone::wait(path).map_err(fail)?;
    handout::withdraw(path).map_err(fail)?;
    let report = match in_place(path, now)? {
        Some(report) => report,
        None => anew(path, now)?,
    };
    alone.leave_clean().map_err(fail)?;
    Ok(report)
}

/// Brings back the newest sound backup of a database whose file was emptied or is gone. `None` where no backup is sound.
pub fn refill(path: &Path) -> Result<Option<RepairReport>, StoreError> {
    let found = if path.exists() {
        "the file is empty"
    } else {
        "the file is gone"
    };
    for backup in backup::list(path)? {
        let BackupReason::Rolling(made_at) = backup.reason else {
            continue;
        };
        match replace(path, &backup) {
            Ok(aside) => {
                let backup = backup.path;
                let kept = [beside(&aside, "-wal"), aside];
                let kept = kept.into_iter().filter(|path| path.exists());
                let kept = kept.map(Repair::KeptAside);
                let restored = Repair::Restored { backup, made_at };
                return Ok(Some(RepairReport {
                    findings: vec![Finding::Structure(found.to_owned())],
                    done: kept.chain([restored]).collect(),
                }));
            }
            // An older one may be sound.
            Err(StoreError::DamagedDatabase { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Puts a backup in the place of a database that cannot be opened. Returns where that is kept now.
///
/// A database that can be opened is restored with [`super::SqliteStore::restore`], which others may watch.
pub fn replace(path: &Path, backup: &Backup) -> Result<PathBuf, StoreError> {
    const DOING: &str = "restore a backup";
    let fail = |error| translate(path, DOING, error);
    let io_fail = |error| files::translate(path, DOING, error);
    let alone = Alone::wait(path).map_err(io_fail)?;
    handout::withdraw(path).map_err(io_fail)?;
    let from = backup::verify(&backup.path)?;
    let (fresh_path, mut fresh) = new_file(path)?;
    backup::copy(&from, &mut fresh).map_err(fail)?;
    schema::migrate(&mut fresh, schema::STEPS).map_err(fail)?;
    index::keep_current(&mut fresh).map_err(fail)?;
    let aside = swap(path, &fresh_path, fresh)?;
    alone.leave_clean().map_err(io_fail)?;
    Ok(aside)
}

/// `None` when the file does not hold together well enough to be worked on.
fn in_place(path: &Path, now: Timestamp) -> Result<Option<RepairReport>, StoreError> {
    let fail = |error| translate(path, DOING, error);
    let opened = backup::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .and_then(|connection| check::check(&connection).map(|findings| (connection, findings)));
    let (mut connection, findings) = match opened {
        Ok(opened) => opened,
        Err(error) if is_damage(&error) => return Ok(None),
        Err(error) => return Err(fail(error)),
    };
    if findings
        .iter()
        .any(|finding| matches!(finding, Finding::Structure(_)))
    {
        return Ok(None);
    }
    let mut report = RepairReport {
        findings,
        done: Vec::new(),
    };
    if report.findings.is_empty() {
        return Ok(Some(report));
    }
    let good = GoodBackup::newest(path)?;
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(fail)?;
    put_away(&transaction, &mut report, now).map_err(fail)?;
    let indexed = index::rebuild(&transaction).map_err(fail)?;
    report.done.push(Repair::IndexRebuilt(indexed));
    if let Some(good) = good {
        good.bring_back(&transaction, &mut Vec::new(), &mut report.done)
            .map_err(fail)?;
    }
    transaction.commit().map_err(fail)?;
    let left = check::check(&connection).map_err(fail)?;
    Ok(left.is_empty().then_some(report))
}

/// Damaged memories and documents leave the tables; the index is not touched, it may be damaged itself.
fn put_away(
    connection: &Connection,
    report: &mut RepairReport,
    now: Timestamp,
) -> rusqlite::Result<()> {
    for finding in &report.findings {
        match finding {
            Finding::Memory { key, id } => {
                let row = quarantine::memory_as_json(connection, *key)?;
                quarantine::put(connection, now, Reason::Memory, *id, &row)?;
                connection.execute("delete from memory where key = ?1", [key])?;
                report.done.push(Repair::Quarantined { key: *key, id: *id });
            }
            Finding::Document(name) => {
                let row = quarantine::document_as_json(connection, name)?;
                quarantine::put(connection, now, Reason::Document, None, &row)?;
                connection.execute("delete from document where name = ?1", [name])?;
                report.done.push(Repair::DocumentQuarantined(name.clone()));
            }
            // Its journal tells it again.
            Finding::Session(id) => {
                connection.execute("delete from session where id = ?1", [id])?;
                report.done.push(Repair::SessionRemoved(id.clone()));
            }
            Finding::Structure(_) | Finding::Index(_) => {}
        }
    }
    Ok(())
}

/// A new file with everything that can still be read.
fn anew(path: &Path, now: Timestamp) -> Result<RepairReport, StoreError> {
    let fail = |error| translate(path, DOING, error);
    let (fresh_path, mut fresh) = new_file(path)?;
    schema::migrate(&mut fresh, schema::STEPS).map_err(fail)?;
    let mut report = RepairReport::default();
    let transaction = fresh
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(fail)?;
    let Carried {
        are_all,
        mut lacking,
    } = match salvage::open(path) {
        Ok(source) => {
            report.findings = check::structure(&source).map_err(fail)?;
            carry_over(&source, &transaction, &mut report.done, now).map_err(fail)?
        }
        Err(error) => {
            let found = Finding::Structure(error.to_string());
            report.findings.push(found);
            Carried::default()
        }
    };
    let good = GoodBackup::newest(path)?;
    let since = good.as_ref().map(|good| (good.path.clone(), good.made_at));
    if let Some(good) = good {
        good.bring_back(&transaction, &mut lacking, &mut report.done)
            .map_err(fail)?;
    }
    let lacking = lacking.into_iter();
    let lacking = lacking.map(|Lacking { id, parts, .. }| Repair::Lacking { id, parts });
    report.done.extend(lacking);
    if !are_all {
        report.done.push(Repair::Incomplete { since });
    }
    transaction.commit().map_err(fail)?;
    let aside = swap(path, &fresh_path, fresh)?;
    report.done.insert(0, Repair::KeptAside(aside));
    Ok(report)
}

/// An empty file beside the database, to be filled and put in its place.
fn new_file(path: &Path) -> Result<(PathBuf, Connection), StoreError> {
    let io_fail = |error| files::translate(path, DOING, error);
    let fresh = beside(path, "-repaired");
    for suffix in ["", "-wal", "-shm"] {
        files::remove(&beside(&fresh, suffix)).map_err(io_fail)?;
    }
    drop(files::open_private(&fresh).map_err(io_fail)?);
    let connection = backup::connect(&fresh, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .map_err(|error| translate(path, DOING, error))?;
    Ok((fresh, connection))
}

/// Puts the new file, once it is known to be whole, in the database's place.
fn swap(path: &Path, fresh_path: &Path, fresh: Connection) -> Result<PathBuf, StoreError> {
    let fail = |error| translate(path, DOING, error);
    let io_fail = |error| files::translate(path, DOING, error);
    open::use_write_ahead_log(&fresh).map_err(fail)?;
    if let Some(finding) = check::check(&fresh).map_err(fail)?.first() {
        return Err(StoreError::DamagedDatabase {
            path: fresh_path.to_owned(),
            detail: finding.to_string(),
        });
    }
    // Closing empties the log into the file.
    drop(fresh);
    let aside = put_aside(path).map_err(io_fail)?;
    fs::rename(fresh_path, path).map_err(io_fail)?;
    if let Some(folder) = path.parent() {
        files::sync_folder(folder).map_err(io_fail)?;
    }
    Ok(aside)
}

/// The damaged file and its log, as far as they are there, under the next free number.
fn put_aside(path: &Path) -> std::io::Result<PathBuf> {
    let mut number = 1;
    let mut aside = beside(path, "-damaged-1");
    while aside.exists() {
        number += 1;
        aside = beside(path, &format!("-damaged-{number}"));
    }
    let log = beside(path, "-wal");
    if log.exists() {
        fs::rename(&log, beside(&aside, "-wal"))?;
    }
    files::remove(&beside(path, "-shm"))?;
    if path.exists() {
        fs::rename(path, &aside)?;
    }
    Ok(aside)
}

/// The newest backup that is whole.
struct GoodBackup {
    path: PathBuf,
    made_at: Timestamp,
    connection: Connection,
}

impl GoodBackup {
    fn newest(database: &Path) -> Result<Option<Self>, StoreError> {
        for backup in backup::list(database)? {
            let BackupReason::Rolling(made_at) = backup.reason else {
                continue;
            };
            let sound = backup::verify(&backup.path).and_then(|connection| {
                up_to_date(connection).map_err(|error| translate(&backup.path, DOING, error))
            });
            if let Ok(connection) = sound {
                return Ok(Some(Self {
                    path: backup.path,
                    made_at,
                    connection,
                }));
            }
        }
        Ok(None)
    }

    /// What the backup has and the database has not. What is erased is in no backup, or on a list of what has yet to leave
    /// it, so that all else that is missing was lost.
    fn bring_back(
        self,
        to: &Connection,
        lacking: &mut Vec<Lacking>,
        done: &mut Vec<Repair>,
    ) -> rusqlite::Result<()> {
        let leaving = erase::leaving(to)?;
        self.make_whole(to, lacking, done)?;
        self.bring_back_memories(to, &leaving.memories, done)?;
        self.bring_back_documents(to, done)?;
        self.bring_back_sessions(to, &leaving.sessions, done)
    }

    /// What is not whole is replaced where the backup has the very one that was written.
    fn make_whole(
        &self,
        to: &Connection,
        lacking: &mut Vec<Lacking>,
        done: &mut Vec<Repair>,
    ) -> rusqlite::Result<()> {
        let mut left = Vec::new();
        for lacks in lacking.drain(..) {
            let mut whole = None;
            load_each(&self.connection, &[lacks.id], |_, loaded| match loaded {
                Loaded::Sound(memory) if Seal::of(&memory) == lacks.seal => whole = Some(memory),
                _ => {}
            })?;
            let Some(memory) = whole else {
                left.push(lacks);
                continue;
            };
            to.execute("delete from memory where key = ?1", [lacks.key])?;
            save::insert(to, Some(lacks.key), &memory)?;
            let (id, backup) = (lacks.id, self.path.clone());
            done.push(Repair::PartsFromBackup { id, backup });
        }
        *lacking = left;
        Ok(())
    }

    fn bring_back_memories(
        &self,
        to: &Connection,
        leaving: &[MemoryId],
        done: &mut Vec<Repair>,
    ) -> rusqlite::Result<()> {
        let leaving: Vec<String> = leaving.iter().map(MemoryId::to_string).collect();
        let mut statement = self.connection.prepare("select key, id from memory")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let id: String = row.get(1)?;
            let known = to
                .prepare_cached("select 1 from memory where id = ?1")?
                .exists([&id])?;
            if known || leaving.contains(&id) {
                continue;
            }
            if let Some(Loaded::Sound(memory)) = load(&self.connection, row.get(0)?)? {
                save::insert(to, None, &memory)?;
                let backup = self.path.clone();
                done.push(Repair::FromBackup {
                    id: memory.id,
                    backup,
                });
            }
        }
        Ok(())
    }

    fn bring_back_documents(
        &self,
        to: &Connection,
        done: &mut Vec<Repair>,
    ) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare("select name, body from document")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let name: String = row.get(0)?;
            let known: Option<i64> = to
                .query_row("select 1 from document where name = ?1", [&name], |row| {
                    row.get(0)
                })
                .optional()?;
            if known.is_none() {
                document::put(to, &name, &row.get::<_, String>(1)?)?;
                let backup = self.path.clone();
                done.push(Repair::DocumentFromBackup { name, backup });
            }
        }
        Ok(())
    }

    /// A record that the journal has gone beyond since is made anew from that, as after every session.
    fn bring_back_sessions(
        &self,
        to: &Connection,
        leaving: &[SessionId],
        done: &mut Vec<Repair>,
    ) -> rusqlite::Result<()> {
        for hash in session::readable_tombstones(&self.connection) {
            session::put_tombstone(to, &hash)?;
        }
        let there = session::readable(to);
        let mut count = 0;
        for record in session::readable(&self.connection) {
            let is_there = there.iter().any(|known| known.id == record.id);
            if !is_there && !leaving.contains(&record.id) {
                session::put(to, &record)?;
                count += 1;
            }
        }
        if count > 0 {
            let backup = self.path.clone();
            done.push(Repair::SessionsFromBackup { count, backup });
        }
        Ok(())
    }
}

/// A backup of an older schema is brought up to date in memory; the file stays as it is.
fn up_to_date(connection: Connection) -> rusqlite::Result<Connection> {
    if schema::version(&connection)? == schema::STEPS.len() as u32 {
        return Ok(connection);
    }
    let mut copy = Connection::open_in_memory()?;
    open::prepare(&mut copy)?;
    backup::copy(&connection, &mut copy)?;
    schema::migrate(&mut copy, schema::STEPS)?;
    Ok(copy)
}
