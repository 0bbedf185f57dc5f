//! Who has a database open to write, and whether the last one who had it closed the door.
//!
//! Every writer holds a shared lock on a small file beside the database. The first to come and the last to go
//! are alone, which they see by getting the exclusive lock for a moment:
//!
//! - the last to go writes `clean` and the length of the write-ahead log it leaves behind;
//! - the first to come reads that. Anything else, or a log of another length, means that somebody was killed
//!   or the power went: then the database is checked before it is used.
//!
//! Nothing here is synced to disk: a killed process does not need it, and after a power cut the log's length
//! gives it away. Readers change nothing, so they are not counted.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::files::{self, beside};
use super::patience::Patience;

/// How the last writer left the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastEnd {
    Clean,
    /// Killed, or the power went.
    Unclean,
    /// Other writers are at work right now.
    Others,
}

/// A writer's shared lock.
pub(super) struct Presence {
    file: File,
    database: PathBuf,
}

const OPEN: &str = "open\n";

/// The only one there: writers who come now wait.
pub(super) struct Alone {
    file: File,
    database: PathBuf,
}

impl Alone {
    /// Waits until every writer has gone.
    pub(super) fn wait(database: &Path) -> io::Result<Self> {
        let file = files::open_private(&beside(database, "-lock"))?;
        let mut patience = Patience::default();
        while file.try_lock().is_err() {
            if !patience.nap() {
                return Err(io::ErrorKind::WouldBlock.into());
            }
        }
        let database = database.to_owned();
        Ok(Self { file, database })
    }

    /// Says that all is well, and goes.
    pub(super) fn leave_clean(mut self) -> io::Result<()> {
        write(&mut self.file, &clean(&self.database))
    }
}

impl Presence {
    /// Comes in. When nobody else is there, `prepare` is run before anyone else can come in; when it fails,
    /// it is as if nobody had come.
    pub(super) fn enter<T, E>(
        database: &Path,
        prepare: impl FnOnce(LastEnd) -> Result<T, E>,
    ) -> io::Result<Result<(Self, T), E>> {
        let mut file = files::open_private(&beside(database, "-lock"))?;
        let prepared = if file.try_lock().is_ok() {
            let prepared = prepare(last_end(&mut file, database)?);
            file.unlock()?;
            prepared
        } else {
            prepare(LastEnd::Others)
        };
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return Ok(Err(error)),
        };
        lock_shared(&file)?;
        let mut presence = Self {
            file,
            database: database.to_owned(),
        };
        write(&mut presence.file, OPEN)?;
        Ok(Ok((presence, prepared)))
    }

    fn leave(&mut self) -> io::Result<()> {
        self.file.unlock()?;
        if self.file.try_lock().is_ok() {
            let text = clean(&self.database);
            write(&mut self.file, &text)?;
        }
        Ok(())
    }
}

/// Goes. The connection is already closed.
impl Drop for Presence {
    fn drop(&mut self) {
        // An unwritten farewell only means that the next to come looks twice.
        let _ = self.leave();
    }
}

fn write(file: &mut File, text: &str) -> io::Result<()> {
    file.rewind()?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)
}

fn last_end(file: &mut File, database: &Path) -> io::Result<LastEnd> {
    let mut text = String::new();
    file.rewind()?;
    // What is not text was not written by us, and is not `clean` either.
    let readable = file.take(64).read_to_string(&mut text).is_ok();
    let new = readable && text.is_empty() && log_length(database) == 0;
    if new || text == clean(database) {
        Ok(LastEnd::Clean)
    } else {
        Ok(LastEnd::Unclean)
    }
}

fn clean(database: &Path) -> String {
    format!("clean {}\n", log_length(database))
}

fn log_length(database: &Path) -> u64 {
    fs::metadata(beside(database, "-wal")).map_or(0, |log| log.len())
}

/// Whoever holds the exclusive lock is checking or replacing the database; that ends.
fn lock_shared(file: &File) -> io::Result<()> {
    let mut patience = Patience::default();
    while file.try_lock_shared().is_err() {
        if !patience.nap() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
    }
    Ok(())
}
