//! The store as others use it: real files, real processes, real disks where the machine lends them.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

mod backups;
mod damage;
mod disks;
mod erasing;
mod fixture;
mod frozen;
mod handing_out;
mod opening;
mod processes;
mod repairing;
mod torn_parts;
