//! The language tests are written in: a sandbox, what is run in it, and what came out.
//!
//! A test says where it stands ([`Sandbox`]), which command it runs ([`Invocation`]) and reads the answer
//! ([`Outcome`]). Nothing of the machine leaks in: the environment is cleared, the clock and the ids are fixed,
//! and every path lies in a folder that is removed when the sandbox is dropped. Promises under stress are put to the
//! test by [`crash`] and [`crowd`], which hold a [`Ledger`] against the store. What an agent did is told as a [`story`].
//!
//! Real coding agents come on a [`Stage`] and ask a scripted [`Model`].
//!
//! Functions here panic with a reason instead of returning errors: a test that cannot be set up has failed.

mod client;
pub mod crash;
pub mod crowd;
mod dice;
mod invocation;
mod ledger;
#[cfg(target_os = "linux")]
mod locks;
mod memory;
mod model;
pub mod questions;
mod sandbox;
pub mod story;

pub use client::{Client, Stage};
pub use dice::Dice;
pub use invocation::{Invocation, Outcome};
pub use ledger::{Audit, Ledger};
#[cfg(target_os = "linux")]
pub use locks::locks_on;
pub use memory::{memory, memory_id};
pub use model::{Asked, Model, Script, Talk, ToolCall, Turn};
pub use sandbox::Sandbox;
