//! Which lines a change brought and took, and how alike two texts are, by hashes of lines.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use super::commit::LineChange;

/// Compares two texts as bags of lines: a line that only moved neither came nor went. Blank lines do not count.
pub(super) fn compare(before: &[u8], after: &[u8]) -> LineChange {
    let mut counts: FxHashMap<u32, i32> = FxHashMap::default();
    for line in hashes(before) {
        *counts.entry(line).or_default() -= 1;
    }
    for line in hashes(after) {
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
    let change = compare(before, after);
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
    let lines = content
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty());
    lines.map(|line| {
        let mut hasher = FxHasher::default();
        hasher.write(line);
        hasher.finish() as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_line_neither_came_nor_went() {
        let change = compare(b"one\ntwo\nthree\n", b"three\none\nfour\n");
        assert_eq!((change.added.len(), change.removed.len()), (1, 1));
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
