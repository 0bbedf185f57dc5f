//! Who has a database open to write, and whether everyone who had it closed the door.
//!
//! Every writer holds a shared lock on a small file beside the database, adds a `+` to it when it comes and a
//! `-` when it goes. The first to come and the last to go are alone, which they see by getting the exclusive
//! lock for a moment:
//!
//! - the last to go, if as many went as came, writes `clean` and the length of the write-ahead log it leaves;
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
    /// Somebody was killed, or the power went.
    Unclean,
    /// Other writers are at work right now.
    Others,
}

/// A writer's shared lock.
pub(super) struct Presence {
    file: File,
    database: PathBuf,
}

/// The only one there: writers who come now wait.
pub struct Alone {
    file: File,
    database: PathBuf,
}

const CAME: &[u8] = b"+";
const WENT: &[u8] = b"-";

impl Alone {
    /// Waits until every writer has gone.
    pub fn wait(database: &Path) -> io::Result<Self> {
        let file = open(database)?;
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
        write_clean(&mut self.file, &self.database)
    }
}

impl Presence {
    /// Comes in. When nobody else is there, `prepare` is run before anyone else can come in; when it fails,
    /// it is as if nobody had come.
    ///
    /// A lock cannot be turned from exclusive to shared in one go: whoever slips in between may put another
    /// file in the database's place, and then `prepare` is run again on that one.
    pub(super) fn enter<T, E>(
        database: &Path,
        mut prepare: impl FnMut(LastEnd) -> Result<T, E>,
    ) -> io::Result<Result<(Self, T), E>> {
        let mut file = open(database)?;
        let mut alone = None;
        if file.try_lock().is_ok() {
            let last = last_end(&mut file, database)?;
            let prepared = prepare(last);
            if prepared.is_ok() && last == LastEnd::Unclean {
                write_clean(&mut file, database)?;
            }
            let seen = files::identity(database);
            file.unlock()?;
            match prepared {
                Ok(prepared) => alone = Some((prepared, seen)),
                Err(error) => return Ok(Err(error)),
            }
        }
        lock_shared(&file)?;
        let prepared = match alone {
            Some((prepared, seen)) if files::identity(database) == seen => prepared,
            _ => match prepare(LastEnd::Others) {
                Ok(prepared) => prepared,
                Err(error) => return Ok(Err(error)),
            },
        };
        file.write_all(CAME)?;
        let database = database.to_owned();
        Ok(Ok((Self { file, database }, prepared)))
    }

    fn leave(&mut self) -> io::Result<()> {
        self.file.write_all(WENT)?;
        self.file.unlock()?;
        if self.file.try_lock().is_err() {
            return Ok(());
        }
        let text = read(&mut self.file)?;
        let count = |mark: &[u8]| text.iter().filter(|&&byte| [byte] == mark).count();
        if count(CAME) == count(WENT) {
            write_clean(&mut self.file, &self.database)?;
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

fn open(database: &Path) -> io::Result<File> {
    files::open_private_to_append(&beside(database, "-lock"))
}

fn read(file: &mut File) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut text)?;
    Ok(text)
}

fn last_end(file: &mut File, database: &Path) -> io::Result<LastEnd> {
    let text = read(file)?;
    let new = text.is_empty() && log_length(database) == 0;
    if new || text == clean(database).as_bytes() {
        Ok(LastEnd::Clean)
    } else {
        Ok(LastEnd::Unclean)
    }
}

fn write_clean(file: &mut File, database: &Path) -> io::Result<()> {
    file.set_len(0)?;
    file.write_all(clean(database).as_bytes())
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

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn enter(database: &Path) -> (Presence, LastEnd) {
        Presence::enter(database, Ok::<_, ()>).unwrap().unwrap()
    }

    /// Gone without a word, as when killed.
    fn kill(presence: Presence) {
        presence.file.unlock().unwrap();
        std::mem::forget(presence);
    }

    #[test]
    fn a_kill_is_noticed_even_when_somebody_else_left_properly_after_it() {
        let folder = TempDir::new().unwrap();
        let database = folder.path().join("memory.db");
        let (first, end) = enter(&database);
        assert_eq!(end, LastEnd::Clean);
        let (second, end) = enter(&database);
        assert_eq!(end, LastEnd::Others);
        kill(first);
        drop(second);
        let (third, end) = enter(&database);
        assert_eq!(end, LastEnd::Unclean);
        drop(third);
        let (_, end) = enter(&database);
        assert_eq!(end, LastEnd::Clean);
    }

    #[test]
    fn whoever_cannot_prepare_leaves_things_as_they_were() {
        let folder = TempDir::new().unwrap();
        let database = folder.path().join("memory.db");
        kill(enter(&database).0);
        for _ in 0..2 {
            let refused = Presence::enter(&database, Err::<(), _>).unwrap();
            assert_eq!(refused.err(), Some(LastEnd::Unclean));
        }
    }

    #[test]
    fn one_alone_keeps_writers_waiting() {
        let folder = TempDir::new().unwrap();
        let database = folder.path().join("memory.db");
        let alone = Alone::wait(&database).unwrap();
        let other = open(&database).unwrap();
        assert!(other.try_lock_shared().is_err());
        alone.leave_clean().unwrap();
        assert!(other.try_lock_shared().is_ok());
    }

    #[test]
    fn whoever_comes_while_the_file_is_replaced_sees_the_new_one() {
        let folder = TempDir::new().unwrap();
        let database = folder.path().join("memory.db");
        fs::write(&database, "old").unwrap();
        let alone = Alone::wait(&database).unwrap();
        let writer = std::thread::spawn({
            let database = database.clone();
            move || Presence::enter(&database, |_| fs::read_to_string(&database)).unwrap()
        });
        let fresh = folder.path().join("fresh.db");
        fs::write(&fresh, "new").unwrap();
        fs::rename(&fresh, &database).unwrap();
        alone.leave_clean().unwrap();
        let (_presence, seen) = writer.join().unwrap().unwrap();
        assert_eq!(seen, "new");
    }
}
