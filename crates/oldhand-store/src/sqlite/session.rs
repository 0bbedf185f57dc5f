//! Finished sessions: one row each, sealed like memories.

use std::collections::BTreeSet;
use std::sync::MutexGuard;

use oldhand_domain::error::StoreError;
use oldhand_domain::id::SessionId;
use oldhand_domain::session::{Finish, SessionRecord, SessionStore, Tombstone};
use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, params};

use super::SqliteStore;
use super::erase;
use super::failure::translate;
use super::glance::Glance;
use super::load::{Values, time_text};
use super::reader::Reader;
use super::save;

const COLUMNS: &str = "id, client, started_at, ended_at, finalized_at, digest, body, report, seal";
/// The errors of a session as a JSON list; the last column of whatever reads records.
const ERRORS: &str =
    "(select json_group_array(message) from session_error where session = session.id)";
pub(super) const ERRORS_COLUMN: usize = 9;

/// How many sessions a beginning of an id may name.
const MOST_FOUND: usize = 20;

impl SessionStore for SqliteStore {
    fn finish_session(&self, plan: &mut Finish<'_>) -> Result<(), StoreError> {
        const DOING: &str = "save a session";
        let fail = |error| translate(self.path(), DOING, error);
        self.write(DOING, |transaction| {
            let finished = plan(&Reader {
                connection: transaction,
                path: self.path(),
            })?;
            for memory in &finished.memories {
                save::save(transaction, memory).map_err(fail)?;
            }
            for (id, at) in &finished.used {
                save::count_use(transaction, *id, *at).map_err(fail)?;
            }
            put(transaction, &finished.record).map_err(fail)
        })
    }

    fn rewrite_session(&self, record: &SessionRecord) -> Result<(), StoreError> {
        const DOING: &str = "rewrite a session";
        let fail = |error| translate(self.path(), DOING, error);
        self.write(DOING, |transaction| {
            erase::remove_session(transaction, &record.id).map_err(fail)?;
            put(transaction, record).map_err(fail)
        })?;
        self.finish_erasing()?;
        Ok(())
    }

    fn sessions_with_error(
        &self,
        error: &str,
        limit: usize,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        let sql = format!(
            "select {COLUMNS}, {ERRORS} from session
            where id in (select session from session_error where message = ?1)
            order by started_at desc, id limit ?2"
        );
        let read = |connection: &Connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let records =
                statement.query_map(params![error, limit as i64], |row| Ok(record(row)))?;
            records
                .filter_map(Result::transpose)
                .collect::<rusqlite::Result<Vec<SessionRecord>>>()
        };
        read(&*self.lock()?).map_err(|error| translate(self.path(), "look up an error", error))
    }

    fn bury(&self, erased: &[Tombstone]) -> Result<(), StoreError> {
        const DOING: &str = "note what was erased";
        let fail = |error| translate(self.path(), DOING, error);
        self.write(DOING, |transaction| {
            let mut hashes = erased.iter().map(Tombstone::bytes);
            hashes
                .try_for_each(|hash| put_tombstone(transaction, hash))
                .map_err(fail)
        })
    }

    fn is_buried(&self, tombstone: &Tombstone) -> Result<bool, StoreError> {
        let read = |connection: &Connection| {
            connection
                .prepare_cached("select 1 from erased where hash = ?1")?
                .exists([tombstone.bytes()])
        };
        read(&*self.lock()?)
            .map_err(|error| translate(self.path(), "look up what was erased", error))
    }

    /// A record whose words are not the ones that were written is as good as none: it is finalized again from its journal.
    fn session(&self, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        if let Some(session) = self.told(|glance| glance.session(id)) {
            return Ok(session);
        }
        let sql = format!("select {COLUMNS}, {ERRORS} from session where id = ?1");
        let read = |connection: &Connection| {
            connection
                .prepare_cached(&sql)?
                .query_row([id.as_str()], |row| Ok(record(row)))
                .optional()
        };
        let found = read(&*self.lock()?)
            .map_err(|error| translate(self.path(), "read a session", error))?;
        Ok(found.flatten())
    }

    fn sessions(&self) -> Result<Vec<SessionRecord>, StoreError> {
        if let Some(sessions) = self.told(Glance::sessions) {
            return Ok(sessions);
        }
        let sql = format!("select {COLUMNS}, {ERRORS} from session order by started_at, id");
        let read = |connection: &Connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let records = statement.query_map([], |row| Ok(record(row)))?;
            records
                .filter_map(Result::transpose)
                .collect::<rusqlite::Result<Vec<SessionRecord>>>()
        };
        read(&*self.lock()?).map_err(|error| translate(self.path(), "list sessions", error))
    }

    fn find_sessions(&self, prefix: &str) -> Result<Vec<SessionId>, StoreError> {
        let read = |connection: &Connection| {
            let mut statement = connection.prepare_cached(
                "select id from session where substr(id, 1, length(?1)) = ?1 order by id limit ?2",
            )?;
            let ids = statement.query_map(params![prefix, MOST_FOUND as i64], |row| {
                row.get::<_, String>(0)
            })?;
            ids.collect::<rusqlite::Result<Vec<String>>>()
        };
        let ids = read(&*self.lock()?)
            .map_err(|error| translate(self.path(), "look up a session", error))?;
        Ok(ids
            .into_iter()
            .filter_map(|id| SessionId::new(id).ok())
            .collect())
    }

    fn remove_session(&self, id: &SessionId) -> Result<(), StoreError> {
        const DOING: &str = "remove a session";
        self.write(DOING, |transaction| {
            erase::remove_session(transaction, id)
                .map_err(|error| translate(self.path(), DOING, error))
        })?;
        self.finish_erasing()?;
        Ok(())
    }
}

impl SqliteStore {
    /// Everything that was erased, for another store that is to know it too.
    pub fn tombstones(&self) -> Vec<Tombstone> {
        let read = |connection: MutexGuard<'_, Connection>| readable_tombstones(&connection);
        let hashes = self.lock().map(read).unwrap_or_default();
        hashes.into_iter().map(Tombstone::from_bytes).collect()
    }
}

/// Every error that some session met.
pub(super) fn met_errors(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached("select distinct message from session_error")?;
    let messages = statement.query_map([], |row| row.get(0))?;
    messages.collect()
}

/// Each error that is added looks its session up, which reads all of that row: its long texts come last.
pub(super) fn put(connection: &Connection, record: &SessionRecord) -> rusqlite::Result<()> {
    let sql = format!(
        "insert or replace into session ({COLUMNS}) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
    );
    connection.prepare_cached(&sql)?.execute(params![
        record.id.as_str(),
        record.client,
        time_text(record.started_at),
        time_text(record.ended_at),
        time_text(record.finalized_at),
        record.digest,
        "",
        "",
        seal(record),
    ])?;
    connection
        .prepare_cached("delete from session_error where session = ?1")?
        .execute([record.id.as_str()])?;
    let mut statement = connection
        .prepare_cached("insert into session_error (session, message) values (?1, ?2)")?;
    for error in &record.errors {
        statement.execute(params![record.id.as_str(), error])?;
    }
    connection
        .prepare_cached("update session set body = ?2, report = ?3 where id = ?1")?
        .execute(params![record.id.as_str(), record.body, record.report])?;
    Ok(())
}

/// Every way to come by the ids of sessions: where one b-tree is torn, another may be whole.
const WAYS: [&str; 5] = [
    "select id from session order by id",
    "select id from session order by id desc",
    "select id from session order by started_at, id",
    "select id from session order by started_at desc, id desc",
    "select session from session_error",
];

/// Every record that can be read, as far as the file holds together.
pub(super) fn readable(connection: &Connection) -> Vec<SessionRecord> {
    let mut ids = BTreeSet::new();
    for way in WAYS {
        // A way that breaks off has still led somewhere.
        let _ = follow(connection, way, &mut ids);
    }
    let read = |id: &String, errors: &str| {
        let sql = format!("select {COLUMNS}, {errors} from session where id = ?1");
        let mut statement = connection.prepare_cached(&sql)?;
        statement.query_row([id], |row| Ok(record(row)))
    };
    // A file of the second schema has no table of errors.
    let read = |id| read(id, ERRORS).or_else(|_| read(id, "'[]'"));
    ids.iter()
        .filter_map(|id| read(id).ok().flatten())
        .collect()
}

/// The sessions whose record is not what was written.
pub(super) fn damaged(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = format!("select {COLUMNS}, {ERRORS} from session order by id");
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let mut damaged = Vec::new();
    while let Some(row) = rows.next()? {
        if record(row).is_none() {
            damaged.push(row.get::<_, String>(0).unwrap_or_default());
        }
    }
    Ok(damaged)
}

fn follow(connection: &Connection, way: &str, ids: &mut BTreeSet<String>) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(way)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        ids.insert(row.get(0)?);
    }
    Ok(())
}

/// Every tombstone that can be read.
pub(super) fn readable_tombstones(connection: &Connection) -> Vec<[u8; 32]> {
    let read = || {
        let mut statement = connection.prepare("select hash from erased")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok::<_, rusqlite::Error>(rows.map_while(Result::ok).collect())
    };
    read().unwrap_or_default()
}

pub(super) fn put_tombstone(connection: &Connection, hash: &[u8; 32]) -> rusqlite::Result<()> {
    connection
        .prepare_cached("insert or ignore into erased (hash) values (?1)")?
        .execute([hash])?;
    Ok(())
}

/// `None` when the row does not hold what was written.
pub(super) fn record(row: &dyn Values) -> Option<SessionRecord> {
    let text = |column: usize| String::column_result(row.value(column).ok()?).ok();
    let time = |column: usize| text(column)?.parse().ok();
    let record = SessionRecord {
        id: SessionId::new(text(0)?).ok()?,
        client: text(1)?,
        started_at: time(2)?,
        ended_at: time(3)?,
        finalized_at: time(4)?,
        digest: text(5)?,
        body: text(6)?,
        report: text(7)?,
        errors: serde_json::from_str(&text(ERRORS_COLUMN)?).ok()?,
    };
    let written = <[u8; 32]>::column_result(row.value(8).ok()?).ok()?;
    (written == seal(&record)).then_some(record)
}

fn seal(record: &SessionRecord) -> [u8; 32] {
    let SessionRecord {
        id,
        client,
        started_at,
        ended_at,
        finalized_at,
        digest,
        body,
        report,
        errors,
    } = record;
    let times = [started_at, ended_at, finalized_at].map(|time| time_text(*time));
    let mut hasher = blake3::Hasher::new();
    for part in [
        id.as_str(),
        client,
        &times[0],
        &times[1],
        &times[2],
        digest,
        body,
        report,
    ]
    .into_iter()
    .chain(errors.iter().map(String::as_str))
    {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    *hasher.finalize().as_bytes()
}
