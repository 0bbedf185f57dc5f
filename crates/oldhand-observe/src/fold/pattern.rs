//! What one searches for, whichever way it is typed, and how often.

use oldhand_domain::path::ProjectPath;

use super::SessionAnalytics;

/// One search pattern and how often it was tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrepUse {
    /// As it was typed when it found something, or else the first time.
    pub typed: String,
    pub count: u32,
    pub steps: Vec<u32>,
    pub found: u32,
    pub empty: u32,
    pub matched: Vec<ProjectPath>,
}

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
