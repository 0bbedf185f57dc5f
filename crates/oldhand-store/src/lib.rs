//! The database, the backups and every other file that must survive.
//!
//! [`SqliteStore`] is where memories live: one file per project, many processes at once. [`RamStore`] does the
//! same in memory, for tests; [`mod@contract`] is what both must do. Start reading at `sqlite.rs`, then
//! `migrations/`, which is the truth about what a file holds.

pub mod contract;
pub mod cursor;
pub mod handout;
pub mod journal;
mod matching;
pub mod meaning;
pub mod opencode;
mod ram;
mod sqlite;
pub mod vectors;

pub use ram::RamStore;
pub use sqlite::{
    Alone, Backup, BackupReason, Changes, Finding, Mode, Pace, Quarantined, Repair, RepairReport,
    SqliteStore, list_backups, refill, repair, replace, tell_of_waiting,
};
