//! Text that comes from outside, checked to be text.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::failure::Failure;

/// More than anybody says in one memory, secrets and white space that fall away included.
const STATEMENT_LIMIT: u64 = 1 << 20;

/// One statement from standard input, of which no more is read than one may have.
pub(crate) fn statement() -> Result<String> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(STATEMENT_LIMIT + 1)
        .read_to_end(&mut bytes)
        .context("could not read standard input")?;
    if bytes.len() as u64 > STATEMENT_LIMIT {
        let refused = "standard input is longer than 1 MiB, and a memory has 2048 bytes at most";
        return Err(Failure::invalid(refused)
            .hint("say what matters in a sentence or two")
            .into());
    }
    text(bytes, "standard input")
}

pub(crate) fn file(path: &Path) -> Result<String> {
    text(file_bytes(path)?, &path.display().to_string())
}

/// All of standard input, text or not.
pub(crate) fn standard_input_bytes() -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .context("could not read standard input")?;
    Ok(bytes)
}

pub(crate) fn file_bytes(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("could not read {}", path.display()))
}

/// A file that a person named, which has to be there.
pub(crate) fn named_file_bytes(path: &Path) -> Result<Vec<u8>> {
    if !path.exists() {
        return Err(
            Failure::not_found(format!("there is no file {}", path.display()))
                .hint("check the path")
                .into(),
        );
    }
    file_bytes(path)
}

/// As [`named_file_bytes`], for text.
pub(crate) fn named_file(path: &Path) -> Result<String> {
    text(named_file_bytes(path)?, &path.display().to_string())
}

/// The lines of what may not be text everywhere, with their numbers, without blank ones. A mark of the byte order, as
/// some editors put first, is not part of the first line.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Result<&str>)> {
    const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let lines = bytes.split(|&byte| byte == b'\n').enumerate();
    let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    lines.map(|(at, line)| {
        let text = std::str::from_utf8(line).map_err(|error| {
            let at = error.valid_up_to() + 1;
            Failure::invalid(format!("it is not UTF-8 text: byte {at}")).into()
        });
        (at + 1, text)
    })
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
