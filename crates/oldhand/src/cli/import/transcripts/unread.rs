//! Histories that agents keep and that cannot be read here: said plainly, with the reason.

use std::path::Path;

use super::Skipped;
use super::find::TranscriptAgent;

/// Below a person's home, where Cursor keeps its chats on each system.
const CURSOR: [&str; 3] = [
    ".config/Cursor/User/globalStorage/state.vscdb",
    "Library/Application Support/Cursor/User/globalStorage/state.vscdb",
    "AppData/Roaming/Cursor/User/globalStorage/state.vscdb",
];
const CURSOR_WHY: &str = "Cursor keeps its chats in a database of a layout that it does not publish; what it does from now on is learned from its hooks";
/// Loose files that OpenCode wrote before it had a database.
const OPENCODE: &str = ".local/share/opencode/storage/session";
const OPENCODE_WHY: &str =
    "sessions that OpenCode kept as loose files, before it had a database, are not read";

/// Histories below a person's home that exist and are not read.
pub(super) fn below(home: &Path, only: Option<TranscriptAgent>) -> Vec<Skipped> {
    let mut found = Vec::new();
    let mut add = |place: &str, why: &str| {
        let path = home.join(place);
        if path.exists() {
            let why = why.to_owned();
            found.push(Skipped { path, why });
        }
    };
    if only.is_none() {
        for place in CURSOR {
            add(place, CURSOR_WHY);
        }
    }
    if only.is_none_or(|only| only == TranscriptAgent::OpenCode) {
        add(OPENCODE, OPENCODE_WHY);
    }
    found
}

/// Why a file that a person named is not read.
pub(super) fn why(path: &Path) -> &'static str {
    if path
        .extension()
        .is_some_and(|extension| extension == "vscdb")
    {
        CURSOR_WHY
    } else {
        "it is no transcript of a known agent"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_histories_that_are_there_are_named() {
        let home = tempfile::tempdir().unwrap();
        assert!(below(home.path(), None).is_empty());
        std::fs::create_dir_all(home.path().join(OPENCODE)).unwrap();
        let cursor = home.path().join(CURSOR[0]);
        std::fs::create_dir_all(cursor.parent().unwrap()).unwrap();
        std::fs::write(&cursor, "").unwrap();
        assert_eq!(below(home.path(), None).len(), 2);
        assert_eq!(below(home.path(), Some(TranscriptAgent::OpenCode)).len(), 1);
        assert!(below(home.path(), Some(TranscriptAgent::Codex)).is_empty());
        assert!(why(&cursor).starts_with("Cursor"));
    }
}
