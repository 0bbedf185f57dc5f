//! Memories in a SQLite file: one connection, many processes.
//!
//! Start reading at [`SqliteStore`]; `open.rs` says how a file is opened, `migrations/` what is in it,
//! `load.rs` and `save.rs` how a memory becomes columns and comes back.

mod backup;
mod ballast;
mod change;
mod check;
mod count;
mod document;
mod erase;
mod failure;
pub(crate) mod files;
mod glance;
mod index;
mod lists;
mod load;
mod meta;
mod open;
mod pages;
mod patience;
mod pieces;
mod porter;
mod presence;
mod quarantine;
mod question;
mod rate;
mod reader;
mod repair;
mod salvage;
mod save;
mod schema;
mod search;
mod select;
mod session;
mod tally;
mod terms;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::{
    Called, Counts, Found, Listing, Matches, MemoryReader, MemoryStore, Plan, Spread,
};
use oldhand_domain::text::ModuleName;
use rusqlite::{Connection, Transaction, TransactionBehavior};

pub use backup::{Backup, BackupReason, Pace, list as list_backups};
pub use change::Changes;
pub use check::Finding;
pub use open::Mode;
pub use patience::tell_of_waiting;
pub use presence::Alone;
pub use quarantine::Quarantined;
pub use repair::{Repair, RepairReport, refill, repair, replace};

use crate::handout;

use failure::translate;
use glance::Glance;
use presence::Presence;
use reader::Reader;
use search::Ground;

/// One database file.
pub struct SqliteStore {
    path: PathBuf,
    findings: Vec<Finding>,
    stamp: Option<open::Stamp>,
    glance: Option<Glance>,
    // Dropped in this order: the connection is closed before the lock goes.
    /// Missing as long as pages were all that a glance wanted.
    connection: OnceLock<Mutex<Connection>>,
    presence: Option<Presence>,
}

impl SqliteStore {
    /// Opens the database at `path`. Opening to write makes it, with its folders, when there is none.
    ///
    /// When the last writer was killed, opening to write checks the whole file first; a file that does not
    /// hold together is refused with [`StoreError::DamagedDatabase`].
    pub fn open(path: &Path, mode: Mode) -> Result<Self, StoreError> {
        Self::open_with(path, mode, schema::STEPS)
    }

    fn open_with(path: &Path, mode: Mode, steps: schema::Steps<'_>) -> Result<Self, StoreError> {
        let opened = open::open(path, mode, steps)?;
        Ok(Self {
            path: path.to_owned(),
            findings: opened.findings,
            stamp: opened.stamp,
            glance: opened.glance,
            connection: opened
                .connection
                .map(Mutex::new)
                .map_or_else(OnceLock::new, OnceLock::from),
            presence: opened.presence,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether [`SqliteStore::is_as_it_was`] can tell that somebody wrote.
    pub fn is_a_glance(&self) -> bool {
        self.stamp.is_some()
    }

    /// Whether what was read since it was opened is of one moment. Always, but for a [`Mode::Glance`] during which somebody wrote, or might have: just before
    /// it, so that the time of the file does not tell.
    pub fn is_as_it_was(&self) -> bool {
        let stamp = self.stamp.as_ref();
        stamp.is_none_or(|stamp| stamp.still_holds(&self.path))
    }

    /// Leaves it open until the process ends, which is about to; whoever might have written closes it, since others wait for the farewell.
    pub fn leave_open(self) {
        if self.presence.is_none() {
            std::mem::forget((self.connection, self.glance));
        }
    }

    /// What the check at opening found, when one was needed.
    pub fn found_at_open(&self) -> &[Finding] {
        &self.findings
    }

    /// Looks at every page, every memory and every index entry. Needs a store opened to write.
    pub fn check(&self) -> Result<Vec<Finding>, StoreError> {
        check::check(&*self.lock()?)
            .map_err(|error| translate(&self.path, "check the database", error))
    }

    /// What pages tell, if this is a glance and they do.
    fn told<T, E>(&self, look: impl FnOnce(&Glance) -> Result<T, E>) -> Option<T> {
        look(self.glance.as_ref()?).ok()
    }

    fn lock(&self) -> Result<MutexGuard<'_, Connection>, StoreError> {
        let connection = if let Some(connection) = self.connection.get() {
            connection
        } else {
            let connection = open::as_it_lies(&self.path)?;
            self.connection.get_or_init(|| Mutex::new(connection))
        };
        // A panic while the lock was held rolled its transaction back; the connection is as good as before.
        Ok(connection.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Several statements, one moment: nothing another process does comes in between.
    fn read<T>(
        &self,
        doing: &'static str,
        look: impl FnOnce(&dyn MemoryReader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let connection = self.lock()?;
        let fail = |error| translate(&self.path, doing, error);
        let transaction = connection.unchecked_transaction().map_err(fail)?;
        let answer = look(&Reader {
            connection: &transaction,
            path: &self.path,
        })?;
        transaction.finish().map_err(fail)?;
        Ok(answer)
    }

    fn write<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = self.lock()?;
        self.write_with(&mut connection, doing, work)
    }

    fn write_with<T>(
        &self,
        connection: &mut Connection,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.count_with(connection, doing, |transaction| {
            // Under the lock under which it is written, so that what lies there is never behind what is stored.
            handout::withdraw(&self.path)
                .map_err(|error| files::translate(&self.path, doing, error))?;
            work(transaction)
        })
    }

    /// For counters of use, which can only make a memory surer: a handout that is behind them says too little, never too much.
    fn count_with<T>(
        &self,
        connection: &mut Connection,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let fail = |error| translate(&self.path, doing, error);
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(fail)?;
        // A newer Oldhand may have changed the tables since this one opened them.
        open::recognise(&transaction, &self.path, schema::STEPS)?;
        let answer = work(&transaction)?;
        transaction.commit().map_err(fail)?;
        Ok(answer)
    }

    /// Puts answers beside the database: those that `work_out` finds in the memories, which errors sessions met, the
    /// documents named, the lists of all words, and what prompts need to know ([`Handout::newest`](handout::Handout::newest)). Until something changes they are what the database would answer.
    ///
    /// They are made while others may write, and put there under the lock if nobody did. Who is always too late makes them under the lock.
    pub fn hand_out(
        &self,
        documents: &[&str],
        met: impl Fn(&str) -> String,
        work_out: impl Fn(&dyn MemoryReader) -> Result<Vec<(String, Vec<u8>)>, StoreError>,
    ) -> Result<(), StoreError> {
        const DOING: &str = "write the handout";
        const TRIES: usize = 4;
        let fail = |error| translate(&self.path, DOING, error);
        let put = |answers: &[(String, Vec<u8>)]| {
            handout::put(&self.path, answers)
                .map_err(|error| files::translate(&self.path, DOING, error))
        };
        let make = |transaction: &Transaction<'_>| {
            // A newer Oldhand may have changed the tables, and what the answers look like.
            open::recognise(transaction, &self.path, schema::STEPS)?;
            let mut answers = work_out(&Reader {
                connection: transaction,
                path: &self.path,
            })?;
            for message in session::met_errors(transaction).map_err(fail)? {
                answers.push((met(&message), Vec::new()));
            }
            for name in documents {
                let body = document::read(transaction, &self.path, name)?;
                answers.extend(body.map(|body| (handout::document_key(name), body.into_bytes())));
            }
            // Of words that another version cut there are no lists: the index is about to be built anew, and nothing else would change.
            if index::cut_by_this_version(transaction).map_err(fail)? {
                answers.extend(lists::write(transaction).map_err(fail)?);
            }
            let newest = change::newest(transaction).map_err(fail)?;
            answers.push((
                handout::NEWEST_CHANGE.to_owned(),
                newest.to_string().into_bytes(),
            ));
            let gone = change::gone(transaction, handout::MOST_GONE).map_err(fail)?;
            answers.extend(gone.map(|ids| (handout::GONE.to_owned(), ids.concat())));
            Ok::<_, StoreError>(answers)
        };
        let mut connection = self.lock()?;
        for _ in 0..TRIES {
            let reading = connection.transaction().map_err(fail)?;
            let answers = make(&reading)?;
            let made_at = changes_of_others(&reading).map_err(fail)?;
            reading.finish().map_err(fail)?;
            let writing = connection
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .map_err(fail)?;
            if changes_of_others(&writing).map_err(fail)? == made_at {
                return put(&answers);
            }
        }
        let writing = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(fail)?;
        put(&make(&writing)?)
    }

    /// Puts the word index together where it lies in many pieces: a question takes the longer, the more there are. Nothing that is handed out changes by
    /// that.
    pub fn put_words_together(&self) -> Result<(), StoreError> {
        const DOING: &str = "put the word index together";
        let fail = |error| translate(&self.path, DOING, error);
        let mut connection = self.lock()?;
        if !index::is_scattered(&connection).map_err(fail)? {
            return Ok(());
        }
        self.count_with(&mut connection, DOING, |transaction| {
            index::put_together(transaction).map_err(fail)
        })
    }

    /// Saves what `plan` says. On a full disk, what only deletes gets the room kept in reserve.
    fn save(&self, plan: &mut Plan<'_>) -> Result<(), StoreError> {
        const DOING: &str = "save memories";
        let fail = |error| translate(&self.path, DOING, error);
        let save = |transaction: &Transaction<'_>, memories: &[Memory]| {
            memories
                .iter()
                .try_for_each(|memory| save::save(transaction, memory))
                .map_err(fail)
        };
        let mut planned = Vec::new();
        let mut connection = self.lock()?;
        let before = changes_of_others(&connection).map_err(fail)?;
        let saved = self.write_with(&mut connection, DOING, |transaction| {
            planned = plan(&Reader {
                connection: transaction,
                path: &self.path,
            })?;
            save(transaction, &planned)
        });
        let only_deletes =
            || !planned.is_empty() && planned.iter().all(|memory| memory.deleted_since.is_some());
        match saved {
            Err(StoreError::DiskFull { .. }) if only_deletes() && ballast::release(&self.path) => {
                self.write_with(&mut connection, DOING, |transaction| {
                    // The plan was made for the store as it was; it is not asked a second time.
                    if changes_of_others(transaction).map_err(fail)? != before {
                        return Err(StoreError::DiskFull { doing: DOING });
                    }
                    save(transaction, &planned)
                })
            }
            saved => saved,
        }
    }
}

/// Changes whenever another connection changed the database.
fn changes_of_others(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("pragma data_version", [], |row| row.get(0))
}

impl MemoryReader for SqliteStore {
    fn get(&self, id: MemoryId) -> Result<Option<Memory>, StoreError> {
        if let Some(loaded) = self.told(|glance| glance.load(id)) {
            return reader::sound(id, Some(loaded));
        }
        self.read("read a memory", |reader| reader.get(id))
    }

    fn find(&self, prefix: &str) -> Result<Vec<MemoryId>, StoreError> {
        self.read("look up an id", |reader| reader.find(prefix))
    }

    fn list(&self, filter: &Filter) -> Result<Listing, StoreError> {
        self.read("list memories", |reader| reader.list(filter))
    }

    fn search(&self, query: &TextQuery) -> Result<Found, StoreError> {
        self.read("search memories", |reader| reader.search(query))
    }

    fn matches_beside(&self, query: &TextQuery, others: &Spread) -> Result<Matches, StoreError> {
        let told = |glance: &Glance| {
            let pages = (Ground::Pages(glance), self.path.as_path());
            search::matches(pages, query, others)
        };
        if let Some(matches) = self.told(told) {
            return Ok(matches);
        }
        let matches = self.read("search memories", |reader| {
            reader.matches_beside(query, others)
        })?;
        // Some of them are read next, and whoever asks may have to wait for vectors first.
        load::expect_reading(&*self.lock()?);
        Ok(matches)
    }

    fn read(&self, ids: &[MemoryId], filter: &Filter) -> Result<Listing, StoreError> {
        if let Some(listing) = self.told(|glance| glance.read(ids, filter)) {
            return Ok(listing);
        }
        self.read("read memories", |reader| reader.read(ids, filter))
    }

    fn ids(&self, filter: &Filter) -> Result<Vec<MemoryId>, StoreError> {
        self.read("list ids", |reader| reader.ids(filter))
    }

    fn called(&self, names: &BTreeSet<ProjectPath>) -> Result<Called, StoreError> {
        self.read("look up files", |reader| reader.called(names))
    }

    fn modules(&self) -> Result<Vec<ModuleName>, StoreError> {
        self.read("list modules", |reader| reader.modules())
    }

    fn learned_in(&self, session: &SessionId) -> Result<usize, StoreError> {
        self.read("count a session's memories", |reader| {
            reader.learned_in(session)
        })
    }

    fn counts(&self) -> Result<Counts, StoreError> {
        self.read("count memories", |reader| reader.counts())
    }
}

impl MemoryStore for SqliteStore {
    fn change(&self, plan: &mut Plan<'_>) -> Result<(), StoreError> {
        self.save(plan)
    }

    fn erase(&self, ids: &[MemoryId]) -> Result<usize, StoreError> {
        const DOING: &str = "erase memories";
        let remove = || {
            self.write(DOING, |transaction| {
                erase::remove_all(transaction, ids)
                    .map_err(|error| translate(&self.path, DOING, error))
            })
        };
        let erased = match remove() {
            Err(StoreError::DiskFull { .. }) if ballast::release(&self.path) => remove()?,
            removed => removed?,
        };
        self.finish_erasing()?;
        Ok(erased)
    }

    fn touch(&self, ids: &[MemoryId], now: Timestamp) -> Result<(), StoreError> {
        const DOING: &str = "count a use";
        let fail = |error| translate(&self.path, DOING, error);
        let mut connection = self.lock()?;
        // Counters are not worth waiting for the disk.
        connection
            .pragma_update(None, "synchronous", "normal")
            .map_err(fail)?;
        let touched = self.count_with(&mut connection, DOING, |transaction| {
            let mut ids = ids.iter();
            ids.try_for_each(|id| save::count_use(transaction, *id, now))
                .map_err(fail)
        });
        connection
            .pragma_update(None, "synchronous", "full")
            .map_err(fail)?;
        touched
    }
}

#[cfg(test)]
mod tests;
