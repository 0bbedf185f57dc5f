//! Source text to a linked code graph, and the questions it answers.

pub mod anchor;
pub mod answer;
pub mod chunk;
pub mod draw;
pub mod concordance;
pub mod extract;
pub mod facts;
pub mod graph;
pub mod history;
pub mod index;
pub mod language;
pub mod link;
pub mod problem;
pub mod project;
pub mod read;
pub mod resolve;
pub mod scip;
pub mod snapshot;
pub mod walk;

#[cfg(test)]
pub(crate) mod testing;
