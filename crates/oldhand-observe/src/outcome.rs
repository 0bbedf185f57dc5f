//! Whether the work turned out right: what was run, what came of it, and what that proves.

pub mod commands;
pub mod git;
pub mod judgement;
pub mod outside;
pub mod results;
pub mod review;
pub mod shell;
pub mod walk;
pub mod writes;
