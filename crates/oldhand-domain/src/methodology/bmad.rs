//! Epics, stories and tasks, handed from role to role.

use super::{Level, Methodology, Relay, StateField};
use crate::payload::BuiltInType;
use crate::vocabulary::Phase;

#[derive(Debug)]
pub struct Bmad;

impl Methodology for Bmad {
    fn name(&self) -> &'static str {
        "bmad"
    }

    fn label(&self) -> &'static str {
        "BMAD (epics and stories)"
    }

    fn stages(&self) -> &'static [(&'static str, Phase)] {
        &[
            ("analyst", Phase::Define),
            ("pm", Phase::Define),
            ("architect", Phase::Define),
            ("story_creation", Phase::Define),
            ("dev", Phase::Implement),
            ("story_development", Phase::Implement),
            ("qa", Phase::Validate),
            ("story_acceptance", Phase::Validate),
            ("research", Phase::Explore),
            ("sm", Phase::Reflect),
            ("retrospective", Phase::Reflect),
        ]
    }

    fn levels(&self) -> &'static [Level] {
        &[
            Level {
                key: "epic",
                label: "Epic",
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
                from: "analyst",
                to: "architect",
                types: &[],
            },
            Relay {
                from: "architect",
                to: "dev",
                types: &[],
            },
            Relay {
                from: "dev",
                to: "qa",
                types: &[],
            },
            Relay {
                from: "qa",
                to: "sm",
                types: &[BuiltInType::Decision, BuiltInType::ModuleInsight],
            },
        ]
    }

    fn work_state(&self) -> &'static [StateField] {
        &[
            StateField {
                key: "stories_completed",
                label: "Stories done",
            },
            StateField {
                key: "current_story",
                label: "Current story",
            },
            StateField {
                key: "acceptance_criteria",
                label: "Acceptance criteria",
            },
        ]
    }

    fn adds_types(&self) -> &'static [&'static str] {
        &["acceptance_criterion"]
    }
}
