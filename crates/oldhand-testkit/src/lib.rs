//! The language tests are written in.
