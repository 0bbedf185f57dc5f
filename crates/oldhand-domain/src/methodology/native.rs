//! Specs cut into subtasks; the default.

use super::{Level, Methodology, Relay, StateField};
use crate::payload::BuiltInType;
use crate::vocabulary::Phase;

#[derive(Debug)]
pub struct Native;

impl Methodology for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn label(&self) -> &'static str {
        "Specs and subtasks"
    }

    fn stages(&self) -> &'static [(&'static str, Phase)] {
        &[
            ("planning", Phase::Define),
            ("planner", Phase::Define),
            ("spec", Phase::Define),
            ("coding", Phase::Implement),
            ("coder", Phase::Implement),
            ("qa_review", Phase::Validate),
            ("qa_reviewer", Phase::Validate),
            ("qa_fix", Phase::Refine),
            ("qa_fixer", Phase::Refine),
            ("debugging", Phase::Refine),
            ("insights", Phase::Explore),
            ("wrap_up", Phase::Reflect),
        ]
    }

    fn levels(&self) -> &'static [Level] {
        &[
            Level {
                key: "spec",
                label: "Spec",
            },
            Level {
                key: "subtask",
                label: "Subtask",
            },
        ]
    }

    fn relays(&self) -> &'static [Relay] {
        &[
            Relay {
                from: "planner",
                to: "coder",
                types: &[],
            },
            Relay {
                from: "coder",
                to: "qa_reviewer",
                types: &[],
            },
            Relay {
                from: "qa_reviewer",
                to: "qa_fixer",
                types: &[BuiltInType::ErrorPattern, BuiltInType::Requirement],
            },
        ]
    }

    fn work_state(&self) -> &'static [StateField] {
        &[
            StateField {
                key: "completed_subtasks",
                label: "Done",
            },
            StateField {
                key: "in_progress_subtask",
                label: "In progress",
            },
            StateField {
                key: "key_decisions",
                label: "Decided",
            },
        ]
    }
}
