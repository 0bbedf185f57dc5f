//! The questions a graph answers. Every answer is bounded and says when it left something out.

pub mod impact;
