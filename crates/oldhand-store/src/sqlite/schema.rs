//! The steps from an empty file to today's tables, and the walk along them.

use oldhand_domain::words;
use rusqlite::{Connection, TransactionBehavior};

use super::{index, meta};

/// Marks the file as ours (`PRAGMA application_id`): "OldH".
pub(super) const APPLICATION_ID: i32 = 0x4f6c_6448;

/// Step `n` leads from version `n` to `n + 1`.
pub(super) type Steps<'a> = &'a [&'a str];

pub(super) const STEPS: Steps<'static> = &[
    include_str!("../../migrations/0001_memories.sql"),
    include_str!("../../migrations/0002_sessions.sql"),
    include_str!("../../migrations/0003_errors.sql"),
    include_str!("../../migrations/0004_who_flagged.sql"),
    include_str!("../../migrations/0005_review_reason.sql"),
];

/// The version of the schema a file holds.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("pragma user_version", [], |row| row.get(0))
}

pub(super) fn application_id(connection: &Connection) -> rusqlite::Result<i32> {
    connection.query_row("pragma application_id", [], |row| row.get(0))
}

/// Takes every step the file has not taken yet, each in a transaction of its own.
///
/// Another process may be doing the same; each step is taken by whoever gets the lock first.
pub(super) fn migrate(connection: &mut Connection, steps: Steps<'_>) -> rusqlite::Result<()> {
    loop {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let from = version(&transaction)?;
        let Some(step) = steps.get(from as usize) else {
            return Ok(());
        };
        transaction.execute_batch(step)?;
        if from == 0 {
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            meta::write(
                &transaction,
                index::WORDS_VERSION,
                &words::VERSION.to_string(),
            )?;
        }
        transaction.pragma_update(None, "user_version", from + 1)?;
        transaction.commit()?;
    }
}

#[cfg(test)]
mod tests;
