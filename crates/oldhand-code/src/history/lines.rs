//! Which lines a change brought and took, and how alike two texts are, by hashes of lines.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use super::commit::LineChange;

/// What a change brought and took; a line with another version in it is the line it was. Blank lines do not count.
pub(super) fn changed(before: &[u8], after: &[u8]) -> LineChange {
    let mut change = compare(versionless(before), versionless(after));
    let is_empty = |change: &LineChange| change.added.is_empty() && change.removed.is_empty();
    change.is_bump = is_empty(&change) && !is_empty(&compare(hashes(before), hashes(after)));
    change
}

/// Compares two texts as bags of lines: a line that only moved neither came nor went.
fn compare(before: impl Iterator<Item = u32>, after: impl Iterator<Item = u32>) -> LineChange {
    let mut counts: FxHashMap<u32, i32> = FxHashMap::default();
    for line in before {
        *counts.entry(line).or_default() -= 1;
    }
    for line in after {
        *counts.entry(line).or_default() += 1;
    }
    let mut change = LineChange::default();
    for (line, count) in counts {
        if count > 0 {
            change.added.push(line);
        } else if count < 0 {
            change.removed.push(line);
        }
    }
    change.added.sort_unstable();
    change.removed.sort_unstable();
    change
}

/// The share of lines that two texts have in common, in `0.0..=1.0`.
pub(super) fn similarity(a: &[u8], b: &[u8]) -> f32 {
    let mut counts: FxHashMap<u32, i32> = FxHashMap::default();
    let (mut lines, mut shared) = (0, 0);
    for line in hashes(a) {
        *counts.entry(line).or_default() += 1;
        lines += 1;
    }
    for line in hashes(b) {
        lines += 1;
        if let Some(left) = counts.get_mut(&line).filter(|left| **left > 0) {
            *left -= 1;
            shared += 1;
        }
    }
    if lines == 0 {
        0.0
    } else {
        2.0 * shared as f32 / lines as f32
    }
}

/// The share of the lines of `before` that are in `after`, in `0.0..=1.0`. Nothing of an empty text is lost.
pub(super) fn kept(before: &[u8], after: &[u8]) -> f32 {
    let change = compare(hashes(before), hashes(after));
    let distinct: rustc_hash::FxHashSet<u32> = hashes(before).collect();
    if distinct.is_empty() {
        return 1.0;
    }
    1.0 - change.removed.len() as f32 / distinct.len() as f32
}

/// Git's own test for content that has no lines.
pub(super) fn is_binary(content: &[u8]) -> bool {
    content.iter().take(8000).any(|&byte| byte == 0)
}

fn hashes(content: &[u8]) -> impl Iterator<Item = u32> {
    lines(content).map(hash)
}

/// The same with all versions taken for one.
fn versionless(content: &[u8]) -> impl Iterator<Item = u32> {
    lines(content).map(|line| {
        let says_version = line
            .to_ascii_lowercase()
            .windows(b"version".len())
            .any(|word| word == b"version");
        // Two numbers with a dot may be any measure, three are a version.
        let least = if says_version { 1 } else { 2 };
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b".-+_".contains(byte);
        let mut plain = Vec::with_capacity(line.len());
        for word in line.chunk_by(|a, b| is_part(a) == is_part(b)) {
            if is_version(word, least) {
                plain.push(0);
            } else {
                plain.extend_from_slice(word);
            }
        }
        hash(&plain)
    })
}

/// Whether a word is a version with at least so many dots in its number: `1.4.0`, `v2.0.0-rc.1`.
fn is_version(word: &[u8], dots: usize) -> bool {
    let number = word.strip_prefix(b"v").unwrap_or(word);
    let end = number.iter().position(|byte| b"-+".contains(byte));
    let number = &number[..end.unwrap_or(number.len())];
    let parts: Vec<&[u8]> = number.split(|&byte| byte == b'.').collect();
    let is_number = |part: &&[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    parts.len() > dots && parts.iter().all(is_number)
}

fn lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = content.split(|&byte| byte == b'\n');
    lines
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
}

fn hash(line: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(line);
    hasher.finish() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_line_neither_came_nor_went() {
        let change = changed(b"one\ntwo\nthree\n", b"three\none\nfour\n");
        assert_eq!((change.added.len(), change.removed.len()), (1, 1));
        assert!(!changed(b"one\ntwo\n", b"two\none\n").is_bump);
    }

    #[test]
    fn another_version_is_no_other_line() {
        for (before, after, is_bump) in [
            ("version = \"0.4.27\"", "version = \"0.4.28\"", true),
            ("  \"version\": \"1.9\",", "  \"version\": \"1.10\",", true),
            ("tool: v2.0.0-rc.1", "tool: v2.0.0", true),
            ("timeout = 1.5", "timeout = 2.5", false),
            ("retries = 3", "retries = 4", false),
            (
                "version = \"1.0.0\"",
                "version = \"1.0.1\"\nedition = \"2024\"",
                false,
            ),
            ("same", "same", false),
        ] {
            let change = changed(before.as_bytes(), after.as_bytes());
            assert_eq!(change.is_bump, is_bump, "{before} / {after}");
        }
        let both = changed(b"version = \"1.0.0\"\na\n", b"version = \"1.0.1\"\nb\n");
        assert_eq!((both.added.len(), both.removed.len()), (1, 1));
    }

    #[test]
    fn what_is_kept_of_a_text_does_not_count_what_was_added() {
        assert!((kept(b"a\nb\nc\nd\n", b"a\nb\nc\nx\ny\nz\n") - 0.75).abs() < 1e-6);
        assert!((kept(b"", b"a\n") - 1.0).abs() < 1e-6);
        assert!(kept(b"a\n", b"b\n") < 1e-6);
    }

    #[test]
    fn likeness_is_the_share_of_common_lines() {
        assert!((similarity(b"a\nb\nc\nd\n", b"a\nb\nx\ny\n") - 0.5).abs() < 1e-6);
        assert!((similarity(b"a\n", b"  a\r\n") - 1.0).abs() < 1e-6);
        assert!(similarity(b"", b"") < 1e-6);
    }
}
