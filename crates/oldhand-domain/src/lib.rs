//! The words of the house: values, invariants and the ports.
//!
//! Everything here is plain data that cannot hold nonsense: a constructor is the only way in, even for
//! JSON. No clock, no environment, no files; time is an argument. Start reading at [`memory::Memory`],
//! then [`port`], which says what the house needs from outside.

pub mod bm25;
pub mod confidence;
pub mod error;
pub mod event;
pub mod filter;
pub mod id;
pub mod kind;
pub mod lifecycle;
pub mod memory;
pub mod methodology;
pub mod parts;
pub mod path;
pub mod payload;
pub mod port;
pub mod relation;
pub mod seal;
pub mod session;
pub mod signal;
pub mod spelled;
pub mod taint;
pub mod text;
pub mod tokens;
pub mod vocabulary;
pub mod words;
pub mod work_unit;
