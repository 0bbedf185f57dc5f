//! The files to look at first, with what is in them: as outlines, or whole.

use std::fs;
use std::path::Path;

use anyhow::Result;
use clap::ValueEnum;
use oldhand_domain::tokens;
use oldhand_redact::redact;

use crate::code;
use crate::desk::Desk;
use crate::out::Out;
use crate::view::context::Likely;

/// How many files are looked into.
const FILES: usize = 12;
/// The most tokens of all of them together.
const TOKENS: usize = 32_000;
/// The most tokens of one outline.
const OUTLINE: usize = 400;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Prefetch {
    /// Signatures
    Outlines,
    /// Whole files, as far as there is room
    Contents,
}

/// The text of each of the likeliest files, within the budget. A file without one is left out.
pub(super) fn look_into(
    files: &[Likely],
    wanted: Prefetch,
    desk: &Desk,
    out: &Out,
) -> Result<Vec<(String, String)>> {
    let index = code::open_index(desk, out)?;
    let snapshot = index.snapshot();
    let mut left = TOKENS;
    let mut found = Vec::new();
    let mut without_room = Vec::new();
    for Likely { file, .. } in files.iter().take(FILES) {
        let text = match wanted {
            Prefetch::Outlines => snapshot
                .find_file(&file.path)
                .map(|node| index.outline(node, OUTLINE.min(left)).render())
                .unwrap_or_default(),
            Prefetch::Contents => read_below(&desk.location.root, &file.path).unwrap_or_default(),
        };
        let tokens = tokens::count(&text);
        if text.trim().is_empty() {
            continue;
        }
        if tokens > left {
            without_room.push(file.path.as_str());
            continue;
        }
        left -= tokens;
        found.push((file.path.clone(), text));
    }
    if !without_room.is_empty() {
        let left_out = without_room.join(", ");
        out.note(&format!(
            "no room within {TOKENS} tokens for {left_out}; `--prefetch outlines` takes less"
        ));
    }
    Ok(found)
}

/// A file of the project, without its secrets. A link that leads out of the project leads nowhere.
fn read_below(root: &Path, path: &str) -> Option<String> {
    let whole = fs::canonicalize(root.join(path)).ok()?;
    if !whole.starts_with(fs::canonicalize(root).ok()?) {
        return None;
    }
    let text = fs::read_to_string(whole).ok()?;
    Some(redact(&text).text.into_owned())
}
