//! What one searches for, whichever way it is typed.

/// A search pattern as one would type it again: case and spaces do not matter.
pub fn normal_pattern(pattern: &str) -> String {
    spaced_once(pattern).to_lowercase()
}

pub(super) fn spaced_once(pattern: &str) -> String {
    pattern.split_whitespace().collect::<Vec<_>>().join(" ")
}
