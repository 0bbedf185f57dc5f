//! How a team names its stages and its pieces of work, mapped to the words the rest of the house knows.
//!
//! The core knows six phases and opaque work units. Everything a methodology adds goes through this
//! one trait; start reading at [`ALL`].

use std::collections::BTreeMap;

use crate::payload::{BuiltInType, PluginType};
use crate::vocabulary::Phase;
use crate::work_unit::{InvalidWorkUnit, WorkUnit};

mod agile;
mod bmad;
mod native;
mod tdd;

pub use agile::Agile;
pub use bmad::Bmad;
pub use native::Native;
pub use tdd::Tdd;

/// The methodologies that are built in. The first is the default.
pub static ALL: [&dyn Methodology; 4] = [&Native, &Bmad, &Tdd, &Agile];

pub fn find(name: &str) -> Option<&'static dyn Methodology> {
    ALL.into_iter()
        .find(|methodology| methodology.name() == name)
}

/// Ids the caller knows of the work at hand, such as `spec` → `042`.
pub type WorkContext = BTreeMap<String, String>;

pub trait Methodology: Sync {
    /// One lower-case word; what work units and memories are marked with.
    fn name(&self) -> &'static str;

    /// For people.
    fn label(&self) -> &'static str;

    /// The stages it has, each with the phase it belongs to.
    fn stages(&self) -> &'static [(&'static str, Phase)];

    /// The levels of its work units, outermost first, as keys of a [`WorkContext`].
    fn levels(&self) -> &'static [Level];

    /// Which stages hand memories on to which.
    fn relays(&self) -> &'static [Relay];

    /// What the state of unfinished work holds.
    fn work_state(&self) -> &'static [StateField];

    /// Memory types it adds, without its own name in front.
    fn adds_types(&self) -> &'static [&'static str] {
        &[]
    }

    /// The phase of a stage; a stage nobody knows is exploration.
    fn phase_of(&self, stage: &str) -> Phase {
        let stage = stage.trim().to_lowercase().replace([' ', '-'], "_");
        let known = self.stages().iter().find(|(name, _)| *name == stage);
        known.map_or(Phase::Explore, |(_, phase)| *phase)
    }

    /// The work unit the context names. Levels are read from the outside in and stop at the first gap.
    fn work_unit(&self, context: &WorkContext) -> Result<WorkUnit, InvalidWorkUnit> {
        let given = self.levels().iter().map_while(|level| {
            let value = context
                .get(level.key)
                .map(|value| value.trim())
                .filter(|value| !value.is_empty())?;
            Some((level, value))
        });
        let given: Vec<(&Level, &str)> = given.collect();
        let ids: Vec<String> = given.iter().map(|(level, value)| level.id(value)).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let label: Vec<String> = given
            .iter()
            .map(|(level, value)| format!("{} {value}", level.label))
            .collect();
        WorkUnit::new(self.name(), &ids, &label.join(" / "))
    }

    /// The types it adds, spelled with its name.
    fn plugin_types(&self) -> Vec<PluginType> {
        self.adds_types()
            .iter()
            .filter_map(|name| PluginType::new(self.name(), name))
            .collect()
    }

    /// Unfinished work in one line per field that has something to say.
    fn describe_work_state(&self, state: &BTreeMap<String, Vec<String>>) -> String {
        let lines = self.work_state().iter().filter_map(|field| {
            let values = state.get(field.key).filter(|values| !values.is_empty())?;
            Some(format!("{}: {}", field.label, values.join(", ")))
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The first field of a state that this methodology does not have.
    fn unknown_field<'a>(&self, state: &'a BTreeMap<String, Vec<String>>) -> Option<&'a str> {
        let known = |key: &str| self.work_state().iter().any(|field| field.key == key);
        state.keys().map(String::as_str).find(|key| !known(key))
    }
}

/// One level of a work unit.
#[derive(Debug)]
pub struct Level {
    pub key: &'static str,
    pub label: &'static str,
}

impl Level {
    /// `3` at level `story` is `story_3`; what already says its level stays as it is.
    fn id(&self, value: &str) -> String {
        let value = value.replace([' ', '/'], "_");
        let prefix = format!("{}_", self.key);
        if value.starts_with(&prefix) {
            value
        } else {
            prefix + &value
        }
    }
}

/// Memories travel from one stage to the next, all of them or only some types.
#[derive(Debug)]
pub struct Relay {
    pub from: &'static str,
    pub to: &'static str,
    /// Empty means every type.
    pub types: &'static [BuiltInType],
}

/// One field of a work state.
#[derive(Debug)]
pub struct StateField {
    pub key: &'static str,
    pub label: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(pairs: &[(&str, &str)]) -> WorkContext {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn stages_of_every_methodology_map_to_phases() {
        for (methodology, stage, phase) in [
            ("native", "planning", Phase::Define),
            ("native", "coding", Phase::Implement),
            ("native", "qa_review", Phase::Validate),
            ("native", "qa_fix", Phase::Refine),
            ("native", "insights", Phase::Explore),
            ("bmad", "architect", Phase::Define),
            ("bmad", "dev", Phase::Implement),
            ("bmad", "story acceptance", Phase::Validate),
            ("bmad", "retrospective", Phase::Reflect),
            ("tdd", "red", Phase::Define),
            ("tdd", "green", Phase::Implement),
            ("tdd", "Refactor", Phase::Refine),
            ("agile", "sprint-planning", Phase::Define),
            ("agile", "tech_debt", Phase::Refine),
            ("agile", "somewhere else", Phase::Explore),
        ] {
            assert_eq!(
                find(methodology).unwrap().phase_of(stage),
                phase,
                "{methodology}/{stage}"
            );
        }
    }

    #[test]
    fn work_units_are_read_from_the_outside_in() {
        let unit = Native
            .work_unit(&context(&[("spec", "042"), ("subtask", "3")]))
            .unwrap();
        assert_eq!(
            (unit.path().as_str(), unit.label()),
            ("spec_042/subtask_3", "Spec 042 / Subtask 3")
        );
        let story = Bmad
            .work_unit(&context(&[("epic", "epic_3"), ("task", "5")]))
            .unwrap();
        assert_eq!(story.path(), "epic_3");
        assert!(Tdd.work_unit(&context(&[])).is_err());
    }

    #[test]
    fn names_are_unique_and_relays_join_known_stages() {
        for (n, methodology) in ALL.iter().enumerate() {
            assert!(
                ALL[..n]
                    .iter()
                    .all(|other| other.name() != methodology.name())
            );
            assert_eq!(
                methodology.plugin_types().len(),
                methodology.adds_types().len()
            );
            for relay in methodology.relays() {
                for stage in [relay.from, relay.to] {
                    let known = methodology.stages().iter().any(|(name, _)| *name == stage);
                    assert!(
                        known,
                        "{}: relay names unknown stage {stage}",
                        methodology.name()
                    );
                }
            }
        }
    }

    #[test]
    fn a_work_state_has_the_methodology_s_shape() {
        let red = vec!["parses dates".to_owned()];
        let state = BTreeMap::from([
            ("tests_red".to_owned(), red),
            ("tests_green".to_owned(), Vec::new()),
        ]);
        assert_eq!(
            Tdd.describe_work_state(&state),
            "Failing tests: parses dates"
        );
        assert_eq!(Tdd.unknown_field(&state), None);
        assert_eq!(Native.unknown_field(&state), Some("tests_green"));
    }
}
