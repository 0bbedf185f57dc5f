//! The questions a graph answers. Every answer is bounded, ranked, and says when it left something out.

pub mod dependencies;
pub mod find;
pub mod flow;
pub mod hot;
pub mod impact;
pub mod map;
pub mod outline;
pub mod references;
pub mod step;
pub mod target;

#[cfg(test)]
mod fixtures;
