//! The doors of the house.

fn main() {}
