//! Parts of the work that were validated on their own.

use oldhand_domain::event::Issue;

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

/// What was found wrong with a subtask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubtaskFinding {
    pub step: u32,
    pub subtask: String,
    pub by: String,
    pub issue: Issue,
}

impl SessionAnalytics {
    /// The subtask that a step belongs to: the first that ended at or after it.
    pub(crate) fn subtask_at(&self, step: u32) -> Option<(&str, SubtaskUse)> {
        let ends = self.subtasks.iter();
        let ends = ends.filter(|(_, subtask)| subtask.step >= step);
        let first = ends.min_by_key(|(name, subtask)| (subtask.step, *name));
        first.map(|(name, subtask)| (name.as_str(), *subtask))
    }

    /// Whether the subtask that a step belongs to failed when it was last looked at.
    pub(crate) fn is_failed_at(&self, step: u32) -> bool {
        let of = self.subtask_at(step);
        of.is_some_and(|(_, subtask)| !subtask.validated)
    }

    pub(super) fn count_subtask(&mut self, name: &str, passed: bool, by: &str, issues: &[Issue]) {
        let found = issues.iter().map(|issue| SubtaskFinding {
            step: self.step,
            subtask: name.to_owned(),
            by: by.to_owned(),
            issue: issue.clone(),
        });
        self.subtask_findings.extend(found);
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
