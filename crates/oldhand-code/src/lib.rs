//! Source text to a linked code graph, and the questions it answers.

pub mod history;
