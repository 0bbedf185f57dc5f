//! Text to vector, inside the binary.
