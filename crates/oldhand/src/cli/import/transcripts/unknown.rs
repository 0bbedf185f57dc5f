//! Files that no session of an agent was found in: packed, cut off, or something else.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::file;

/// What is the matter with a file that no agent's session was found in.
pub(super) fn why_unknown(path: &Path) -> &'static str {
    if let Ok(Some(packed)) = how_packed(path) {
        return packed;
    }
    match is_cut_off(path) {
        Ok(true) => "it is cut off before its end, so that no session can be read from it",
        _ => "it is no transcript of a known agent",
    }
}

/// What to do with a file that is packed, known by how it begins.
fn how_packed(path: &Path) -> io::Result<Option<&'static str>> {
    const PACKED: [(&[u8], &str); 5] = [
        (
            b"\x1f\x8b",
            "it is packed by gzip: `gunzip -k FILE` unpacks it, then import what comes of it",
        ),
        (
            b"\x28\xb5\x2f\xfd",
            "it is packed by zstd: `zstd -d FILE` unpacks it, then import what comes of it",
        ),
        (
            b"\xfd7zXZ\0",
            "it is packed by xz: `unxz -k FILE` unpacks it, then import what comes of it",
        ),
        (
            b"BZh",
            "it is packed by bzip2: `bunzip2 -k FILE` unpacks it, then import what comes of it",
        ),
        (
            b"PK\x03\x04",
            "it is a zip archive: `unzip FILE` unpacks it, then import what comes of it",
        ),
    ];
    let mut beginning = Vec::new();
    file::open_regular(path)?
        .take(8)
        .read_to_end(&mut beginning)?;
    let packed = PACKED.iter().find(|(mark, _)| beginning.starts_with(mark));
    Ok(packed.map(|(_, words)| *words))
}

/// Whether a file begins as a session that is one object, and does not end as one.
fn is_cut_off(path: &Path) -> io::Result<bool> {
    const NAMES: [&str; 3] = ["\"info\"", "\"sessionId\"", "\"messages\""];
    const END: u64 = 64;
    let mut file = file::open_regular(path)?;
    let mut beginning = Vec::new();
    (&mut file).take(4096).read_to_end(&mut beginning)?;
    let beginning = String::from_utf8_lossy(&beginning);
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(END)))?;
    let mut end = Vec::new();
    file.take(END).read_to_end(&mut end)?;
    Ok(beginning.trim_start().starts_with('{')
        && NAMES.iter().any(|name| beginning.contains(name))
        && !end.trim_ascii_end().ends_with(b"}"))
}
