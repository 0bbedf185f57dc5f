//! From a question to the few lines worth saying.

pub mod tokens;
