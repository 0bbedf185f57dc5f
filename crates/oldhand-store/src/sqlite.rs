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
mod index;
mod lists;
mod load;
mod meta;
mod open;
mod patience;
mod presence;
mod quarantine;
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

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::Memory;
use oldhand_domain::port::{Counts, Found, Listing, Matches, MemoryReader, MemoryStore, Plan};
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
use presence::Presence;
use reader::Reader;

/// One database file.
pub struct SqliteStore {
    path: PathBuf,
    findings: Vec<Finding>,
    stamp: Option<open::Stamp>,
    // Dropped in this order: the connection is closed before the lock goes.
    connection: Mutex<Connection>,
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
            connection: Mutex::new(opened.connection),
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

    /// Whether what was read since it was opened is of one moment. Always, but for a [`Mode::Glance`] during which somebody wrote.
    pub fn is_as_it_was(&self) -> bool {
        self.stamp.is_none() || self.stamp == open::Stamp::of(&self.path)
    }

    /// Leaves it open until the process ends, which is about to; whoever might have written closes it, since others wait for the farewell.
    pub fn leave_open(self) {
        if self.presence.is_none() {
            std::mem::forget(self.connection);
        }
    }

    /// What the check at opening found, when one was needed.
    pub fn found_at_open(&self) -> &[Finding] {
        &self.findings
    }

    /// Looks at every page, every memory and every index entry. Needs a store opened to write.
    pub fn check(&self) -> Result<Vec<Finding>, StoreError> {
        check::check(&self.lock())
            .map_err(|error| translate(&self.path, "check the database", error))
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A panic while the lock was held rolled its transaction back; the connection is as good as before.
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Several statements, one moment: nothing another process does comes in between.
    fn read<T>(
        &self,
        doing: &'static str,
        look: impl FnOnce(&dyn MemoryReader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let connection = self.lock();
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
        let mut connection = self.lock();
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
        let mut connection = self.lock();
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
        let mut connection = self.lock();
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
        let mut connection = self.lock();
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

    fn matches(&self, query: &TextQuery) -> Result<Matches, StoreError> {
        let matches = self.read("search memories", |reader| reader.matches(query))?;
        // Some of them are read next, and whoever asks may have to wait for vectors first.
        load::expect_reading(&self.lock());
        Ok(matches)
    }

    fn read(&self, ids: &[MemoryId], filter: &Filter) -> Result<Listing, StoreError> {
        self.read("read memories", |reader| reader.read(ids, filter))
    }

    fn ids(&self, filter: &Filter) -> Result<Vec<MemoryId>, StoreError> {
        self.read("list ids", |reader| reader.ids(filter))
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
        let mut connection = self.lock();
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
mod tests {
    use std::ops::Deref;

    use oldhand_domain::payload::BuiltInType;
    use tempfile::TempDir;

    use super::*;

    /// A store in a folder that is removed with it.
    struct Temporary {
        store: SqliteStore,
        _folder: TempDir,
    }

    impl Temporary {
        fn new() -> Self {
            let folder = TempDir::new().unwrap();
            let path = folder.path().join("projects/a/memory.db");
            Self {
                store: SqliteStore::open(&path, Mode::Write).unwrap(),
                _folder: folder,
            }
        }
    }

    impl Deref for Temporary {
        type Target = SqliteStore;

        fn deref(&self) -> &SqliteStore {
            &self.store
        }
    }

    crate::contract!(Temporary::new());

    #[test]
    fn a_database_of_a_newer_oldhand_is_not_handed_out() {
        let store = Temporary::new();
        let hand_out = || store.hand_out(&[], str::to_owned, |_| Ok(Vec::new()));
        hand_out().unwrap();
        handout::withdraw(store.path()).unwrap();
        let newer = Connection::open(store.path()).unwrap();
        let version = schema::STEPS.len() as u32 + 1;
        newer.pragma_update(None, "user_version", version).unwrap();
        assert!(matches!(hand_out(), Err(StoreError::NewerSchema { .. })));
        assert!(!handout::is_there(store.path()));
    }

    #[test]
    fn an_index_that_is_put_together_answers_as_before() {
        let store = Temporary::new();
        let never = "insert into memory_words (memory_words, rank) values ('automerge', 0)";
        store.lock().execute(never, []).unwrap();
        for number in 0..12 {
            let content = format!("Service {number} listens on a port of its own");
            let one = oldhand_testkit::memory(number, BuiltInType::Gotcha, &content);
            store.change(&mut |_| Ok(vec![one.clone()])).unwrap();
        }
        let hand_out = || store.hand_out(&[], str::to_owned, |_| Ok(Vec::new()));
        hand_out().unwrap();
        let matches = || {
            let query = TextQuery {
                text: "service 7 port".to_owned(),
                filter: Filter::default(),
                limit: 20,
            };
            store.matches(&query).unwrap()
        };
        let before = matches();
        assert!(index::is_scattered(&store.lock()).unwrap());
        store.put_words_together().unwrap();
        assert!(!index::is_scattered(&store.lock()).unwrap());
        assert_eq!(matches(), before);
        assert_eq!(before.hits.len(), 12);
        assert!(handout::is_there(store.path()), "no memory changed");
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config::with_cases(64))]
        #[test]
        fn any_text_at_all_can_be_searched(text in "(\\PC|[\"*^():+-]|AND|OR|NOT|NEAR){0,40}") {
            let store = Temporary::new();
            let query = TextQuery { text, filter: Filter::default(), limit: 3 };
            proptest::prop_assert!(store.search(&query).is_ok());
        }
    }
}
