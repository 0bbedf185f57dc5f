//! What kind of statement a memory makes, and the structured part some kinds carry.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::path::ProjectPath;
use crate::spelled::{UnknownWord, spelled};
use crate::text::ModuleName;
use crate::work_unit::WorkUnit;

spelled! {
    /// The types every project has.
    BuiltInType, "memory type", {
        Gotcha => "gotcha",
        Decision => "decision",
        Preference => "preference",
        Pattern => "pattern",
        Requirement => "requirement",
        ErrorPattern => "error_pattern",
        ModuleInsight => "module_insight",
        PrefetchPattern => "prefetch_pattern",
        WorkState => "work_state",
        CausalDependency => "causal_dependency",
        TaskCalibration => "task_calibration",
        E2eObservation => "e2e_observation",
        DeadEnd => "dead_end",
        WorkUnitOutcome => "work_unit_outcome",
        WorkflowRecipe => "workflow_recipe",
        ContextCost => "context_cost",
    }
}

/// The type of a memory: one of the built-in ones, or one that a methodology adds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum MemoryType {
    BuiltIn(BuiltInType),
    Plugin(PluginType),
}

/// A methodology's own type, spelled `methodology:name`, such as `tdd:test_contract`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PluginType {
    methodology: String,
    name: String,
}

impl PluginType {
    pub fn new(methodology: &str, name: &str) -> Option<Self> {
        let word = |text: &str| {
            !text.is_empty()
                && text.len() <= 40
                && text
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        };
        (word(methodology) && word(name)).then(|| Self {
            methodology: methodology.to_owned(),
            name: name.to_owned(),
        })
    }

    pub fn methodology(&self) -> &str {
        &self.methodology
    }
}

impl MemoryType {
    /// Days after which confidence halves; `None` never decays.
    pub const fn half_life_days(&self) -> Option<u32> {
        use BuiltInType as T;
        let Self::BuiltIn(built_in) = self else {
            return Some(90);
        };
        match built_in {
            T::WorkState => Some(7),
            T::E2eObservation => Some(30),
            T::ErrorPattern | T::Gotcha => Some(60),
            T::ModuleInsight | T::DeadEnd => Some(90),
            T::CausalDependency | T::WorkflowRecipe | T::PrefetchPattern => Some(120),
            T::TaskCalibration | T::Preference | T::Pattern | T::WorkUnitOutcome => Some(180),
            T::Decision | T::Requirement | T::ContextCost => None,
        }
    }
}

impl From<BuiltInType> for MemoryType {
    fn from(built_in: BuiltInType) -> Self {
        Self::BuiltIn(built_in)
    }
}

impl fmt::Display for MemoryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(built_in) => f.pad(built_in.as_str()),
            Self::Plugin(PluginType { methodology, name }) => {
                f.pad(&format!("{methodology}:{name}"))
            }
        }
    }
}

impl FromStr for MemoryType {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        if let Some((methodology, name)) = text.split_once(':')
            && let Some(plugin) = PluginType::new(methodology, name)
        {
            return Ok(Self::Plugin(plugin));
        }
        text.parse().map(Self::BuiltIn)
    }
}

impl TryFrom<String> for MemoryType {
    type Error = UnknownWord;

    fn try_from(text: String) -> Result<Self, UnknownWord> {
        text.parse()
    }
}

impl From<MemoryType> for String {
    fn from(memory_type: MemoryType) -> Self {
        memory_type.to_string()
    }
}

/// The type of a memory together with its structured part, so that the two cannot disagree.
///
/// [`Payload::Plain`] is a statement in words only, which any type may be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payload {
    Plain(MemoryType),
    WorkflowRecipe(Recipe),
    DeadEnd(DeadEnd),
    PrefetchPattern(Prefetch),
    TaskCalibration(Calibration),
    WorkState(WorkState),
    E2eObservation(E2eObservation),
    WorkUnitOutcome(Outcome),
    ContextCost(ContextCost),
}

impl Payload {
    pub fn memory_type(&self) -> MemoryType {
        use BuiltInType as T;
        MemoryType::BuiltIn(match self {
            Self::Plain(memory_type) => return memory_type.clone(),
            Self::WorkflowRecipe(_) => T::WorkflowRecipe,
            Self::DeadEnd(_) => T::DeadEnd,
            Self::PrefetchPattern(_) => T::PrefetchPattern,
            Self::TaskCalibration(_) => T::TaskCalibration,
            Self::WorkState(_) => T::WorkState,
            Self::E2eObservation(_) => T::E2eObservation,
            Self::WorkUnitOutcome(_) => T::WorkUnitOutcome,
            Self::ContextCost(_) => T::ContextCost,
        })
    }
}

impl From<BuiltInType> for Payload {
    fn from(built_in: BuiltInType) -> Self {
        Self::Plain(built_in.into())
    }
}

/// How a kind of task is done here, step by step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    pub task_pattern: String,
    pub steps: Vec<RecipeStep>,
    pub last_validated_at: Timestamp,
    pub success_count: u32,
}

/// One step; its place in the list is its order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecipeStep {
    pub description: String,
    pub canonical_file: Option<ProjectPath>,
    pub canonical_line: Option<u32>,
}

/// An approach that was tried and given up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeadEnd {
    pub tried: String,
    pub why_it_failed: String,
    pub used_instead: Option<String>,
    pub task_context: Option<String>,
}

/// Files that work in a module begins with. That two files belong together is said in words alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prefetch {
    /// Used in more than 80 % of the module's sessions, the most used first.
    pub always_read: Vec<ProjectPath>,
    /// The same of those used in more than 50 %.
    pub frequently_read: Vec<ProjectPath>,
    pub trigger_module: ModuleName,
    pub session_count: u32,
}

impl Prefetch {
    pub fn files(&self) -> impl Iterator<Item = &ProjectPath> {
        self.always_read.iter().chain(&self.frequently_read)
    }
}

/// How far plans are off in a module. The ratio is computed, so it cannot disagree with its parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    pub module: ModuleName,
    pub methodology: String,
    pub mean_actual_steps: f64,
    pub mean_planned_steps: f64,
    pub samples: u32,
}

impl Calibration {
    /// Actual over planned; `None` when nothing was planned.
    pub fn ratio(&self) -> Option<f64> {
        (self.mean_planned_steps > 0.0).then(|| self.mean_actual_steps / self.mean_planned_steps)
    }
}

/// Unfinished work; the methodology decides what its state holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkState {
    pub work_unit: WorkUnit,
    pub state: BTreeMap<String, Vec<String>>,
}

spelled! {
    /// What an end-to-end observation is about.
    E2eKind, "e2e observation kind", {
        Precondition => "precondition",
        Timing => "timing",
        UiBehavior => "ui_behavior",
        TestSequence => "test_sequence",
        McpGotcha => "mcp_gotcha",
    }
}

/// A fact about the running application, seen through a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct E2eObservation {
    pub kind: E2eKind,
    pub tool: String,
    pub app_state: Option<String>,
}

/// How a unit of work ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub work_unit: WorkUnit,
    pub result: OutcomeResult,
    pub files: Vec<ProjectPath>,
    pub decisions: Vec<String>,
    pub steps: u32,
    pub tokens: u64,
    pub retries: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeResult {
    Succeeded,
    Failed { reason: String },
}

/// What work in a module costs in context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContextCost {
    pub module: ModuleName,
    pub mean_tokens: u64,
    pub p90_tokens: u64,
    pub samples: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_round_trips_through_its_spelling() {
        for built_in in BuiltInType::ALL {
            let memory_type = MemoryType::from(*built_in);
            assert_eq!(memory_type.to_string().parse(), Ok(memory_type));
        }
        let plugin: MemoryType = "tdd:test_contract".parse().unwrap();
        assert_eq!(plugin.to_string(), "tdd:test_contract");
        assert!("tdd:".parse::<MemoryType>().is_err());
        assert!("Fact".parse::<MemoryType>().is_err());
    }

    #[test]
    fn a_payload_decides_its_type() {
        let tried = "mock the clock".to_owned();
        let why_it_failed = "the library reads it natively".to_owned();
        let dead_end = Payload::DeadEnd(DeadEnd {
            tried,
            why_it_failed,
            used_instead: None,
            task_context: None,
        });
        assert_eq!(dead_end.memory_type(), BuiltInType::DeadEnd.into());
        let json = serde_json::to_string(&dead_end).unwrap();
        assert_eq!(serde_json::from_str::<Payload>(&json).unwrap(), dead_end);
    }

    #[test]
    fn half_lives_are_those_of_the_specification() {
        let days = |built_in: BuiltInType| MemoryType::from(built_in).half_life_days();
        assert_eq!(days(BuiltInType::WorkState), Some(7));
        assert_eq!(days(BuiltInType::E2eObservation), Some(30));
        assert_eq!(days(BuiltInType::Gotcha), Some(60));
        assert_eq!(days(BuiltInType::ErrorPattern), Some(60));
        assert_eq!(days(BuiltInType::ModuleInsight), Some(90));
        assert_eq!(days(BuiltInType::DeadEnd), Some(90));
        assert_eq!(days(BuiltInType::CausalDependency), Some(120));
        assert_eq!(days(BuiltInType::WorkflowRecipe), Some(120));
        assert_eq!(days(BuiltInType::TaskCalibration), Some(180));
        assert_eq!(days(BuiltInType::Preference), Some(180));
        assert_eq!(days(BuiltInType::Decision), None);
        assert_eq!(days(BuiltInType::Requirement), None);
    }

    #[test]
    fn a_ratio_needs_a_plan() {
        let calibration = |planned| Calibration {
            module: ModuleName::new("auth").unwrap(),
            methodology: "native".to_owned(),
            mean_actual_steps: 31.0,
            mean_planned_steps: planned,
            samples: 4,
        };
        assert_eq!(calibration(10.0).ratio(), Some(3.1));
        assert_eq!(calibration(0.0).ratio(), None);
    }
}
