//! What one searches for, whichever way it is typed, and how often.

use super::SessionAnalytics;

/// A search pattern as one would type it again: case and spaces do not matter.
pub fn normal_pattern(pattern: &str) -> String {
    spaced_once(pattern).to_lowercase()
}

pub(super) fn spaced_once(pattern: &str) -> String {
    pattern.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl SessionAnalytics {
    pub(super) fn count_grep(&mut self, pattern: &str) {
        let typed = spaced_once(pattern);
        if typed.is_empty() {
            return;
        }
        let step = self.step;
        let grep = self.greps.entry(typed.to_lowercase()).or_default();
        if grep.typed.is_empty() {
            grep.typed = typed;
        }
        grep.count += 1;
        if grep.steps.len() < 64 {
            grep.steps.push(step);
        }
    }
}
