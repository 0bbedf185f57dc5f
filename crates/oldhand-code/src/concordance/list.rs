//! The text files of a tree.

use std::path::Path;

use crate::walk::{Seen, plain_walker};

/// Larger files are data.
const LARGEST: u64 = 400_000;
/// A tree with more files is known in part; the graph says so too.
const MOST_FILES: usize = 200_000;

/// Endings of files that hold no words.
const NOT_TEXT: [&str; 40] = [
    "png", "jpg", "jpeg", "gif", "webp", "ico", "bmp", "svg", "pdf", "zip", "gz", "bz2", "xz",
    "zst", "tar", "7z", "jar", "war", "class", "so", "dylib", "dll", "exe", "bin", "wasm", "o",
    "a", "woff", "woff2", "ttf", "otf", "eot", "mp3", "mp4", "mov", "avi", "db", "sqlite",
    "parquet", "map",
];

/// What git would not ignore, hidden folders such as `.github` included, in the order of paths.
pub(crate) fn list(root: &Path) -> Vec<Seen> {
    let walker = plain_walker(root)
        .hidden(false)
        .filter_entry(|entry| {
            entry.depth() == 0
                || !matches!(entry.file_name().to_str(), Some(".git" | "node_modules"))
        })
        .build();
    let files = walker
        .filter_map(|entry| Seen::of(root, &entry.ok()?))
        .filter(|file| is_text(&file.path));
    let mut files: Vec<Seen> = files
        .filter(|file| file.size <= LARGEST)
        .take(MOST_FILES)
        .collect();
    files.sort();
    files
}

/// Files whose purpose is to hold secrets are not read at all.
fn holds_secrets(name: &str) -> bool {
    const ENDINGS: [&str; 8] = [
        ".pem",
        ".key",
        ".p12",
        ".pfx",
        ".keystore",
        ".netrc",
        ".npmrc",
        ".pgpass",
    ];
    let name = name.to_ascii_lowercase();
    name == ".env"
        || name.starts_with(".env.")
        || name.starts_with("id_rsa")
        || name.starts_with("id_ed25519")
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

fn is_text(path: &str) -> bool {
    if holds_secrets(path.rsplit('/').next().unwrap_or(path)) {
        return false;
    }
    let extension = path
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension)
        .to_ascii_lowercase();
    !NOT_TEXT.contains(&extension.as_str())
}
