//! What is known of a check of the work.

use crate::outcome::commands::Check;
use crate::outcome::results::CheckResult;

/// One command line that checked the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub step: u32,
    pub command: String,
    /// The folder of the project that it ran in, empty for its root.
    pub folder: String,
    pub checks: Vec<Check>,
    pub result: CheckResult,
    /// How each of the checks went, where the line failed and its output shows which one did.
    pub each: Vec<(Check, CheckResult)>,
    /// The same line changed files afterwards.
    pub then_edited: bool,
}

impl Run {
    /// How one of its checks went, as far as anything shows.
    pub fn result_of(&self, check: Check) -> CheckResult {
        let own = self.each.iter().find(|(own, _)| *own == check);
        own.map_or(self.result, |(_, result)| *result)
    }

    /// Whether one of several checks failed and nothing shows which.
    pub fn is_open(&self) -> bool {
        self.result == CheckResult::Failed && self.checks.len() > 1 && self.each.is_empty()
    }
}
