//! What each role needs to hear.

use oldhand_domain::payload::{BuiltInType as T, MemoryType};
use oldhand_domain::vocabulary::{Phase, Role};

/// The phase its work belongs to, where none is named.
pub(super) const fn phase(role: Role) -> Phase {
    match role {
        Role::Planner => Phase::Define,
        Role::Coder => Phase::Implement,
        Role::Qa => Phase::Validate,
        Role::Recovery => Phase::Refine,
    }
}

/// The types that are of use to it.
pub(super) fn types(role: Role) -> Vec<MemoryType> {
    let types: &[T] = match role {
        Role::Planner => &[
            T::WorkflowRecipe,
            T::DeadEnd,
            T::TaskCalibration,
            T::CausalDependency,
            T::WorkUnitOutcome,
            T::Requirement,
            T::Decision,
            T::ContextCost,
        ],
        Role::Coder => &[
            T::Gotcha,
            T::ErrorPattern,
            T::DeadEnd,
            T::Pattern,
            T::Preference,
            T::Decision,
            T::CausalDependency,
            T::PrefetchPattern,
            T::ModuleInsight,
            T::WorkflowRecipe,
        ],
        Role::Qa => &[
            T::ErrorPattern,
            T::E2eObservation,
            T::Requirement,
            T::Gotcha,
            T::WorkUnitOutcome,
        ],
        Role::Recovery => &[T::WorkState, T::DeadEnd, T::Gotcha, T::ErrorPattern],
    };
    types.iter().copied().map(MemoryType::BuiltIn).collect()
}

/// The types that it hears of whatever the task is.
pub(super) fn standing(role: Role) -> Vec<MemoryType> {
    let types: &[T] = match role {
        Role::Planner | Role::Coder => &[],
        Role::Qa => &[T::Requirement],
        Role::Recovery => &[T::WorkState, T::DeadEnd],
    };
    types.iter().copied().map(MemoryType::BuiltIn).collect()
}

/// How many days back what it hears anyway may lie: who takes up work wants the dead ends of that work, not of years.
pub(super) const fn looks_back(role: Role) -> Option<i64> {
    match role {
        Role::Recovery => Some(7),
        Role::Planner | Role::Coder | Role::Qa => None,
    }
}
