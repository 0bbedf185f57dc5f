//! The process that does nothing: what every cold command is measured against.

fn main() {}
