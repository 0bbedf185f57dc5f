//! What a session planned to do, and what it took: told by whoever started it, or written down by the agent.

use oldhand_domain::event::Planning;

use super::SessionAnalytics;
use crate::distill::{Plan, StepUnit};

/// The agent's own plan, by the number of its steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OwnPlan {
    now: u32,
    /// As it stood before the first edit.
    before: u32,
    most: u32,
    /// A person asked for something else since: what is written down now is another plan.
    is_done: bool,
}

/// A shorter list is a reminder, not a plan.
const STEPS: u32 = 2;

impl SessionAnalytics {
    /// A person spoke. After the first edit that begins other work, and the plan of the first is the one that is kept.
    pub(super) fn close_plan(&mut self) {
        self.own_plan.is_done |= !self.edits.is_empty() && self.own_plan.before > 0;
    }

    pub(super) fn note_plan(&mut self, planning: Planning) {
        let plan = &mut self.own_plan;
        if plan.is_done {
            return;
        }
        plan.now = match planning {
            Planning::Whole(steps) => steps,
            Planning::Added(steps) => plan.now.saturating_add(steps),
        };
        if self.edits.is_empty() {
            plan.before = plan.now;
        }
        plan.most = plan.most.max(plan.now);
    }

    /// The steps that were planned, and those it took: in the same unit, so that the two can be compared. An agent's own plan
    /// is what it wrote down before it began; what came to it later was not foreseen.
    pub fn plan(&self) -> Option<Plan> {
        let told = self.start.as_ref().and_then(|start| start.planned_steps);
        if let Some(planned) = told.filter(|&planned| planned > 0) {
            let actual = self.step;
            return Some(Plan {
                planned,
                actual,
                unit: StepUnit::Calls,
            });
        }
        let own = self.own_plan;
        (own.before >= STEPS).then_some(Plan {
            planned: own.before,
            actual: own.most,
            unit: StepUnit::Items,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::fold::{FoldOptions, fold};
    use crate::story::events;

    #[test]
    fn a_plan_is_what_was_written_down_before_the_work_began() {
        for (story, expected) in [
            ("plan 4; edit src/a.rs; plan 9; edit src/b.rs", Some((4, 9))),
            ("plan 2; plan 4; edit src/a.rs; plan 3", Some((4, 4))),
            (
                "plan +1; plan +1; plan +1; edit src/a.rs; plan +2",
                Some((3, 5)),
            ),
            ("edit src/a.rs; plan 4; plan 9", None),
            ("plan 1; edit src/a.rs; plan 9", None),
            ("edit src/a.rs", None),
            (
                "prompt fix it; plan 3; edit src/a.rs; plan 4; prompt now the docs; plan 9; edit b.md",
                Some((3, 4)),
            ),
            (
                "prompt fix it; plan 3; prompt go on; plan 5; edit src/a.rs; plan 6",
                Some((5, 6)),
            ),
            ("start build planned 3; plan 9; edit src/a.rs", Some((3, 2))),
        ] {
            let plan = fold(&events(story), &FoldOptions::default()).plan();
            assert_eq!(
                plan.map(|plan| (plan.planned, plan.actual)),
                expected,
                "{story}"
            );
        }
    }
}
