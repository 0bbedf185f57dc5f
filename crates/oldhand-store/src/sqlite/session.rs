//! Finished sessions: one row each, sealed like memories.

use oldhand_domain::error::StoreError;
use oldhand_domain::id::SessionId;
use oldhand_domain::session::{SessionRecord, SessionStore};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::SqliteStore;
use super::erase;
use super::failure::translate;
use super::load::time_text;

const COLUMNS: &str = "id, client, started_at, ended_at, finalized_at, digest, body, report, seal";

/// How many sessions a beginning of an id may name.
const MOST_FOUND: usize = 20;

impl SessionStore for SqliteStore {
    fn save_session(&self, record: &SessionRecord) -> Result<(), StoreError> {
        const DOING: &str = "save a session";
        self.write(DOING, |transaction| {
            put(transaction, record).map_err(|error| translate(self.path(), DOING, error))
        })
    }

    /// A record whose words are not the ones that were written is as good as none: it is finalized again from its journal.
    fn session(&self, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        let sql = format!("select {COLUMNS} from session where id = ?1");
        let read = |connection: &Connection| {
            connection
                .prepare_cached(&sql)?
                .query_row([id.as_str()], |row| Ok(record(row)))
                .optional()
        };
        let found =
            read(&self.lock()).map_err(|error| translate(self.path(), "read a session", error))?;
        Ok(found.flatten())
    }

    fn sessions(&self) -> Result<Vec<SessionRecord>, StoreError> {
        let sql = format!("select {COLUMNS} from session order by started_at, id");
        let read = |connection: &Connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let records = statement.query_map([], |row| Ok(record(row)))?;
            records
                .filter_map(Result::transpose)
                .collect::<rusqlite::Result<Vec<SessionRecord>>>()
        };
        read(&self.lock()).map_err(|error| translate(self.path(), "list sessions", error))
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
        let ids = read(&self.lock())
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
        record.body,
        record.report,
        seal(record),
    ])?;
    Ok(())
}

/// Every record that can be read, as far as the file holds together.
pub(super) fn readable(connection: &Connection) -> Vec<SessionRecord> {
    let Ok(mut statement) = connection.prepare(&format!("select {COLUMNS} from session")) else {
        return Vec::new();
    };
    let Ok(rows) = statement.query_map([], |row| Ok(record(row))) else {
        return Vec::new();
    };
    rows.map_while(Result::ok).flatten().collect()
}

/// `None` when the row does not hold what was written.
fn record(row: &Row<'_>) -> Option<SessionRecord> {
    let text = |column: usize| row.get::<_, String>(column).ok();
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
    };
    let written: [u8; 32] = row.get(8).ok()?;
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
    ] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    *hasher.finalize().as_bytes()
}
