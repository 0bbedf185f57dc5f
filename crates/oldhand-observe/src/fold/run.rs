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

#[cfg(test)]
mod tests {
    use oldhand_domain::event::{Call, Happening};

    use super::*;
    use crate::fold::{FoldOptions, fold};
    use crate::story::events;

    #[test]
    fn a_check_that_never_ran_neither_passed_nor_failed() {
        const NEVER: &str = "<tool_use_error>Sibling tool call errored</tool_use_error>";
        for (command, code, output, expected) in [
            ("npm run lint", None, NEVER, None),
            (
                "rtk npm run lint",
                Some(2),
                "error: unrecognized subcommand 'npm'",
                Some(CheckResult::Unknown),
            ),
            ("npm run lint", Some(1), NEVER, Some(CheckResult::Failed)),
            ("npm run lint", None, "bad", Some(CheckResult::Failed)),
        ] {
            let mut events = events(&format!("edit a.ts; run {command} = 1: {output}"));
            for event in &mut events {
                if let Happening::ToolReturned(back) = &mut event.what
                    && matches!(back.call, Call::Shell { .. })
                {
                    back.exit_code = code;
                }
            }
            let session = fold(&events, &FoldOptions::default());
            assert_eq!(
                session.runs.first().map(|run| run.result),
                expected,
                "{command} {code:?} {output}"
            );
        }
    }
}
