//! Red, green, refactor.

use super::{Level, Methodology, Relay, StateField};
use crate::vocabulary::Phase;

#[derive(Debug)]
pub struct Tdd;

impl Methodology for Tdd {
    fn name(&self) -> &'static str {
        "tdd"
    }

    fn label(&self) -> &'static str {
        "Test-driven (red, green, refactor)"
    }

    fn stages(&self) -> &'static [(&'static str, Phase)] {
        &[
            ("red", Phase::Define),
            ("test_writer", Phase::Define),
            ("green", Phase::Implement),
            ("implementer", Phase::Implement),
            ("assertion", Phase::Validate),
            ("refactor", Phase::Refine),
            ("refactorer", Phase::Refine),
            ("spike", Phase::Explore),
            ("review", Phase::Reflect),
        ]
    }

    fn levels(&self) -> &'static [Level] {
        &[
            Level {
                key: "feature",
                label: "Feature",
            },
            Level {
                key: "cycle",
                label: "Cycle",
            },
        ]
    }

    fn relays(&self) -> &'static [Relay] {
        &[
            Relay {
                from: "test_writer",
                to: "implementer",
                types: &[],
            },
            Relay {
                from: "implementer",
                to: "refactorer",
                types: &[],
            },
        ]
    }

    fn work_state(&self) -> &'static [StateField] {
        &[
            StateField {
                key: "tests_red",
                label: "Failing tests",
            },
            StateField {
                key: "tests_green",
                label: "Passing tests",
            },
            StateField {
                key: "refactors_pending",
                label: "To refactor",
            },
        ]
    }

    fn adds_types(&self) -> &'static [&'static str] {
        &["test_contract"]
    }
}
