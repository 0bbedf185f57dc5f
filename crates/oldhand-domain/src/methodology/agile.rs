//! Sprints and stories.

use super::{Level, Methodology, Relay, StateField};
use crate::payload::BuiltInType;
use crate::vocabulary::Phase;

#[derive(Debug)]
pub struct Agile;

impl Methodology for Agile {
    fn name(&self) -> &'static str {
        "agile"
    }

    fn label(&self) -> &'static str {
        "Agile (sprints and stories)"
    }

    fn stages(&self) -> &'static [(&'static str, Phase)] {
        &[
            ("backlog", Phase::Define),
            ("sprint_planning", Phase::Define),
            ("development", Phase::Implement),
            ("code_review", Phase::Validate),
            ("testing", Phase::Validate),
            ("acceptance", Phase::Validate),
            ("bug_fix", Phase::Refine),
            ("tech_debt", Phase::Refine),
            ("spike", Phase::Explore),
            ("retrospective", Phase::Reflect),
        ]
    }

    fn levels(&self) -> &'static [Level] {
        &[
            Level {
                key: "sprint",
                label: "Sprint",
            },
            Level {
                key: "story",
                label: "Story",
            },
            Level {
                key: "task",
                label: "Task",
            },
        ]
    }

    fn relays(&self) -> &'static [Relay] {
        &[
            Relay {
                from: "sprint_planning",
                to: "development",
                types: &[],
            },
            Relay {
                from: "development",
                to: "testing",
                types: &[],
            },
            Relay {
                from: "testing",
                to: "bug_fix",
                types: &[
                    BuiltInType::ErrorPattern,
                    BuiltInType::Requirement,
                    BuiltInType::E2eObservation,
                ],
            },
            Relay {
                from: "acceptance",
                to: "retrospective",
                types: &[BuiltInType::Decision, BuiltInType::ModuleInsight],
            },
        ]
    }

    fn work_state(&self) -> &'static [StateField] {
        &[
            StateField {
                key: "stories_done",
                label: "Stories done",
            },
            StateField {
                key: "stories_in_progress",
                label: "In progress",
            },
            StateField {
                key: "blocked_by",
                label: "Blocked by",
            },
        ]
    }
}
