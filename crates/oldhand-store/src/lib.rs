//! The database, the backups and every other file that must survive.
