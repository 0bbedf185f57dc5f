//! What is meant for one client alone.

use oldhand_domain::memory::Memory;
use oldhand_domain::text::Tag;

use super::is_of_file;

/// The clients that headings speak of: `Cursor Cloud specific instructions`.
const CLIENTS: &[(&str, &str)] = &[
    ("claude", "claude-code"),
    ("codex", "codex"),
    ("copilot", "copilot"),
    ("cursor", "cursor"),
    ("gemini", "gemini"),
    ("opencode", "opencode"),
    ("windsurf", "windsurf"),
];
/// How the tag of a statement begins that is meant for one client alone.
const FOR: &str = "for-";

/// Whether a memory is meant for other clients than `client` alone. Only files say so, by their headings: the tags that people give are theirs.
pub fn is_for_another(memory: &Memory, client: &str) -> bool {
    let clients = || {
        memory
            .tags
            .iter()
            .filter_map(|tag| tag.as_str().strip_prefix(FOR))
    };
    let known = |named: &str| CLIENTS.iter().any(|(_, client)| *client == named);
    is_of_file(memory) && clients().any(known) && !clients().any(|named| named == client)
}

/// The tag of the client that a heading says its statements are for, and for no other.
pub(super) fn client_tag(heading: &str) -> Option<Tag> {
    let heading = heading.to_lowercase();
    let words: Vec<&str> = heading.split(|c: char| !c.is_alphanumeric()).collect();
    let is_alone = ["specific", "only", "instructions"];
    if !words.iter().any(|word| is_alone.contains(word)) {
        return None;
    }
    let mut named = CLIENTS.iter().filter(|(name, _)| words.contains(name));
    match (named.next(), named.next()) {
        (Some((_, client)), None) => Tag::new(&format!("{FOR}{client}")).ok(),
        _ => None,
    }
}
