//! Readers: rules that need more than a shape, because the place makes the secret and not its letters.

pub(crate) mod assignment;
pub(crate) mod command;
pub(crate) mod header;
pub(crate) mod jwt;
pub(crate) mod key_block;
pub(crate) mod literal;
pub(crate) mod separator;
pub(crate) mod spoken;
pub(crate) mod url;
