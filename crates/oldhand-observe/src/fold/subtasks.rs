//! Parts of the work that were validated on their own.

use super::SessionAnalytics;

/// A part of the work that was validated on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubtaskUse {
    /// The step at which it was last validated.
    pub step: u32,
    /// Whether it passed every time.
    pub passed: bool,
    /// Whether it passed the last time.
    pub validated: bool,
}

impl SessionAnalytics {
    pub(super) fn count_subtask(&mut self, name: &str, passed: bool) {
        // A subtask that failed before it passed did not pass at first.
        let first = self.subtasks.get(name).is_none_or(|known| known.passed);
        let now = SubtaskUse {
            step: self.step,
            passed: first && passed,
            validated: passed,
        };
        self.subtasks.insert(name.to_owned(), now);
    }
}
