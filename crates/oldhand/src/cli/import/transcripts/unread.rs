//! Histories that agents keep and that cannot be read here: said plainly, with the reason.

use std::path::Path;

use super::find::TranscriptAgent;
use super::left_out::Skipped;

/// Where, whose, and why not; below a person's home.
const UNREAD: [(&str, TranscriptAgent, &str); 2] = [
    (
        ".cursor/chats",
        TranscriptAgent::Cursor,
        "Cursor's command line keeps its chats as bytes of a layout that it does not publish; what it does from now on is learned from its hooks",
    ),
    (
        ".local/share/opencode/project",
        TranscriptAgent::OpenCode,
        "sessions of OpenCode's first versions do not name the folder they ran in",
    ),
];

/// Histories below a person's home that exist and are not read.
pub(super) fn below(home: &Path, only: Option<TranscriptAgent>) -> Vec<Skipped> {
    let unread = UNREAD
        .into_iter()
        .filter(|(_, agent, _)| only.is_none_or(|only| only == *agent));
    let found = unread.map(|(place, _, why)| Skipped::unreadable(&home.join(place), why));
    found.filter(|one| one.path.exists()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_histories_that_are_there_are_named() {
        let home = tempfile::tempdir().unwrap();
        assert!(below(home.path(), None).is_empty());
        for (place, ..) in UNREAD {
            std::fs::create_dir_all(home.path().join(place)).unwrap();
        }
        assert_eq!(below(home.path(), None).len(), 2);
        assert_eq!(below(home.path(), Some(TranscriptAgent::OpenCode)).len(), 1);
        assert!(below(home.path(), Some(TranscriptAgent::Codex)).is_empty());
    }
}
