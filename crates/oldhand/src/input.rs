//! Text that comes from outside, checked to be text.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::failure::Failure;

/// All of standard input.
pub(crate) fn standard_input() -> Result<String> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .context("could not read standard input")?;
    text(bytes, "standard input")
}

pub(crate) fn file(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("could not read {}", path.display()))?;
    text(bytes, &path.display().to_string())
}

fn text(bytes: Vec<u8>, what: &str) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..at]);
        let line = 1 + before.matches('\n').count();
        Failure::invalid(format!(
            "{what} is not UTF-8 text: byte {} in line {line}",
            at + 1
        ))
        .hint("convert it first, for example with `iconv -t utf-8`")
        .into()
    })
}
